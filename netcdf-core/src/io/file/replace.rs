//! A directory takes the place of another.

use std::io::ErrorKind as Failure;
use std::path::Path;

use tempfile::TempDir;

use super::full;
use super::temporary::Lock;
use super::unnamed::{folder, prefix};
use crate::error::{Error, Result};

/// Gives `made` the name `path`; a directory that has it is removed after that.
///
/// # Errors
/// [`crate::ErrorKind::Io`]; what had the name still has it, unless the error says that it could not be removed.
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
    // What is removed then is ours, under that name: no other run removes it, too.
    let _old = Lock::at(path);
    match exchange(made.path(), path) {
        Ok(()) => remove(made),
        Err(_) => move_away(made, path).map_err(failed).and_then(remove),
    }
}

/// Exchanges the names of two directories, at once.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn exchange(a: &Path, b: &Path) -> std::io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE)?)
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
fn exchange(_: &Path, _: &Path) -> std::io::Result<()> {
    Err(Failure::Unsupported.into())
}

/// Moves what has the name `path` away, and `made` in; gives back a directory with the old one in it.
pub(in crate::io) fn move_away(made: TempDir, path: &Path) -> std::io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    let prefix = prefix(path);
    // Should the run be killed now, the old directory is there: no other run takes it for one that was not finished.
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
            let what = "the output is there, but what it replaced cannot be removed";
            Err(Error::io(what, &path.to_string_lossy(), e))
        }
    })
}
