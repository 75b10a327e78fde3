//! Ends unfinished changes of files (`--recover`).

use std::path::Path;

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::io::file::{LockedFile, WriteAccess};
use netcdf_core::io::patched::{self, RecoveredState};
use netcdf_core::tool::{Io, Status};

use crate::request::{RecoverRequest, RecoveryState};

/// Ends the unfinished change of each file.
///
/// # Errors
/// Returns the first error; later files are then not changed.
pub(crate) fn run(request: &RecoverRequest, _: &mut Io) -> Result<Status> {
    let state = match request.state {
        RecoveryState::Old => RecoveredState::Old,
        RecoveryState::New => RecoveredState::New,
        RecoveryState::Drop => RecoveredState::Current,
    };
    for path in &request.paths {
        recover(path, state, !request.process.no_sync)?;
    }
    Ok(Status::Success)
}

fn recover(path: &Path, state: RecoveredState, sync: bool) -> Result<()> {
    match LockedFile::open(path, sync)? {
        WriteAccess::Exclusive(file) | WriteAccess::Unlocked(file) => {
            patched::recover(Box::new(file), state)
        }
        WriteAccess::Readers => {
            let what = "other programs have the file open for reading (it is locked)";
            Err(Error::new(ErrorKind::Busy, what).of(&path.to_string_lossy()))
        }
    }
}
