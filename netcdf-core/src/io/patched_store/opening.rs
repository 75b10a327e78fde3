//! Looks for the journal of an unfinished change.

use std::sync::Arc;

use super::journal::KeyJournal;
use super::overlay::{LaidValue, OverlayStore};
use super::progress::{KeyProgress, Purpose, progress};
use super::steps::check_old_values;
use crate::error::{Error, ErrorKind, Result};
use crate::io::Store;
use crate::notes::Note;

/// The state of a store.
#[derive(Debug)]
pub(crate) enum FoundStore {
    /// The store has no unfinished change.
    Plain,
    /// The store has an unfinished change that another program interfered with.
    Ignored(Note),
    /// The store before an unfinished change, to be read in its place.
    Replaced(Arc<dyn Store>, Note),
    /// A program changes the store at this moment: look again.
    Changing,
}

/// Looks for an unfinished change. `prefixes` are the prefixes of the arrays.
///
/// # Errors
/// Returns store errors.
pub(crate) fn find_state(store: &Arc<dyn Store>, prefixes: &[&str]) -> Result<FoundStore> {
    for prefix in prefixes {
        let Some(journal) = KeyJournal::read(&**store, prefix)? else {
            continue;
        };
        let found = progress(&**store, &journal, Purpose::Read)?;
        if KeyJournal::read(&**store, prefix)?.as_ref() != Some(&journal) {
            return Ok(FoundStore::Changing);
        }
        return match found {
            KeyProgress::Finished => continue,
            KeyProgress::Foreign => Ok(FoundStore::Ignored(ignored(store))),
            KeyProgress::Unfinished { is_begun } => before(store, &journal, is_begun),
        };
    }
    Ok(FoundStore::Plain)
}

/// Returns the store before a change.
fn before(store: &Arc<dyn Store>, journal: &KeyJournal, is_begun: bool) -> Result<FoundStore> {
    match check_old_values(journal, &**store) {
        Ok(()) => {}
        Err(e) if e.kind() == ErrorKind::Changed => return Ok(FoundStore::Changing),
        // The power failed before the journal was complete on disk. No key has changed then.
        Err(e) if e.kind() == ErrorKind::Corrupt && !is_begun => return Ok(FoundStore::Plain),
        Err(e) => return Err(e),
    }
    let overlay = OverlayStore::new(Arc::clone(store));
    for (entry, range) in journal.with_ranges() {
        let old = entry.old.map(|sum| LaidValue {
            key: journal.key(),
            range,
            sum: Some(sum),
        });
        overlay.lay(&entry.key, old);
    }
    let note = Note {
        object: store.name().to_string(),
        what: "a change of the store is unfinished: reading the old values from the journal"
            .to_owned(),
        remedy: Some("nccopy --recover=old restores the old state in the store".to_owned()),
    };
    Ok(FoundStore::Replaced(Arc::new(overlay), note))
}

fn ignored(store: &Arc<dyn Store>) -> Note {
    Note {
        object: store.name().to_string(),
        what: "ignored the journal of an unfinished change, because another program changed the \
               store since then"
            .to_owned(),
        remedy: None,
    }
}

/// The error for a journal that another program interfered with.
pub(super) fn foreign(name: &str, key: &str) -> Error {
    let what = format!(
        "another program changed the store after an unfinished change of this library (journal: {key})"
    );
    let e = Error::new(ErrorKind::Changed, what).of(name);
    e.with_remedy("check the values, and remove the journal")
}
