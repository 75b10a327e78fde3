//! Copies in parts, which other programs run in parallel on any machines: `--plan`, `--part`, `--finish` and related options.
//!
//! `--plan` fixes all decisions that parts share, and writes them into a plan directory (`plan_directory`, docs/machines.md). `--part` opens the
//! input, checks that it has not changed, and stores the part's boxes in a segment (`netcdf_core::copy::parts`). Each part then creates a
//! done-file, which records the segment content and is never overwritten. `--finish` joins the segments. For Zarr stores, parts write
//! chunks directly instead: into a directory beside the output, or to an object store (`claim`). In plans of two stages, parts of the
//! first stage write chunk fragments into a store in the plan directory, and parts of the second stage read them. Correctness depends
//! neither on clocks nor on the assignment of parts to processes.
//!
//! # The protocol of `--finish`
//!
//! `--finish` can be killed at any moment, repeated, and run beside other processes.
//!
//! - *Identity.* `plan.json` has a random `identity`, so its BLAKE3 digest names one plan. The store that parts write beside the output contains
//!   this digest in `.netcdf-tools-plan` ([`PlanMark`](netcdf_core::io::dir::shared::PlanMark)) from its first moment.
//! - *Exclusion.* `--finish` and `--clean` hold an exclusive `flock` on `plan.json` (`finish_right`). A part holds a shared lock while it moves its
//!   chunks into the store, and checks the marker first. Without locks that all hosts see, the process puts `finishing/N` with its owner
//!   and its lease instead. The owner renews the lease by putting `finishing/N+1`; after the lease, another process puts this number. Only one
//!   process can put a number. The former owner fails its check just before the commit, and ends with exit status 75. A process with the lock
//!   gives way to a claim. In a bucket, the plan's claim object locks out other runs, and a second line of the claim has the lease of the
//!   finishing process. Conditional puts take and renew this lease, and the owner checks it before each put.
//! - *Order.* Check the parts and their digests; put the metadata; exchange the names of store and output; flush the directory; put `finished`;
//!   remove the old output; remove the marker.
//! - *Input.* The plan has the state of the input and of other files with its data, and the creation time of the plan. Each part compares the
//!   states, records the keys that it reads, and refuses a key that changed after that time.
//! - *After a kill.* The location of the marker decides. Beside the output: the store is not finished, and `--finish` begins again. In the
//!   output: only the last three steps remain. A directory beside the output without a marker is the old output.
//! - *Files* have no marker: `--finish` writes the file again from the segments. A rename replaces the output.
//! - *`--plan`* puts `planning` first, `plan.json` after the rest, then the marked store or the claim, and removes `planning`. A
//!   directory with `planning` and without `plan.json` is emptied by `--clean` and by the next `--plan`. After an error, `--plan` removes the
//!   store, then the directory; if the store stays, `plan.json` stays for `--clean`.
//! - *Temporary files* beside the output are removed at the end of `--finish` and `--clean`.

mod claim;
mod clean;
mod digests;
mod emit;
mod estimate;
mod files;
mod finish;
mod finish_right;
mod make;
mod one_copy;
mod paths;
mod plan;
mod plan_directory;
mod record;
mod status;
mod stored_plan;

use std::path::{Path, PathBuf};

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::tool::{self, Io, Status};

use crate::request::{PlanRequest, PlanStep, StepRequest};
use paths::in_folder;
use plan_directory::PlanDirectory;

/// Makes a plan.
///
/// # Errors
/// Returns the errors of [`plan::run`].
pub(crate) fn plan(request: &PlanRequest, io: &mut Io) -> Result<Status> {
    let made = plan::run(request, io);
    ended(made, Some(&request.folder), io)
}

/// Runs a step of a planned copy.
///
/// # Errors
/// Returns errors of the step.
pub(crate) fn step(request: &StepRequest, io: &mut Io) -> Result<Status> {
    let done = started(request, io);
    ended(done, request.paths.first().map(PathBuf::as_path), io)
}

/// Inserts the plan directory into the remedy of an error. Reports an error that another attempt may not have.
fn ended(done: Result<Status>, folder: Option<&Path>, io: &mut Io) -> Result<Status> {
    let named = |e| match folder {
        Some(folder) => in_folder(e, folder),
        None => e,
    };
    match done.map_err(named) {
        // Another process is active, or the system is short of resources.
        Err(e) if e.kind() == ErrorKind::Busy || e.is_too_many_files() => {
            tool::report("nccopy", &e, io);
            Ok(Status::TryAgain)
        }
        done => done,
    }
}

fn started(request: &StepRequest, io: &mut Io) -> Result<Status> {
    if let ([one], PlanStep::Clean) = (request.paths.as_slice(), &request.step)
        && !one.join("plan.json").is_file()
    {
        return PlanDirectory::remove_begun(one).map(|()| Status::Success);
    }
    let (folder, process) = (folder(&request.paths)?, &request.process);
    match &request.step {
        PlanStep::Part(choice) => make::run(process, &folder, choice, io),
        PlanStep::Next(lease) => make::next(process, &folder, *lease, io),
        PlanStep::Finish(options) => finish::run((process, *options), &folder, io),
        PlanStep::Status { json } => status::run(*json, &folder, io),
        PlanStep::Clean => clean::run(process, &folder, io),
        PlanStep::Emit(engine) => emit::run(process, &folder, *engine, io),
    }
}

/// The plan directory of a command line.
fn folder(paths: &[PathBuf]) -> Result<PlanDirectory> {
    match paths {
        [one] => PlanDirectory::open(one),
        _ => {
            let what = "expected one path, the plan directory";
            Err(Error::new(ErrorKind::Argument, what))
        }
    }
}
