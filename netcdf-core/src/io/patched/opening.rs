//! Looks for a journal at the end of a file.

use std::sync::Arc;

use super::journal::Journal;
use super::overlay::OverlaidSource;
use super::progress::{ChangeProgress, progress};
use crate::error::{Error, ErrorKind, Result};
use crate::io::Source;
use crate::notes::Note;

/// The maximum number of attempts to open a file that another program changes.
pub(crate) const ATTEMPTS: usize = 10;

/// Whether an error of opening may be due to an unfinished change.
pub(crate) fn is_unreadable(e: &Error) -> bool {
    e.is_damage() || e.kind() == ErrorKind::UnknownFormat
}

/// The state of a file that may end with a journal.
pub(crate) enum FoundState {
    /// The file does not end with a journal.
    Plain,
    /// The bytes to read instead of the file, and a note for the user.
    Replaced(Arc<dyn Source>, Option<Note>),
    /// Another program changed the file, and the journal is ignored.
    Ignored(Note),
}

/// Looks for a journal at the end of a file. Without a journal, this is one read of 64 bytes.
///
/// # Errors
/// Returns [`ErrorKind::Changed`] if another program interfered with an unfinished change, [`ErrorKind::Unknown`] for a journal of a later
/// version, and read errors.
pub(crate) fn find_state(source: &Arc<dyn Source>) -> Result<FoundState> {
    let Some(journal) = Journal::read(&**source)? else {
        return Ok(FoundState::Plain);
    };
    let name = source.name();
    Ok(match progress(&**source, &journal)? {
        ChangeProgress::Finished => {
            let after = OverlaidSource::after(source, &journal)?;
            FoundState::Replaced(Arc::new(after), None)
        }
        ChangeProgress::Unstarted => {
            let before = OverlaidSource::before(source, &journal)?;
            FoundState::Replaced(Arc::new(before), None)
        }
        ChangeProgress::Unfinished => {
            let before = OverlaidSource::before(source, &journal)?;
            FoundState::Replaced(Arc::new(before), Some(unfinished(name)))
        }
        ChangeProgress::Foreign { begun: true } => return Err(foreign(name)),
        ChangeProgress::Foreign { begun: false } => FoundState::Ignored(ignored(name)),
    })
}

/// Returns the bytes that readers of a file see: its state before an unfinished change, or the file itself.
///
/// # Errors
/// Returns [`ErrorKind::Changed`] if another program interfered with an unfinished change, [`ErrorKind::Unknown`] for a journal of a later
/// version, and read errors.
pub fn visible_state(source: &Arc<dyn Source>) -> Result<Arc<dyn Source>> {
    Ok(match find_state(source)? {
        FoundState::Replaced(state, _) => state,
        FoundState::Plain | FoundState::Ignored(_) => Arc::clone(source),
    })
}

fn unfinished(name: &Arc<str>) -> Note {
    Note {
        object: name.to_string(),
        what: "a change of the file is unfinished: the old state is read from the journal at the end of the \
               file, and other programs refuse the file"
            .to_owned(),
        remedy: Some("nccopy --recover=old restores the old state in the file".to_owned()),
    }
}

/// The error for a file that another program changed during a change of ours.
pub(super) fn foreign(name: &Arc<str>) -> Error {
    let what = "another program changed the file while a change was unfinished";
    let e = Error::new(ErrorKind::Changed, what).of(name);
    e.with_remedy("nccopy --recover=old, --recover=new or --recover=drop selects the state to keep")
}

fn ignored(name: &Arc<str>) -> Note {
    Note {
        object: name.to_string(),
        what: "the journal at the end of the file is ignored, because another program changed the file"
            .to_owned(),
        remedy: Some("nccopy --recover=old or --recover=drop removes the journal".to_owned()),
    }
}
