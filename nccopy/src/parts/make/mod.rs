//! `--part` and `--next`: run parts.

mod dataset;
mod meter;
mod next;
mod running_part;

pub(super) use next::run as next;

use netcdf_core::env::Env;
use netcdf_core::error::{Error, ErrorKind, Result, list_names};
use netcdf_core::json::Json;
use netcdf_core::tool::{self, Io, Status};

use self::dataset::{DatasetParts, JoinedInput};
use self::running_part::RunningPart;
use super::files::{FileParts, MadeFiles};
use super::finish_right::recover_output;
use super::paths::in_folder;
use super::plan_directory::{PlanDirectory, StoredPlan};
use super::record::{DoneRecord, PartWork};
use crate::environment::{environment, of_shared_input};
use crate::request::{CopyRequest, PartChoice, ProcessRequest};

/// Runs parts in sequence. Finished parts stay.
///
/// # Errors
/// Returns errors of the plan directory and of the copy, and [`ErrorKind::Changed`] if the input or the plan has changed.
pub(super) fn run(
    process: &ProcessRequest,
    folder: &PlanDirectory,
    choice: &PartChoice,
    io: &mut Io,
) -> Result<Status> {
    let plan = folder.plan()?;
    recover_output(folder, &plan, None);
    let variable = |name: &str| std::env::var(name).ok();
    let numbers = choice.numbers(plan.record.parts, variable)?;
    if folder.is_finished(&plan)? {
        return Ok(Status::Success);
    }
    let mut left = vec![];
    for part in numbers {
        if !folder.is_whole(part, &plan)? {
            left.push(part);
        }
    }
    let mut planned = PlannedRun::new(process, &plan)?;
    let mut worker = planned.worker((folder, &plan));
    for stage in plan.record.stages() {
        let parts: Vec<u64> = left.iter().copied().filter(|n| stage.contains(n)).collect();
        let status = match parts.is_empty() {
            true => Status::Success,
            false if stage.start > 0 && worker.waits(io)? => Status::TryAgain,
            false => worker.all(&parts, io)?,
        };
        if status != Status::Success {
            return Ok(status);
        }
    }
    Ok(Status::Success)
}

/// An error, and the number of the failed part.
type Failed = (Option<u64>, Error);

/// The planned copy, and the environments of its parts and of an input that all parts read.
struct PlannedRun {
    request: CopyRequest,
    env: Env,
    of_input: Env,
}

impl PlannedRun {
    fn new(process: &ProcessRequest, plan: &StoredPlan) -> Result<Self> {
        let request = plan.request(process)?;
        tool::catch_limits()?;
        let env = environment(&request);
        Ok(Self {
            of_input: of_shared_input(&request, &env),
            request,
            env,
        })
    }

    fn worker<'a>(&'a mut self, (folder, plan): (&'a PlanDirectory, &'a StoredPlan)) -> Worker<'a> {
        Worker {
            request: &self.request,
            env: &mut self.env,
            joined: JoinedInput::new(&self.of_input),
            folder,
            plan,
        }
    }
}

/// A process that runs parts.
struct Worker<'a> {
    /// The planned copy.
    request: &'a CopyRequest,
    env: &'a mut Env,
    joined: JoinedInput<'a>,
    folder: &'a PlanDirectory,
    plan: &'a StoredPlan,
}

impl Worker<'_> {
    /// Runs parts until one fails. Reports the error, and adds it to the log.
    fn all(&mut self, numbers: &[u64], io: &mut Io) -> Result<Status> {
        let Some(&first) = numbers.first() else {
            return Ok(Status::Success);
        };
        let Err((part, e)) = self.make(numbers, io) else {
            return Ok(Status::Success);
        };
        self.failed(part.unwrap_or(first), e, io)
    }

    /// Reports the error of a part, and adds it to the log. Returns whether another attempt makes sense.
    fn failed(&self, part: u64, e: Error, io: &mut Io) -> Result<Status> {
        let e = in_folder(e, self.folder.path());
        if e.kind() == ErrorKind::Cancelled {
            return Ok(tool::cancelled(&self.env.cancel).unwrap_or(Status::Failure));
        }
        let error = vec![("error", Json::text(&e.to_string()))];
        // Ignore log errors: the first error is more useful.
        let _ = self.folder.log(part, "failed", error);
        // The exit status shows whether another attempt makes sense.
        Ok(match (tool::report("nccopy", &e, io), e.kind()) {
            (Status::Failure, ErrorKind::Io | ErrorKind::Busy) => Status::TryAgain,
            (status, _) => status,
        })
    }

    /// Checks whether parts of the first stage are unfinished, and reports them.
    fn waits(&self, io: &mut Io) -> Result<bool> {
        let lacks = self.folder.first_lacks(self.plan)?;
        if lacks.is_empty() {
            return Ok(false);
        }
        let names: Vec<String> = lacks.iter().map(u64::to_string).collect();
        let what = format!(
            "{} of {} parts of the first stage are not done: {}",
            lacks.len(),
            self.plan.record.first_stage(),
            list_names(&names)
        );
        let e = Error::new(ErrorKind::NotFound, what).of(&self.folder.path().to_string_lossy());
        tool::report("nccopy", &e.with_remedy("run these parts first"), io);
        Ok(true)
    }

    fn make(&mut self, numbers: &[u64], io: &mut Io) -> std::result::Result<(), Failed> {
        let Self {
            request,
            env,
            joined,
            folder,
            plan,
        } = self;
        match &plan.record.work {
            PartWork::Files(_) => {
                let parts = FileParts {
                    request,
                    folder,
                    plan,
                };
                for &part in numbers {
                    of_files(parts, part, env, io).map_err(|e| (Some(part), e))?;
                }
                Ok(())
            }
            PartWork::Dataset(dataset) => {
                let parts = DatasetParts {
                    request,
                    folder,
                    plan,
                    dataset,
                };
                parts.make((numbers, joined), env, io)
            }
        }
    }
}

/// Copies the files of a part.
fn of_files(parts: FileParts<'_>, part: u64, env: &mut Env, io: &mut Io) -> Result<()> {
    let running = RunningPart::new(parts.folder, part, &env.progress)?;
    let MadeFiles {
        written,
        failed,
        lines,
    } = parts.make(part, env, io)?;
    parts.folder.put_report(part, &lines)?;
    running.done(DoneRecord {
        plan: parts.plan.digest,
        written,
        chunks: vec![],
        failed,
        reads: None,
        files: vec![],
        seconds: String::new(),
    })
}
