//! The request of a command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use netcdf_core::copy::parts::PartSize;
use netcdf_core::copy::references::ReferenceOptions;
use netcdf_core::io::locator::OutputRequest;
use netcdf_grammar::join::JoinRequest;
use netcdf_grammar::selection::names;

use super::args::Cli;
use super::contents::EditArgs;
use super::plan::PlanArgs;
use super::storage::StorageArgs;
use crate::clock::ClockTime;
use crate::history;
use crate::request::{
    CheckRequest, CopyMode, CopyRequest, EditRequest, Existing, FileRequest, FinishRequest,
    InPlaceRequest, NameChoice, PlanRequest, PlanStep, ProcessRequest, ReferenceRequest,
    ReportRequest, Request, RunOutput, SelectRequest, StepRequest, StorageRequest,
};

/// The default part size in element bytes.
const PART: u64 = 1 << 30;

/// Returns the request of a command line. `args` begin with the program's name.
pub(super) fn request(mut cli: Cli, args: &[OsString]) -> Request {
    let given = CommandFacts {
        args,
        options: history::options(args, &cli.paths),
        started: cli.edit.history_time.unwrap_or_else(|| ClockTime::now().0),
    };
    if let Some(folder) = cli.plan.plan.take() {
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

/// Facts of a command line that are not options.
struct CommandFacts<'a> {
    args: &'a [OsString],
    /// All arguments except paths, without secrets.
    options: Vec<String>,
    /// The start time in seconds since 1970.
    started: u64,
}

fn plan(folder: PathBuf, mut cli: Cli, given: CommandFacts<'_>) -> PlanRequest {
    let PlanArgs {
        stages,
        allow_secrets,
        ..
    } = cli.plan;
    let size = match (cli.plan.parts, cli.plan.part_size) {
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

/// Returns the arguments for all parts, with the time for `--history`.
fn arguments(edit: &EditArgs, given: &CommandFacts<'_>) -> Vec<OsString> {
    let time = || format!("{}{}", history::TIME, given.started).into();
    let time = (edit.history && edit.history_time.is_none()).then(time);
    // Only paths may follow `--`.
    let args = given.args.iter().skip(1).cloned();
    time.into_iter().chain(args).collect()
}

fn step(cli: &mut Cli) -> Option<PlanStep> {
    let lease = cli.plan.lease.map(|s| Duration::from_secs(s.into()));
    let plan = &mut cli.plan;
    if let Some(engine) = plan.emit {
        return Some(PlanStep::Emit(engine));
    }
    if let Some(choice) = plan.part.take() {
        return Some(PlanStep::Part(choice));
    }
    let finish = FinishRequest {
        lease,
        verify: cli.job.verify,
        check: !plan.no_check,
        report: cli.job.report,
    };
    let steps = [
        (plan.next, PlanStep::Next(lease)),
        (plan.finish, PlanStep::Finish(finish)),
        (plan.status, PlanStep::Status { json: plan.json }),
        (plan.clean, PlanStep::Clean),
    ];
    let named = steps.into_iter().find(|(is_given, _)| *is_given);
    named.map(|(_, step)| step)
}

/// Returns the mode of a copy without a plan, and the inputs.
fn mode(cli: &mut Cli) -> (CopyMode, Vec<PathBuf>) {
    if cli.job.in_place {
        let options = InPlaceRequest {
            force: cli.job.force,
            if_smaller: cli.job.if_smaller,
            keep_mtime: cli.job.keep_mtime,
        };
        return (CopyMode::InPlace(options), std::mem::take(&mut cli.paths));
    }
    let existing = match (cli.job.skip_existing, cli.job.no_clobber) {
        (true, _) => Existing::Skip,
        (false, true) => Existing::Refuse,
        (false, false) => Existing::Replace,
    };
    let (to, inputs) = paths(cli);
    (CopyMode::New { to, existing }, inputs)
}

/// Returns the output, and the inputs.
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
            join: join(&cli, &inputs),
            split: cli.job.split.clone(),
            inputs,
            recursive: cli.job.recursive,
            suffix: cli.job.suffix.clone(),
        },
        output: OutputRequest {
            keep_links: cli.write.keep_links,
            references: cli.kind.references(),
            record_size: cli.references.record_size,
            ..cli.zarr.asked(cli.kind.kind())
        },
        select: select(&cli),
        edit: edit(&cli.edit, &given),
        storage: storage(&cli.storage),
        references: references(&cli),
        checks: CheckRequest {
            verify: cli.job.verify,
            strict: cli.strict.strict,
            allow_external: cli.external.allow_external,
            fill_missing: cli.fill_missing,
            allow_large: cli.write.allow_large,
        },
        report: ReportRequest {
            output: run_output(&cli),
            options: given.options,
            started: given.started,
        },
        process: process(cli),
    }
}

/// Returns the join of the inputs. With `--append`, the output becomes the first input later.
fn join(cli: &Cli, inputs: &[PathBuf]) -> Option<JoinRequest> {
    let references = cli.kind.references();
    match cli.job.extension() {
        None => cli
            .join
            .request(inputs.to_vec())
            .map(|join| JoinRequest { references, ..join }),
        Some(kind) => Some(JoinRequest {
            extends: true,
            references,
            ..cli.join.of_kind(kind, inputs.to_vec())
        }),
    }
}

fn run_output(cli: &Cli) -> RunOutput {
    match (cli.job.dry_run, cli.job.report) {
        (Some(form), _) => RunOutput::DryRun(form),
        (None, Some(form)) => RunOutput::Report(form),
        (None, None) => RunOutput::None,
    }
}

fn select(cli: &Cli) -> SelectRequest {
    let args = &cli.select;
    SelectRequest {
        fix_unlimited: cli.edit.fix_unlimited,
        unlimited: listed(&cli.edit.unlimited),
        variables: choice(&args.data_vars, &args.only_vars),
        coordinates: args.coordinates,
        groups: choice(&args.data_groups, &args.only_groups),
        hyperslabs: cli.part.parts().to_vec(),
    }
}

fn listed(lists: &[OsString]) -> Vec<Vec<u8>> {
    names(lists.iter().map(OsString::as_os_str))
}

/// Returns the choice from two options that exclude each other.
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

fn references(cli: &Cli) -> ReferenceRequest {
    let args = &cli.references;
    let usual = ReferenceOptions::default();
    ReferenceRequest {
        options: ReferenceOptions {
            inline: args.inline.unwrap_or(usual.inline),
            chunk_size: cli.storage.chunk_size.unwrap_or(usual.chunk_size),
            url_prefixes: args.url_prefix.clone(),
        },
        skip_unreadable: args.skip_unreadable,
    }
}

fn process(cli: Cli) -> ProcessRequest {
    ProcessRequest {
        threads: cli.process.threads,
        memory: cli.memory,
        plugins: cli.plugins,
        network: cli.process.network,
        no_sync: cli.write.no_sync,
        quiet: cli.quiet.quiet,
        trace: cli.process.trace,
    }
}
