//! Opens the store in a directory for changes in place.

use std::path::Path;
use std::sync::Arc;

use super::table::{can_update_store, probe, update_store};
use crate::chunk::Update;
use crate::env::Env;
use crate::error::Result;
use crate::io::dir::{DirStore, is_store};
use crate::io::file::{DirectoryAccess, LockedDirectory};
use crate::io::patched_store::PatchedStore;
use crate::io::{Container, Store};

/// The rules for changes in place of a directory.
#[derive(Debug, Clone, Copy)]
pub struct DirectoryUpdateRules {
    /// Whether changes are synced.
    pub sync: bool,
    /// Whether the directory is changed on a file system without locks.
    pub without_locks: bool,
}

/// A store in a directory that was opened for changes in place.
pub struct DirectoryUpdate {
    /// The store without uncommitted changes.
    pub store: Arc<dyn Store>,
    /// The dataset.
    pub update: Box<dyn Update>,
}

/// Opens the store in a directory for changes in place. Returns `None` for a store that can only be written anew.
///
/// # Errors
/// Returns [`ErrorKind::Busy`](crate::ErrorKind::Busy) if another program of this library writes to the directory, and the errors of
/// [`update_store`].
pub fn update_directory(
    path: &Path,
    rules: DirectoryUpdateRules,
    env: &Env,
) -> Result<Option<DirectoryUpdate>> {
    let found = DirStore::open(path).map(|store| Container::Store(Arc::new(store)));
    if !found
        .and_then(|found| probe(&found))
        .is_ok_and(can_update_store)
        || is_nested(path)
    {
        return Ok(None);
    }
    let raw = match LockedDirectory::open(path, rules.sync)? {
        DirectoryAccess::Exclusive(raw) => raw,
        DirectoryAccess::Unlocked(raw) if rules.without_locks => raw,
        DirectoryAccess::Unlocked(_) => return Ok(None),
    };
    let directory = Arc::new(DirStore::open(path)?.watch_all());
    let base: Arc<dyn Store> = Arc::clone(&directory) as Arc<dyn Store>;
    let store = Arc::new(PatchedStore::new(Box::new(raw), Arc::clone(&base)));
    let update = update_store(&store, env)?;
    directory.wait();
    Ok(update.map(|update| DirectoryUpdate {
        store: base,
        update,
    }))
}

/// Returns whether a directory is in a store. Readers of that store would not find the journal of a change.
fn is_nested(path: &Path) -> bool {
    let real = std::fs::canonicalize(path);
    real.is_ok_and(|real| real.parent().is_some_and(is_store))
}
