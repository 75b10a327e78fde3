//! The nccopy tool: copies a dataset, optionally to another kind.
#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "tests choose their numbers"
    )
)]

mod bar;
pub mod cli;
mod options;

use std::ffi::OsString;
use std::path::Path;

use clap::Parser;
use netcdf_core::copy;
use netcdf_core::env::{Env, Note};
use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::format::{self, CreateOptions};
use netcdf_core::io::file::{self, FileTarget};
use netcdf_core::io::locator;
use netcdf_core::tool::{self, Io, Status};

use cli::Cli;

/// Runs nccopy; `args` begin with the program's name.
pub fn run(args: impl IntoIterator<Item = OsString>, io: &mut Io) -> Status {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(e) => return tool::usage("nccopy", &e.render().to_string(), e.use_stderr(), io),
    };
    let mut env = Env::with_threads(cli.threads);
    env.allow_external = cli.allow_external;
    let copied = copy_file(&cli, &env, io);
    if !cli.quiet {
        tool::tell("nccopy", &env.notes, io);
    }
    match copied {
        Ok(()) => Status::Success,
        Err(e) if e.kind() == ErrorKind::Cancelled => {
            tool::cancelled(&env.cancel).unwrap_or(Status::Failure)
        }
        Err(e) => tool::report("nccopy", &e, io),
    }
}

fn copy_file(cli: &Cli, env: &Env, io: &mut Io) -> Result<()> {
    refuse_same(&cli.input, &cli.output)?;
    let input = locator::input(&cli.input, &mut *io.stdin)?;
    let name = std::sync::Arc::clone(input.name());
    let reader = format::open(input, env)?;
    let kind = reader.schema().kind;
    let options = options::resolve(cli, kind)?;
    let kind = options.kind.unwrap_or(kind);
    if !format::writes(kind) {
        return Err(format::not_written(kind));
    }
    for what in options::without_effect(cli, kind) {
        env.notes.say(Note {
            object: what.to_owned(),
            what: "has no effect on classic output".to_owned(),
            remedy: Some("use -k nc4 for netCDF-4 output".to_owned()),
        });
    }
    let plan = copy::plan(reader.schema(), &options).map_err(|e| e.of(&name))?;
    if !file::in_place(&cli.output) {
        // From here on there may be a temporary file that a signal must not leave behind.
        tool::catch_signals(&env.cancel)?;
    }
    let target = FileTarget::create(&cli.output, !cli.no_sync)?.cancelled_by(&env.cancel);
    // Classic files: all data is written; what is not selected stays zero, as in C. In netCDF-4 files
    // it stays what it was, fill values included, as chunks that are not there are not written.
    let no_fill = kind.is_cdf();
    let create = CreateOptions { no_fill };
    let writer = format::create(Box::new(target), plan.schema.clone(), create, env)?;
    let _bar = (io.terminal && !cli.quiet).then(|| bar::Bar::follow(env.progress.clone()));
    copy::run(&*reader, &plan, writer, env).map(|_| ())
}

/// Nothing is ever copied onto itself, by whatever names.
fn refuse_same(input: &Path, output: &Path) -> Result<()> {
    if input == output || file::same_file(input, output) {
        let what = "output would overwrite input";
        return Err(Error::new(ErrorKind::Argument, what).of(&output.to_string_lossy()));
    }
    Ok(())
}
