//! `--finish`: joins the parts.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use netcdf_core::copy::CopyReport;
use netcdf_core::copy::parts::{self, Division, IntermediatePlan, PutByPart};
use netcdf_core::env::Env;
use netcdf_core::error::{Error, ErrorKind, Result, list_names};
use netcdf_core::format;
use netcdf_core::io::Output;
use netcdf_core::io::claimed::ClaimedStore;
use netcdf_core::io::commit_check::guard;
use netcdf_core::io::sums::KeySum;
use netcdf_core::model::CreateOptions;
use netcdf_core::notes::CollectedNotes;
use netcdf_core::runtime::WorkItem;
use netcdf_core::tool::{self, Bar, Idle, Io, Status};

use super::finish_right::FinishRight;
use super::one_copy::one_copy;
use super::plan_directory::{PlanDirectory, StoredPlan};
use super::record::{DoneRecord, FilesRecord, PartWork, StorePlace};
use crate::environment::environment;
use crate::input_notes::InputNotes;
use crate::inputs::CopyPair;
use crate::outcome::{CopyOutcome, DoneCopy, Skip};
use crate::prepare::{self, PreparedCopy, RequestedCopy};
use crate::report::RunReport;
use crate::request::{CopyRequest, FinishRequest, ProcessRequest, ReportForm, RunOutput};

/// Bytes of memory for checking a segment.
const SEGMENT: u64 = 4 << 20;

/// Checks that all parts are complete, and creates the output from them.
///
/// # Errors
/// Returns [`ErrorKind::NotFound`] for unfinished parts, and errors of joining the parts.
pub(super) fn run(
    (process, options): (&ProcessRequest, FinishRequest),
    folder: &PlanDirectory,
    io: &mut Io,
) -> Result<Status> {
    let plan = folder.plan()?;
    let right = FinishRight::take(folder, options.lease)?;
    let owned = OwnedPlan {
        folder,
        plan: &plan,
        right: &right,
    };
    let finished = with_right((process, options), owned, io);
    finished.map_err(|e| right.reason(e))
}

/// A plan that no other process finishes or removes.
#[derive(Clone, Copy)]
struct OwnedPlan<'a> {
    folder: &'a PlanDirectory,
    plan: &'a StoredPlan,
    right: &'a FinishRight,
}

fn with_right(
    (process, options): (&ProcessRequest, FinishRequest),
    owned: OwnedPlan<'_>,
    io: &mut Io,
) -> Result<Status> {
    let OwnedPlan {
        folder,
        plan,
        right,
    } = owned;
    if folder.is_finished(plan)? && plan.record.may_have_output() {
        folder.end(plan)?;
        return already((plan.request(process)?, options.report), io);
    }
    check(folder, plan)?;
    if let PartWork::Files(FilesRecord { files, .. }) = plan.record.work {
        let planned = plan.request(process)?;
        let inputs = usize::try_from(files).unwrap_or(usize::MAX);
        let report = RunReport::of_plan((options.report, &planned), inputs, io)?;
        return of_files(report, (folder, plan), files, io);
    }
    let request = finished(plan, (process, options))?;
    let mut report = RunReport::of_plan((options.report, &request), 1, io)?;
    let copy = one_copy(&request)?;
    let mut env = environment(&request);
    env.scratch = copy.output.scratch();
    tool::catch_limits()?;
    let idle = Idle::default();
    let bar = Bar::over(
        vec![copy.local.clone()],
        io.terminal && !request.process.quiet,
    );
    tool::catch_signals(&env.cancel, &idle, &bar.line())?;
    env.siblings.outputs.add(&copy.output.path);
    let asked = RequestedCopy {
        request: &request,
        copy: &copy,
        idle: &idle,
    };
    let joined = prepare::with(asked, &env, io, |mut prepared, _| {
        bar.begin(0, env.progress.clone());
        // `--plan` reported these notes.
        drop(env.notes.take_all());
        let end = End {
            request: &request,
            check: options.check,
            copy: &copy,
            folder,
            plan,
            right,
            division: division(plan, &mut prepared)?,
        };
        end.compare(&prepared)?;
        end.compare_files(&env)?;
        match plan.record.store() {
            Some(place) => end.together(prepared, place),
            None => end.joined(prepared),
        }
    });
    drop(bar);
    let notes = env.notes.take_all();
    if !request.process.quiet {
        InputNotes::of(1).print(&notes, &copy.input, io);
    }
    let outcome = CopyOutcome::Copied(joined?.unwrap_or_default());
    right.check()?;
    folder.end(plan)?;
    let done = DoneCopy {
        copy: &copy,
        outcome,
        notes,
    };
    if let Some(mut report) = report.take() {
        report.add(&done, io)?;
        report.end(None, io)?;
    }
    Ok(Status::Success)
}

/// Returns the planned copy with the options of this process.
fn finished(
    plan: &StoredPlan,
    (process, options): (&ProcessRequest, FinishRequest),
) -> Result<CopyRequest> {
    let mut request = plan.request(process)?;
    request.checks.verify |= options.verify;
    request.report.output = options.report.map_or(RunOutput::None, RunOutput::Report);
    Ok(request)
}

/// Returns the division into parts if the plan still holds. Finds string lengths that the plan does not have.
fn division(plan: &StoredPlan, prepared: &mut PreparedCopy<'_>) -> Result<Division> {
    let (create, env) = (prepared.create, prepared.set.env);
    let sketch =
        |prepared: &PreparedCopy<'_>| parts::sketch(prepared.plan.schema.clone(), create, env);
    let division = plan.division(prepared, &mut *sketch(prepared)?)?;
    if prepared.plan.unsized_strings.is_empty() {
        return Ok(division);
    }
    prepared.size_strings()?;
    plan.sized_division(prepared, &mut *sketch(prepared)?)
}

/// Reports a plan that is already finished.
fn already((planned, form): (CopyRequest, Option<ReportForm>), io: &mut Io) -> Result<Status> {
    if let Some(mut report) = RunReport::of_plan((form, &planned), 1, io)? {
        let done = DoneCopy {
            copy: &one_copy(&planned)?,
            outcome: CopyOutcome::Skipped(Skip::Exists),
            notes: CollectedNotes::default(),
        };
        report.add(&done, io)?;
        report.end(None, io)?;
    }
    Ok(Status::Success)
}

/// Prints the errors of failed files, and the report.
fn of_files(
    mut report: Option<RunReport>,
    (folder, plan): (&PlanDirectory, &StoredPlan),
    files: u64,
    io: &mut Io,
) -> Result<Status> {
    let (mut names, mut seconds) = (vec![], 0.0);
    for part in 0..plan.record.parts {
        let Some(done) = folder.done(part)? else {
            continue;
        };
        seconds += done.seconds.parse().unwrap_or(0.0);
        if let Some(report) = &mut report {
            for line in folder.reported(part)? {
                report.add_reported(&line, io)?;
            }
        }
        for failed in done.failed {
            tool::report("nccopy", &Error::new(ErrorKind::NotFound, failed.error), io);
            names.push(failed.input);
        }
    }
    if let Some(report) = report {
        let time = Duration::try_from_secs_f64(seconds).unwrap_or_default();
        report.end(Some(time), io)?;
    }
    if names.is_empty() {
        return Ok(Status::Success);
    }
    let (some, names) = (names.len(), list_names(&names));
    let what = format!("{some} of {files} files were not copied: {names}");
    Err(Error::new(ErrorKind::NotFound, what))
}

/// The last step of a copy in parts.
struct End<'a> {
    request: &'a CopyRequest,
    /// Whether stored bytes are compared with the digests of the parts.
    check: bool,
    copy: &'a CopyPair,
    folder: &'a PlanDirectory,
    plan: &'a StoredPlan,
    right: &'a FinishRight,
    division: Division,
}

impl End<'_> {
    /// Creates the output from the segments of the parts.
    fn joined(&self, prepared: PreparedCopy<'_>) -> Result<Option<CopyReport>> {
        let first = self.plan.record.first_stage();
        let open = |part: u64| self.folder.segment(first + part);
        let target = self.guarded(&prepared, prepared.target(self.request, self.copy)?);
        prepared.written(self.request, (self.copy, target), |set, plan, writer| {
            parts::join(set, plan, (&self.division, &open), writer)
        })
    }

    /// Finishes the store that the parts wrote concurrently.
    fn together(
        &self,
        prepared: PreparedCopy<'_>,
        place: &StorePlace,
    ) -> Result<Option<CopyReport>> {
        let (env, to) = (prepared.set.env, &prepared.output);
        let target = match place {
            StorePlace::Directory(store) => {
                let mark = self.folder.mark(self.plan);
                let sync = !self.request.process.no_sync;
                format::end_of_store((store, &mark), to, sync, env)?
            }
            StorePlace::Claimed(tag) => {
                let run = &env.run();
                ClaimedStore { to, tag, run }.end(self.right.owner())?
            }
        };
        let target = self.guarded(&prepared, target);
        let puts = self.puts(self.plan.record.first_stage()..self.plan.record.parts);
        prepared.written(self.request, (self.copy, target), |set, plan, writer| {
            parts::complete(set, plan, (&self.division, puts), writer)
        })
    }

    /// Returns a target that is not committed if another process took over the right to finish, or if the input changed.
    fn guarded(&self, prepared: &PreparedCopy<'_>, target: Output) -> Output {
        let (reads, time) = (Arc::clone(&prepared.reads), self.plan.record.time);
        let right = self.right.checker();
        guard(
            target,
            Box::new(move || right().and_then(|()| reads.check(time))),
        )
    }

    /// Compares the stored bytes with the digests of the parts.
    fn compare(&self, prepared: &PreparedCopy<'_>) -> Result<()> {
        if !self.check {
            return Ok(());
        }
        if let PartWork::Dataset(record) = &self.plan.record.work
            && let Some(through) = record.through()
        {
            self.compare_between(prepared, &through)?;
        }
        match self.plan.record.store() {
            // `parts::complete` compares its chunks.
            Some(_) => Ok(()),
            None => self.compare_segments(prepared.set.env),
        }
    }

    /// Compares the states of other input files that parts read.
    fn compare_files(&self, env: &Env) -> Result<()> {
        for part in 0..self.plan.record.parts {
            let done = self.folder.done(part)?;
            for (name, state) in done.into_iter().flat_map(|done| done.files) {
                env.siblings.opened.add(&name, &state)?;
            }
        }
        Ok(())
    }

    /// Compares the store between two stages.
    fn compare_between(
        &self,
        prepared: &PreparedCopy<'_>,
        through: &IntermediatePlan,
    ) -> Result<()> {
        let set = prepared.set;
        let first = through.first(set, &prepared.plan.data)?;
        let (target, _) = format::part_of_store(&self.folder.between(), None, false, set.env)?;
        let mut writer = format::create(target, first.schema, CreateOptions::default(), set.env)?;
        let puts = self.puts(0..self.plan.record.first_stage());
        parts::compare(set.env, puts, &mut *writer).map(|_| ())
    }

    /// Compares all segments, one thread per segment.
    fn compare_segments(&self, env: &Env) -> Result<()> {
        let record = &self.plan.record;
        let parts = record.first_stage()..record.parts;
        let items = parts.map(|part| Ok(WorkItem::new(SEGMENT, part)));
        let work = |part: u64| {
            env.cancel.check()?;
            self.folder.segment(part)?.verify(&env.cancel)
        };
        env.runtime.ordered(items, work, Ok)
    }

    /// Returns the chunks of parts, with checksums unless `--no-check` is set.
    fn puts(&self, parts: Range<u64>) -> impl Iterator<Item = Result<PutByPart>> + '_ {
        parts.filter_map(|part| {
            let put = |done: DoneRecord| PutByPart {
                part,
                chunks: done.chunks,
                sum: self.check.then(|| KeySum {
                    bytes: done.written.bytes,
                    sum: *done.written.digest.bytes(),
                }),
            };
            self.folder.done(part).map(|done| done.map(put)).transpose()
        })
    }
}

/// Checks that all parts are complete.
fn check(folder: &PlanDirectory, plan: &StoredPlan) -> Result<()> {
    let mut missing = vec![];
    for part in 0..plan.record.parts {
        if !folder.is_whole(part, plan)? {
            missing.push(part.to_string());
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    let (some, all) = (missing.len(), plan.record.parts);
    let names = list_names(&missing);
    let what = format!("{some} of {all} parts are not done: {names}");
    let e = Error::new(ErrorKind::NotFound, what).of(&folder.path().to_string_lossy());
    let remedy = format!(
        "run them, for example: nccopy --part {} FOLDER",
        missing.first().map_or("K", String::as_str)
    );
    Err(e.with_remedy(remedy))
}
