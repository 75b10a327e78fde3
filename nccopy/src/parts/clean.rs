//! `--clean`: removes a plan.

use netcdf_core::error::Result;
use netcdf_core::tool::Status;

use super::folder::Folder;

/// Removes the folder of a plan. Outputs stay.
///
/// # Errors
/// Those of removing.
pub fn run(folder: &Folder) -> Result<Status> {
    folder.remove()?;
    Ok(Status::Success)
}
