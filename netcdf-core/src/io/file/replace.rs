//! Replaces one directory by another directory.

use std::io::ErrorKind as Failure;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::disk::Disk;
use super::full;
use super::names::{folder, prefix};
use super::swap::{Aside, swap};
use super::temporary::Lock;
use crate::error::{Error, Result};

/// The location of a replaced directory.
#[derive(Debug)]
pub(in crate::io) enum Replaced {
    /// No directory had the name.
    Nothing,
    /// The directory has the former name of the new directory.
    Exchanged(PathBuf),
    /// The directory was moved aside.
    Aside(Aside),
}

/// Gives `made` the name `path`, then removes the directory that had this name. With a `disk`, the new name is synced before the removal.
///
/// # Errors
/// Returns [`crate::ErrorKind::Io`]. The old directory keeps the name, unless the error states that the output is complete. If a power
/// failure may undo the rename, the error names the location of the old directory.
pub(in crate::io) fn take_place(made: TempDir, path: &Path, disk: Option<&Disk>) -> Result<()> {
    // The lock keeps other runs from removing the old directory under its new name.
    let _old = Lock::at(path);
    let replaced = give_name(made.path(), path, disk)?;
    let _ = made.keep();
    match named(path, disk) {
        Ok(()) => replaced.remove(),
        Err(e) => Err(match replaced.put_away(path) {
            Some(place) => {
                let place = place.display();
                e.with_remedy(format!(
                    "the replaced directory is kept in {place}: remove it when the output is safe"
                ))
            }
            None => e,
        }),
    }
}

/// Gives the directory `made` the name `path`. The caller removes a directory that had this name. With a `disk`, the name is synced when
/// the function returns.
///
/// # Errors
/// Returns [`crate::ErrorKind::Io`]. Both directories keep their names, unless the error states that the output is complete.
pub(in crate::io) fn take_name(made: &Path, path: &Path, disk: Option<&Disk>) -> Result<Replaced> {
    let replaced = give_name(made, path, disk)?;
    named(path, disk)?;
    Ok(replaced)
}

/// Gives the directory `made` the name `path`.
fn give_name(made: &Path, path: &Path, disk: Option<&Disk>) -> Result<Replaced> {
    let name = path.to_string_lossy();
    let failed = |e| full::failed("cannot write", &name, e);
    let Ok(old) = std::fs::metadata(path) else {
        std::fs::rename(made, path).map_err(failed)?;
        return Ok(Replaced::Nothing);
    };
    // Some file systems have no permissions.
    let _ = std::fs::set_permissions(made, old.permissions());
    // Sync the permissions before the name.
    let synced = disk.map_or(Ok(()), |disk| disk.folder(made));
    synced.map_err(|e| full::failed("cannot write to disk", &name, e))?;
    match exchange(made, path) {
        Ok(()) => Ok(Replaced::Exchanged(made.to_owned())),
        Err(_) => swap(made, path).map(Replaced::Aside).map_err(failed),
    }
}

/// Syncs the name of a new directory.
fn named(path: &Path, disk: Option<&Disk>) -> Result<()> {
    let name = path.to_string_lossy();
    disk.map_or(Ok(()), |disk| disk.folder_above(folder(path), &name))
}

/// Gives the directory `made` the name `path`. Only an empty directory may have this name.
///
/// # Errors
/// Returns system errors.
pub(in crate::io) fn take_free_name(made: TempDir, path: &Path) -> std::io::Result<()> {
    // An empty directory remains if a process is killed while it removes the store.
    let _ = std::fs::remove_dir(path);
    if path.symlink_metadata().is_ok() {
        return Err(Failure::AlreadyExists.into());
    }
    std::fs::rename(made.path(), path)?;
    let _ = made.keep();
    Ok(())
}

/// Exchanges the names of two directories atomically.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn exchange(a: &Path, b: &Path) -> std::io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE)?)
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
fn exchange(_: &Path, _: &Path) -> std::io::Result<()> {
    Err(Failure::Unsupported.into())
}

impl Replaced {
    /// Removes the old directory.
    ///
    /// # Errors
    /// The error states that the output is complete.
    pub(in crate::io) fn remove(&self) -> Result<()> {
        match self {
            Self::Nothing => Ok(()),
            Self::Exchanged(old) => remove(old),
            Self::Aside(aside) => remove(aside.within()),
        }
    }

    /// Moves the old directory to a name that no run removes as a leftover. Returns the new path.
    fn put_away(self, path: &Path) -> Option<PathBuf> {
        let old = match &self {
            Self::Nothing => return None,
            Self::Exchanged(old) => old.clone(),
            Self::Aside(aside) => aside.old(),
        };
        let moved = away(path).and_then(|place| {
            std::fs::rename(&old, place.path().join(OLD))?;
            Ok(place.keep())
        });
        if let (Ok(_), Self::Aside(aside)) = (&moved, &self) {
            let _ = std::fs::remove_dir(aside.within());
        }
        Some(moved.unwrap_or(old))
    }
}

/// The name of the replaced directory within the temporary directory.
const OLD: &str = "old";

/// Creates a directory for the old directory. No run removes it as a leftover after a kill.
fn away(path: &Path) -> std::io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    let prefix = prefix(path);
    builder
        .prefix(&prefix)
        .suffix(".old.tmp")
        .tempdir_in(folder(path))
}

/// Removes a replaced directory.
///
/// # Errors
/// The error states that the output is complete.
pub(in crate::io) fn remove(old: &Path) -> Result<()> {
    std::fs::remove_dir_all(old).or_else(|e| match e.kind() {
        Failure::NotFound => Ok(()),
        _ => {
            let what = "the output is complete, but the replaced directory cannot be removed";
            Err(Error::io(what, &old.to_string_lossy(), e))
        }
    })
}
