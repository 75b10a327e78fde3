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

mod batch;
pub mod cli;
mod cloud;
mod dry_run;
mod edited;
mod in_place;
mod inputs;
mod job;
mod options;
mod parts;
mod ready;
mod report;
mod selection;
mod told;
mod walk;

use std::ffi::OsString;
use std::sync::Arc;

use netcdf_core::copy::Report;
use netcdf_core::env::{Env, MadeUp, Memory};
use netcdf_core::error::Result;
use netcdf_core::notes::Notes;
use netcdf_core::runtime::Runtime;
use netcdf_core::tool::{self, BarLine, Idle, Io, Status};
use netcdf_grammar::ended;

use cli::Cli;
use inputs::Copy;
use ready::Asked;

/// Runs nccopy; `args` begin with the program's name.
pub fn run(args: impl IntoIterator<Item = OsString>, io: &mut Io) -> Status {
    let ended = start(args, io);
    ended::status("nccopy", ended, io)
}

fn start(args: impl IntoIterator<Item = OsString>, io: &mut Io) -> anyhow::Result<Status> {
    let args: Vec<OsString> = args.into_iter().collect();
    let cli = cli::parse(args.iter().cloned())?;
    if cli.parts.is_asked() {
        return Ok(parts::run(&cli, &args, io)?);
    }
    let (copies, passed_over) = copies(&cli)?;
    let mut env = environment(&cli);
    if !cli.quiet {
        let notes = Notes::default();
        passed_over.into_iter().for_each(|n| notes.remark(n));
        tool::tell("nccopy", &notes, io);
    }
    let ended = job::run(&cli, &copies, &mut env, io);
    cli.network.tell("nccopy", &env, io);
    Ok(ended?)
}

/// Limits, filters, threads and memory, as a command line asks for them.
fn environment(cli: &Cli) -> Env {
    let mut env = Env::with_threads(cli.threads);
    env.exact_null = true;
    env.filters = cli.plugins.filters(&env.cancel);
    env.siblings.outside = cli.allow_external;
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

/// The copies that a command line asks for.
fn copies(cli: &Cli) -> Result<in_place::CopiesInPlace> {
    let asked = cli.asked();
    if cli.in_place {
        return in_place::copies(&cli.paths, asked);
    }
    let (inputs, output) = cli.paths();
    let copies = inputs::copies(inputs, output, (asked, cli.suffix.as_deref()))?;
    if cli.keep_links {
        inputs::check_links(&copies)?;
    }
    Ok((copies, vec![]))
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

fn copy_one(cli: &Cli, turn: Turn<'_>, env: &Env, io: &mut Io) -> Result<Report> {
    let Turn {
        copy, idle, line, ..
    } = turn;
    ready::with(Asked { cli, copy, idle }, env, io, |ready, io| {
        if let Some(form) = cli.dry_run {
            dry_run::print(form, ready.set, &ready.plan, turn, io)?;
            return env.notes.check().map(|()| Report::default());
        }
        let target = ready.target(cli)?;
        if !cli.quiet {
            let env = ready.set.env;
            line.aside(|| tool::tell_urgent("nccopy", &env.notes, io));
        }
        ready.written(cli, (copy, target), netcdf_core::copy::run)
    })
}
