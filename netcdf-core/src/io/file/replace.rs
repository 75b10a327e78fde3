//! Replaces one directory by another.

use std::io::ErrorKind as Failure;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::aside::{Aside, swap};
use super::disk::Disk;
use super::full;
use super::names::{folder, prefix};
use super::temporary::Lock;
use crate::error::{Error, Result};

/// The location of a replaced directory.
#[derive(Debug)]
pub(in crate::io) enum Replaced {
    /// No directory had the name.
    Nothing,
    /// The directory has the name of the new one.
    Exchanged(PathBuf),
    /// The directory was moved aside.
    Aside(Aside),
}

/// Gives `made` the name `path`, then removes a directory that had the name; with a `disk`, not before the new
/// directory certainly has the name after a power failure, too.
///
/// # Errors
/// [`crate::ErrorKind::Io`]; the old directory keeps the name, unless the error says that the output is complete.
/// If it may lose its name, the error says where the old directory is.
pub(in crate::io) fn take_place(made: TempDir, path: &Path, disk: Option<&Disk>) -> Result<()> {
    // The old directory is ours now, under that name: the lock keeps other runs from removing it, too.
    let _old = Lock::at(path);
    let replaced = give_name(made.path(), path, disk)?;
    let _ = made.keep();
    match named(path, disk) {
        Ok(()) => replaced.remove(),
        Err(e) => Err(match replaced.put_away(path) {
            Some(place) => {
                let place = place.display();
                e.with_remedy(format!(
                    "what it replaced is kept in {place}: remove it when the output is safe"
                ))
            }
            None => e,
        }),
    }
}

/// Gives the directory `made` the name `path`. A directory with the name stays; the caller removes it. With a `disk`, the name is on disk
/// when the function returns.
///
/// # Errors
/// [`crate::ErrorKind::Io`]; both directories keep their names, unless the error says that the output is complete.
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
    // Not every file system has permissions.
    let _ = std::fs::set_permissions(made, old.permissions());
    // They are to be on disk before the name is.
    let synced = disk.map_or(Ok(()), |disk| disk.folder(made));
    synced.map_err(|e| full::failed("cannot write to disk", &name, e))?;
    match exchange(made, path) {
        Ok(()) => Ok(Replaced::Exchanged(made.to_owned())),
        Err(_) => swap(made, path).map(Replaced::Aside).map_err(failed),
    }
}

/// Puts the name of a new directory on disk.
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

    /// Moves the old directory to where no other run takes it for a leftover. Returns its new path.
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

/// The name of the old directory within the one made for it.
const OLD: &str = "old";

/// Makes a directory for the old one. If the run is killed, it remains: no other run takes it for an unfinished
/// one.
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
            let what = "the output is complete, but what it replaced cannot be removed";
            Err(Error::io(what, &old.to_string_lossy(), e))
        }
    })
}
