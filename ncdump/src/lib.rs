//! Prints netCDF datasets as CDL text or JSON, or their metadata as NcML.
//!
//! | module | content |
//! |---|---|
//! | [`cli`] | the command line |
//! | [`modes`] | the modes, and the options that each mode uses |
//! | `request` | the request of a command line |
//! | `session` | opening of datasets, and output |
//! | `dump` | datasets as CDL, JSON, comma-separated values and NcML |
//! | `select` | the variables and groups that `-v` and `-g` name |
//! | `forms` | number formats other than CDL's: times and `C_format` |
//! | `ncml` | NcML |
//! | `filters` | the table of filters |
//! | `layout` | storage layouts, and rule violations |
//! | `listing` | the kind, and the table of filters, as JSON |
//! | `diff` | differences between two datasets |
//! | `csv` | variables with their coordinates as comma-separated values |
//! | `stats` | statistics of variables |
//! | `sum` | digests, and their check |
//! | `file_series` | several files on one command line |
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
mod csv;
mod diff;
mod dump;
mod file_series;
mod filters;
mod forms;
mod layout;
mod listing;
pub mod modes;
mod ncml;
mod request;
mod select;
mod session;
mod stats;
mod sum;

#[cfg(unix)]
use std::ffi::OsStr;
use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use netcdf_core::chunk::{Dataset, ReadCache, Reader};
use netcdf_core::env::Env;
use netcdf_core::error::{Error, Result};
use netcdf_core::format;
use netcdf_core::io::locator::{InputAccess, Location};
use netcdf_core::shown::ShownAddress;
use netcdf_core::tool::{self, Io, Status};
use netcdf_grammar::{exit_status, usage};

use file_series::{FileSeries, Heading};
use request::{DumpRequest, JOINED, NAME, OutputJob, PrintRequest, Request};
use session::{access, environment, open, part, say, write};
use stats::StatisticsRequest;
use sum::SumRequest;

/// Runs the tool; `args` begin with its own name.
pub fn run(args: impl IntoIterator<Item = OsString>, io: &mut Io) -> Status {
    let ended = start(args, io);
    exit_status::status(NAME, ended, io)
}

fn start(args: impl IntoIterator<Item = OsString>, io: &mut Io) -> anyhow::Result<Status> {
    let args: Vec<_> = args.into_iter().collect();
    if args.len() <= 1 {
        // As in the C tool: print a usage message and succeed.
        let _ = write!(io.stderr, "{}", usage::of(NAME, cli::command()));
        return Ok(Status::Success);
    }
    Ok(match cli::parse(args)? {
        Err(e) => misused(&e, io),
        Ok(Request::Print(request)) => all(&request, io),
        // Status 1 is reserved for differences and rule violations.
        Ok(Request::Diff(request)) => {
            tool::guarded(NAME, Status::Usage, io, |io| diff::run(&request, io))
        }
        Ok(Request::Layout(request)) => {
            tool::guarded(NAME, Status::Usage, io, |io| layout::run(&request, io))
        }
    })
}

/// Reports an error of the command line.
fn misused(e: &Error, io: &mut Io) -> Status {
    tool::report(NAME, e, io);
    Status::Usage
}

/// Prints the output of all files; returns the worst status.
fn all(request: &PrintRequest, io: &mut Io) -> Status {
    let (job, process) = (&request.job, &request.process);
    let mut files = FileSeries::new(&request.inputs);
    // Truncated XML or JSON is useless, and a digest of a part is not the digest of the dataset.
    let mut env = environment(
        process,
        !matches!(
            job,
            OutputJob::Ncml(_)
                | OutputJob::Json(_)
                | OutputJob::Csv(_)
                | OutputJob::Sum(_)
                | OutputJob::Check
        ),
    );
    env.raw_types = matches!(job, OutputJob::Sum(_) | OutputJob::Check);
    env.exact_null = env.raw_types;
    if let Err(e) = tool::catch_limits() {
        return tool::report(NAME, &e, io);
    }
    for input in &request.inputs {
        let heading = files.heading(input);
        let mut omitted = Vec::new();
        let asked = RequestedOutput {
            request,
            input,
            env: &env,
            heading: &heading,
        };
        let done = dump(&asked, &mut omitted, io);
        let status = conclude(&done, omitted, (&env, &heading), io);
        if files.count(&done, status) {
            break;
        }
    }
    process.network.tell(NAME, io);
    files.worst()
}

/// Reports notes and omissions of a file; returns its status.
fn conclude(
    done: &Result<()>,
    mut omitted: Vec<Error>,
    (env, heading): (&Env, &Heading),
    io: &mut Io,
) -> Status {
    let strict = env.notes.check();
    heading.tell(env, io);
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
        Err(e) => tool::cancelled(&env.cancel).unwrap_or_else(|| tool::report(NAME, e, io)),
    }
}

/// Prints the output. `omitted` receives the reasons for skipped data and damaged parts.
fn dump(asked: &RequestedOutput<'_>, omitted: &mut Vec<Error>, io: &mut Io) -> Result<()> {
    let &RequestedOutput {
        request,
        input: path,
        env,
        heading,
    } = asked;
    let access = access(&request.process, env);
    if let OutputJob::Check = request.job {
        return checked(path, &access, env, io);
    }
    if let (OutputJob::Kind, None) = (&request.job, &request.join) {
        let input = access.input(&Location::new(path)?, &mut *io.stdin)?;
        let kind = format::probe(&input)?.name();
        return say(io, &listing::kind(kind, request.json, heading)?);
    }
    let (reader, resource) = open((path, request.join.as_ref()), &request.process, env, io)?;
    let before = omitted.len();
    omitted.extend(env.damage.take());
    let printed = print_part(asked, &*reader, omitted, io);
    let found = filters::grouped(omitted.drain(before..).collect());
    omitted.extend(found.into_iter().map(|e| e.of(&resource)));
    let printed = printed.map_err(|e| e.of(&resource));
    if !heading.is_one_of_several() {
        // The process ends soon: freeing the memory of 10^5 attributes takes as long as printing them.
        std::mem::forget(reader);
    }
    printed
}

/// Checks the digests of a list, read from a file or standard input.
fn checked(path: &Path, access: &InputAccess, env: &Env, io: &mut Io) -> Result<()> {
    let mut stdin = std::mem::replace(&mut io.stdin, Box::new(std::io::empty()));
    let standard = path.as_os_str() == "-";
    let name = match standard {
        true => "(stdin)".into(),
        false => path.to_string_lossy(),
    };
    let mut list: Box<dyn BufRead> = match standard {
        true => {
            let list = std::mem::replace(&mut stdin, Box::new(std::io::empty()));
            Box::new(BufReader::new(list))
        }
        false => {
            let file = File::open(path);
            let file = file.map_err(|e| Error::io("cannot open", &name, e))?;
            Box::new(BufReader::new(file))
        }
    };
    let mut open = |file: &[u8]| {
        let input = access.input(&Location::new(path_of(file)?)?, &mut *stdin)?;
        let resource = Arc::clone(input.name());
        format::open(input, env).map_err(|e| e.of(&resource))
    };
    sum::check::check((&mut *list, &name), &mut open, env, io)
}

/// Returns the path with these bytes.
#[cfg(unix)]
fn path_of(bytes: &[u8]) -> Result<PathBuf> {
    use std::os::unix::ffi::OsStrExt as _;
    Ok(PathBuf::from(OsStr::from_bytes(bytes)))
}

/// Returns the path with these bytes, which must be UTF-8.
#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> Result<PathBuf> {
    let text = std::str::from_utf8(bytes);
    let wrong = |_| {
        Error::new(
            netcdf_core::error::ErrorKind::Argument,
            "a path that is not UTF-8",
        )
    };
    text.map(PathBuf::from).map_err(wrong)
}

/// The output of a command line for one file.
struct RequestedOutput<'a> {
    request: &'a PrintRequest,
    input: &'a Path,
    env: &'a Env,
    heading: &'a Heading,
}

/// Prints the output for the selected part of an open dataset.
fn print_part(
    asked: &RequestedOutput<'_>,
    reader: &dyn Reader,
    omitted: &mut Vec<Error>,
    io: &mut Io,
) -> Result<()> {
    let cache = ReadCache::new(asked.env);
    let whole = Dataset::new(reader, asked.env).with(&cache);
    match part(&asked.request.parts, whole, &cache)? {
        Some(view) => {
            let cache = ReadCache::new(asked.env);
            let set = Dataset::new(&view, asked.env).with(&cache);
            print(asked, set, omitted, io)
        }
        None => print(asked, whole, omitted, io),
    }
}

/// Prints the output for an open dataset.
fn print(
    &RequestedOutput {
        request,
        input,
        env,
        heading,
    }: &RequestedOutput<'_>,
    set: Dataset<'_>,
    omitted: &mut Vec<Error>,
    io: &mut Io,
) -> Result<()> {
    let (json, reader) = (request.json, set.reader);
    match &request.job {
        OutputJob::Kind => {
            let kind = reader.schema().kind.name();
            say(io, &listing::kind(kind, json, heading)?)
        }
        OutputJob::ExtendedKind => {
            let known = reader.provenance();
            say(io, &listing::extended_kind(&known, json, heading)?)
        }
        OutputJob::Filters(select) => {
            let (schema, known) = (reader.schema(), &env.filters);
            let selection = select.selection(schema)?;
            omitted.extend(filters::missing(schema, known, &selection));
            let text = match json {
                true => listing::filters(schema, known, &selection, heading)?,
                false => heading.block() + &filters::table(schema, known, &selection),
            };
            say(io, &text)
        }
        OutputJob::Cdl(dump) => dump.write(&set, &name(dump, input), omitted, &mut *io.stdout),
        OutputJob::Json(dump) => dump.json(&set, &name(dump, input), omitted, &mut *io.stdout),
        OutputJob::Sum(select) => {
            let file = match request.join {
                Some(_) => Path::new(JOINED).into(),
                None => ShownAddress::path(input),
            };
            let asked = SumRequest {
                file: file.as_os_str().as_encoded_bytes(),
                chosen: select.chosen(reader.schema())?,
                json,
            };
            sum::write(set, &asked, omitted, &mut *io.stdout)
        }
        OutputJob::Check => Ok(()),
        OutputJob::Csv(dump) => dump.csv(set, &mut *io.stdout),
        OutputJob::Statistics { select, unpack } => {
            let file = ShownAddress::of(input);
            let asked = StatisticsRequest {
                file: file.text(),
                heading: heading.block(),
                chosen: select.chosen(reader.schema())?,
                unpack: *unpack,
                json,
            };
            stats::write(set, &asked, omitted, &mut *io.stdout)
        }
        OutputJob::Ncml(dump) => {
            let text = dump.ncml(reader, &ShownAddress::path(input), &env.notes)?;
            write(&mut *io.stdout, &text)
        }
    }
}

/// Returns the dataset's name: the given one, or the last path component without its extension.
fn name(request: &DumpRequest, input: &Path) -> Vec<u8> {
    if let Some(name) = &request.name {
        return name.as_encoded_bytes().to_vec();
    }
    // Opening the input has already validated the URL.
    let at = Location::new(input).unwrap_or(Location::of_path(input));
    if at.is_standard() {
        return b"stdin".to_vec();
    }
    let path = ShownAddress::path(at.path());
    let last = path.file_name().unwrap_or_default();
    let last = last.as_encoded_bytes();
    let end = last.iter().rposition(|&b| b == b'.').unwrap_or(last.len());
    last.get(..end).unwrap_or_default().to_vec()
}

#[cfg(test)]
mod tests;
