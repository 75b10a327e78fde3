//! Converts keys to paths that do not leave the store.

use std::io::ErrorKind as Failure;
use std::path::{Path, PathBuf};

use super::DirStore;
use crate::error::{Error, ErrorKind, Result};
use crate::io::key;
use crate::io::odd::{Odd, Oddity};

/// Most directories to remember.
const FOLDERS: usize = 10_000;

/// An entry of a directory.
pub(super) struct DirEntry {
    /// The name.
    pub name: String,
    /// True for a directory, as far as known without following links.
    pub folder: bool,
    /// True for a link.
    pub link: bool,
}

impl DirStore {
    /// The path that a key leads to, without links; `None` if it does not exist.
    pub(super) fn found(&self, key: &str) -> Result<Option<PathBuf>> {
        key::check(key).map_err(|e| e.of(&self.name))?;
        // If the directory's path is known, only the last part may be a link.
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

    /// The path of a key without links, except for the last part; `None` if there is no such directory.
    pub(super) fn named(&self, key: &str) -> Result<Option<PathBuf>> {
        key::check(key).map_err(|e| e.of(&self.name))?;
        match key.rsplit_once('/') {
            None => Ok(Some(self.root.join(key))),
            Some((folder, name)) => Ok(self.folder_of(folder)?.map(|path| path.join(name))),
        }
    }

    /// The path of a directory, without links; `None` if it does not exist.
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

    /// The path of a directory found before.
    pub(super) fn known(&self, folder: &str) -> Option<PathBuf> {
        self.folders().get(folder).cloned()
    }

    /// Remembers the path of a directory.
    pub(super) fn remember(&self, folder: &str, path: &Path) {
        let mut folders = self.folders();
        if folders.len() >= FOLDERS {
            folders.clear();
        }
        folders.insert(folder.to_owned(), path.to_owned());
    }

    /// The directory that a prefix leads to, without links; `None` if it does not exist.
    pub(super) fn found_folder(&self, prefix: &str) -> Result<Option<PathBuf>> {
        key::check_prefix(prefix).map_err(|e| e.of(&self.name))?;
        match prefix.strip_suffix('/') {
            Some(folder) => self.folder_of(folder),
            None => Ok(Some(self.root.clone())),
        }
    }

    /// Refuses a path outside the store that a link led to.
    fn inside(&self, key: &str, real: PathBuf) -> Result<PathBuf> {
        if self.external || real.starts_with(&self.root) {
            return Ok(real);
        }
        let what = format!("a link leads out of the store, to {}", real.display());
        let e = Error::new(ErrorKind::Unsupported, what);
        let e = e.in_object(key).of(&self.name);
        Err(e.with_remedy("use --allow-external to follow it"))
    }

    /// The entries of a directory, sorted; entries whose names cannot be keys are left out, and recorded.
    pub(super) fn entries(&self, prefix: &str, folder: &Path) -> Result<Vec<DirEntry>> {
        let failed = |e| self.failed("cannot list", prefix, e);
        let mut entries = vec![];
        for entry in std::fs::read_dir(folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let kind = entry.file_type().map_err(failed)?;
            let name = entry.file_name();
            let Some(name) = name.to_str().filter(|name| key::is_part(name)) else {
                let name = [prefix.as_bytes(), name.as_encoded_bytes()].concat();
                self.odd.add(Odd::new(Oddity::NoKey, &name));
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

/// True for a key that cannot be a file because a part of it is longer than file names can be.
fn is_too_long(key: &str) -> bool {
    key.split('/').any(|part| part.len() > 255)
}

/// True if the name does not exist, also because a file is in place of a directory.
fn is_absent(e: &std::io::Error) -> bool {
    matches!(e.kind(), Failure::NotFound | Failure::NotADirectory)
}
