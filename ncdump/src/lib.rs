//! Prints netCDF datasets as CDL text or JSON, or their metadata as NcML.
//!
//! | module | what |
//! |---|---|
//! | [`cli`] | the command line |
//! | `options` | the options of the command line |
//! | `select` | the variables and groups that `-v` and `-g` name |
//! | `forms` | numbers in other forms than CDL's: times and `C_format` |
//! | `ncml` | NcML |
//! | `filters` | the table of filters |
//! | `listing` | the kind, and the table of filters, as JSON |
#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "tests choose their numbers"
    )
)]

pub mod cli;
mod filters;
mod forms;
mod listing;
mod ncml;
mod options;
mod select;

use std::ffi::OsString;
use std::io::Write;
use std::sync::Arc;

use netcdf_core::chunk::{Dataset, Engine, Reader};
use netcdf_core::env::{Damage, Env};
use netcdf_core::error::{Error, Result};
use netcdf_core::format;
use netcdf_core::io::locator::{Access, Location};
use netcdf_core::io::trace::Trace;
use netcdf_core::notes::Notes;
use netcdf_core::tool::{self, Io, Status};
use netcdf_grammar::ended;

use cli::Cli;
use options::Job;

/// Name of the tool in messages.
const NAME: &str = "ncdump";

/// Runs the tool; `args` begin with its own name.
pub fn run(args: impl IntoIterator<Item = OsString>, io: &mut Io) -> Status {
    let ended = start(args, io);
    ended::status(NAME, ended, io)
}

fn start(args: impl IntoIterator<Item = OsString>, io: &mut Io) -> anyhow::Result<Status> {
    let args: Vec<_> = args.into_iter().collect();
    if args.len() <= 1 {
        // As in the C tool: print a usage message and succeed.
        let _ = write!(io.stderr, "{}", cli::command().render_help());
        return Ok(Status::Success);
    }
    let parsed = cli::parse(args)?;
    let job = match Job::new(&parsed) {
        Ok(job) => job,
        Err(e) => {
            tool::report(NAME, &e, io);
            return Ok(Status::Usage);
        }
    };
    let mut env = Env::with_threads(parsed.threads);
    parsed.network.apply(&mut env);
    env.filters = parsed.plugins.filters(&env.cancel);
    env.siblings.outside = parsed.allow_external;
    if parsed.strict {
        env.notes = Arc::new(Notes::strict());
    }
    if !matches!(job, Job::Ncml(_) | Job::Json(_)) {
        // Truncated XML or JSON is of no use.
        env.damage = Damage::tolerated();
    }
    let mut omitted = Vec::new();
    let done = dump(&parsed, &job, &env, &mut omitted, io);
    let status = conclude(done, omitted, &env, io);
    parsed.network.tell(NAME, &env, io);
    Ok(status)
}

/// Reports notes and omissions at the end of a run; returns its status.
fn conclude(done: Result<()>, mut omitted: Vec<Error>, env: &Env, io: &mut Io) -> Status {
    let strict = env.notes.check();
    tool::tell(NAME, &env.notes, io);
    omitted.extend(env.damage.take());
    let mut status = match strict {
        Ok(()) => Status::Success,
        Err(_) => Status::Failure,
    };
    for e in omitted {
        status = tool::report(NAME, &e, io);
    }
    match done {
        Ok(()) => status,
        Err(e) => tool::cancelled(&env.cancel).unwrap_or_else(|| tool::report(NAME, &e, io)),
    }
}

/// Prints the output; the reasons why data or damaged parts were left out go to `omitted`.
fn dump(cli: &Cli, job: &Job, env: &Env, omitted: &mut Vec<Error>, io: &mut Io) -> Result<()> {
    tool::catch_limits()?;
    let access = Access {
        trace: Trace::from_environment(cli.trace),
        allow_external: cli.allow_external,
        limits: env.limits.clone(),
        notes: Arc::clone(&env.notes),
        network: Arc::clone(&env.network),
        ..Access::default()
    };
    let input = access.input(&Location::new(&cli.input)?, &mut *io.stdin)?;
    if let Job::Kind = job {
        return say(io, &listing::kind(format::probe(&input)?.name(), cli.json)?);
    }
    let resource = Arc::clone(input.name());
    let reader = format::open(input, env)?;
    let before = omitted.len();
    omitted.extend(env.damage.take());
    let asked = AskedOutput { cli, job, env };
    let printed = print(&asked, &*reader, omitted, io);
    let found = filters::grouped(omitted.drain(before..).collect());
    omitted.extend(found.into_iter().map(|e| e.of(&resource)));
    let printed = printed.map_err(|e| e.of(&resource));
    // The process is about to end: freeing the memory of 10^5 attributes one by one would take as long as printing them.
    std::mem::forget(reader);
    printed
}

/// What a command line asks for.
struct AskedOutput<'a> {
    cli: &'a Cli,
    job: &'a Job,
    env: &'a Env,
}

/// Prints the output for an open dataset.
fn print(
    &AskedOutput { cli, job, env }: &AskedOutput<'_>,
    reader: &dyn Reader,
    omitted: &mut Vec<Error>,
    io: &mut Io,
) -> Result<()> {
    match job {
        Job::Kind => say(io, &listing::kind(reader.schema().kind.name(), cli.json)?),
        Job::ExtendedKind => say(io, &listing::extended_kind(&reader.provenance(), cli.json)?),
        Job::Filters(request) => {
            let text = request.filters(reader.schema(), &env.filters, omitted)?;
            say(io, &text)
        }
        Job::Cdl(request) => {
            let engine = Engine::new(env);
            let set = Dataset::new(reader, env).with(&engine);
            request.write(&set, &name(cli), omitted, &mut *io.stdout)
        }
        Job::Json(request) => {
            let engine = Engine::new(env);
            let set = Dataset::new(reader, env).with(&engine);
            request.json(&set, &name(cli), omitted, &mut *io.stdout)
        }
        Job::Ncml(request) => {
            let text = request.ncml(reader, &cli.input, &env.notes)?;
            write(&mut *io.stdout, &text)
        }
    }
}

fn say(io: &mut Io, text: &str) -> Result<()> {
    write(&mut *io.stdout, text.as_bytes())
}

fn write(out: &mut dyn Write, text: &[u8]) -> Result<()> {
    let written = out.write_all(text).and_then(|()| out.flush());
    written.map_err(|e| Error::io("cannot write", "(stdout)", e))
}

/// The dataset's name: the given one, or the last part of the path without its extension.
fn name(cli: &Cli) -> Vec<u8> {
    if let Some(name) = &cli.name {
        return name.as_encoded_bytes().to_vec();
    }
    // The input was opened, so if it is a URL, it is valid.
    let at = Location::new(&cli.input).unwrap_or(Location::of_path(&cli.input));
    if at.is_standard() {
        return b"stdin".to_vec();
    }
    let last = at.path().file_name().unwrap_or_default();
    let last = last.as_encoded_bytes();
    let end = last.iter().rposition(|&b| b == b'.').unwrap_or(last.len());
    last.get(..end).unwrap_or_default().to_vec()
}

#[cfg(test)]
mod tests;
