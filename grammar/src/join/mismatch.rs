//! Errors about two inputs.

use netcdf_core::error::{Error, ErrorKind};

/// Returns the error for inputs that do not fit, with both names.
pub(super) fn mismatch(names: [&str; 2], what: &str) -> Error {
    let both = format!("{} and {}", names[0], names[1]);
    Error::new(ErrorKind::Argument, what.to_owned()).of(&both)
}
