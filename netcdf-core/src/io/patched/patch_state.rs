//! The changes of a file since the last commit.

use super::journal::{Fence, Journal};
use super::patches::Patches;
use super::sectors::SECTOR;
use super::steps::{Certainty, StepFailure, Steps};
use super::tail::{FileTail, changed, renew};
use crate::arithmetic::{Amount, exact};
use crate::error::{Error, ErrorKind, OrInternal as _, Result};
use crate::io::blocks::DirtyBlocks;
use crate::io::raw_file::{RawFile, RawStamp};
use crate::io::target::Target as _;

#[derive(Debug, Default)]
pub(super) struct PatchState {
    /// The length of the committed file.
    pub(super) committed: u64,
    /// The length with all changes.
    pub(super) end: u64,
    /// Buffered data from `committed` on.
    pub(super) tail: DirtyBlocks,
    pub(super) patches: Patches,
    /// The state of the file after the last write of ours.
    pub(super) stamp: RawStamp,
    /// The byte offset of the format's signature.
    pub(super) signature: u64,
    /// The committed bytes from the signature to the end of its sector.
    pub(super) head: Vec<u8>,
    /// The reason why the handle must only be closed.
    pub(super) failed: Option<Error>,
    /// Whether the end of the file may be a journal that a rollback needs.
    pub(super) keeps_end: bool,
}

impl PatchState {
    /// Records the file as committed.
    pub(super) fn begin(&mut self, raw: &dyn RawFile) -> Result<()> {
        renew(raw, &mut self.stamp)?;
        (self.committed, self.end) = (self.stamp.len, self.stamp.len);
        self.read_head(raw)
    }

    /// Drops all changes. `len`: the length of the committed file.
    pub(super) fn restart(&mut self, raw: &dyn RawFile, len: u64) -> Result<()> {
        self.tail = DirtyBlocks::default();
        self.patches = Patches::default();
        (self.committed, self.end) = (len, len);
        match self.head.len() == self.head_len() {
            true => Ok(()),
            false => self.read_head(raw),
        }
    }

    /// Records the state of the file after a write or a truncation to `len` bytes. The next check fails if another program changed the
    /// length.
    pub(super) fn renew(&mut self, raw: &dyn RawFile, len: u64) -> Result<()> {
        renew(raw, &mut self.stamp)?;
        self.stamp.len = len;
        Ok(())
    }

    /// Lays the patches over the head in memory.
    pub(super) fn patch_head(&mut self) -> Result<()> {
        self.patches.lay_over(self.signature, &mut self.head)
    }

    /// Returns the length of the head, which ends with its sector or with the file.
    fn head_len(&self) -> usize {
        let sectors = Amount::of(self.signature / SECTOR) + 1u64;
        let end = (sectors * SECTOR).get().min(self.committed);
        (Amount::of(end) - self.signature).count()
    }

    /// Reads the head again.
    pub(super) fn read_head(&mut self, raw: &dyn RawFile) -> Result<()> {
        self.head = self.current_head(raw)?;
        Ok(())
    }

    pub(super) fn current_head(&self, raw: &dyn RawFile) -> Result<Vec<u8>> {
        let mut head = vec![0; self.head_len()];
        let read = raw.read_at(self.signature, &mut head);
        read.map_err(|e| Error::io("cannot read", raw.name(), e))?;
        Ok(head)
    }

    /// Checks that no other program changed the file, and that its path still names it.
    pub(super) fn check(&self, raw: &dyn RawFile) -> Result<()> {
        match raw.stamp_at_path() == Some(self.stamp) && self.current_head(raw)? == self.head {
            true => Ok(()),
            false => Err(changed(raw.name())),
        }
    }

    pub(super) fn write_tail(
        &mut self,
        raw: &dyn RawFile,
        offset: u64,
        bytes: &[u8],
    ) -> Result<()> {
        let at = (exact(offset) - self.committed).get()?;
        let mut tail = FileTail {
            raw,
            base: self.committed,
            stamp: &mut self.stamp,
            is_checked: false,
        };
        let written = self.tail.write(&mut tail, at, bytes);
        self.lose_tail(written)?;
        self.end = self.end.max((exact(offset) + bytes.len()).get()?);
        Ok(())
    }

    /// Writes all new data to the file, which then has its new length. The caller has checked the file.
    pub(super) fn flush(&mut self, raw: &dyn RawFile) -> Result<()> {
        let mut tail = FileTail {
            raw,
            base: self.committed,
            stamp: &mut self.stamp,
            is_checked: true,
        };
        let flushed = self.tail.flush(&mut tail);
        self.lose_tail(flushed)?;
        if self.stamp.len != self.end {
            let extended = Steps { raw }.truncate(self.end);
            extended.map_err(unchanged)?;
            renew(raw, &mut self.stamp)?;
        }
        Ok(())
    }

    /// Returns the journal of the patches.
    pub(super) fn journal(&self, raw: &dyn RawFile) -> Result<Journal> {
        let signature = *self
            .head
            .first()
            .or_internal("a file without a signature")?;
        let fence = Fence {
            offset: self.signature,
            signature,
        };
        Journal::new(raw, (&self.patches, fence), self.committed..self.end)
    }

    pub(super) fn sync(&mut self, steps: &Steps<'_>) -> Result<()> {
        let synced = steps.sync();
        if let Err(e) = &synced {
            self.failed = Some(e.again());
        }
        synced
    }

    /// Returns the error of a failed commit, and records it if the handle must not be used again.
    pub(super) fn fail(&mut self, raw: &dyn RawFile, failure: StepFailure) -> Error {
        // A part of a journal may be written.
        let _ = renew(raw, &mut self.stamp);
        let e = failure
            .error
            .with_further_remedy(failure.certainty.sentence());
        if failure.is_final {
            (self.failed, self.keeps_end) = (Some(e.again()), true);
        }
        e
    }

    /// Records a failed write of new data, which is then missing in the buffer.
    pub(super) fn lose_tail(&mut self, written: Result<()>) -> Result<()> {
        let written = written.map_err(unchanged);
        written.inspect_err(|e| self.failed = Some(e.again()))
    }

    /// Reads new data. Unwritten bytes are zero.
    pub(super) fn read_tail(&mut self, raw: &dyn RawFile, at: u64, buf: &mut [u8]) -> Result<()> {
        let mut tail = FileTail {
            raw,
            base: self.committed,
            stamp: &mut self.stamp,
            is_checked: false,
        };
        let read = self
            .tail
            .flush(&mut tail)
            .and_then(|()| tail.read_at(at, buf));
        self.lose_tail(read)
    }
}

/// Adds to an error before a commit that the file has its old state. Another program may have changed a file with [`ErrorKind::Changed`].
fn unchanged(e: Error) -> Error {
    match e.kind() {
        ErrorKind::Changed => e,
        _ => e.with_further_remedy(Certainty::Old.sentence()),
    }
}
