//! Replaces one directory by another.

use std::io::ErrorKind as Failure;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::disk::Disk;
use super::full;
use super::temporary::Lock;
use super::unnamed::{folder, prefix};
use crate::error::{Error, Result};

/// Gives `made` the name `path`, then removes a directory that had the name; with a `disk`, not before the new
/// directory certainly has the name after a power failure, too.
///
/// # Errors
/// [`crate::ErrorKind::Io`]; the old directory keeps the name, unless the error says that the output is complete.
/// If it may lose its name, the error says where the old directory is.
pub(in crate::io) fn take_place(made: TempDir, path: &Path, disk: Option<&Disk>) -> Result<()> {
    let name = path.to_string_lossy();
    let failed = |e| full::failed("cannot write", &name, e);
    let above = || disk.map_or(Ok(()), |disk| disk.folder_above(folder(path), &name));
    let Ok(old) = std::fs::metadata(path) else {
        std::fs::rename(made.path(), path).map_err(failed)?;
        let _ = made.keep();
        return above();
    };
    // Not every file system has permissions.
    let _ = std::fs::set_permissions(made.path(), old.permissions());
    // They are to be on disk before the name is.
    let synced = disk.map_or(Ok(()), |disk| disk.folder(made.path()));
    synced.map_err(|e| full::failed("cannot write to disk", &name, e))?;
    // The old directory is ours now, under that name: the lock keeps other runs from removing it, too.
    let _old = Lock::at(path);
    let exchanged = exchange(made.path(), path).is_ok();
    let old = match exchanged {
        true => made,
        false => move_away(made, path).map_err(failed)?,
    };
    match above() {
        Ok(()) => remove(old),
        Err(e) => {
            let old = old.keep();
            let place = match exchanged {
                true => put_away(&old, path).unwrap_or(old),
                false => old,
            };
            let place = place.display();
            Err(e.with_remedy(format!(
                "what it replaced is kept in {place}: remove it when the output is safe"
            )))
        }
    }
}

/// Gives the directory `made` the name `path`, then removes a directory that had the name. If it fails, `made` stays where it is, unless the
/// error says that the output is complete.
///
/// # Errors
/// [`crate::ErrorKind::Io`]; [`crate::ErrorKind::Unsupported`] where two directories cannot exchange their names.
pub(in crate::io) fn take_place_of(made: &Path, path: &Path, disk: Option<&Disk>) -> Result<()> {
    let name = path.to_string_lossy();
    let failed = |e| full::failed("cannot write", &name, e);
    let above = || disk.map_or(Ok(()), |disk| disk.folder_above(folder(path), &name));
    let Ok(old) = std::fs::metadata(path) else {
        std::fs::rename(made, path).map_err(failed)?;
        return above();
    };
    // Not every file system has permissions.
    let _ = std::fs::set_permissions(made, old.permissions());
    exchange(made, path).map_err(|e| {
        let what = "the file system cannot exchange the names of two directories";
        let remedy = "remove the old one first, or choose another name";
        match e.kind() {
            Failure::Unsupported | Failure::InvalidInput => {
                Error::new(crate::ErrorKind::Unsupported, what)
                    .of(&name)
                    .with_remedy(remedy)
            }
            _ => failed(e),
        }
    })?;
    above()?;
    std::fs::remove_dir_all(made).map_err(|e| {
        let what = "the output is complete, but what it replaced cannot be removed";
        Error::io(what, &made.to_string_lossy(), e)
    })
}

/// Moves the old directory to where no other run takes it for its own.
fn put_away(old: &Path, path: &Path) -> std::io::Result<PathBuf> {
    let place = away(path)?;
    std::fs::rename(old, place.path().join(OLD))?;
    Ok(place.keep())
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
    let old = away(path)?;
    let away = old.path().join(OLD);
    std::fs::rename(path, &away)?;
    if let Err(e) = std::fs::rename(made.path(), path) {
        std::fs::rename(&away, path)?;
        return Err(e);
    }
    let _ = made.keep();
    Ok(old)
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
