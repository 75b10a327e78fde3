//! Values of a plan for generated scripts.

use std::ops::Range;

use netcdf_core::arithmetic::Amount;
use netcdf_core::env::Memory;
use netcdf_core::error::{Error, Result};
use netcdf_core::json::Json;
use netcdf_core::shown::ShownText;
use netcdf_core::sum::Digest;

use super::quote;
use crate::parts::paths::wrong;
use crate::parts::plan_directory::PlanDirectory;
use crate::request::ProcessRequest;

const MIB: u64 = 1 << 20;
/// Minimum rate of parts, in element bytes decoded, encoded and stored per second.
const COPIED: u64 = 5_000_000;
/// Safety factor of the estimate, if the estimate exceeds the time from element bytes. Files may be much smaller than their elements.
const LONGER: u64 = 4;
/// Minimum rate of `--finish`, in element bytes per second. `--finish` only reads and writes encoded data.
const JOINED: u64 = 50_000_000;
/// Minutes for other work: starting on a busy machine, opening the input.
const MINUTES: u64 = 10;

/// Values of a plan for generated scripts.
#[derive(Debug)]
pub(super) struct Facts {
    /// The absolute path of the plan directory.
    pub folder: String,
    /// BLAKE3 of `plan.json`.
    pub plan: Digest,
    /// The number of parts, at least one.
    pub parts: u64,
    /// The parts of each stage.
    pub stages: Vec<Range<u64>>,
    /// Element bytes that parts copy.
    bytes: u64,
    /// Estimated seconds of all parts.
    seconds: u64,
    /// Element bytes that `--finish` copies.
    at_finish: u64,
    /// The process memory of the plan, in bytes.
    memory: u64,
}

impl Facts {
    /// Returns the facts of a plan directory.
    ///
    /// # Errors
    /// Returns errors of the plan directory, and [`netcdf_core::error::ErrorKind::Argument`] for a path that is not UTF-8.
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

    /// Returns the MiB of memory for a process.
    pub(super) fn memory(&self) -> u64 {
        memory(self.memory).div_ceil(MIB)
    }

    /// Returns the minutes for this number of parts in one process.
    pub(super) fn minutes(&self, parts: u64) -> u64 {
        let stage = self.stages.last().map_or(1, |last| last.end - last.start);
        let share = |of: u64| Amount::of(of.div_ceil(stage.max(1))) * parts;
        let bytes = share(self.bytes).get().div_ceil(COPIED);
        minutes(bytes.max((share(self.seconds) * LONGER).get()))
    }

    /// Returns the minutes for `--finish`.
    pub(super) fn minutes_of_finish(&self) -> u64 {
        minutes(self.bytes.div_ceil(JOINED) + self.at_finish.div_ceil(COPIED))
    }

    /// Returns the common values of all scripts, in shell syntax.
    pub(super) fn of_shell(&self) -> Vec<(&'static str, String)> {
        [("DIR", quote::shell(&self.folder))]
            .into_iter()
            .chain(self.of_all())
            .collect()
    }

    /// Returns the common values of all scripts, in Python syntax.
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
            // A comment must stay on its line.
            ("COMMENT", quote::shell(&shown)),
            ("PARTS", self.parts.to_string()),
            ("MEMORY", self.memory().to_string()),
        ]
    }
}

/// Returns the maximum process memory for this data memory: data, tables, buffers and program.
pub(crate) fn memory(data: u64) -> u64 {
    (Amount::of(data) * 2_u64 + 256 * MIB).get()
}

/// Returns the seconds of an estimate, rounded up.
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
    /// Returns a plan with parts of 1 GB.
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
