//! A file that is changed in place.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::differences::differences;
use super::journal::{Journal, JournalSide};
use super::opening::foreign;
use super::patch_state::PatchState;
use super::patches::Patches;
use super::progress::{ChangeProgress, progress};
use super::sectors::is_one;
use super::steps::Steps;
use super::tail::{check_stamp, renew};
use crate::arithmetic::{Amount, exact, span};
use crate::error::{Error, ErrorKind, OrInternal as _, Result};
use crate::io::blocks::DirtyBlocks;
use crate::io::raw_file::RawFile;
use crate::io::source::{Source, read_range, truncated};
use crate::notes::{Note, Notes};

/// The maximum number of patched bytes. Larger changes are cheaper as a new file.
const MAXIMUM: u64 = 64 << 20;

/// A file with an exclusive lock, and the changes since the last commit.
///
/// As a [`Source`], the file has all changes. [`PatchedFile::commit`] makes them visible to other programs atomically;
/// [`PatchedFile::abandon`] and dropping the file remove them.
#[derive(Debug)]
pub struct PatchedFile {
    raw: Arc<dyn RawFile>,
    state: Mutex<PatchState>,
}

impl PatchedFile {
    /// Opens a file. An unfinished change is rolled back, and `notes` gets a message.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Changed`] if another program interfered with an unfinished change, and I/O errors.
    pub fn open(raw: Box<dyn RawFile>, notes: &Notes) -> Result<Self> {
        let file = Self::unsettled(raw)?;
        if let Some(journal) = Journal::read(&file)? {
            file.end_change(&journal, notes)?;
            file.state().begin(&*file.raw)?;
        }
        Ok(file)
    }

    /// Opens a file that may end with a journal.
    pub(super) fn unsettled(raw: Box<dyn RawFile>) -> Result<Self> {
        let mut state = PatchState::default();
        state.begin(&*raw)?;
        Ok(Self {
            raw: raw.into(),
            state: Mutex::new(state),
        })
    }

    /// Returns the system calls on the file.
    pub(super) fn raw(&self) -> Arc<dyn RawFile> {
        Arc::clone(&self.raw)
    }

    /// Rolls an unfinished change back, or removes the journal of a finished one.
    fn end_change(&self, journal: &Journal, notes: &Notes) -> Result<()> {
        let steps = Steps { raw: &*self.raw };
        match progress(self, journal)? {
            ChangeProgress::Finished => steps.settle(journal, JournalSide::New),
            ChangeProgress::Unstarted => steps.settle(journal, JournalSide::Old),
            ChangeProgress::Unfinished => {
                steps.restore(journal, JournalSide::Old)?;
                notes.remark(Note {
                    object: self.raw.name().to_string(),
                    what: "rolled back an unfinished change of the file".to_owned(),
                    remedy: None,
                });
                Ok(())
            }
            ChangeProgress::Foreign { .. } => Err(foreign(self.raw.name())),
        }
    }

    fn state(&self) -> MutexGuard<'_, PatchState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the state if the handle can be used.
    fn usable(&self) -> Result<MutexGuard<'_, PatchState>> {
        let state = self.state();
        match &state.failed {
            None => Ok(state),
            Some(e) => Err(e.again()),
        }
    }

    /// Sets the byte offset of the format's signature, whose first byte is the fence. The default is 0.
    ///
    /// # Errors
    /// Returns read errors.
    pub fn set_signature(&self, offset: u64) -> Result<()> {
        let mut state = self.usable()?;
        state.signature = offset;
        state.read_head(&*self.raw)
    }

    /// Returns the length of the committed file.
    #[must_use]
    pub fn committed_len(&self) -> u64 {
        self.state().committed
    }

    /// Returns the number of changed bytes of the committed file, and the number of new bytes.
    #[must_use]
    pub fn pending(&self) -> PendingBytes {
        let state = self.state();
        PendingBytes {
            patched: state.patches.bytes(),
            appended: (Amount::of(state.end) - state.committed).get(),
        }
    }

    /// Returns whether a write of `range` keeps the patches within their limit of 64 MiB.
    #[must_use]
    pub fn accepts(&self, range: &Range<u64>) -> bool {
        let state = self.state();
        let old = Amount::of(range.end.min(state.committed)) - range.start;
        old + state.patches.bytes() <= Amount::of(MAXIMUM)
    }

    /// Writes `bytes` at `offset`. Bytes of the committed file become patches, which stay in memory until the commit.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Changed`] if another program changed the file, [`ErrorKind::Limit`] for patches beyond 64 MiB, and I/O errors.
    pub fn write(&self, offset: u64, bytes: &[u8]) -> Result<()> {
        let range = span(offset, bytes.len() as u64)?;
        if !self.accepts(&range) {
            let what = "a change in place of more than 64 MiB";
            return Err(Error::new(ErrorKind::Limit, what).of(self.raw.name()));
        }
        let mut state = self.usable()?;
        let old = (Amount::of(state.committed) - offset)
            .count()
            .min(bytes.len());
        let (old, new) = bytes.split_at(old);
        state.patches.put(offset, old)?;
        match new.is_empty() {
            true => Ok(()),
            false => state.write_tail(&*self.raw, (exact(offset) + old.len()).get()?, new),
        }
    }

    /// Writes bytes that the committed state does not use, at once and without a patch. Nothing removes them if the change is abandoned.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Changed`] if another program changed the file, and I/O errors.
    pub fn write_unused(&self, offset: u64, bytes: &[u8]) -> Result<()> {
        let mut state = self.usable()?;
        if offset >= state.committed {
            drop(state);
            return self.write(offset, bytes);
        }
        check_stamp(&*self.raw, &state.stamp)?;
        let written = self.raw.write_at(offset, bytes);
        // A failed write may have written a part.
        let renewed = renew(&*self.raw, &mut state.stamp);
        written.map_err(|e| crate::io::file::full::failed("cannot write", self.raw.name(), e))?;
        renewed
    }

    /// Writes the parts of `bytes` that differ from the file at `offset`.
    ///
    /// # Errors
    /// Returns the errors of [`PatchedFile::write`].
    pub fn replace(&self, offset: u64, bytes: &[u8]) -> Result<()> {
        // New data is not a patch.
        let have = (Amount::of(self.committed_len()) - offset).get();
        let old = read_range(self, &span(offset, have.min(bytes.len() as u64))?)?;
        self.replace_known(offset, &old, bytes)
    }

    /// Writes the parts of `bytes` that differ from `old`, the bytes of the file at `offset`.
    ///
    /// # Errors
    /// Returns the errors of [`PatchedFile::write`].
    pub fn replace_known(&self, offset: u64, old: &[u8], bytes: &[u8]) -> Result<()> {
        for range in differences(old, bytes) {
            let part = bytes
                .get(range.clone())
                .or_internal("a part of the bytes")?;
            self.write((exact(offset) + range.start).get()?, part)?;
        }
        Ok(())
    }

    /// Visits the patches since the last commit: offsets and bytes.
    pub(crate) fn each_patch(&self, mut visit: impl FnMut(u64, &[u8])) {
        let state = self.state();
        let patches = state.patches.iter();
        patches.for_each(|(offset, bytes)| visit(offset, bytes));
    }

    /// Writes `bytes` at the end, and returns their offset.
    ///
    /// # Errors
    /// Returns the errors of [`PatchedFile::write`].
    pub fn append(&self, bytes: &[u8]) -> Result<u64> {
        let at = self.len();
        self.write(at, bytes)?;
        Ok(at)
    }

    /// Extends the file to at least `len` bytes. The new bytes are zero.
    ///
    /// # Errors
    /// Returns an error if an earlier write failed.
    pub fn extend(&self, len: u64) -> Result<()> {
        let mut state = self.usable()?;
        state.end = state.end.max(len);
        Ok(())
    }

    /// Sets the length of the committed file at once, for bytes that belong to no dataset and for a file that is too short. Removes new
    /// data, but no patches.
    ///
    /// # Errors
    /// Returns I/O errors.
    pub fn set_committed_len(&self, len: u64) -> Result<()> {
        let mut state = self.usable()?;
        let steps = Steps { raw: &*self.raw };
        check_stamp(&*self.raw, &state.stamp)?;
        steps.truncate(len)?;
        state.sync(&steps)?;
        state.tail = DirtyBlocks::default();
        state.begin(&*self.raw)
    }

    /// Writes bytes of one sector of the committed file at once, for a correction that does not change the dataset.
    ///
    /// # Errors
    /// Returns I/O errors.
    pub fn correct(&self, offset: u64, bytes: &[u8]) -> Result<()> {
        let mut state = self.usable()?;
        let mut patches = Patches::default();
        patches.put(offset, bytes)?;
        if !patches.extent().is_some_and(|extent| is_one(&extent)) {
            return Err(Error::internal("a correction in several sectors"));
        }
        check_stamp(&*self.raw, &state.stamp)?;
        let done = Steps { raw: &*self.raw }.write_sector(&patches, false);
        done.map_err(|failure| state.fail(&*self.raw, failure))?;
        renew(&*self.raw, &mut state.stamp)?;
        state.read_head(&*self.raw)
    }

    /// Makes all changes visible, atomically. After an error, the message states which state the file has.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Changed`] if another program changed the file, and I/O errors.
    pub fn commit(&self) -> Result<()> {
        let mut state = self.usable()?;
        if state.patches.is_empty() && state.end == state.committed {
            return Ok(());
        }
        state.check(&*self.raw)?;
        state.flush(&*self.raw)?;
        let (old, new) = (state.committed, state.end);
        let steps = Steps { raw: &*self.raw };
        let one = state.patches.extent().is_none_or(|extent| is_one(&extent));
        let done = match one {
            true => steps.write_sector(&state.patches, old < new),
            false => steps.write_fenced(&state.journal(&*self.raw)?),
        };
        done.map_err(|failure| state.fail(&*self.raw, failure))?;
        state.patch_head()?;
        if !one && let Err(e) = steps.truncate(new) {
            // The change is complete. The next writer removes the journal.
            (state.failed, state.keeps_end) = (Some(e), true);
            return Ok(());
        }
        state.renew(&*self.raw, new)?;
        state.restart(&*self.raw, new)
    }

    /// Removes all changes since the last commit.
    ///
    /// # Errors
    /// Returns I/O errors.
    pub fn abandon(&self) -> Result<()> {
        let mut state = self.usable()?;
        let steps = Steps { raw: &*self.raw };
        let len = state.committed;
        if state.stamp.len > len {
            check_stamp(&*self.raw, &state.stamp)?;
            steps.truncate(len)?;
            state.renew(&*self.raw, len)?;
        }
        state.restart(&*self.raw, len)
    }

    /// Checks that no other program changed the file, and that its path still names it.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Changed`], and I/O errors.
    pub fn check_unchanged(&self) -> Result<()> {
        self.usable()?.check(&*self.raw)
    }

    /// Lets this process replace the file by a rename. Other writers are still refused.
    pub fn share_lock(&self) {
        self.raw.share_lock();
    }
}

impl Drop for PatchedFile {
    fn drop(&mut self) {
        let state = self.state();
        if !state.keeps_end
            && state.stamp.len > state.committed
            && check_stamp(&*self.raw, &state.stamp).is_ok()
        {
            let _ = self.raw.set_len(state.committed);
        }
    }
}

/// The size of uncommitted changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PendingBytes {
    /// Changed bytes of the committed file.
    pub patched: u64,
    /// Bytes at the end of the file.
    pub appended: u64,
}

impl Source for PatchedFile {
    fn name(&self) -> &Arc<str> {
        self.raw.name()
    }

    fn len(&self) -> u64 {
        self.state().end
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<()> {
        let mut state = self.usable()?;
        let (want, have) = (buf.len() as u64, (Amount::of(state.end) - offset).get());
        if want > have {
            return Err(truncated(self.name(), offset, want, have));
        }
        let old = (Amount::of(state.committed) - offset)
            .count()
            .min(buf.len());
        let (old, new) = buf.split_at_mut(old);
        if !old.is_empty() {
            let read = self.raw.read_at(offset, old);
            read.map_err(|e| Error::io("cannot read", self.name(), e).at(self.name(), offset))?;
            state.patches.lay_over(offset, old)?;
        }
        if new.is_empty() {
            return Ok(());
        }
        let at = (exact(offset) + old.len() - state.committed).get()?;
        state.read_tail(&*self.raw, at, new)
    }

    fn has_changed(&self) -> bool {
        self.check_unchanged().is_err()
    }
}
