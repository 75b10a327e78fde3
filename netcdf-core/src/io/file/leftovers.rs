//! Removes files and directories that killed processes left beside an output.

use std::path::{Path, PathBuf};

use super::place::{self, PathEnd};
use super::{swap, temporary};

/// Restores a directory after a kill during its replacement, on file systems without an exchange of two names.
pub fn recover(path: &Path) {
    let path: PathBuf = path.components().collect();
    if let Ok(PathEnd::Path(real)) = place::resolve(&path) {
        swap::recover(&real);
    }
}

/// Removes leftovers beside `path`, except entries locked by a running process. The caller has the right to remove all entries of the
/// directory.
pub fn clear(path: &Path) {
    temporary::clear(path);
}

/// Checks whether a process was killed between the two renames that replace a directory.
#[must_use]
pub fn is_aside(path: &Path) -> bool {
    let path: PathBuf = path.components().collect();
    match place::resolve(&path) {
        Ok(PathEnd::Path(real)) => swap::is_aside(&real),
        Ok(_) | Err(_) => false,
    }
}

/// Removes temporary files of killed processes beside `path`.
pub fn sweep(path: &Path) {
    temporary::sweep(path);
}
