//! `--next`: makes parts that nobody else makes, one after the other.
//!
//! A lease keeps processes from making the same part at the same time, which would only be a waste: it says until when a part is taken.
//! Whoever finds one that has expired takes the part over. A wrong clock makes a process wait or work in vain, and nothing else.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use netcdf_core::error::Result;
use netcdf_core::tool::{Io, Status};

use super::Worker;
use crate::cli::Cli;
use crate::parts::folder::{Folder, StoredPlan};

/// Seconds that a part is taken, if nobody says so.
const LEASE: u32 = 3600;

/// Makes all parts that are free, until none is.
///
/// # Errors
/// Those of the folder, and as [`super::run`].
pub fn run(cli: &Cli, folder: &Folder, io: &mut Io) -> Result<Status> {
    let plan = folder.plan()?;
    if folder.is_finished(&plan) {
        return Ok(Status::Success);
    }
    let mut worker = Worker::new(cli, folder, &plan)?;
    let lease = Duration::from_secs(cli.parts.lease.unwrap_or(LEASE).into());
    let parts = plan.record.parts;
    // Processes that start together begin at different parts.
    let first = u64::from(std::process::id()) % parts.max(1);
    let mut left = 0u64;
    for part in (first..parts).chain(0..first) {
        if folder.is_whole(part, &plan)? {
            continue;
        }
        if !folder.take_lease(part, now(), lease)? {
            left += 1;
            continue;
        }
        let status = worker.all(&[part], io);
        folder.end_lease(part)?;
        match status? {
            Status::Success => {}
            Status::TryAgain => left += 1,
            other @ (Status::Failure | Status::Usage | Status::Signal(_)) => return Ok(other),
        }
    }
    ended(folder, &plan, left)
}

/// Whether parts are left, which others make or which failed for now.
fn ended(folder: &Folder, plan: &StoredPlan, left: u64) -> Result<Status> {
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

/// The time since 1970.
fn now() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}
