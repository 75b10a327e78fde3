//! All copies of a run, one by one.

use std::collections::BTreeSet;

use netcdf_core::copy::Report;
use netcdf_core::env::{Env, Progress};
use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::io::file;
use netcdf_core::notes::{Note, Notes, Taken};
use netcdf_core::shown::{Shown, ShownAddress};
use netcdf_core::tool::{self, Bar, Idle, Io, Status};

use crate::cli::Cli;
use crate::inputs::Copy;
use crate::report::RunReport;
use crate::told::Told;
use crate::{Turn, copy_one, dry_run};

/// A copy that was begun or passed over, and what was said of it.
#[derive(Debug)]
pub struct DoneCopy<'c> {
    pub copy: &'c Copy,
    pub outcome: Outcome,
    pub notes: Taken,
}

#[cfg(test)]
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
    /// The existing output remains.
    Skipped(Skip),
    /// It was not made, for this reason.
    Failed(String),
}

impl Outcome {
    /// Returns a line with the reason for a missing copy.
    pub fn not_copied(&self) -> String {
        match self {
            Self::Copied(_) => String::new(),
            Self::Skipped(why) => format!("skipped: {}\n", why.text()),
            Self::Failed(why) => format!("not copied: {}\n", Shown::new(why)),
        }
    }
}

/// The reason for a skipped copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Skip {
    /// The output exists.
    Exists,
    /// The dataset is already stored as requested.
    AsAsked,
    /// The copy is not smaller than the input.
    NotSmaller,
}

impl Skip {
    pub fn text(self) -> &'static str {
        match self {
            Self::Exists => "it is there already",
            Self::AsAsked => "it is already stored as requested",
            Self::NotSmaller => "the copy is not smaller",
        }
    }
}

/// Makes the copies one by one. A failure does not keep the others from being made.
///
/// # Errors
/// Those of signals and of the report.
pub fn run(cli: &Cli, copies: &[Copy], env: &mut Env, io: &mut Io) -> Result<Status> {
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
    let mut run = Run {
        cli,
        report: RunReport::begin(cli, copies, io)?,
        told: Told::of(copies.len()),
        failed: vec![],
        skipped: [0; 2],
        interrupted: false,
    };
    let line = bar.line();
    let mut place = 0;
    for (n, copy) in copies.iter().enumerate() {
        let turn = Turn {
            copy,
            number: n + 1,
            last: copies.len(),
            idle: &idle,
            line: &line,
        };
        let outcome = match there.contains(&n) {
            true => Some((skip(cli, copy, &bar, io), Taken::default())),
            false => {
                env.progress = Progress::default();
                env.scratch = copy.output.scratch();
                bar.begin(place, env.progress.clone());
                place += 1;
                run.copied(turn, &bar, (env, io))
            }
        };
        if let Some((outcome, notes)) = outcome {
            let done = DoneCopy {
                copy,
                outcome,
                notes,
            };
            bar.line().aside(|| run.end(&done, turn, io))?;
        }
        if run.interrupted {
            break;
        }
    }
    drop(bar);
    let interrupted = run.interrupted;
    let failed = run.finish(io)?;
    if interrupted {
        return Ok(tool::cancelled(&env.cancel).unwrap_or(Status::Failure));
    }
    Ok(close(copies.len(), &failed, io))
}

/// A run of several copies.
struct Run<'a> {
    cli: &'a Cli,
    report: Option<RunReport>,
    told: Told,
    /// The failed inputs.
    failed: Vec<String>,
    /// Counts of [`Skip::AsAsked`] and [`Skip::NotSmaller`].
    skipped: [usize; 2],
    /// Whether a signal ended the run.
    interrupted: bool,
}

impl Run<'_> {
    /// Makes a copy. Returns its outcome and notes, or nothing after EPIPE on standard output.
    fn copied(
        &mut self,
        turn: Turn<'_>,
        bar: &Bar,
        (env, io): (&Env, &mut Io),
    ) -> Option<(Outcome, Taken)> {
        let (cli, copy) = (self.cli, turn.copy);
        let copied = copy_one(cli, turn, env, io);
        let notes = env.notes.take_all();
        if !cli.quiet || env.notes.is_strict() {
            let told = &mut self.told;
            bar.line().aside(|| told.tell(&notes, &copy.input, io));
        }
        let outcome = match copied {
            Ok(outcome) => {
                // It may be another file now, and those that follow may need it.
                env.siblings.outputs.add(&copy.output.path);
                outcome
            }
            Err(e) if e.kind() == ErrorKind::Cancelled => {
                self.interrupted = true;
                Outcome::Failed("interrupted".to_owned())
            }
            Err(e) => {
                let said = bar.line().aside(|| tool::report("nccopy", &e, io));
                if said == Status::Success {
                    return None;
                }
                Outcome::Failed(e.to_string())
            }
        };
        Some((outcome, notes))
    }

    /// Reports the outcome of a copy.
    fn end(&mut self, done: &DoneCopy, turn: Turn<'_>, io: &mut Io) -> Result<()> {
        let [as_asked, not_smaller] = &mut self.skipped;
        match done.outcome {
            Outcome::Failed(_) => self
                .failed
                .push(ShownAddress::of(&done.copy.input).into_text()),
            Outcome::Skipped(Skip::AsAsked) => *as_asked += 1,
            Outcome::Skipped(Skip::NotSmaller) => *not_smaller += 1,
            Outcome::Copied(_) | Outcome::Skipped(Skip::Exists) => {}
        }
        if let Some(report) = &mut self.report {
            report.add(done, io)?;
        }
        match (self.cli.dry_run, &done.outcome) {
            (None, _) | (Some(_), Outcome::Copied(_)) => Ok(()),
            (Some(form), outcome) => dry_run::print_other(form, outcome, turn, io),
        }
    }

    /// Prints the remaining notes and the report. Returns the failed inputs.
    fn finish(self, io: &mut Io) -> Result<Vec<String>> {
        self.told.rest(io);
        let [as_asked, not_smaller] = self.skipped;
        if !self.cli.quiet {
            let notes = Notes::default();
            let force = "use --force to rewrite them";
            let as_asked = skipped(as_asked, ("already stored as requested", Some(force)));
            let not_smaller = skipped(not_smaller, ("not smaller as a copy", None));
            let both = as_asked.into_iter().chain(not_smaller);
            both.for_each(|note| notes.remark(note));
            tool::tell("nccopy", &notes, io);
        }
        if let Some(report) = self.report {
            report.end(None, io)?;
        }
        Ok(self.failed)
    }
}

/// Returns a note with the number of datasets that `--in-place` skipped.
fn skipped(count: usize, (why, remedy): (&str, Option<&str>)) -> Option<Note> {
    let what = match count {
        0 => return None,
        1 => format!("skipped 1 dataset, which is {why}"),
        n => format!("skipped {n} datasets, which are {why}"),
    };
    Some(Note {
        object: "--in-place".to_owned(),
        what,
        remedy: remedy.map(str::to_owned),
    })
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
        return Outcome::Skipped(Skip::Exists);
    }
    let what = "it is there already, and --no-clobber keeps it";
    let e = Error::new(ErrorKind::Exists, what).of(&copy.output.path.to_string_lossy());
    bar.line().aside(|| tool::report("nccopy", &e, io));
    Outcome::Failed(e.to_string())
}

/// Says what was not copied of several datasets; the run's status.
fn close(all: usize, failed: &[String], io: &mut Io) -> Status {
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
