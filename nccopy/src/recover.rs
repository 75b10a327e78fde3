//! Ends unfinished changes of files and Zarr directories (`--recover`).

use std::path::Path;

use netcdf_core::env::Env;
use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::format::{self, DirectoryUpdateRules};
use netcdf_core::io::file::{LockedFile, WriteAccess};
use netcdf_core::io::patched::{self, RecoveredState};
use netcdf_core::tool::{self, Io, Status};

use crate::request::{RecoverRequest, RecoveryState};

/// Ends the unfinished change of each file or Zarr directory. Reports an error, and continues with the next file.
pub(crate) fn run(request: &RecoverRequest, io: &mut Io) -> Status {
    let mut status = Status::Success;
    for path in &request.paths {
        let sync = !request.process.no_sync;
        let done = match path.is_dir() {
            true => recover_store(path, request.state, sync, io),
            false => recover_file(path, request.state, sync),
        };
        if let Err(e) = done {
            status = tool::report("nccopy", &e, io);
        }
    }
    status
}

fn recover_file(path: &Path, state: RecoveryState, sync: bool) -> Result<()> {
    let state = match state {
        RecoveryState::Old => RecoveredState::Old,
        RecoveryState::New => RecoveredState::New,
        RecoveryState::Drop => RecoveredState::Current,
    };
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

/// Restores the old state of a Zarr directory, as a writer does before its own change.
fn recover_store(path: &Path, state: RecoveryState, sync: bool, io: &mut Io) -> Result<()> {
    let refused = |what: &'static str, remedy: &'static str| {
        let e = Error::new(ErrorKind::Unsupported, what);
        Err(e.of(&path.to_string_lossy()).with_remedy(remedy))
    };
    if state != RecoveryState::Old {
        return refused(
            "a Zarr directory keeps only the old state",
            "use --recover=old",
        );
    }
    let rules = DirectoryUpdateRules {
        sync,
        without_locks: true,
    };
    let env = Env::default();
    let opened = format::update_directory(path, rules, &env)?;
    tool::tell("nccopy", &env.notes, io);
    match opened {
        Some(_) => Ok(()),
        None => refused(
            "not a dataset that is changed in place",
            "name each file or Zarr directory",
        ),
    }
}
