//! `--finish`: joins the parts.

use std::ops::Range;
use std::sync::Arc;

use netcdf_core::copy::Report;
use netcdf_core::copy::parts::{self, Division, PutByPart, Through};
use netcdf_core::env::Env;
use netcdf_core::error::{Error, ErrorKind, Result, list_names};
use netcdf_core::format;
use netcdf_core::io::Output;
use netcdf_core::io::claimed::ClaimedStore;
use netcdf_core::io::guarded::guard;
use netcdf_core::io::sums::KeySum;
use netcdf_core::model::CreateOptions;
use netcdf_core::runtime::Item;
use netcdf_core::tool::{self, Bar, Idle, Io, Status};

use super::folder::{Folder, StoredPlan};
use super::hold::Hold;
use super::plan::one_copy;
use super::record::{DoneRecord, FilesRecord, StorePlace, Work};
use crate::cli::Cli;
use crate::environment;
use crate::inputs::Copy;
use crate::ready::{self, Asked, Ready};

/// Bytes of memory for the check of a segment.
const SEGMENT: u64 = 4 << 20;

/// Checks that all parts are done and whole, and makes the output from them.
///
/// # Errors
/// [`ErrorKind::NotFound`] for parts that are not done; those of joining them.
pub fn run(cli: &Cli, folder: &Folder, io: &mut Io) -> Result<Status> {
    let plan = folder.plan()?;
    let hold = Hold::take(folder, cli)?;
    if folder.is_finished(&plan)? && plan.record.may_have_output() {
        folder.end(&plan)?;
        return Ok(Status::Success);
    }
    check(folder, &plan)?;
    if let Work::Files(FilesRecord { files, .. }) = plan.record.work {
        return of_files((folder, &plan), files, io);
    }
    let (verify, no_check) = (cli.verify, cli.parts.no_check);
    let mut cli = plan.command_line(cli)?;
    cli.verify |= verify;
    cli.parts.no_check = no_check;
    let copy = one_copy(&cli)?;
    let mut env = environment(&cli);
    env.scratch = copy.output.scratch();
    tool::catch_limits()?;
    let idle = Idle::default();
    let bar = Bar::over(vec![copy.local.clone()], io.terminal && !cli.quiet);
    tool::catch_signals(&env.cancel, &idle, &bar.line())?;
    env.siblings.outputs.add(&copy.output.path);
    let asked = Asked {
        cli: &cli,
        copy: &copy,
        idle: &idle,
    };
    let joined = ready::with(asked, &env, io, |mut ready, _| {
        bar.begin(0, env.progress.clone());
        // They were told when the plan was made.
        drop(env.notes.take_all());
        let end = End {
            cli: &cli,
            copy: &copy,
            folder,
            plan: &plan,
            hold: &hold,
            division: division(&plan, &mut ready)?,
        };
        end.compare(&ready)?;
        match plan.record.store() {
            Some(place) => end.together(ready, place),
            None => end.joined(ready),
        }
    });
    drop(bar);
    if !cli.quiet {
        tool::tell("nccopy", &env.notes, io);
    }
    joined?;
    hold.check()?;
    folder.end(&plan)?;
    Ok(Status::Success)
}

/// The division into parts, if the plan still holds. Finds the string lengths that the plan does not have.
fn division(plan: &StoredPlan, ready: &mut Ready<'_>) -> Result<Division> {
    let (create, env) = (ready.create, ready.set.env);
    let sketch = |ready: &Ready<'_>| parts::sketch(ready.plan.schema.clone(), create, env);
    let division = plan.division(ready, &mut *sketch(ready)?)?;
    if ready.plan.unsized_strings.is_empty() {
        return Ok(division);
    }
    ready.size_strings()?;
    plan.sized_division(ready, &mut *sketch(ready)?)
}

/// Says which files could not be copied.
fn of_files((folder, plan): (&Folder, &StoredPlan), files: u64, io: &mut Io) -> Result<Status> {
    let mut names = vec![];
    for part in 0..plan.record.parts {
        for failed in folder.done(part)?.into_iter().flat_map(|done| done.failed) {
            tool::report("nccopy", &Error::new(ErrorKind::NotFound, failed.error), io);
            names.push(failed.input);
        }
    }
    if names.is_empty() {
        return Ok(Status::Success);
    }
    let (some, names) = (names.len(), list_names(&names));
    let what = format!("{some} of {files} files were not copied: {names}");
    Err(Error::new(ErrorKind::NotFound, what))
}

/// The end of a copy in parts.
struct End<'a> {
    cli: &'a Cli,
    copy: &'a Copy,
    folder: &'a Folder,
    plan: &'a StoredPlan,
    hold: &'a Hold,
    division: Division,
}

impl End<'_> {
    /// Makes the output from the segments of the parts.
    fn joined(&self, ready: Ready<'_>) -> Result<Report> {
        let first = self.plan.record.first_stage();
        let open = |part: u64| self.folder.segment(first + part);
        let target = self.guarded(&ready, ready.target(self.cli)?);
        ready.written(self.cli, (self.copy, target), |set, plan, writer| {
            parts::join(set, plan, (&self.division, &open), writer)
        })
    }

    /// Finishes the store that the parts wrote together.
    fn together(&self, ready: Ready<'_>, place: &StorePlace) -> Result<Report> {
        let (env, to) = (ready.set.env, &ready.output);
        let target = match place {
            StorePlace::Directory(store) => {
                let mark = self.folder.mark(self.plan);
                format::end_of_store((store, &mark), to, !self.cli.no_sync, env)?
            }
            StorePlace::Claimed(tag) => {
                let run = &env.run();
                ClaimedStore { to, tag, run }.end(self.hold.owner())?
            }
        };
        let target = self.guarded(&ready, target);
        let puts = self.puts(self.plan.record.first_stage()..self.plan.record.parts);
        ready.written(self.cli, (self.copy, target), |set, plan, writer| {
            parts::complete(set, plan, (&self.division, puts), writer)
        })
    }

    /// The target, which does not appear if another process took over the right to finish, or if the input changed.
    fn guarded(&self, ready: &Ready<'_>, target: Output) -> Output {
        let (reads, time) = (Arc::clone(&ready.reads), self.plan.record.time);
        let hold = self.hold.checker();
        guard(
            target,
            Box::new(move || hold().and_then(|()| reads.check(time))),
        )
    }

    /// Compares the stored bytes with the digests of the parts.
    fn compare(&self, ready: &Ready<'_>) -> Result<()> {
        if self.cli.parts.no_check {
            return Ok(());
        }
        if let Work::Dataset(record) = &self.plan.record.work
            && let Some(through) = record.through()
        {
            self.compare_between(ready, &through)?;
        }
        match self.plan.record.store() {
            // `parts::complete` compares its chunks.
            Some(_) => Ok(()),
            None => self.compare_segments(ready.set.env),
        }
    }

    /// Compares the store between two stages.
    fn compare_between(&self, ready: &Ready<'_>, through: &Through) -> Result<()> {
        let set = ready.set;
        let first = through.first(set, &ready.plan.data)?;
        let (target, _) = format::part_of_store(&self.folder.between(), None, false, set.env)?;
        let mut writer = format::create(target, first.schema, CreateOptions::default(), set.env)?;
        let puts = self.puts(0..self.plan.record.first_stage());
        parts::compare(set.env, puts, &mut *writer)
    }

    /// Compares all segments, each on a thread.
    fn compare_segments(&self, env: &Env) -> Result<()> {
        let record = &self.plan.record;
        let parts = record.first_stage()..record.parts;
        let items = parts.map(|part| Ok(Item::new(SEGMENT, part)));
        let work = |part: u64| {
            env.cancel.check()?;
            self.folder.segment(part)?.verify(&env.cancel)
        };
        env.runtime.ordered(items, work, Ok)
    }

    /// The chunks of parts, with their sums unless `--no-check` is set.
    fn puts(&self, parts: Range<u64>) -> impl Iterator<Item = Result<PutByPart>> + '_ {
        parts.filter_map(|part| {
            let put = |done: DoneRecord| PutByPart {
                part,
                chunks: done.chunks,
                sum: (!self.cli.parts.no_check).then(|| KeySum {
                    bytes: done.written.bytes,
                    sum: *done.written.digest.bytes(),
                }),
            };
            self.folder.done(part).map(|done| done.map(put)).transpose()
        })
    }
}

/// Checks that all parts are done and whole.
fn check(folder: &Folder, plan: &StoredPlan) -> Result<()> {
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
        "make them, as in: nccopy --part {} FOLDER",
        missing.first().map_or("K", String::as_str)
    );
    Err(e.with_remedy(remedy))
}
