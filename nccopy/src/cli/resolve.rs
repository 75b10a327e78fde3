//! The request of a command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use netcdf_core::copy::parts::PartSize;
use netcdf_core::io::locator::OutputRequest;
use netcdf_grammar::hyperslab::Hyperslab;
use netcdf_grammar::selection::names;

use super::args::{Cli, EditArgs, PartsArgs, SelectArgs, StorageArgs};
use crate::clock::ClockTime;
use crate::history;
use crate::request::{
    CheckRequest, CopyMode, CopyRequest, EditRequest, Existing, FileRequest, FinishRequest,
    InPlaceRequest, NameChoice, PlanRequest, PlanStep, ProcessRequest, ReportRequest, Request,
    RunOutput, SelectRequest, StepRequest, StorageRequest,
};

/// Bytes of elements of a part by default.
const PART: u64 = 1 << 30;

/// The request of a command line. `args` begin with the program's name.
pub(super) fn request(mut cli: Cli, args: &[OsString]) -> Request {
    let given = CommandFacts {
        args,
        options: history::options(args, &cli.paths),
        started: cli.edit.history_time.unwrap_or_else(|| ClockTime::now().0),
    };
    if let Some(folder) = cli.parts.plan.take() {
        return Request::Plan(Box::new(plan(folder, cli, given)));
    }
    match step(&mut cli) {
        Some(step) => Request::Step(StepRequest {
            step,
            paths: std::mem::take(&mut cli.paths),
            process: process(cli),
        }),
        None => {
            let (mode, inputs) = mode(&mut cli);
            Request::Copy(Box::new(copy(cli, (mode, inputs), given)))
        }
    }
}

/// Properties of a command line that are no option.
struct CommandFacts<'a> {
    args: &'a [OsString],
    /// All arguments except paths, without secrets.
    options: Vec<String>,
    /// The start time in seconds since 1970.
    started: u64,
}

fn plan(folder: PathBuf, mut cli: Cli, given: CommandFacts<'_>) -> PlanRequest {
    let PartsArgs {
        stages,
        allow_secrets,
        ..
    } = cli.parts;
    let size = match (cli.parts.parts, cli.parts.part_size) {
        (Some(parts), _) => PartSize::Number(parts),
        (None, bytes) => PartSize::Bytes(bytes.unwrap_or(PART)),
    };
    let arguments = arguments(&cli.edit, &given);
    let (to, inputs) = paths(&mut cli);
    PlanRequest {
        folder,
        copy: copy(cli, (CopyMode::InParts { to }, inputs), given),
        arguments,
        size,
        stages,
        allow_secrets,
    }
}

/// The arguments for all parts, with the time for `--history`.
fn arguments(edit: &EditArgs, given: &CommandFacts<'_>) -> Vec<OsString> {
    let time = || format!("{}{}", history::TIME, given.started).into();
    let time = (edit.history && edit.history_time.is_none()).then(time);
    // Only paths may follow `--`.
    let args = given.args.iter().skip(1).cloned();
    time.into_iter().chain(args).collect()
}

fn step(cli: &mut Cli) -> Option<PlanStep> {
    let lease = cli.parts.lease.map(|s| Duration::from_secs(s.into()));
    let parts = &mut cli.parts;
    if let Some(engine) = parts.emit {
        return Some(PlanStep::Emit(engine));
    }
    if let Some(choice) = parts.part.take() {
        return Some(PlanStep::Part(choice));
    }
    let finish = FinishRequest {
        lease,
        verify: cli.verify,
        check: !parts.no_check,
        report: cli.report,
    };
    let steps = [
        (parts.next, PlanStep::Next(lease)),
        (parts.finish, PlanStep::Finish(finish)),
        (parts.status, PlanStep::Status { json: parts.json }),
        (parts.clean, PlanStep::Clean),
    ];
    let named = steps.into_iter().find(|(is_given, _)| *is_given);
    named.map(|(_, step)| step)
}

/// The mode of a copy without a plan, and the inputs.
fn mode(cli: &mut Cli) -> (CopyMode, Vec<PathBuf>) {
    if cli.in_place {
        let options = InPlaceRequest {
            force: cli.force,
            if_smaller: cli.if_smaller,
            keep_mtime: cli.keep_mtime,
        };
        return (CopyMode::InPlace(options), std::mem::take(&mut cli.paths));
    }
    let existing = match (cli.skip_existing, cli.no_clobber) {
        (true, _) => Existing::Skip,
        (false, true) => Existing::Refuse,
        (false, false) => Existing::Replace,
    };
    let (to, inputs) = paths(cli);
    (CopyMode::New { to, existing }, inputs)
}

/// The output, and the inputs.
fn paths(cli: &mut Cli) -> (PathBuf, Vec<PathBuf>) {
    let mut inputs = std::mem::take(&mut cli.paths);
    let to = inputs.pop().unwrap_or_default();
    (to, inputs)
}

fn copy(
    cli: Cli,
    (mode, inputs): (CopyMode, Vec<PathBuf>),
    given: CommandFacts<'_>,
) -> CopyRequest {
    CopyRequest {
        mode,
        files: FileRequest {
            inputs,
            recursive: cli.recursive,
            suffix: cli.suffix.clone(),
        },
        output: OutputRequest {
            keep_links: cli.keep_links,
            ..cli.zarr.asked(cli.kind.kind())
        },
        select: select(&cli.select, cli.part.parts()),
        edit: edit(&cli.edit, &given),
        storage: storage(&cli.storage),
        checks: CheckRequest {
            verify: cli.verify,
            strict: cli.strict,
            allow_external: cli.allow_external,
            fill_missing: cli.fill_missing,
            allow_large: cli.allow_large,
        },
        report: ReportRequest {
            output: run_output(&cli),
            options: given.options,
            started: given.started,
        },
        process: process(cli),
    }
}

fn run_output(cli: &Cli) -> RunOutput {
    match (cli.dry_run, cli.report) {
        (Some(form), _) => RunOutput::DryRun(form),
        (None, Some(form)) => RunOutput::Report(form),
        (None, None) => RunOutput::None,
    }
}

fn select(args: &SelectArgs, parts: &[Hyperslab]) -> SelectRequest {
    SelectRequest {
        fix_unlimited: args.fix_unlimited,
        unlimited: listed(&args.unlimited),
        variables: choice(&args.data_vars, &args.only_vars),
        coordinates: args.coordinates,
        groups: choice(&args.data_groups, &args.only_groups),
        hyperslabs: parts.to_vec(),
    }
}

fn listed(lists: &[OsString]) -> Vec<Vec<u8>> {
    names(lists.iter().map(OsString::as_os_str))
}

/// The choice of two options that exclude each other.
fn choice(data: &[OsString], only: &[OsString]) -> NameChoice {
    match (data, only) {
        ([], []) => NameChoice::All,
        (data, []) => NameChoice::Data(listed(data)),
        (_, only) => NameChoice::Only(listed(only)),
    }
}

fn edit(args: &EditArgs, given: &CommandFacts<'_>) -> EditRequest {
    let history = || {
        let date = ClockTime(given.started).date();
        format!("{date}: {}", history::command(given.args)).into_bytes()
    };
    EditRequest {
        enums_as_flags: args.enums.is_some(),
        renames: args.rename.clone(),
        attributes: args.attribute.clone(),
        history: args.history.then(history),
    }
}

fn storage(args: &StorageArgs) -> StorageRequest {
    StorageRequest {
        deflate: args.deflate,
        shuffle: args.shuffle,
        chunks: args.chunks.clone(),
        shards: args.shards.clone(),
        filters: args.filters.clone(),
        quantize: args.quantize.clone(),
        min_chunk: args.min_chunk,
        chunk_size: args.chunk_size,
        cloud: args.cloud,
    }
}

fn process(cli: Cli) -> ProcessRequest {
    ProcessRequest {
        threads: cli.threads,
        memory: cli.memory,
        plugins: cli.plugins,
        network: cli.network,
        no_sync: cli.no_sync,
        quiet: cli.quiet,
        trace: cli.trace,
    }
}
