//! Compares a store with its journal.

use super::journal::{JournalEntry, KeyJournal, ValueSum};
use crate::error::Result;
use crate::io::Store;

/// The progress of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyProgress {
    /// All keys have their new values.
    Finished,
    /// Each key has its old or its new value, and a key of the last level has its old value.
    Unfinished {
        /// Whether some key has its new value.
        is_begun: bool,
    },
    /// Some key has another value.
    Foreign,
}

/// The value of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// The new value, which may be equal to the old value.
    New,
    Old,
    Other,
}

/// The program that asks for the progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// New chunks outside the old shape do not matter.
    Read,
    /// The rollback removes new chunks. Nobody else may have changed them.
    RollBack,
}

/// Returns the progress of a change. If all keys of the last level are new, the change is complete, because all other levels were synced
/// before.
///
/// # Errors
/// Returns store errors.
pub(super) fn progress(
    store: &dyn Store,
    journal: &KeyJournal,
    purpose: Purpose,
) -> Result<KeyProgress> {
    let last = journal.entries.iter().map(|entry| entry.level).max();
    let (last, others): (Vec<_>, Vec<_>) = journal
        .entries
        .iter()
        .partition(|entry| Some(entry.level) == last);
    let (mut is_finished, mut is_begun) = (true, false);
    for entry in last {
        match standing(store, entry)? {
            Standing::New => is_begun = true,
            Standing::Old => is_finished = false,
            Standing::Other => return Ok(KeyProgress::Foreign),
        }
    }
    if is_finished {
        return Ok(KeyProgress::Finished);
    }
    let skipped = |entry: &&JournalEntry| purpose == Purpose::Read && entry.is_new_chunk();
    for entry in others.into_iter().filter(|entry| !skipped(entry)) {
        match standing(store, entry)? {
            Standing::New => is_begun = true,
            Standing::Old => {}
            Standing::Other => return Ok(KeyProgress::Foreign),
        }
    }
    Ok(KeyProgress::Unfinished { is_begun })
}

fn standing(store: &dyn Store, entry: &JournalEntry) -> Result<Standing> {
    let now = store.get(&entry.key)?.map(|bytes| ValueSum::of(&bytes));
    Ok(match now {
        now if now == entry.new => Standing::New,
        now if now == entry.old => Standing::Old,
        _ => Standing::Other,
    })
}
