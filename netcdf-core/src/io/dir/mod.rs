//! A store in a directory: a key is the path of a file below the directory.

mod paths;
mod replace;
pub mod shared;
mod stamps;
mod states;
mod sync;
mod target;
mod walk;

pub use replace::{Foreign, Replace};
pub use target::DirTarget;

use std::collections::HashMap;
use std::fs::File;
use std::io::{ErrorKind as Failure, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use self::stamps::{SeenEntries, WatchStart};
use super::file::references::open_itself;
use super::file::{FileSource, PIECE, full};
use super::invalid_entries::{InvalidEntries, InvalidEntry};
use super::key;
use super::key_reads::KeyReads;
use super::reference::Reference;
use super::source::{Source, read_range};
use super::store::{Hints, MARKERS, Store, VisitKey, exists, in_the_way, without_content};
use crate::arithmetic::Amount;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::room;

/// Maximum number of files in a state. A million files take some seconds.
const MOST_STATES: u64 = 1_000_000;

/// A store in a directory. Symbolic links are followed within the directory.
#[derive(Debug)]
pub struct DirStore {
    name: Arc<str>,
    /// The directory path, with symbolic links resolved.
    root: PathBuf,
    hints: Hints,
    /// Whether links may lead outside the directory.
    external: bool,
    /// Existing directories of the store, with their resolved paths.
    folders: Mutex<HashMap<String, PathBuf>>,
    /// The state of the files read.
    seen: Mutex<SeenEntries>,
    /// The time from which changes count, also of files that are read later.
    watched_since: Option<WatchStart>,
    /// The record of the files read.
    reads: OnceLock<Arc<KeyReads>>,
    /// Entries that are not keys.
    invalid: InvalidEntries,
}

impl DirStore {
    /// Opens the store in the directory `path`.
    ///
    /// # Errors
    /// [`ErrorKind::Io`] with the path, also if `path` is not a directory.
    pub fn open(path: &Path) -> Result<Self> {
        let name = path.to_string_lossy();
        let failed = |e| Error::io("cannot open", &name, e);
        let root = std::fs::canonicalize(path).map_err(failed)?;
        if !std::fs::metadata(&root).map_err(failed)?.is_dir() {
            return Err(failed(Failure::NotADirectory.into()));
        }
        Ok(Self::at(&name, root))
    }

    /// Opens the directory `root`, a resolved path. `name` is for messages.
    fn at(name: &str, root: PathBuf) -> Self {
        Self {
            name: name.into(),
            root,
            hints: Hints::default(),
            invalid: InvalidEntries::default(),
            external: false,
            folders: Mutex::default(),
            seen: Mutex::default(),
            watched_since: None,
            reads: OnceLock::new(),
        }
    }

    /// Sets the hints.
    #[must_use]
    pub fn with_hints(mut self, hints: Hints) -> Self {
        self.hints = hints;
        self
    }

    /// Sets whether links may lead outside the directory.
    #[must_use]
    pub fn allow_external(mut self, external: bool) -> Self {
        self.external = external;
        self
    }

    /// From now on, a file that another program changed before it is read also counts as changed. Call [`DirStore::wait`] after opening the
    /// dataset.
    #[must_use]
    pub fn watch_all(mut self) -> Self {
        self.watched_since = Some(WatchStart::now());
        self
    }

    /// Waits until files that change have later times than the start of [`DirStore::watch_all`]: some milliseconds at most.
    pub fn wait(&self) {
        self.watched_since.iter().for_each(WatchStart::wait);
    }

    fn folders(&self) -> MutexGuard<'_, HashMap<String, PathBuf>> {
        self.folders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn seen(&self) -> MutexGuard<'_, SeenEntries> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the error for a failed system call on a key.
    fn failed(&self, what: &str, key: &str, e: std::io::Error) -> Error {
        full::failed(what, &self.name, e).in_object(key)
    }

    /// Opens the file of a key for reading. Returns `None` for a missing key.
    fn file(&self, key: &str) -> Result<Option<FileSource>> {
        let failed = |e| self.failed("cannot open", key, e);
        let Some(path) = self.named(key)? else {
            self.note(key, None);
            return Ok(None);
        };
        let file = match open_itself(&path) {
            // The path may be a link to a missing file, or to a file outside the store.
            Err(e) if e.kind() != Failure::NotFound || path.is_symlink() => {
                let Some(path) = self.found(key)? else {
                    return Ok(None);
                };
                open_itself(&path).map_err(failed)?
            }
            Err(_) => {
                self.note(key, None);
                return Ok(None);
            }
            Ok(file) => file,
        };
        let meta = file.metadata().map_err(failed)?;
        if meta.is_dir() {
            return Err(without_content(&self.name, key));
        }
        if !meta.is_file() {
            let what = "keys of a store are files, but this is a pipe or device";
            let e = Error::new(ErrorKind::Unsupported, what);
            return Err(e.in_object(key).of(&self.name));
        }
        self.note(key, Some(&meta));
        let source = FileSource::from_file(&self.name, file);
        source.map(Some).map_err(|e| e.in_object(key))
    }

    /// Creates the file of a key; with `new`, the file must not exist.
    fn make(&self, key: &str, new: bool) -> Result<File> {
        key::check(key).map_err(|e| e.of(&self.name))?;
        let folder = key.rsplit_once('/').map_or("", |(folder, _)| folder);
        self.folder(folder)?;
        let path = self.root.join(key);
        if path.is_symlink() && !new {
            self.found(key)?;
        }
        let mut options = File::options();
        options.write(true).create(true).truncate(true);
        let file = options.create_new(new).open(path);
        file.map_err(|e| match e.kind() {
            Failure::AlreadyExists => exists(&self.name, key),
            Failure::IsADirectory => in_the_way(&self.name, key),
            _ => self.failed("cannot create", key, e),
        })
    }

    /// Creates a directory within the store, unless it exists.
    fn folder(&self, folder: &str) -> Result<()> {
        let known = |folder: &str| folder.is_empty() || self.known(folder).is_some();
        if known(folder) {
            return Ok(());
        }
        let ends = folder.match_indices('/').map(|(end, _)| end);
        for end in ends.chain([folder.len()]) {
            let folder = folder.get(..end).unwrap_or_default();
            if !known(folder) {
                self.make_folder(folder)?;
            }
        }
        Ok(())
    }

    fn make_folder(&self, folder: &str) -> Result<()> {
        let path = self.root.join(folder);
        match std::fs::create_dir(&path) {
            Err(e) if e.kind() != Failure::AlreadyExists => {
                return Err(self.failed("cannot create", folder, e));
            }
            Ok(()) | Err(_) => {}
        }
        match self.folder_of(folder)? {
            Some(_) => Ok(()),
            None => Err(in_the_way(&self.name, folder)),
        }
    }

    fn write(&self, key: &str, bytes: &[u8], new: bool) -> Result<()> {
        let mut file = self.make(key, new)?;
        let written = bytes.chunks(PIECE).try_for_each(|b| file.write_all(b));
        written.map_err(|e| self.failed("cannot write", key, e))
    }
}

impl Store for DirStore {
    fn name(&self) -> &Arc<str> {
        &self.name
    }

    fn hints(&self) -> Hints {
        self.hints
    }

    fn location(&self, key: &str) -> Result<Option<Reference>> {
        let Some(path) = self.found(key)?.filter(|path| path.is_file()) else {
            return Ok(None);
        };
        let failed = |e| self.failed("cannot open", key, e);
        let path = std::path::absolute(path).map_err(failed)?;
        let path = path.to_str().map(Arc::from);
        Ok(path.map(Reference::Whole))
    }

    fn invalid_entries(&self, _: bool) -> Result<Vec<InvalidEntry>> {
        Ok(self.invalid.all())
    }

    fn get(&self, key: &str) -> Result<Option<Vec<u8>>> {
        let Some(file) = self.file(key)? else {
            return Ok(None);
        };
        room(Amount::of(file.len()).count(), "a key")
            .map_err(|e| e.in_object(key).of(&self.name))?;
        let bytes = read_range(&file, &(0..file.len()));
        bytes.map(Some).map_err(|e| e.in_object(key))
    }

    fn get_ranges(&self, key: &str, ranges: &[Range<u64>]) -> Result<Option<Vec<Vec<u8>>>> {
        let Some(file) = self.file(key)? else {
            return Ok(None);
        };
        let parts = file.read_ranges(ranges);
        parts.map(Some).map_err(|e| e.in_object(key))
    }

    fn size(&self, key: &str) -> Result<Option<u64>> {
        let Some(path) = self.named(key)? else {
            self.note(key, None);
            return Ok(None);
        };
        let meta = match std::fs::symlink_metadata(path) {
            Ok(meta) if !meta.is_symlink() => meta,
            Err(e) if e.kind() == Failure::NotFound => {
                self.note(key, None);
                return Ok(None);
            }
            Ok(_) | Err(_) => {
                let Some(path) = self.found(key)? else {
                    return Ok(None);
                };
                std::fs::metadata(path).map_err(|e| self.failed("cannot read", key, e))?
            }
        };
        match meta.is_dir() {
            true => Err(without_content(&self.name, key)),
            false => {
                self.note(key, Some(&meta));
                Ok(Some(meta.len()))
            }
        }
    }

    fn children(&self, prefix: &str) -> Result<Vec<String>> {
        let Some(folder) = self.found_folder(prefix)? else {
            return Ok(vec![]);
        };
        let entries = self.entries(prefix, &folder)?;
        Ok(entries.into_iter().map(|entry| entry.name).collect())
    }

    fn walk(&self, prefix: &str, visit: VisitKey<'_>) -> Result<()> {
        walk::walk(self, prefix, visit)
    }

    fn put(&self, key: &str, bytes: &[u8]) -> Result<()> {
        self.write(key, bytes, false)
    }

    fn put_if_absent(&self, key: &str, bytes: &[u8]) -> Result<()> {
        self.write(key, bytes, true)
    }

    fn state(&self) -> Result<Option<String>> {
        let all = states::of(&self.root, MOST_STATES);
        let all = all.map_err(|e| self.failed("cannot list", "", e))?;
        Ok(all.map(|all| all.text()))
    }

    fn watch(&self, reads: &Arc<KeyReads>) {
        // The first record stays.
        let _ = self.reads.set(Arc::clone(reads));
    }

    fn changed(&self) -> Option<Arc<str>> {
        let key = self.changed_key()?;
        Some(format!("{}/{key}", self.name.trim_end_matches('/')).into())
    }

    fn changed_keys(&self) -> Vec<String> {
        self.changed_entries()
    }

    fn later_key(&self) -> Option<String> {
        self.seen().later().map(str::to_owned)
    }

    fn change_own(
        &self,
        key: &str,
        change: &mut dyn FnMut() -> std::io::Result<()>,
    ) -> std::io::Result<()> {
        self.change_key(key, change)
    }

    fn forget_missing(&self) {
        self.forget_missing_keys();
    }

    fn forget_states(&self) {
        self.seen().forget();
    }

    fn delete(&self, key: &str) -> Result<()> {
        let Some(path) = self.found(key)? else {
            return Ok(());
        };
        if path.is_dir() {
            return Err(without_content(&self.name, key));
        }
        let path = self.root.join(key);
        std::fs::remove_file(&path).map_err(|e| self.failed("cannot remove", key, e))?;
        let mut folders = self.folders();
        let mut folder = key;
        while let Some((above, _)) = folder.rsplit_once('/') {
            // A directory with other keys stays.
            if std::fs::remove_dir(self.root.join(above)).is_err() {
                break;
            }
            folders.remove(above);
            folder = above;
        }
        Ok(())
    }
}

/// Checks whether a directory is a Zarr store.
#[must_use]
pub fn is_store(path: &Path) -> bool {
    MARKERS.iter().any(|name| path.join(name).is_file())
}

#[cfg(test)]
mod tests;
