//! Traverses all keys below a prefix.

use std::io::ErrorKind as Failure;
use std::path::PathBuf;

use super::DirStore;
use super::paths::DirEntry;
use crate::error::{Error, ErrorKind, Result};
use crate::io::store::{UNKNOWN, VisitKey};

/// A directory on the path from the prefix to the current position.
struct WalkDirectory {
    prefix: String,
    real: PathBuf,
    /// The remaining entries, in reverse order.
    left: Vec<DirEntry>,
}

/// The maximum number of links to directories that a traversal follows. Links to each other create very many paths.
const LINKS: usize = 10_000;

/// Visits all keys below `prefix` with their sizes, sorted. A broken link, or a link that must not be followed, is a key of [`UNKNOWN`]
/// size. Reading such a key is an error, but listing its neighbours is not.
pub(super) fn walk(store: &DirStore, prefix: &str, visit: VisitKey<'_>) -> Result<()> {
    let mut links = 0;
    let Some(real) = store.found_folder(prefix)? else {
        return Ok(());
    };
    let mut way = vec![WalkDirectory::new(store, prefix.to_owned(), real)?];
    while let Some(folder) = way.last_mut() {
        let Some(entry) = folder.left.pop() else {
            way.pop();
            continue;
        };
        let key = format!("{}{}", folder.prefix, entry.name);
        let real = match entry.link {
            // Without links, the path is resolved and has no cycle.
            false => folder.real.join(&entry.name),
            true => match store.found(&key) {
                Ok(Some(real)) => real,
                Ok(None) => continue, // Removed after it was listed.
                Err(_) => {
                    // Reading the key reports the target of the link.
                    visit(&key, UNKNOWN)?;
                    continue;
                }
            },
        };
        if !((entry.folder || entry.link) && real.is_dir()) {
            // Otherwise a directory was removed.
            if !entry.folder {
                match std::fs::metadata(&real) {
                    Ok(meta) => visit(&key, meta.len())?,
                    Err(e) if e.kind() == Failure::NotFound => {} // Removed after it was listed.
                    Err(e) => return Err(store.failed("cannot read", &key, e)),
                }
            }
            continue;
        }
        links += usize::from(entry.link);
        let is_cycle = || way.iter().any(|folder| folder.real == real);
        if entry.link && (links > LINKS || is_cycle()) {
            let what = "links in the store form a cycle";
            let e = Error::new(ErrorKind::Corrupt, what);
            return Err(e.in_object(&key).of(&store.name));
        }
        match WalkDirectory::new(store, key + "/", real.clone()) {
            Ok(folder) => way.push(folder),
            Err(_) if !real.exists() => {} // Removed after it was listed.
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

impl WalkDirectory {
    fn new(store: &DirStore, prefix: String, real: PathBuf) -> Result<Self> {
        // Adding or removing entries changes the directory.
        store.note(&prefix, std::fs::metadata(&real).ok().as_ref());
        store.remember(prefix.trim_end_matches('/'), &real);
        let mut left = store.entries(&prefix, &real)?;
        // Whole keys are sorted, so a directory is sorted as its name followed by `/`.
        let order = |e: &DirEntry| match e.folder || (e.link && real.join(&e.name).is_dir()) {
            true => format!("{}/", e.name),
            false => e.name.clone(),
        };
        left.sort_by_cached_key(|e| std::cmp::Reverse(order(e)));
        Ok(Self { prefix, real, left })
    }
}
