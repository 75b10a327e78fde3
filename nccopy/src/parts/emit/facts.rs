//! What scripts need to know about a plan.

use std::ops::Range;

use netcdf_core::arithmetic::Amount;
use netcdf_core::env::Memory;
use netcdf_core::error::{Error, Result};
use netcdf_core::json::Json;
use netcdf_core::shown::ShownText;
use netcdf_core::sum::Digest;

use super::quote;
use crate::parts::folder::PlanDirectory;
use crate::parts::paths::wrong;
use crate::request::ProcessRequest;

const MIB: u64 = 1 << 20;
/// Bytes of elements that are decoded, encoded and stored in a second, at least.
const COPIED: u64 = 5_000_000;
/// How much longer than the plan says copies may take, where that is more than by their bytes: files may be much smaller than their elements.
const LONGER: u64 = 4;
/// Bytes of elements that are joined in a second, at least: what they became is only read and written.
const JOINED: u64 = 50_000_000;
/// Minutes for all else: a start on a busy machine, opening the input.
const MINUTES: u64 = 10;

/// What scripts need to know about a plan.
#[derive(Debug)]
pub(super) struct Facts {
    /// The folder of the plan, absolute.
    pub folder: String,
    /// BLAKE3 of `plan.json`.
    pub plan: Digest,
    /// How many parts there are, at least one.
    pub parts: u64,
    /// The parts of each stage.
    pub stages: Vec<Range<u64>>,
    /// Bytes of all elements that parts copy.
    bytes: u64,
    /// Seconds that the parts are going to take, as the plan says.
    seconds: u64,
    /// Bytes of the elements that are copied when the parts are joined.
    at_finish: u64,
    /// The memory that the plan gives to a process, in bytes.
    memory: u64,
}

impl Facts {
    /// The facts of the plan in a folder.
    ///
    /// # Errors
    /// Those of the folder; [`netcdf_core::error::ErrorKind::Argument`] for a path that is not UTF-8.
    pub(super) fn of(process: &ProcessRequest, folder: &PlanDirectory) -> Result<Self> {
        let plan = folder.plan()?;
        let path = std::path::absolute(folder.path())
            .map_err(|e| Error::io("cannot find", &folder.path().to_string_lossy(), e))?;
        let path = path
            .to_str()
            .ok_or_else(|| wrong(&path, "--emit: the path must be UTF-8"))?;
        let memory = plan.request(process)?.process.memory;
        let record = &plan.record;
        let at_finish = record.variables().iter().filter(|var| var.at_finish);
        Ok(Self {
            folder: path.to_owned(),
            plan: plan.digest,
            parts: record.parts,
            stages: record.stages(),
            bytes: record.bytes,
            seconds: whole_seconds(record.estimate()),
            at_finish: at_finish
                .map(|var| Amount::of(var.bytes))
                .sum::<Amount>()
                .get(),
            memory: memory.unwrap_or(Memory::default().0),
        })
    }

    /// MiB of memory for a process.
    pub(super) fn memory(&self) -> u64 {
        memory(self.memory).div_ceil(MIB)
    }

    /// Minutes for so many parts in one process.
    pub(super) fn minutes(&self, parts: u64) -> u64 {
        let stage = self.stages.last().map_or(1, |last| last.end - last.start);
        let share = |of: u64| Amount::of(of.div_ceil(stage.max(1))) * parts;
        let bytes = share(self.bytes).get().div_ceil(COPIED);
        minutes(bytes.max((share(self.seconds) * LONGER).get()))
    }

    /// Minutes for joining the parts.
    pub(super) fn minutes_of_finish(&self) -> u64 {
        minutes(self.bytes.div_ceil(JOINED) + self.at_finish.div_ceil(COPIED))
    }

    /// Values that all scripts have in common: those for the shell.
    pub(super) fn of_shell(&self) -> Vec<(&'static str, String)> {
        [("DIR", quote::shell(&self.folder))]
            .into_iter()
            .chain(self.of_all())
            .collect()
    }

    /// The same for Python.
    pub(super) fn of_python(&self) -> Vec<(&'static str, String)> {
        [("DIR", quote::python(&self.folder))]
            .into_iter()
            .chain(self.of_all())
            .collect()
    }

    fn of_all(&self) -> [(&'static str, String); 6] {
        let shown = ShownText::new(&self.folder).to_string();
        let (stages, first) = (self.stages.iter(), self.stages.first());
        let shell = stages.clone().map(|s| format!("{}-{}", s.start, s.end - 1));
        let python = stages.map(|s| format!("range({}, {})", s.start, s.end));
        let first = first.filter(|_| self.stages.len() > 1);
        [
            ("STAGES", shell.collect::<Vec<_>>().join(" ")),
            ("RANGES", python.collect::<Vec<_>>().join(", ")),
            ("FIRST", first.map_or(0, |s| s.end).to_string()),
            // Within a comment, so that it has to stay on its line.
            ("COMMENT", quote::shell(&shown)),
            ("PARTS", self.parts.to_string()),
            ("MEMORY", self.memory().to_string()),
        ]
    }
}

/// The most bytes of memory of a process that may use so many for data: there are tables, buffers and the program, too.
pub(crate) fn memory(data: u64) -> u64 {
    (Amount::of(data) * 2_u64 + 256 * MIB).get()
}

/// The seconds of an estimate, rounded up.
fn whole_seconds(estimate: &Json) -> u64 {
    let seconds = estimate.get("cpu_seconds").and_then(Json::as_number);
    let whole = seconds.and_then(|text| text.split('.').next()?.parse().ok());
    (Amount::of(whole.unwrap_or(0u64)) + 1u64).get()
}

fn minutes(seconds: u64) -> u64 {
    seconds.div_ceil(60) + MINUTES
}

#[cfg(test)]
impl Facts {
    /// A plan of parts of 1 GB.
    pub(super) fn example(folder: &str, parts: u64) -> Self {
        Self {
            folder: folder.to_owned(),
            plan: Digest::of_bytes(b"plan"),
            parts,
            stages: std::iter::once(0..parts).collect(),
            bytes: parts * 1_000_000_000,
            seconds: 0,
            at_finish: 0,
            memory: Memory::default().0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_and_time_follow_from_the_plan() {
        let mut facts = Facts::example("/d", 10);
        assert_eq!(facts.memory(), 768);
        assert_eq!(facts.minutes(1), 14);
        assert_eq!(facts.minutes(3), 20);
        assert_eq!(facts.minutes_of_finish(), 14);
        facts.memory = MIB + 1;
        facts.at_finish = 600 * COPIED;
        assert_eq!(facts.memory(), 259);
        assert_eq!(facts.minutes_of_finish(), 24);
        facts.seconds = 6000;
        assert_eq!(facts.minutes(1), 50, "four times the estimate");
        facts.bytes = u64::MAX;
        facts.memory = u64::MAX;
        assert!(facts.minutes(10) > 1 << 30 && facts.memory() > 1 << 40);
    }

    #[test]
    fn estimates_are_rounded_up() {
        let of = |text: &str| whole_seconds(&Json::parse(text.as_bytes()).unwrap());
        assert_eq!(of(r#"{"cpu_seconds": 6000.250}"#), 6001);
        assert_eq!(of("{}"), 1);
    }

    #[test]
    fn a_comment_stays_on_its_line() {
        let facts = Facts::example("/a\nrm -r b", 1);
        assert_eq!(facts.of_all()[3].1, r"'/a\nrm -r b'");
    }
}
