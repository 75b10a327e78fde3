//! New records of `--append`, written in place.

use std::sync::Arc;

use netcdf_core::chunk::Placement;
use netcdf_core::copy;
use netcdf_core::error::Result;
use netcdf_core::format;
use netcdf_core::io::file::{LockedFile, WriteAccess};
use netcdf_core::io::locator::OutputForm;
use netcdf_core::io::patched::PatchedFile;

use crate::inputs::CopyPair;
use crate::prepare::PreparedCopy;
use crate::request::CopyRequest;

/// Appends the records to the output in place. Returns false if the output must be written anew.
///
/// # Errors
/// Returns [`ErrorKind::Busy`](netcdf_core::error::ErrorKind::Busy) if another program has the output open for writing, and I/O errors.
pub(crate) fn appended_in_place(
    prepared: &PreparedCopy<'_>,
    request: &CopyRequest,
    copy: &CopyPair,
) -> Result<bool> {
    let Some(records) = prepared.records else {
        return Ok(false);
    };
    let is_file = copy.output.form == OutputForm::File;
    // The checks and the report of a copy need the whole output.
    if !is_file || request.checks.verify || request.reported().is_some() {
        return Ok(false);
    }
    let set = prepared.set;
    let raw = match LockedFile::open(&copy.output.path, !request.process.no_sync)? {
        WriteAccess::Exclusive(raw) => raw,
        WriteAccess::Unlocked(_) | WriteAccess::Readers => return Ok(false),
    };
    let file = Arc::new(PatchedFile::open(Box::new(raw), &set.env.notes)?);
    let Some(mut update) = format::update(&file, set.env)? else {
        return Ok(false);
    };
    Ok(copy::append(set, records, &mut *update)? == Placement::InPlace)
}
