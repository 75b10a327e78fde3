//! Unfinished changes in place of outputs.

use std::path::Path;
use std::sync::Arc;

use netcdf_core::env::Env;
use netcdf_core::error::Result;
use netcdf_core::format::{self, DirectoryUpdateRules};
use netcdf_core::io::Container;
use netcdf_core::io::file::{LockedFile, WriteAccess};
use netcdf_core::io::locator::{InputAccess, Location};
use netcdf_core::io::patched::{PatchedFile, visible_state};

/// Rolls an unfinished change of a file or store back, before it is changed again. A file that cannot be locked stays as it is.
///
/// # Errors
/// Returns [`ErrorKind::Changed`](netcdf_core::error::ErrorKind::Changed) if another program interfered with the change, and I/O errors.
pub(crate) fn end(path: &Path, env: &Env) -> Result<()> {
    if path.is_dir() {
        let rules = DirectoryUpdateRules {
            sync: true,
            without_locks: false,
        };
        return format::update_directory(path, rules, env).map(drop);
    }
    if !path.is_file() {
        return Ok(());
    }
    match LockedFile::open(path, true) {
        Ok(WriteAccess::Exclusive(raw)) => PatchedFile::open(Box::new(raw), &env.notes).map(drop),
        Ok(WriteAccess::Unlocked(_) | WriteAccess::Readers) | Err(_) => Ok(()),
    }
}

/// Like [`end`], but a file is only locked if it ends with the journal of a change: other programs may read it.
///
/// # Errors
/// Returns the errors of [`end`], and of reading the file.
pub(crate) fn end_if_any(path: &Path, env: &Env) -> Result<()> {
    let at = Location::of_path(path);
    if path.is_file()
        && let Container::Source(source) =
            InputAccess::default().input(&at, &mut std::io::empty())?
        && Arc::ptr_eq(&visible_state(&source)?, &source)
    {
        return Ok(());
    }
    end(path, env)
}
