//! The ncgen tool: creates a dataset from CDL or JSON.
#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "tests choose their numbers"
    )
)]

mod chunk_counts;
pub mod cli;
mod data;
mod emit;
mod failure;
mod fill_limit;
mod lists;
pub mod modes;
mod name;
mod request;
mod strings;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use netcdf_core::env::Env;
use netcdf_core::error::{Context as _, Error, ErrorKind};
use netcdf_core::format;
use netcdf_core::format::traits;
use netcdf_core::io::locator::{Destination, InputAccess, Location, OutputRequest};
use netcdf_core::io::trace::Trace;
use netcdf_core::io::{Container, Source, file, foreign_format};
use netcdf_core::model::kind::Model;
use netcdf_core::model::{CreateOptions, FileSpace, Kind, Schema, ZarrOptions};
use netcdf_core::notes::Notes;
use netcdf_core::tool::{self, Io, Status};
use netcdf_grammar::cdl::{CdlDataset, CdlError, ReadOptions};
use netcdf_grammar::diagnostic::{Diagnostics, Reporter};
use netcdf_grammar::exit_status;
use netcdf_grammar::json::read::is_json;
use netcdf_grammar::kind_options::{self, Kinds};

use request::{ProgramLanguage, Request};

/// The name of ncgen for netCDF-3 in messages: a link to ncgen, with all options of the older tool.
const NCGEN3: &str = "ncgen3";

/// Runs ncgen; `args` begin with the program's name.
pub fn run(args: impl IntoIterator<Item = OsString>, io: &mut Io) -> Status {
    let args: Vec<_> = args.into_iter().collect();
    let tool = tool_name(args.first());
    let ended = start(tool, args, io);
    exit_status::status(tool, ended, io)
}

/// Returns the name of the tool in messages, from the first argument.
fn tool_name(program: Option<&OsString>) -> &'static str {
    let name = program.and_then(|name| Path::new(name).file_stem());
    match name.is_some_and(|name| name == NCGEN3) {
        true => NCGEN3,
        false => "ncgen",
    }
}

fn start(tool: &'static str, args: Vec<OsString>, io: &mut Io) -> anyhow::Result<Status> {
    let request = cli::parse(tool, args)?;
    check_output(&request)?;
    let process = &request.process;
    let mut env = Env::with_threads(process.threads);
    env.filters = process.plugins.filters(&env.cancel);
    process.network.apply(&mut env);
    if request.strict {
        env.notes = Arc::new(Notes::strict());
    }
    let made = generate(&request, &mut env, io);
    if !process.quiet {
        tool::tell(tool, &env.notes, io);
    }
    process.network.tell(tool, io);
    match made {
        Ok(()) => Ok(Status::Success),
        Err(failure) => failure::status(failure, &env, io),
    }
}

fn generate(request: &Request, env: &mut Env, io: &mut Io) -> Result<(), CdlError> {
    let language = request.language;
    tool::catch_limits()?;
    let source = source(request, env, io)?;
    let options = ReadOptions {
        kind: requested_kind(request, language)?,
        limits: env.limits.clone(),
        strict: request.strict,
    };
    let cdl = lists::dataset(&*source, &options)?;
    warn(request, &cdl.warnings, io);
    let mut reporter = Reporter::new(&*source).strict(request.strict);
    if let Some(need) = cdl.needs.conflict(cdl.schema.kind) {
        let what = format!("{} files do not have {}", cdl.schema.kind.name(), need.what);
        reporter.error(need.anchor, need.offset, what);
        return Err(all(reporter));
    }
    match language {
        None if request.header_only => {}
        None => data::check(&cdl, &*source, &mut reporter, env)?,
        Some(ProgramLanguage::Binary) => {
            let text = DatasetText {
                cdl: &cdl,
                source: &*source,
            };
            write(request, text, &mut reporter, env, io)?;
        }
        Some(
            language @ (ProgramLanguage::C | ProgramLanguage::Fortran | ProgramLanguage::Java),
        ) => {
            let stdout: &mut dyn std::io::Write = &mut *io.stdout;
            let input = emit::ProgramInput {
                cdl: &cdl,
                source: &*source,
                env,
            };
            emit::write((language, request), input, &mut reporter, stdout)?;
        }
    }
    let warnings = reporter.finish()?;
    warn(request, &warnings, io);
    Ok(())
}

/// Returns all errors of a reporter.
fn all(reporter: Reporter<'_>) -> CdlError {
    match reporter.finish() {
        Err(errors) => errors.into(),
        // A reporter without errors is a bug of the caller.
        Ok(_) => Error::new(ErrorKind::Argument, "the text cannot be used").into(),
    }
}

/// Returns the requested kind. Fortran 77 and Java programs create classic files, or 64-bit offset files on request.
fn requested_kind(
    request: &Request,
    language: Option<ProgramLanguage>,
) -> Result<Option<Kind>, Error> {
    let kind = request.output.kind;
    let language = match language {
        None | Some(ProgramLanguage::C) => return Ok(kind),
        Some(ProgramLanguage::Binary) => {
            let Some(file) = &request.names.file else {
                return Ok(kind);
            };
            let at = Location::new(file)?;
            return Ok(Destination::resolve(&at, request.output)?.kind);
        }
        Some(language @ (ProgramLanguage::Fortran | ProgramLanguage::Java)) => language.name(),
    };
    let kind = kind.unwrap_or(Kind::CLASSIC);
    if kind.model == Model::Classic && !traits(kind).settings {
        return Ok(Some(kind));
    }
    let what = format!("{language} programs cannot make {} files", kind.name());
    let error = Error::new(ErrorKind::Unsupported, what);
    Err(error.with_remedy("use -lc for a C program, -b for a netCDF file"))
}

/// Checks options that only some kinds support, if the command line names the kind.
fn check_output(request: &Request) -> anyhow::Result<()> {
    let mut kind = request.output.kind;
    if request.language == Some(ProgramLanguage::Binary)
        && let Some(file) = &request.names.file
    {
        let at = Location::new(file)?;
        let plain = OutputRequest {
            kind,
            ..OutputRequest::default()
        };
        let possible = || Destination::resolve(&at, plain).is_ok();
        let blamed = |e| kind_options::blamed(&cli::command(), e, possible);
        let output = Destination::resolve(&at, request.output);
        kind = output.map_err(blamed)?.kind;
    }
    let Some(kind) = kind else {
        return Ok(());
    };
    let options = [("--cloud", request.cloud, Kinds::Settings)];
    Ok(kind_options::check(&cli::command(), kind, &options)?)
}

/// Returns the source of the text.
fn source(request: &Request, env: &Env, io: &mut Io) -> Result<Arc<dyn Source>, Error> {
    let at = match &request.input {
        Some(path) => Location::new(path)?,
        None => Location::standard(),
    };
    let access = InputAccess {
        text: true,
        network: Arc::clone(&env.network),
        ..InputAccess::default()
    };
    match access.input(&at, &mut *io.stdin)? {
        Container::Source(source) => {
            if !is_json(&*source)? {
                foreign_format::may_be_cdl(&*source)?;
            }
            Ok(source)
        }
        Container::Store(_) => {
            let what = "a directory, not CDL text";
            Err(Error::new(ErrorKind::Argument, what).of(&at.named().to_string_lossy()))
        }
    }
}

fn warn(request: &Request, warnings: &Diagnostics, io: &mut Io) {
    if !request.process.quiet && !warnings.list.is_empty() {
        failure::print(warnings, io);
    }
}

/// Checks that the output does not replace the text, under any name.
fn refuse_same(input: Option<&Path>, output: &Path) -> Result<(), Error> {
    let input = input.unwrap_or(Path::new("-"));
    match file::overlap(input, output) && !file::in_place(output) {
        true => {
            let what = "output would overwrite input";
            Err(Error::new(ErrorKind::Argument, what).of(&output.to_string_lossy()))
        }
        false => Ok(()),
    }
}

/// Checks that all filters of the variables are available.
fn known_filters(schema: &Schema, env: &Env) -> Result<(), Error> {
    for (id, var) in schema.var_ids().zip(&schema.vars) {
        for filter in &var.storage.filters {
            let entry = env.filters.entry(filter.id);
            entry.in_object(|| schema.var_path(id))?;
        }
    }
    Ok(())
}

/// The text of a dataset.
#[derive(Clone, Copy)]
struct DatasetText<'a> {
    cdl: &'a CdlDataset,
    source: &'a dyn Source,
}

/// Writes the dataset. After errors, no output remains.
fn write(
    request: &Request,
    DatasetText { cdl, source }: DatasetText<'_>,
    reporter: &mut Reporter<'_>,
    env: &mut Env,
    io: &mut Io,
) -> Result<(), CdlError> {
    let at = Location::new(name::output(request, &cdl.name)?)?;
    let destination = Destination::resolve(&at, request.output)?;
    let path = &destination.path;
    refuse_same(request.input.as_deref(), path)?;
    known_filters(&cdl.schema, env)?;
    if !file::in_place(path) {
        // From here on, a temporary file may exist, which a signal must not leave behind.
        tool::catch_signals(
            &env.cancel,
            &tool::Idle::default(),
            &tool::BarLine::default(),
        )?;
    }
    env.scratch = destination.scratch();
    let trace = Trace::from_environment(request.process.trace);
    let replaces = destination.replaces_store();
    let target = format::output(&destination, !request.process.no_sync, env, &trace)?;
    if !request.process.quiet {
        tool::tell_urgent("ncgen", &env.notes, io);
    }
    let create = CreateOptions {
        no_fill: request.no_fill,
        header_pad: 0,
        space: match request.cloud {
            true => FileSpace::Front,
            false => FileSpace::Mixed,
        },
        zarr: ZarrOptions {
            consolidated: destination.zarr.consolidated || request.cloud,
            ..destination.zarr
        },
    };
    let mut schema = cdl.schema.clone();
    if !request.header_only {
        strings::widen(&mut schema, cdl, source, env)?;
    }
    let mut writer = format::create(target, schema, create, env)?;
    if !request.allow_large {
        let lists = if request.header_only {
            &[]
        } else {
            cdl.data.as_slice()
        };
        let checked = fill_limit::check(lists, &mut *writer, request.no_fill);
        checked.map_err(|e| e.of(&path.to_string_lossy()))?;
    }
    if request.cloud {
        chunk_counts::announce(cdl, request.header_only, &mut *writer)?;
    }
    if !request.header_only {
        data::write(cdl, source, &mut *writer, reporter, env)?;
    }
    if reporter.has_errors() {
        return Ok(());
    }
    writer.finish()?;
    if replaces {
        env.notes.remark(destination.replaced());
    }
    Ok(())
}
