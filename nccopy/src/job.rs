//! Runs all copies of a request in sequence.

use std::collections::BTreeSet;

use netcdf_core::copy::{self, CopyReport};
use netcdf_core::env::{Env, Progress};
use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::io::file;
use netcdf_core::notes::{CollectedNotes, Note, Notes};
use netcdf_core::shown::ShownAddress;
use netcdf_core::tool::{self, Bar, Idle, Io, Status};

use crate::dry_run;
use crate::input_notes::InputNotes;
use crate::inputs::CopyPair;
use crate::outcome::{CopyOutcome, DoneCopy, Skip};
use crate::patched_output;
use crate::prepare::{self, CopyInput, PreparedCopy, RequestedCopy};
use crate::report::RunReport;
use crate::request::{CopyRequest, Existing};
use crate::turn::CopyTurn;

/// Runs the copies in sequence. The run continues after a failed copy. With `input`, all copies read this open input.
///
/// # Errors
/// Returns errors of signals and of the report.
pub(crate) fn run(
    request: &CopyRequest,
    (copies, input): (&[CopyPair], Option<&CopyInput<'_>>),
    env: &mut Env,
    io: &mut Io,
) -> Result<Status> {
    tool::catch_limits()?;
    let idle = Idle::default();
    let existing = request.existing();
    let there = there(existing, copies, env)?;
    let bar = Bar::over(
        left(copies, &there)
            .map(|copy| copy.local.clone())
            .collect(),
        io.terminal && !request.process.quiet && request.dry_run().is_none(),
    );
    if !copies.iter().all(|c| file::in_place(&c.output.path)) && request.dry_run().is_none() {
        tool::catch_signals(&env.cancel, &idle, &bar.line())?;
    }
    copies
        .iter()
        .for_each(|c| env.siblings.outputs.add(&c.output.path));
    let mut run = CopyRun {
        request,
        report: RunReport::begin(request, copies, io)?,
        input_notes: InputNotes::of(copies.len()),
        failed: vec![],
        skipped: [0; 2],
        interrupted: false,
    };
    let line = bar.line();
    let mut place = 0;
    for (n, copy) in copies.iter().enumerate() {
        let turn = CopyTurn {
            copy,
            input,
            number: n + 1,
            last: copies.len(),
            idle: &idle,
            line: &line,
        };
        let outcome = match there.contains(&n) {
            true => Some((skip(existing, copy, &bar, io), CollectedNotes::default())),
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
struct CopyRun<'a> {
    request: &'a CopyRequest,
    report: Option<RunReport>,
    input_notes: InputNotes,
    /// The failed inputs.
    failed: Vec<String>,
    /// Counts of [`Skip::AsRequested`] and [`Skip::NotSmaller`].
    skipped: [usize; 2],
    /// Whether a signal ended the run.
    interrupted: bool,
}

impl CopyRun<'_> {
    /// Makes a copy. Returns its outcome and notes, or `None` after EPIPE on standard output.
    fn copied(
        &mut self,
        turn: CopyTurn<'_>,
        bar: &Bar,
        (env, io): (&Env, &mut Io),
    ) -> Option<(CopyOutcome, CollectedNotes)> {
        let (request, copy) = (self.request, turn.copy);
        let copied = copy_one(request, turn, env, io);
        let notes = env.notes.take_all();
        // A failed --append prints its notes, which can be the reason.
        let are_errors = env.notes.is_strict() && (copied.is_err() || !request.extends());
        if !request.process.quiet || are_errors {
            let input_notes = &mut self.input_notes;
            bar.line()
                .aside(|| input_notes.print(&notes, &copy.input, io));
        }
        let outcome = match copied {
            Ok(outcome) => {
                // The output is a new file, which later copies may read.
                env.siblings.outputs.add(&copy.output.path);
                outcome
            }
            Err(e) if e.kind() == ErrorKind::Cancelled => {
                self.interrupted = true;
                CopyOutcome::Failed("interrupted".to_owned())
            }
            Err(e) => {
                let said = bar.line().aside(|| tool::report("nccopy", &e, io));
                if said == Status::Success {
                    return None;
                }
                CopyOutcome::Failed(e.to_string())
            }
        };
        Some((outcome, notes))
    }

    /// Reports the outcome of a copy.
    fn end(&mut self, done: &DoneCopy, turn: CopyTurn<'_>, io: &mut Io) -> Result<()> {
        let [as_requested, not_smaller] = &mut self.skipped;
        match done.outcome {
            CopyOutcome::Failed(_) => self
                .failed
                .push(ShownAddress::of(&done.copy.input).into_text()),
            CopyOutcome::Skipped(Skip::AsRequested) => *as_requested += 1,
            CopyOutcome::Skipped(Skip::NotSmaller) => *not_smaller += 1,
            CopyOutcome::Copied(_) | CopyOutcome::Skipped(Skip::Exists | Skip::NothingNew) => {}
        }
        if let Some(report) = &mut self.report {
            report.add(done, io)?;
        }
        match (self.request.dry_run(), &done.outcome) {
            (None, _) | (Some(_), CopyOutcome::Copied(_)) => Ok(()),
            (Some(form), outcome) => dry_run::print_other(form, outcome, turn, io),
        }
    }

    /// Prints the remaining notes and the report. Returns the failed inputs.
    fn finish(self, io: &mut Io) -> Result<Vec<String>> {
        self.input_notes.print_repeated(io);
        let [as_requested, not_smaller] = self.skipped;
        if !self.request.process.quiet {
            let notes = Notes::default();
            let force = |object: &str| Some(format!("use --force to rewrite {object}"));
            let as_requested = skipped(as_requested, "already stored as requested", force);
            let not_smaller = skipped(not_smaller, "not smaller as a copy", |_| None);
            let both = as_requested.into_iter().chain(not_smaller);
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
/// `remedy` gets the pronoun of the datasets.
fn skipped(count: usize, why: &str, remedy: impl FnOnce(&str) -> Option<String>) -> Option<Note> {
    let (what, pronoun) = match count {
        0 => return None,
        1 => (format!("skipped 1 dataset, which is {why}"), "it"),
        n => (format!("skipped {n} datasets, which are {why}"), "them"),
    };
    Some(Note {
        object: "--in-place".to_owned(),
        what,
        remedy: remedy(pronoun),
    })
}

/// Returns the numbers of the copies with existing outputs that must stay.
fn there(existing: Existing, copies: &[CopyPair], env: &Env) -> Result<BTreeSet<usize>> {
    let mut there = BTreeSet::new();
    if existing == Existing::Replace {
        return Ok(there);
    }
    for (n, copy) in copies.iter().enumerate() {
        if copy.output.exists(&env.network)? {
            there.insert(n);
        }
    }
    Ok(there)
}

/// Returns the remaining copies.
fn left<'c>(copies: &'c [CopyPair], there: &BTreeSet<usize>) -> impl Iterator<Item = &'c CopyPair> {
    let all = copies.iter().enumerate();
    all.filter(|(n, _)| !there.contains(n))
        .map(|(_, copy)| copy)
}

/// Returns the outcome for an existing output.
fn skip(existing: Existing, copy: &CopyPair, bar: &Bar, io: &mut Io) -> CopyOutcome {
    if existing == Existing::Skip {
        return CopyOutcome::Skipped(Skip::Exists);
    }
    let what = "output exists, and --no-clobber is set";
    let e = Error::new(ErrorKind::Exists, what).of(&copy.output.path.to_string_lossy());
    bar.line().aside(|| tool::report("nccopy", &e, io));
    CopyOutcome::Failed(e.to_string())
}

/// Makes a copy. Returns its outcome.
fn copy_one(
    request: &CopyRequest,
    turn: CopyTurn<'_>,
    env: &Env,
    io: &mut Io,
) -> Result<CopyOutcome> {
    let CopyTurn {
        copy, input, idle, ..
    } = turn;
    let asked = RequestedCopy {
        request,
        copy,
        idle,
    };
    let make = |prepared: PreparedCopy<'_>, io: &mut Io| made(request, turn, prepared, io);
    match input {
        Some(input) => prepare::with_input((asked, input), env, io, make),
        None => prepare::with(asked, env, io, make),
    }
}

/// Makes a planned copy. Returns its outcome.
fn made(
    request: &CopyRequest,
    turn: CopyTurn<'_>,
    mut prepared: PreparedCopy<'_>,
    io: &mut Io,
) -> Result<CopyOutcome> {
    let env = prepared.set.env;
    if prepared.matches_request {
        env.notes.check()?;
        return Ok(CopyOutcome::Skipped(match request.extends() {
            true => Skip::NothingNew,
            false => Skip::AsRequested,
        }));
    }
    if let Some(form) = request.dry_run() {
        prepared.changed_bytes = patched_output::changed_bytes(&prepared, request, turn.copy)?;
        let quiet = request.process.quiet;
        dry_run::print((form, quiet), &prepared, turn, io)?;
        env.notes.check()?;
        return Ok(CopyOutcome::Copied(CopyReport::default()));
    }
    if patched_output::changed(&prepared, request, turn.copy)? {
        return Ok(CopyOutcome::Copied(CopyReport::default()));
    }
    let target = prepared.target(request, turn.copy)?;
    if !request.process.quiet {
        turn.line
            .aside(|| tool::tell_urgent("nccopy", &env.notes, io));
    }
    let references = prepared.references.take();
    let made = prepared.written(
        request,
        (turn.copy, target),
        |set, plan, writer| match references {
            Some(references) => copy::references::write(set, (plan, references), writer),
            None => copy::run(set, plan, writer),
        },
    )?;
    Ok(made.map_or(CopyOutcome::Skipped(Skip::NotSmaller), CopyOutcome::Copied))
}

/// Lists the datasets that were not copied, and returns the status of the run.
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
