//! `--next`: runs unclaimed parts in sequence.
//!
//! Each running part has a lease with an expiry time. Leases only avoid duplicate work: a process takes over parts with expired leases. A
//! wrong clock only causes waiting or duplicate work.

use std::time::Duration;

use netcdf_core::error::Result;
use netcdf_core::tool::{Io, Status};

use super::{PlannedRun, Worker};
use crate::parts::finish_right::recover_output;
use crate::parts::plan_directory::{PlanDirectory, StoredPlan, now};
use crate::request::ProcessRequest;

/// The default lease of a part.
const LEASE: Duration = Duration::from_secs(3600);

/// Runs all free parts until none is free. `lease` is the requested lease of a part.
///
/// # Errors
/// Returns errors of the plan directory, and the errors of [`super::run`].
pub(crate) fn run(
    process: &ProcessRequest,
    folder: &PlanDirectory,
    lease: Option<Duration>,
    io: &mut Io,
) -> Result<Status> {
    let plan = folder.plan()?;
    recover_output(folder, &plan, lease);
    if folder.is_finished(&plan)? {
        return Ok(Status::Success);
    }
    let mut planned = PlannedRun::new(process, &plan)?;
    let mut worker = planned.worker((folder, &plan));
    let lease = lease.unwrap_or(LEASE);
    let mut left = 0u64;
    for stage in plan.record.stages() {
        if stage.start > 0 && worker.waits(io)? {
            return Ok(Status::TryAgain);
        }
        // Processes with the same start time begin at different parts.
        let parts = stage.end - stage.start;
        let begin = stage.start + u64::from(std::process::id()) % parts.max(1);
        for part in (begin..stage.end).chain(stage.start..begin) {
            match worker.if_free(part, lease, io)? {
                Status::Success => {}
                Status::TryAgain => left += 1,
                other @ (Status::Failure | Status::Usage | Status::Signal(_)) => return Ok(other),
            }
        }
    }
    ended(folder, &plan, left)
}

impl Worker<'_> {
    /// Runs a part unless it is done. If another process runs the part, its state must be checked again later.
    fn if_free(&mut self, part: u64, lease: Duration, io: &mut Io) -> Result<Status> {
        let folder = self.folder;
        if folder.is_whole(part, self.plan)? {
            return Ok(Status::Success);
        }
        match folder.take_lease(part, now(), lease) {
            Ok(true) => {}
            Ok(false) => return Ok(Status::TryAgain),
            Err(e) => return self.failed(part, e, io),
        }
        match (self.all(&[part], io)?, folder.end_lease(part)) {
            (Status::Success, Err(e)) => self.failed(part, e, io),
            // The first error decides.
            (status, _) => Ok(status),
        }
    }
}

/// Returns whether unfinished parts remain, which other processes run or which failed temporarily.
fn ended(folder: &PlanDirectory, plan: &StoredPlan, left: u64) -> Result<Status> {
    if left == 0 {
        return Ok(Status::Success);
    }
    for part in 0..plan.record.parts {
        if !folder.is_whole(part, plan)? {
            return Ok(Status::TryAgain);
        }
    }
    Ok(Status::Success)
}
