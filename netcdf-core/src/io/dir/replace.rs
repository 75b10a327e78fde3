//! The rules for replacing a directory by a store.

use std::fmt;
use std::io::ErrorKind as Failure;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{DirStore, is_store};
use crate::cancel::Cancel;
use crate::error::{Error, ErrorKind, Result};
use crate::io::file::full;
use crate::io::key;
use crate::io::store::Store;

/// Foreign files in the directory of a store.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Foreign {
    /// The first names.
    names: Vec<String>,
    /// The number of files.
    count: u64,
}

/// The maximum number of names in a message.
const NAMED: usize = 3;

impl Foreign {
    /// Adds a file.
    pub fn add(&mut self, name: String) {
        self.count += 1;
        if self.names.len() < NAMED {
            self.names.push(name);
        }
    }

    /// Whether the directory has no foreign files.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.names.join(", "))?;
        match self.count.saturating_sub(self.names.len() as u64) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

/// The rules for replacing a store.
#[derive(Debug, Clone, Copy)]
pub struct Replace {
    /// Finds the keys in a store that do not belong to a group or array.
    pub foreign: fn(&Arc<dyn Store>, &Cancel) -> Result<Foreign>,
    /// Whether the replacement may also remove foreign files.
    pub overwrite: bool,
}

impl Replace {
    /// Checks that the directory is a Zarr store or empty. Returns the foreign files that the replacement removes. Without `overwrite`,
    /// foreign files are an error.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Exists`] and I/O errors.
    pub(super) fn check(self, path: &Path, cancel: &Cancel) -> Result<Foreign> {
        let failed = |e| full::failed("cannot create", &path.to_string_lossy(), e);
        match std::fs::metadata(path) {
            Err(e) if e.kind() == Failure::NotFound => return Ok(Foreign::default()),
            Err(e) => return Err(failed(e)),
            Ok(meta) if !meta.is_dir() => {
                let what = "a file, which a directory does not replace";
                let e = Error::new(ErrorKind::Exists, what);
                return Err(e.with_remedy(
                    "remove it, choose another name, or use mode=zip for a zip file",
                ));
            }
            Ok(_) => {}
        }
        let empty = std::fs::read_dir(path).map_err(failed)?.next().is_none();
        if !empty && !is_store(path) {
            let what = "neither a Zarr store nor an empty directory: it is not replaced";
            return Err(Error::new(ErrorKind::Exists, what).with_remedy("choose another name"));
        }
        may_write(path).map_err(failed)?;
        let found = if empty {
            Foreign::default()
        } else {
            self.found(path, cancel)?
        };
        if found.is_empty() || self.overwrite {
            return Ok(found);
        }
        let what = format!(
            "files in this directory are not part of the store: {found}; it is not replaced"
        );
        let e = Error::new(ErrorKind::Exists, what);
        Err(e.with_remedy(
            "move them away, choose another name, or use --overwrite to remove them as well",
        ))
    }

    fn found(self, path: &Path, cancel: &Cancel) -> Result<Foreign> {
        let mut found = no_keys(path, cancel)?;
        let store: Arc<dyn Store> = Arc::new(DirStore::open(path)?);
        let keys = (self.foreign)(&store, cancel)?;
        found.count += keys.count;
        found.names.extend(keys.names);
        found.names.truncate(NAMED);
        Ok(found)
    }
}

/// Finds the files with names that cannot be keys.
fn no_keys(root: &Path, cancel: &Cancel) -> Result<Foreign> {
    let failed = |e| Error::io("cannot list", &root.to_string_lossy(), e);
    let mut found = Foreign::default();
    let mut left: Vec<(PathBuf, bool)> = vec![(root.to_owned(), false)];
    while let Some((folder, odd)) = left.pop() {
        cancel.check()?;
        for entry in std::fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let odd = odd || !entry.file_name().to_str().is_some_and(key::is_part);
            if entry.file_type().map_err(failed)?.is_dir() {
                left.push((entry.path(), odd));
            } else if odd {
                let path = entry.path();
                let path = path.strip_prefix(root).unwrap_or(&path);
                found.add(path.to_string_lossy().into_owned());
            }
        }
    }
    // Directories are listed in arbitrary order.
    found.names.sort_unstable();
    Ok(found)
}

/// Replacing a store requires write permission, like overwriting.
#[cfg(unix)]
fn may_write(path: &Path) -> std::io::Result<()> {
    Ok(rustix::fs::access(path, rustix::fs::Access::WRITE_OK)?)
}

#[cfg(not(unix))]
fn may_write(_: &Path) -> std::io::Result<()> {
    Ok(())
}
