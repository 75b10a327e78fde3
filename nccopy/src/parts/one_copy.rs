//! The copy of a plan of one dataset.

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::io::file;
use netcdf_core::io::locator::OutputForm;

use super::paths::wrong;
use crate::copies;
use crate::inputs::CopyPair;
use crate::request::CopyRequest;

/// Returns the only copy of a request.
///
/// # Errors
/// Returns [`ErrorKind::Argument`] for copies that cannot be made in parts.
pub(super) fn one_copy(request: &CopyRequest) -> Result<CopyPair> {
    if request
        .files
        .join
        .as_ref()
        .is_some_and(|join| join.inputs.is_standard())
    {
        let what = "--plan: other processes cannot read the list of inputs from standard input";
        return Err(Error::new(ErrorKind::Argument, what));
    }
    let (mut copies, _) = copies::requested(request, &mut std::io::empty())?;
    let copy = match (copies.pop(), copies.is_empty()) {
        (Some(copy), true) => copy,
        (Some(_) | None, _) => {
            let what = "--plan: expected one input and one output";
            return Err(Error::new(ErrorKind::Argument, what));
        }
    };
    if copy.input.as_os_str() == "-" || file::in_place(&copy.output.path) {
        let what =
            "--plan: other processes cannot read or write this: give files, stores or addresses";
        return Err(wrong(&copy.input, what));
    }
    if let OutputForm::Zip { .. } = copy.output.form {
        let what = "a zip file cannot be written in parts";
        let e = wrong(&copy.output.path, what);
        return Err(e.with_remedy("make a directory in parts, then copy it: nccopy a.zarr a.zip"));
    }
    Ok(copy)
}
