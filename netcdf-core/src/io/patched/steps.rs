//! The order of writes and syncs of commits and rollbacks.
//!
//! A disk may write unsynced sectors in any order. A sync separates steps that must not overtake each other.

use std::io::Result as IoResult;
use std::ops::Range;

use super::journal::{Journal, JournalSide};
use super::patches::Patches;
use super::progress::is_fence_sector;
use super::sectors::{FileImage, is_one, parts};
use crate::arithmetic::length;
use crate::error::{Error, Result};
use crate::io::file::full;
use crate::io::raw_file::RawFile;

/// The state of the file after an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Certainty {
    /// The file has the state before the change.
    Old,
    /// The file has the state before or after the change.
    Either,
}

impl Certainty {
    /// The sentence for error messages.
    pub(super) fn sentence(self) -> &'static str {
        match self {
            Self::Old => "the file has the state of the last sync that succeeded",
            Self::Either => {
                "the file has the state of the last sync that succeeded, or of this one"
            }
        }
    }
}

/// A failed step.
#[derive(Debug)]
pub(super) struct StepFailure {
    pub(super) error: Error,
    pub(super) certainty: Certainty,
    /// Whether the handle must not be used again, because a sync failed or patches are written in part.
    pub(super) is_final: bool,
}

/// Runs the steps of a change on a file.
pub(super) struct Steps<'a> {
    pub(super) raw: &'a dyn RawFile,
}

impl Steps<'_> {
    fn io(&self, what: &str, done: IoResult<()>) -> Result<()> {
        done.map_err(|e| Error::io(what, self.raw.name(), e))
    }

    fn write(&self, offset: u64, bytes: &[u8]) -> Result<()> {
        let written = self.raw.write_at(offset, bytes);
        written.map_err(|e| full::failed("cannot write", self.raw.name(), e))
    }

    /// Waits until the disk has all writes.
    pub(super) fn sync(&self) -> Result<()> {
        self.io("cannot write to disk", self.raw.sync())
    }

    /// Writes patches that are in one sector. The write is the commit. `data`: there is new data, which must be on the disk before.
    pub(super) fn write_sector(&self, patches: &Patches, data: bool) -> Result<(), StepFailure> {
        if data {
            self.sync().map_err(|e| failure(e, Certainty::Old, true))?;
        }
        let Some(extent) = patches.extent() else {
            return Ok(());
        };
        let image = self.overlaid(&extent, &patches.iter().collect::<Vec<_>>());
        let image = image.map_err(|e| failure(e, Certainty::Old, false))?;
        let written = self.write(image.offset, &image.bytes);
        let written = written.and_then(|()| self.sync());
        written.map_err(|e| failure(e, Certainty::Either, true))
    }

    /// Writes patches in several sectors: journal, fence, patches, and the sector that lifts the fence.
    pub(super) fn write_fenced(&self, journal: &Journal) -> Result<(), StepFailure> {
        let early = |e| failure(e, Certainty::Old, false);
        let bytes = journal.encode().map_err(early)?;
        self.write(journal.new_len, &bytes).map_err(early)?;
        self.sync().map_err(|e| failure(e, Certainty::Old, true))?;
        let prepared = self.prepare(journal, JournalSide::New);
        prepared.map_err(|e| failure(e, Certainty::Old, true))?;
        let lifted = self.lift_fence(journal, JournalSide::New);
        lifted.map_err(|e| failure(e, Certainty::Either, true))
    }

    /// Restores the bytes of one side of a journal, and truncates the file after them.
    pub(super) fn restore(&self, journal: &Journal, side: JournalSide) -> Result<()> {
        self.prepare(journal, side)?;
        self.settle(journal, side)
    }

    /// Truncates a file after one side of a journal, whose bytes it has. The sector with the fence is written again before: the process
    /// that wrote it may have been killed before its sync, or the sync may have failed. A truncated file with a fence could not be read.
    pub(super) fn settle(&self, journal: &Journal, side: JournalSide) -> Result<()> {
        self.lift_fence(journal, side)?;
        let len = match side {
            JournalSide::Old => journal.old_len,
            JournalSide::New => journal.new_len,
        };
        self.truncate(len)
    }

    /// Replaces the fence by the signature.
    pub(super) fn clear_fence(&self, journal: &Journal) -> Result<()> {
        let fence = journal.fence;
        let mut byte = [0];
        let read = self.raw.read_at(fence.offset, &mut byte);
        self.io("cannot read", read)?;
        if byte != [fence.byte()] {
            return Ok(());
        }
        self.write(fence.offset, &[fence.signature])?;
        self.sync()
    }

    /// Removes the end of the file. The next sync writes the length to disk.
    pub(super) fn truncate(&self, len: u64) -> Result<()> {
        self.io("cannot truncate", self.raw.set_len(len))
    }

    /// Sets the fence, and writes all sectors but the one with the fence.
    fn prepare(&self, journal: &Journal, side: JournalSide) -> Result<()> {
        let mut fence = self.fence_image(journal, JournalSide::Old)?;
        fence.put(journal.fence.offset, &[journal.fence.byte()])?;
        self.write(fence.offset, &fence.bytes)?;
        self.sync()?;
        for run in outside_runs(journal) {
            let image = self.image(journal, (&run, side))?;
            self.write(image.offset, &image.bytes)?;
        }
        self.sync()
    }

    /// Writes the sector with the fence.
    fn lift_fence(&self, journal: &Journal, side: JournalSide) -> Result<()> {
        let image = self.fence_image(journal, side)?;
        self.write(image.offset, &image.bytes)?;
        self.sync()
    }

    /// Returns the bytes of the sector with the fence.
    fn fence_image(&self, journal: &Journal, side: JournalSide) -> Result<FileImage> {
        let inside = changed_parts(journal).filter(|part| is_fence_sector(journal, part.start));
        let inside: Vec<_> = inside.collect();
        let start = inside.first().map_or(0, |part| part.start);
        let end = inside.last().map_or(0, |part| part.end);
        self.image(journal, (&(start..end), side))
    }

    /// Returns the bytes of a file range, with the bytes of one side of the journal.
    fn image(
        &self,
        journal: &Journal,
        (run, side): (&Range<u64>, JournalSide),
    ) -> Result<FileImage> {
        let mut pieces = vec![];
        for range in &journal.ranges {
            let part = range.offset.max(run.start)..range.range().end.min(run.end);
            if !part.is_empty() {
                pieces.push((part.start, range.part(&part, side)?));
            }
        }
        self.overlaid(run, &pieces)
    }

    /// Returns the bytes of a file range with `pieces` over them: disjoint parts of the range with their offsets. Only reads the file if
    /// the pieces do not cover the range.
    fn overlaid(&self, range: &Range<u64>, pieces: &[(u64, &[u8])]) -> Result<FileImage> {
        let covered: u64 = pieces.iter().map(|(_, bytes)| bytes.len() as u64).sum();
        let mut image = match length(range) == covered {
            true => FileImage::blank(range),
            false => {
                let image = FileImage::read(self.raw, range);
                image.map_err(|e| Error::io("cannot read", self.raw.name(), e))?
            }
        };
        for (offset, bytes) in pieces {
            image.put(*offset, bytes)?;
        }
        Ok(image)
    }
}

/// Returns the parts of all ranges by sector.
fn changed_parts(journal: &Journal) -> impl Iterator<Item = Range<u64>> {
    journal.ranges.iter().flat_map(|range| parts(range.range()))
}

/// Returns the file ranges to write outside the sector with the fence. A sector is written at once, so that a kill leaves it old or new.
fn outside_runs(journal: &Journal) -> Vec<Range<u64>> {
    let mut found: Vec<Range<u64>> = vec![];
    for part in changed_parts(journal).filter(|part| !is_fence_sector(journal, part.start)) {
        match found.last_mut() {
            Some(last) if last.end == part.start || is_one(&(last.end - 1..part.end)) => {
                last.end = part.end;
            }
            Some(_) | None => found.push(part),
        }
    }
    found
}

fn failure(error: Error, certainty: Certainty, is_final: bool) -> StepFailure {
    StepFailure {
        error,
        certainty,
        is_final,
    }
}
