//! Ends an unfinished change, also if another program changed the file meanwhile.

use super::file::PatchedFile;
use super::journal::{Journal, JournalSide};
use super::progress::{ChangeProgress, progress};
use super::steps::Steps;
use crate::error::{Error, ErrorKind, Result};
use crate::io::Source;
use crate::io::raw_file::RawFile;

/// The state that [`recover`] leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecoveredState {
    /// The bytes before the change.
    Old,
    /// The bytes after the change.
    New,
    /// The current bytes, without the fence and the journal.
    Current,
}

/// Ends an unfinished change, and removes the journal at the end of the file.
///
/// # Errors
/// Returns [`ErrorKind::NotFound`] for a file without a journal, [`ErrorKind::Argument`] for the new state of a change that has not begun,
/// and I/O errors.
pub fn recover(raw: Box<dyn RawFile>, state: RecoveredState) -> Result<()> {
    let file = PatchedFile::unsettled(raw)?;
    let Some(journal) = Journal::read(&file)? else {
        let what = "the file does not end with the journal of an unfinished change";
        return Err(Error::new(ErrorKind::NotFound, what).of(file.name()));
    };
    let progress = progress(&file, &journal)?;
    let raw = file.raw();
    let steps = Steps { raw: &*raw };
    match (state, progress) {
        (
            RecoveredState::New,
            ChangeProgress::Unstarted | ChangeProgress::Foreign { begun: false },
        ) => {
            let what = "the change of the file has not begun: its new state is unknown";
            Err(Error::new(ErrorKind::Argument, what).of(raw.name()))
        }
        (RecoveredState::New, _) => steps.restore(&journal, JournalSide::New),
        (RecoveredState::Old, _) => steps.restore(&journal, JournalSide::Old),
        (RecoveredState::Current, _) => {
            steps.clear_fence(&journal)?;
            steps.truncate(journal.new_len)
        }
    }
}
