//! Compares datasets with a list of digests (`--sum --check`).

use std::collections::BTreeMap;
use std::io::BufRead;

use netcdf_core::chunk::{Dataset, ReadCache, Reader};
use netcdf_core::env::Env;
use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::model::VarId;
use netcdf_core::notes::Note;
use netcdf_core::sum::{Digest, DigestMaker, var_path};
use netcdf_core::tool::{self, Io};

use super::line::SumLine;
use super::list::SumList;
use super::put;
use crate::request::NAME;

/// Opens a dataset by its name in a list.
pub(crate) type Open<'a> = &'a mut dyn FnMut(&[u8]) -> Result<Box<dyn Reader>>;

/// The result counts of a list.
#[derive(Default)]
struct SumTally {
    lines: u64,
    differ: u64,
    unread: u64,
}

/// Prints for each line of a list whether the digest still matches the dataset or variable.
///
/// # Errors
/// Returns [`ErrorKind::Checksum`] for different or missing digests, [`ErrorKind::UnknownFormat`] for a file that is not a list, I/O
/// errors, and [`ErrorKind::Cancelled`].
pub(crate) fn check(
    (from, name): (&mut dyn BufRead, &str),
    open: Open<'_>,
    env: &Env,
    io: &mut Io,
) -> Result<()> {
    let mut list = SumList::new(from, name);
    let mut tally = SumTally::default();
    loop {
        let lines = list.lines()?;
        let Some(first) = lines.first() else { break };
        tally.lines += lines.len() as u64;
        match open(&first.file) {
            Ok(reader) => of_file(&*reader, &lines, &mut tally, (env, io))?,
            Err(e) if e.kind() == ErrorKind::Cancelled => return Err(e),
            Err(e) => {
                tool::report(NAME, &e, io);
                let unread = |line| tally.say(line, &LineCheck::Unread, io);
                lines.iter().try_for_each(unread)?;
            }
        }
    }
    if list.odd > 0 && tally.lines > 0 {
        env.notes.say(Note {
            object: name.to_owned(),
            what: format!("lines that are no digests with names: {}", list.odd),
            remedy: None,
        });
    }
    tally.end().map_err(|e| e.of(name))
}

/// Checks lines about an open dataset.
fn of_file(
    reader: &dyn Reader,
    lines: &[SumLine],
    tally: &mut SumTally,
    (env, io): (&Env, &mut Io),
) -> Result<()> {
    let cache = ReadCache::new(env);
    let set = Dataset::new(reader, env).with(&cache);
    let mut now = CurrentSums::new(set)?;
    for line in lines {
        let checked = match now.digest(line) {
            Ok(digest) if digest == line.digest => LineCheck::Same,
            Ok(_) => LineCheck::Differs,
            Err(e) if e.kind() == ErrorKind::Cancelled => return Err(e),
            Err(e) => {
                tool::report(NAME, &e.of(&String::from_utf8_lossy(&line.file)), io);
                LineCheck::Unread
            }
        };
        tally.say(line, &checked, io)?;
    }
    Ok(())
}

/// The result of a line.
enum LineCheck {
    Same,
    Differs,
    Unread,
}

impl SumTally {
    /// Prints and counts the result of a line.
    fn say(&mut self, line: &SumLine, checked: &LineCheck, io: &mut Io) -> Result<()> {
        let said = match checked {
            LineCheck::Same => "OK",
            LineCheck::Differs => {
                self.differ += 1;
                "FAILED"
            }
            LineCheck::Unread => {
                self.unread += 1;
                "FAILED open or read"
            }
        };
        put(&mut *io.stdout, &format!("{}: {said}\n", line.name()))
    }

    /// Returns an error if any digest differs or is missing.
    fn end(&self) -> Result<()> {
        let Self {
            lines,
            differ,
            unread,
        } = *self;
        let what = match (differ, unread) {
            _ if lines == 0 => {
                let what =
                    "no lines `blake3:DIGEST  FILE`, expected a list that ncdump --sum printed";
                return Err(Error::new(ErrorKind::UnknownFormat, what));
            }
            (0, 0) => return Ok(()),
            (differ, 0) => format!("{differ} of {lines} digests differ"),
            (0, unread) => format!("{unread} of {lines} digests could not be computed"),
            (differ, unread) => {
                format!("{differ} of {lines} digests differ, {unread} could not be computed")
            }
        };
        Err(Error::new(ErrorKind::Checksum, what))
    }
}

/// The current digests of a dataset, each computed once.
struct CurrentSums<'a> {
    sums: DigestMaker<'a>,
    vars: BTreeMap<Vec<u8>, VarId>,
    made: BTreeMap<VarId, Digest>,
}

impl<'a> CurrentSums<'a> {
    fn new(set: Dataset<'a>) -> Result<Self> {
        let schema = set.reader.schema();
        let vars = schema.var_ids().map(|id| (var_path(schema, id), id));
        Ok(Self {
            sums: DigestMaker::new(set)?,
            vars: vars.collect(),
            made: BTreeMap::new(),
        })
    }

    /// Returns the digest of the dataset or variable of a line.
    fn digest(&mut self, line: &SumLine) -> Result<Digest> {
        let Some(path) = &line.path else {
            return self.dataset();
        };
        let missing = || {
            let e = Error::new(ErrorKind::NotFound, "no such variable");
            e.in_object(&String::from_utf8_lossy(path))
        };
        let id = self.vars.get(path).copied().ok_or_else(missing)?;
        self.variable(id)
    }

    fn variable(&mut self, id: VarId) -> Result<Digest> {
        if let Some(digest) = self.made.get(&id) {
            return Ok(*digest);
        }
        let digest = self.sums.variable(id)?;
        self.made.insert(id, digest);
        Ok(digest)
    }

    fn dataset(&mut self) -> Result<Digest> {
        let ids: Vec<VarId> = self.vars.values().copied().collect();
        let vars = ids.into_iter().map(|id| Ok((id, self.variable(id)?)));
        let vars = vars.collect::<Result<Vec<_>>>()?;
        self.sums.dataset(&vars)
    }
}
