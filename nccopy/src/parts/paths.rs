//! Files of a plan directory, and errors about them.

use std::borrow::Cow;
use std::path::Path;

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::io::file::FileSource;

use crate::shell::quoted;

/// The placeholder for the plan directory in remedies.
const PLACEHOLDER: &str = "FOLDER";

/// Inserts the path of a plan directory into the remedy.
pub(super) fn in_folder(e: Error, folder: &Path) -> Error {
    e.naming(PLACEHOLDER, &quoted(&folder.to_string_lossy()))
}

/// Opens a file of a plan directory.
///
/// # Errors
/// Returns [`ErrorKind::Argument`] for anything but a file, and errors of opening it.
pub(super) fn source(path: &Path) -> Result<FileSource> {
    // A pipe would wait for its writer.
    if std::fs::metadata(path).is_ok_and(|meta| !meta.is_file()) {
        return Err(wrong(
            path,
            "not a file, but a directory, a pipe or a device",
        ));
    }
    FileSource::open(path)
}

/// Returns an error about a path.
pub(super) fn wrong(path: &Path, what: impl Into<Cow<'static, str>>) -> Error {
    Error::new(ErrorKind::Argument, what).of(&path.to_string_lossy())
}
