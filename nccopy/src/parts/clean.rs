//! `--clean`: removes a plan.

use netcdf_core::error::Result;
use netcdf_core::tool::{Io, Status};

use super::claim;
use super::finish_right::FinishRight;
use super::plan_directory::PlanDirectory;
use crate::request::ProcessRequest;

/// Removes the plan directory, and keys that its parts stored elsewhere. Outputs stay.
///
/// # Errors
/// Returns errors of removing, and [`ErrorKind::Busy`](netcdf_core::error::ErrorKind::Busy) while a process makes or finishes the plan.
pub(super) fn run(process: &ProcessRequest, folder: &PlanDirectory, io: &mut Io) -> Result<Status> {
    let _made = folder.is_made()?;
    let right = FinishRight::take(folder, None)?;
    let removed = claim::remove(process, (folder, &folder.plan()?), right.owner(), io);
    removed.map_err(|e| right.reason(e))?;
    right.check()?;
    folder.remove()?;
    Ok(Status::Success)
}
