//! Copies in parts, which other programs run in parallel on any machines: `--plan`, `--part`, `--finish` and related options.
//!
//! `--plan` fixes all decisions that parts share, and writes them into a plan directory (`plan_directory`, docs/machines.md). `--part` opens the
//! input, checks that it has not changed, and stores the part's boxes in a segment (`netcdf_core::copy::parts`). Each part then creates a
//! done-file, which records the segment content and is never overwritten. `--finish` joins the segments. For Zarr stores, parts write
//! chunks directly instead: into a directory beside the output, or to an object store (`claim`). In plans of two stages, parts of the
//! first stage write chunk fragments into a store in the plan directory, and parts of the second stage read them. Correctness depends
//! neither on clocks nor on the assignment of parts to processes.

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
