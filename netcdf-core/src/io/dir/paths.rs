//! Converts keys to paths that do not lead outside the store.

use std::io::ErrorKind as Failure;
use std::path::{Path, PathBuf};

use super::DirStore;
use crate::error::{Error, ErrorKind, Result};
use crate::io::invalid_entries::{EntryDefect, InvalidEntry};
use crate::io::key;

/// The maximum number of cached directories.
const FOLDERS: usize = 10_000;

/// An entry of a directory.
pub(super) struct DirEntry {
    /// The name.
    pub name: String,
    /// Whether the entry is a directory. Links are not followed.
    pub folder: bool,
    /// Whether the entry is a symbolic link.
    pub link: bool,
}

impl DirStore {
    /// The resolved path of a key, or `None` for a missing key.
    pub(super) fn found(&self, key: &str) -> Result<Option<PathBuf>> {
        key::check(key).map_err(|e| e.of(&self.name))?;
        // In a directory with a known path, only the last part may be a link.
        let (above, name) = key.rsplit_once('/').unwrap_or(("", key));
        if let Some(above) = self.known(above) {
            let path = above.join(name);
            if std::fs::symlink_metadata(&path).is_ok_and(|found| !found.is_symlink()) {
                return self.inside(key, path).map(Some);
            }
        }
        let path = self.root.join(key);
        match std::fs::canonicalize(&path) {
            Ok(real) => self.inside(key, real).map(Some),
            Err(e) if is_absent(&e) && !path.is_symlink() => Ok(None),
            Err(e) if e.kind() == Failure::InvalidFilename && is_too_long(key) => Ok(None),
            Err(e) => Err(self.failed("cannot open", key, e)),
        }
    }

    /// The path of a key with only the directory resolved, or `None` if the directory is missing.
    pub(super) fn named(&self, key: &str) -> Result<Option<PathBuf>> {
        key::check(key).map_err(|e| e.of(&self.name))?;
        match key.rsplit_once('/') {
            None => Ok(Some(self.root.join(key))),
            Some((folder, name)) => Ok(self.folder_of(folder)?.map(|path| path.join(name))),
        }
    }

    /// The resolved path of a directory, or `None` for a missing directory.
    pub(super) fn folder_of(&self, folder: &str) -> Result<Option<PathBuf>> {
        if let Some(known) = self.known(folder) {
            return Ok(Some(known));
        }
        let found = self.found(folder)?.filter(|path| path.is_dir());
        if let Some(path) = &found {
            self.remember(folder, path);
        }
        Ok(found)
    }

    /// The cached path of a directory.
    pub(super) fn known(&self, folder: &str) -> Option<PathBuf> {
        self.folders().get(folder).cloned()
    }

    /// Caches the path of a directory.
    pub(super) fn remember(&self, folder: &str, path: &Path) {
        let mut folders = self.folders();
        if folders.len() >= FOLDERS {
            folders.clear();
        }
        folders.insert(folder.to_owned(), path.to_owned());
    }

    /// The resolved path of a prefix, or `None` for a missing directory.
    pub(super) fn found_folder(&self, prefix: &str) -> Result<Option<PathBuf>> {
        key::check_prefix(prefix).map_err(|e| e.of(&self.name))?;
        match prefix.strip_suffix('/') {
            Some(folder) => self.folder_of(folder),
            None => Ok(Some(self.root.clone())),
        }
    }

    /// Checks that a resolved path is inside the store.
    fn inside(&self, key: &str, real: PathBuf) -> Result<PathBuf> {
        if self.external || real.starts_with(&self.root) {
            return Ok(real);
        }
        let what = format!("a link leads out of the store, to {}", real.display());
        let e = Error::new(ErrorKind::Unsupported, what);
        let e = e.in_object(key).of(&self.name);
        Err(e.with_remedy("use --allow-external to follow it"))
    }

    /// The sorted entries of a directory. Entries with names that cannot be keys are skipped and recorded.
    pub(super) fn entries(&self, prefix: &str, folder: &Path) -> Result<Vec<DirEntry>> {
        let failed = |e| self.failed("cannot list", prefix, e);
        let mut entries = vec![];
        for entry in std::fs::read_dir(folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let kind = entry.file_type().map_err(failed)?;
            let name = entry.file_name();
            let Some(name) = name.to_str().filter(|name| key::is_part(name)) else {
                let name = [prefix.as_bytes(), name.as_encoded_bytes()].concat();
                self.invalid
                    .add(InvalidEntry::new(EntryDefect::NoKey, &name));
                continue;
            };
            entries.push(DirEntry {
                name: name.to_owned(),
                folder: kind.is_dir(),
                link: kind.is_symlink(),
            });
        }
        entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }
}

/// Checks whether a part of a key exceeds the length limit of file names.
fn is_too_long(key: &str) -> bool {
    key.split('/').any(|part| part.len() > 255)
}

/// Checks whether a name is missing, or a file is where a directory should be.
fn is_absent(e: &std::io::Error) -> bool {
    matches!(e.kind(), Failure::NotFound | Failure::NotADirectory)
}
