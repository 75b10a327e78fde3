//! `--clean`: removes a plan.

use netcdf_core::error::Result;
use netcdf_core::tool::{Io, Status};

use super::claimed;
use super::folder::Folder;
use crate::cli::Cli;

/// Removes the folder of a plan, and what its parts put elsewhere. Outputs stay.
///
/// # Errors
/// Those of removing.
pub fn run(cli: &Cli, folder: &Folder, io: &mut Io) -> Result<Status> {
    claimed::remove(cli, (folder, &folder.plan()?), io)?;
    folder.remove()?;
    Ok(Status::Success)
}
