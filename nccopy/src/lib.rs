//! The nccopy tool: copies datasets, optionally to another kind and with other storage.
#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "tests choose their numbers"
    )
)]

mod as_asked;
mod batch;
pub mod cli;
mod clock;
mod cloud;
mod dry_run;
mod edited;
mod history;
mod in_place;
mod inputs;
mod job;
pub mod modes;
mod options;
mod parts;
mod ready;
mod report;
mod selection;
mod told;
mod walk;
mod words;

use std::ffi::OsString;
use std::sync::Arc;

use netcdf_core::copy::Report;
use netcdf_core::env::{Env, MadeUp, Memory};
use netcdf_core::error::{Error, Result};
use netcdf_core::io::locator::Asked;
use netcdf_core::notes::Notes;
use netcdf_core::runtime::Runtime;
use netcdf_core::tool::{self, BarLine, Idle, Io, Status};
use netcdf_grammar::{ended, kind_options};

use cli::Cli;
use inputs::{Copy, Rules};
use job::{Outcome, Skip};
use ready::Asked as AskedCopy;

/// Runs nccopy; `args` begin with the program's name.
pub fn run(args: impl IntoIterator<Item = OsString>, io: &mut Io) -> Status {
    let ended = start(args, io);
    ended::status("nccopy", ended, io)
}

fn start(args: impl IntoIterator<Item = OsString>, io: &mut Io) -> anyhow::Result<Status> {
    let args: Vec<OsString> = args.into_iter().collect();
    let cli = match cli::parse(args.iter().cloned()) {
        Err(_) if args.last().is_some_and(|last| last == "-h") => return Ok(usage(io)),
        parsed => parsed?,
    };
    if cli.parts.is_asked() {
        check_kind(&cli, &[])?;
        let ended = parts::run(&cli, &args, io);
        cli.network.tell("nccopy", io);
        return Ok(ended?);
    }
    let (copies, skipped) = copies(&cli).map_err(|e| blamed(&cli, e))?;
    check_kind(&cli, &copies)?;
    let mut env = environment(&cli);
    if !cli.quiet {
        let notes = Notes::default();
        skipped.into_iter().for_each(|n| notes.remark(n));
        tool::tell("nccopy", &notes, io);
    }
    let ended = job::run(&cli, &copies, &mut env, io);
    cli.network.tell("nccopy", io);
    Ok(ended?)
}

/// Prints the usage, for `-h` without its value.
fn usage(io: &mut Io) -> Status {
    let help = cli::command().render_help();
    let text = format!("nccopy: -h needs a number of bytes\n\n{help}");
    tool::usage("nccopy", &text, true, io)
}

/// Limits, filters, threads and memory, as a command line asks for them.
fn environment(cli: &Cli) -> Env {
    let mut env = Env::with_threads(cli.threads);
    env.exact_null = true;
    env.filters = cli.plugins.filters(&env.cancel);
    env.siblings.outside = cli.allow_external;
    // The check for skipped files needs metadata offsets.
    env.survey = cli.in_place && cli.storage.cloud.is_some();
    env.made_up = MadeUp {
        refuse_missing: !cli.fill_missing,
        refuse_large: !cli.allow_large,
    };
    env.memory = cli.memory.map_or_else(Memory::default, Memory);
    let memory = env.runtime.memory().min(env.memory.0);
    env.runtime = Runtime::sized(env.runtime.threads(), memory);
    cli.network.apply(&mut env);
    if cli.strict {
        env.notes = Arc::new(Notes::strict());
    } else if cli.in_place {
        env.notes = Arc::new(Notes::strict_because("--in-place"));
    }
    env
}

/// Checks options that only some kinds have, if the command line names the kind.
fn check_kind(cli: &Cli, copies: &[Copy]) -> std::result::Result<(), clap::Error> {
    let kind = match copies {
        [one] => one.output.kind,
        _ => cli.kind.kind(),
    };
    match kind {
        Some(kind) => kind_options::check(&cli::command(), kind, &options::of_kinds(cli)),
        None => Ok(()),
    }
}

/// An error about the outputs, which may be about options of Zarr.
fn blamed(cli: &Cli, e: Error) -> anyhow::Error {
    let plain = Rules {
        asked: Asked {
            kind: cli.kind.kind(),
            ..Asked::default()
        },
        ..Rules::of(cli)
    };
    let possible = || copies_of(cli, plain).is_ok();
    kind_options::blamed(&cli::command(), e, possible)
}

/// The copies that a command line asks for.
fn copies(cli: &Cli) -> Result<inputs::Listed> {
    copies_of(cli, Rules::of(cli))
}

/// Returns the copies under these rules.
fn copies_of(cli: &Cli, rules: Rules<'_>) -> Result<inputs::Listed> {
    if cli.in_place {
        return in_place::copies(&cli.paths, rules);
    }
    let (inputs, output) = cli.paths();
    let (copies, notes) = inputs::copies(inputs, output, rules)?;
    if cli.keep_links {
        inputs::check_links(&copies)?;
    }
    Ok((copies, notes))
}

/// A copy of a run.
#[derive(Clone, Copy)]
struct Turn<'a> {
    copy: &'a Copy,
    /// Its number, from 1 on, and that of the last one.
    number: usize,
    last: usize,
    /// Whether a signal may end the process at once.
    idle: &'a Idle,
    /// The line of the progress bar.
    line: &'a BarLine,
}

/// Makes a copy. Returns its outcome.
fn copy_one(cli: &Cli, turn: Turn<'_>, env: &Env, io: &mut Io) -> Result<Outcome> {
    let Turn {
        copy, idle, line, ..
    } = turn;
    ready::with(AskedCopy { cli, copy, idle }, env, io, |ready, io| {
        if ready.as_asked {
            return Ok(Outcome::Skipped(Skip::AsAsked));
        }
        if let Some(form) = cli.dry_run {
            dry_run::print((cli, form), &ready, turn, io)?;
            env.notes.check()?;
            return Ok(Outcome::Copied(Report::default()));
        }
        let target = ready.target(cli, copy)?;
        if !cli.quiet {
            let env = ready.set.env;
            line.aside(|| tool::tell_urgent("nccopy", &env.notes, io));
        }
        let made = ready.written(cli, (copy, target), netcdf_core::copy::run)?;
        Ok(made.map_or(Outcome::Skipped(Skip::NotSmaller), Outcome::Copied))
    })
}
