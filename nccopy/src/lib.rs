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

mod append;
mod batch;
pub mod cli;
mod clock;
mod cloud;
mod copies;
mod dry_run;
mod edited_input;
mod environment;
mod history;
mod in_place;
mod input_notes;
mod inputs;
mod job;
pub mod modes;
mod options;
mod outcome;
mod parts;
mod patched_output;
mod prepare;
mod recover;
mod references;
mod report;
mod request;
mod request_match;
mod selection;
mod shell;
mod split;
mod turn;
mod unfinished;
mod walk;

use std::ffi::OsString;

use netcdf_core::env::Env;
use netcdf_core::error::{Error, Result};
use netcdf_core::model::Kind;
use netcdf_core::notes::Notes;
use netcdf_core::tool::{self, Io, Status};
use netcdf_grammar::split::SplitSpec;
use netcdf_grammar::{exit_status, kind_options};

use environment::{environment, of_shared_input};
use inputs::{CopyPair, ListedCopies};
use prepare::CopyInput;
use request::{CopyRequest, Request};

/// Runs nccopy; `args` begin with the program's name.
pub fn run(args: impl IntoIterator<Item = OsString>, io: &mut Io) -> Status {
    let ended = start(args, io);
    exit_status::status("nccopy", ended, io)
}

fn start(args: impl IntoIterator<Item = OsString>, io: &mut Io) -> anyhow::Result<Status> {
    let args: Vec<OsString> = args.into_iter().collect();
    let request = match cli::parse(args.iter().cloned()) {
        Err(_) if args.last().is_some_and(|last| last == "-h") => return Ok(usage(io)),
        parsed => append::located(parsed?)?,
    };
    let ended = match &request {
        Request::Copy(request) => copy(request, io)?,
        Request::Plan(plan) => {
            check_kind(&plan.copy, plan.copy.output.kind)?;
            parts::plan(plan, io)
        }
        Request::Step(step) => parts::step(step, io),
        Request::Recover(request) => Ok(recover::run(request, io)),
    };
    request.process().network.tell("nccopy", io);
    Ok(ended?)
}

/// Makes the requested copies. The outer errors concern the command line.
fn copy(request: &CopyRequest, io: &mut Io) -> anyhow::Result<Result<Status>> {
    if let Some(spec) = &request.files.split {
        return split(request, spec, io);
    }
    let listed = copies::requested(request, &mut *io.stdin);
    let listed = listed.map_err(|e| blamed(request, e))?;
    let mut env = environment(request);
    run_copies(request, (listed, None), &mut env, io)
}

/// Makes a copy of each part of the input.
fn split(request: &CopyRequest, spec: &SplitSpec, io: &mut Io) -> anyhow::Result<Result<Status>> {
    let mut env = environment(request);
    let of_input = of_shared_input(request, &env);
    let split = split::copies((request, spec), &of_input, io);
    let (input, copies) = split.map_err(|e| blamed(request, e))?;
    run_copies(request, ((copies, vec![]), Some(&input)), &mut env, io)
}

/// Runs copies. With `input`, all copies read this open input.
fn run_copies(
    request: &CopyRequest,
    ((copies, skipped), input): (ListedCopies, Option<&CopyInput<'_>>),
    env: &mut Env,
    io: &mut Io,
) -> anyhow::Result<Result<Status>> {
    check_kind(request, kind(request, &copies))?;
    if !request.process.quiet {
        let notes = Notes::default();
        skipped.into_iter().for_each(|n| notes.remark(n));
        tool::tell("nccopy", &notes, io);
    }
    Ok(job::run(request, (&copies, input), env, io))
}

/// Prints the usage, for `-h` without its value.
fn usage(io: &mut Io) -> Status {
    let text = format!(
        "nccopy: -h needs a number of bytes\n\n{}",
        cli::short_help()
    );
    tool::usage("nccopy", &text, true, io)
}

/// Returns the kind that the command line names, as an option or in the name of the only output.
fn kind(request: &CopyRequest, copies: &[CopyPair]) -> Option<Kind> {
    match copies {
        [one] => one.output.kind,
        _ => request.output.kind,
    }
}

/// Checks options that only some kinds support.
fn check_kind(request: &CopyRequest, kind: Option<Kind>) -> anyhow::Result<()> {
    let Some(kind) = kind else {
        return Ok(());
    };
    let options = options::of_kinds(&request.storage);
    Ok(kind_options::check(&cli::command(), kind, &options)?)
}

/// Returns an error about the outputs, which may concern Zarr options.
fn blamed(request: &CopyRequest, e: Error) -> anyhow::Error {
    let possible = || copies::are_possible_without_zarr(request);
    kind_options::blamed(&cli::command(), e, possible)
}
