//! `--part`: makes parts.

use std::path::Path;
use std::time::Instant;

use netcdf_core::chunk::{PutChunks, Writer};
use netcdf_core::copy::parts::segment::Written;
use netcdf_core::copy::parts::{self, Division, PartOutput, PartSize, sketch};
use netcdf_core::env::Env;
use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::format;
use netcdf_core::json::Json;
use netcdf_core::sum::Digest;
use netcdf_core::tool::{self, Bar, Idle, Io, Status};

use super::choice::PartChoice;
use super::files::FileParts;
use super::folder::{Folder, StoredPlan};
use super::plan::{of_input, of_output, one_copy};
use super::record::{DatasetRecord, DoneRecord, Work};
use crate::cli::Cli;
use crate::environment;
use crate::ready::{self, Asked, Ready};

/// Makes parts, one after the other; those that are done already stay.
///
/// # Errors
/// Those of the folder, of the copy, and [`ErrorKind::Argument`] where the input or the plan is not what it was.
pub fn run(cli: &Cli, folder: &Folder, choice: &PartChoice, io: &mut Io) -> Result<Status> {
    let plan = folder.plan()?;
    let variable = |name: &str| std::env::var(name).ok();
    let mut left = vec![];
    for part in choice.numbers(plan.record.parts, variable)? {
        if !folder.is_whole(part, &plan)? {
            left.push(part);
        }
    }
    let Some(&first) = left.first() else {
        return Ok(Status::Success);
    };
    let made = make(cli, (folder, &plan), &left, io);
    match made {
        Ok(()) => Ok(Status::Success),
        Err((part, e)) => {
            let event = Json::object([
                ("event", Json::text("failed")),
                ("error", Json::text(&e.to_string())),
            ]);
            // The error itself matters more than its record.
            let _ = folder.log(part.unwrap_or(first), event);
            Ok(failed(&e, io))
        }
    }
}

/// Tells of an error. Whether it makes sense to try again decides the status.
fn failed(e: &Error, io: &mut Io) -> Status {
    match (tool::report("nccopy", e, io), e.kind()) {
        (Status::Failure, ErrorKind::Io) => Status::TryAgain,
        (status, _) => status,
    }
}

/// An error, and the part that could not be made.
type Failed = (Option<u64>, Error);

fn make(
    cli: &Cli,
    (folder, plan): (&Folder, &StoredPlan),
    numbers: &[u64],
    io: &mut Io,
) -> std::result::Result<(), Failed> {
    let of_none = |e| (None, e);
    let cli = plan.command_line(cli).map_err(of_none)?;
    tool::catch_limits().map_err(of_none)?;
    let mut env = environment(&cli);
    match &plan.record.work {
        Work::Files(_) => {
            let parts = FileParts {
                cli: &cli,
                folder,
                plan,
            };
            for &part in numbers {
                of_files(parts, part, &mut env, io).map_err(|e| (Some(part), e))?;
            }
            Ok(())
        }
        Work::Dataset(dataset) => {
            let parts = DatasetParts {
                cli: &cli,
                folder,
                plan,
                dataset,
            };
            parts.make(numbers, env, io)
        }
    }
}

/// Copies the files of a part.
fn of_files(parts: FileParts<'_>, part: u64, env: &mut Env, io: &mut Io) -> Result<()> {
    let begun = Begun::new(parts.folder, part)?;
    let (written, failed) = parts.make(part, env, io)?;
    begun.done(DoneRecord {
        plan: parts.plan.digest,
        written,
        chunks: vec![],
        failed,
        seconds: String::new(),
    })
}

/// The parts of a dataset.
struct DatasetParts<'a> {
    cli: &'a Cli,
    folder: &'a Folder,
    plan: &'a StoredPlan,
    dataset: &'a DatasetRecord,
}

impl DatasetParts<'_> {
    /// Makes parts, one after the other.
    fn make(&self, numbers: &[u64], mut env: Env, io: &mut Io) -> std::result::Result<(), Failed> {
        let (cli, of_none) = (self.cli, |e| (None, e));
        let copy = one_copy(cli).map_err(of_none)?;
        env.scratch = copy.output.scratch();
        let idle = Idle::default();
        let bar = Bar::over(vec![copy.local.clone()], io.terminal && !cli.quiet);
        tool::catch_signals(&env.cancel, &idle, &bar.line()).map_err(of_none)?;
        let mut at = None;
        let asked = Asked {
            cli,
            copy: &copy,
            idle: &idle,
        };
        let made = ready::with(asked, &env, io, |ready, _| {
            bar.begin(0, env.progress.clone());
            for &part in numbers {
                at = Some(part);
                self.one(&ready, part)?;
            }
            Ok(())
        });
        drop(bar);
        made.map_err(|e| (at, e))
    }

    fn one(&self, ready: &Ready<'_>, part: u64) -> Result<()> {
        let begun = Begun::new(self.folder, part)?;
        let (written, chunks) = match &self.dataset.store {
            Some(store) => self.into_store(ready, store, part)?,
            None => (self.into_segment(ready, part)?, vec![]),
        };
        begun.done(DoneRecord {
            plan: self.plan.digest,
            written,
            chunks,
            failed: vec![],
            seconds: String::new(),
        })
    }

    /// Stores a part in its segment.
    fn into_segment(&self, ready: &Ready<'_>, part: u64) -> Result<Written> {
        let whole = sketch(ready.plan.schema.clone(), ready.create, ready.set.env)?;
        let target = self.folder.segment_target(part, !self.cli.no_sync)?;
        let mut output = PartOutput::new(whole, target);
        let division = self.plan.division(ready, &mut output)?;
        parts::make(ready.set, &division, part, &mut output)?;
        ready.set.env.cancel.check()?;
        output.complete()
    }

    /// Puts the chunks of a part into the store.
    fn into_store(
        &self,
        ready: &Ready<'_>,
        store: &Path,
        part: u64,
    ) -> Result<(Written, Vec<PutChunks>)> {
        let env = ready.set.env;
        let (target, sums) = format::part_of_store(store, !self.cli.no_sync, env)?;
        let mut writer = format::create(target, ready.plan.schema.clone(), ready.create, env)?;
        let division = self.plan.division(ready, &mut *writer)?;
        parts::make(ready.set, &division, part, &mut *writer)?;
        let chunks = writer.finish_part()?;
        let (bytes, digest) = sums.get();
        let digest = Digest::from_bytes(digest);
        Ok((Written { bytes, digest }, chunks))
    }
}

/// A part that was begun.
struct Begun<'a> {
    folder: &'a Folder,
    part: u64,
    start: Instant,
}

impl<'a> Begun<'a> {
    fn new(folder: &'a Folder, part: u64) -> Result<Self> {
        folder.log(part, Json::object([("event", Json::text("begun"))]))?;
        Ok(Self {
            folder,
            part,
            start: Instant::now(),
        })
    }

    /// Puts the done-file.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] if the part was made before with other bytes; those of the folder.
    fn done(self, record: DoneRecord) -> Result<()> {
        let Self { folder, part, .. } = self;
        let done = DoneRecord {
            seconds: format!("{:.3}", self.start.elapsed().as_secs_f64()),
            ..record
        };
        let first = folder.put_done(part, done.clone())?;
        if first.written != done.written || first.plan != done.plan {
            let what = format!("part {part} was made before, with other bytes");
            let e = Error::new(ErrorKind::Argument, what).of(&folder.path().to_string_lossy());
            return Err(e.with_remedy("make the plan again, where nothing changes the input"));
        }
        let event = Json::object([
            ("event", Json::text("done")),
            ("seconds", Json::Number(done.seconds)),
            ("bytes", Json::int(done.written.bytes)),
        ]);
        folder.log(part, event)
    }
}

impl StoredPlan {
    /// The command line of the plan, with what this one says about the process itself.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] for arguments that are none.
    pub fn command_line(&self, now: &Cli) -> Result<Cli> {
        let name = std::iter::once("nccopy".into());
        let args = name.chain(self.record.arguments.iter().cloned());
        let wrong = |e: clap::Error| {
            Error::new(
                ErrorKind::Corrupt,
                format!("a plan with wrong arguments: {e}"),
            )
        };
        let mut cli = crate::cli::parse(args).map_err(wrong)?;
        for path in &mut cli.paths {
            *path = self.record.located(path);
        }
        cli.threads = now.threads.or(cli.threads);
        cli.memory = now.memory.or(cli.memory);
        cli.quiet |= now.quiet;
        cli.no_sync |= now.no_sync;
        Ok(cli)
    }

    /// The division into parts, if the input and what is to be written are as planned. `writer` was made for the output.
    ///
    /// # Errors
    /// [`ErrorKind::Changed`] if not.
    pub fn division(&self, ready: &Ready<'_>, writer: &mut dyn Writer) -> Result<Division> {
        let Work::Dataset(record) = &self.record.work else {
            return Err(Error::internal("parts of files that are divided"));
        };
        let changed = |what: &'static str| {
            let e = Error::new(ErrorKind::Changed, what);
            e.with_remedy("make the plan again: nccopy --clean FOLDER, then nccopy --plan FOLDER …")
        };
        if ready.state != record.input.state {
            return Err(changed(
                "the file is another one than when the plan was made",
            ));
        }
        if of_input(ready.set.reader.schema()) != record.input.metadata {
            return Err(changed(
                "the metadata is not what it was when the plan was made",
            ));
        }
        if of_output(&ready.plan, ready.create) != record.schema {
            return Err(changed("the copy would not be stored as planned"));
        }
        let fills: Vec<bool> = record.variables.iter().map(|var| var.same_fill).collect();
        let jobs = parts::jobs(ready.set, &ready.plan, &fills, writer)?;
        let division = Division::new(jobs, writer, PartSize::Number(self.record.parts));
        match division.bytes() == self.record.bytes && fills.len() == ready.plan.data.len() {
            true => Ok(division),
            false => Err(changed("the data would not be divided as planned")),
        }
    }
}
