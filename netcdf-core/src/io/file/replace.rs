//! Replaces one directory by another.

use std::io::ErrorKind as Failure;
use std::path::Path;

use tempfile::TempDir;

use super::full;
use super::temporary::Lock;
use super::unnamed::{folder, prefix};
use crate::error::{Error, Result};

/// Gives `made` the name `path`, then removes a directory that had the name.
///
/// # Errors
/// [`crate::ErrorKind::Io`]; the old directory keeps the name, unless the error says that it could not be
/// removed.
pub(in crate::io) fn take_place(made: TempDir, path: &Path) -> Result<()> {
    let failed = |e| full::failed("cannot write", &path.to_string_lossy(), e);
    match std::fs::metadata(path) {
        Ok(old) => {
            // Not every file system has permissions.
            let _ = std::fs::set_permissions(made.path(), old.permissions());
        }
        Err(_) => {
            std::fs::rename(made.path(), path).map_err(failed)?;
            let _ = made.keep();
            return Ok(());
        }
    }
    // The old directory is ours now, under that name: the lock keeps other runs from removing it, too.
    let _old = Lock::at(path);
    match exchange(made.path(), path) {
        Ok(()) => remove(made),
        Err(_) => move_away(made, path).map_err(failed).and_then(remove),
    }
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

/// Moves away what has the name `path`, and gives `made` the name; returns a directory that contains the old
/// one.
pub(in crate::io) fn move_away(made: TempDir, path: &Path) -> std::io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    let prefix = prefix(path);
    // If the run is killed now, the old directory remains: no other run takes it for an unfinished one.
    let old = builder
        .prefix(&prefix)
        .suffix(".old.tmp")
        .tempdir_in(folder(path))?;
    let away = old.path().join("old");
    std::fs::rename(path, &away)?;
    if let Err(e) = std::fs::rename(made.path(), path) {
        std::fs::rename(&away, path)?;
        return Err(e);
    }
    let _ = made.keep();
    Ok(old)
}

fn remove(old: TempDir) -> Result<()> {
    let path = old.path().to_owned();
    old.close().or_else(|e| match e.kind() {
        Failure::NotFound => Ok(()),
        _ => {
            let what = "the output is complete, but what it replaced cannot be removed";
            Err(Error::io(what, &path.to_string_lossy(), e))
        }
    })
}
