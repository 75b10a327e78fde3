//! All copies of a run, one by one.

use std::collections::BTreeSet;
use std::time::Instant;

use netcdf_core::copy::Report;
use netcdf_core::env::{Env, Progress};
use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::io::file;
use netcdf_core::notes::Taken;
use netcdf_core::shown::ShownAddress;
use netcdf_core::tool::{self, Bar, Idle, Io, Status};

use crate::cli::Cli;
use crate::inputs::Copy;
use crate::told::Told;
use crate::{Turn, copy_one, report};

/// A copy that was begun or passed over, and what was said of it.
#[derive(Debug)]
pub struct DoneCopy<'c> {
    pub copy: &'c Copy,
    pub outcome: Outcome,
    pub notes: Taken,
}

impl<'c> DoneCopy<'c> {
    /// A copy of which nothing was said.
    pub fn quietly(copy: &'c Copy, outcome: Outcome) -> Self {
        Self {
            copy,
            outcome,
            notes: Taken::default(),
        }
    }
}

/// How a copy ended.
#[derive(Debug)]
pub enum Outcome {
    /// It was made.
    Copied(Report),
    /// What was there stays, as asked.
    Skipped,
    /// It was not made, for this reason.
    Failed(String),
}

/// Makes the copies one by one. A failure does not keep the others from being made.
///
/// # Errors
/// Those of signals and of the report.
pub fn run(cli: &Cli, copies: &[Copy], env: &mut Env, io: &mut Io) -> Result<Status> {
    let start = Instant::now();
    tool::catch_limits()?;
    let idle = Idle::default();
    let there = there(cli, copies, env)?;
    let bar = Bar::over(
        left(copies, &there)
            .map(|copy| copy.local.clone())
            .collect(),
        io.terminal && !cli.quiet && cli.dry_run.is_none(),
    );
    if !copies.iter().all(|c| file::in_place(&c.output.path)) && cli.dry_run.is_none() {
        tool::catch_signals(&env.cancel, &idle, &bar.line())?;
    }
    copies
        .iter()
        .for_each(|c| env.siblings.outputs.add(&c.output.path));
    let mut done = vec![];
    let line = bar.line();
    let mut interrupted = false;
    let mut told = Told::of(copies.len());
    let mut place = 0;
    for (n, copy) in copies.iter().enumerate() {
        if there.contains(&n) {
            done.push(DoneCopy::quietly(copy, skip(cli, copy, &bar, io)));
            continue;
        }
        env.progress = Progress::default();
        env.scratch = copy.output.scratch();
        bar.begin(place, env.progress.clone());
        place += 1;
        let turn = Turn {
            copy,
            number: n + 1,
            last: copies.len(),
            idle: &idle,
            line: &line,
        };
        let copied = copy_one(cli, turn, env, io);
        let notes = env.notes.take_all();
        if !cli.quiet || env.notes.is_strict() {
            bar.line().aside(|| told.tell(&notes, &copy.input, io));
        }
        let outcome = match copied {
            Ok(report) => {
                // It may be another file now, and those that follow may need it.
                env.siblings.outputs.add(&copy.output.path);
                Outcome::Copied(report)
            }
            Err(e) if e.kind() == ErrorKind::Cancelled => {
                interrupted = true;
                Outcome::Failed("interrupted".to_owned())
            }
            Err(e) => {
                let said = bar.line().aside(|| tool::report("nccopy", &e, io));
                if said == Status::Success {
                    continue;
                }
                Outcome::Failed(e.to_string())
            }
        };
        done.push(DoneCopy {
            copy,
            outcome,
            notes,
        });
        if interrupted {
            break;
        }
    }
    drop(bar);
    told.rest(io);
    if let Some(form) = cli.report.filter(|_| cli.dry_run.is_none()) {
        report::print(form, &done, (copies.len(), start.elapsed()), io)?;
    }
    if interrupted {
        return Ok(tool::cancelled(&env.cancel).unwrap_or(Status::Failure));
    }
    Ok(close(copies.len(), &done, io))
}

/// Numbers of the copies that are not made because what is there stays.
fn there(cli: &Cli, copies: &[Copy], env: &Env) -> Result<BTreeSet<usize>> {
    let mut there = BTreeSet::new();
    if !cli.skip_existing && !cli.no_clobber {
        return Ok(there);
    }
    for (n, copy) in copies.iter().enumerate() {
        if copy.output.exists(&env.network)? {
            there.insert(n);
        }
    }
    Ok(there)
}

/// The copies that are to be made.
fn left<'c>(copies: &'c [Copy], there: &BTreeSet<usize>) -> impl Iterator<Item = &'c Copy> {
    let all = copies.iter().enumerate();
    all.filter(|(n, _)| !there.contains(n))
        .map(|(_, copy)| copy)
}

/// What becomes of a copy that is not made because there is something already.
fn skip(cli: &Cli, copy: &Copy, bar: &Bar, io: &mut Io) -> Outcome {
    if cli.skip_existing {
        return Outcome::Skipped;
    }
    let what = "it is there already, and --no-clobber keeps it";
    let e = Error::new(ErrorKind::Exists, what).of(&copy.output.path.to_string_lossy());
    bar.line().aside(|| tool::report("nccopy", &e, io));
    Outcome::Failed(e.to_string())
}

/// Says what was not copied of several datasets; the run's status.
fn close(all: usize, done: &[DoneCopy], io: &mut Io) -> Status {
    let failed = |done: &DoneCopy| match done.outcome {
        Outcome::Failed(_) => Some(ShownAddress::of(&done.copy.input).into_text()),
        Outcome::Copied(_) | Outcome::Skipped => None,
    };
    let failed: Vec<_> = done.iter().filter_map(failed).collect();
    if failed.is_empty() {
        return Status::Success;
    }
    if all > 1 {
        let (some, names) = (failed.len(), failed.join(", "));
        let what = format!("{some} of {all} datasets were not copied: {names}");
        tool::report("nccopy", &Error::new(ErrorKind::Argument, what), io);
    }
    Status::Failure
}
