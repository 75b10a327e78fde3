//! New records of `--append`, written in place.

use std::path::Path;
use std::sync::Arc;

use netcdf_core::chunk::{Placement, Update};
use netcdf_core::copy;
use netcdf_core::env::Env;
use netcdf_core::error::Result;
use netcdf_core::format::{self, DirectoryUpdateRules};
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
    // The checks and the report of a copy need the whole output.
    if request.checks.verify || request.reported().is_some() {
        return Ok(false);
    }
    let (set, sync) = (prepared.set, !request.process.no_sync);
    let path = &copy.output.path;
    let update = match copy.output.form {
        OutputForm::File => file_update(path, sync, set.env)?,
        OutputForm::Directory => {
            let rules = DirectoryUpdateRules {
                sync,
                without_locks: false,
            };
            format::update_directory(path, rules, set.env)?.map(|opened| opened.update)
        }
        OutputForm::Zip { .. } | OutputForm::References | OutputForm::ParquetReferences { .. } => {
            None
        }
    };
    let Some(mut update) = update else {
        return Ok(false);
    };
    Ok(copy::append(set, records, &mut *update)? == Placement::InPlace)
}

/// Opens a file for changes in place. Returns `None` for a file that can only be written anew.
fn file_update(path: &Path, sync: bool, env: &Env) -> Result<Option<Box<dyn Update>>> {
    let raw = match LockedFile::open(path, sync)? {
        WriteAccess::Exclusive(raw) => raw,
        WriteAccess::Unlocked(_) | WriteAccess::Readers => return Ok(None),
    };
    let file = Arc::new(PatchedFile::open(Box::new(raw), &env.notes)?);
    format::update(&file, env)
}
