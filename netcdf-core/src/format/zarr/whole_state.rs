//! Opens a store that another program may change at the same time: the reader has the metadata of one state.

use std::sync::Arc;

use super::reader::ZarrReader;
use crate::env::Env;
use crate::error::{Error, ErrorKind, Result};
use crate::io::Store;
use crate::io::patched_store::{FoundStore, find_state};
use crate::model::ZarrVersion;
use crate::notes::Notes;

/// The maximum number of attempts to open a store that another program changes.
const ATTEMPTS: usize = 10;

/// Opens a store, or its state before an unfinished change. A second look at the metadata shows whether a program changed it meanwhile.
///
/// # Errors
/// Returns [`ErrorKind::Busy`] if the metadata changes all the time, and the errors of [`ZarrReader::open`].
pub(super) fn open(store: &Arc<dyn Store>, version: ZarrVersion, env: &Env) -> Result<ZarrReader> {
    for _ in 0..ATTEMPTS {
        let notes = Arc::new(Notes::default());
        let own = env.with_notes(Arc::clone(&notes));
        let attempt = attempt(store, version, &own);
        if is_unchanged(store)
            && let Some(reader) = attempt?
        {
            env.notes.absorb(&notes);
            return Ok(reader.with_notes(&env.notes));
        }
    }
    let what = "another program changes the store all the time";
    Err(Error::new(ErrorKind::Busy, what).of(store.name()))
}

/// Returns whether the keys that were read are unchanged. Stores that cannot forget earlier reads count as unchanged.
fn is_unchanged(store: &Arc<dyn Store>) -> bool {
    if store.changed().is_none() {
        return true;
    }
    store.forget_states();
    store.changed().is_some()
}

/// Looks at the metadata of a store again, without notes. Returns `None` if a change was noticed.
pub(super) fn look(store: &Arc<dyn Store>, version: ZarrVersion) -> Result<Option<ZarrReader>> {
    attempt(store, version, &Env::default())
}

/// Opens a store once. Returns `None` if a change was noticed.
fn attempt(store: &Arc<dyn Store>, version: ZarrVersion, env: &Env) -> Result<Option<ZarrReader>> {
    let reader = ZarrReader::open(Arc::clone(store), version, env)?;
    match find_state(store, &reader.prefixes())? {
        FoundStore::Plain => Ok(Some(reader)),
        FoundStore::Changing => Ok(None),
        FoundStore::Ignored(note) => {
            env.notes.remark(note);
            Ok(Some(reader))
        }
        FoundStore::Replaced(before, note) => {
            // The notes may describe a mixture of two states.
            drop(env.notes.take());
            let reader = ZarrReader::open(before, version, env)?;
            env.notes.remark(note);
            Ok(Some(reader.with_origin(store)))
        }
    }
}
