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
mod report;
mod selection;
mod told;

use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use netcdf_core::chunk::{Dataset, Engine};
use netcdf_core::copy::{self, Report};
use netcdf_core::env::{Env, MadeUp, Memory};
use netcdf_core::error::Result;
use netcdf_core::format;
use netcdf_core::io::Output;
use netcdf_core::io::held::{Kept, hold};
use netcdf_core::io::locator::{Access, Location};
use netcdf_core::io::trace::Trace;
use netcdf_core::model::{CreateOptions, FileSpace, Kind, Schema, ZarrOptions};
use netcdf_core::notes::{Note, Notes};
use netcdf_core::runtime::Runtime;
use netcdf_core::tool::{self, Idle, Io, Status};
use netcdf_grammar::ended;

use cli::Cli;
use cloud::CloudRules;
use inputs::Copy;

/// Runs nccopy; `args` begin with the program's name.
pub fn run(args: impl IntoIterator<Item = OsString>, io: &mut Io) -> Status {
    let ended = start(args, io);
    ended::status("nccopy", ended, io)
}

fn start(args: impl IntoIterator<Item = OsString>, io: &mut Io) -> anyhow::Result<Status> {
    let cli = cli::parse(args)?;
    let (copies, passed_over) = copies(&cli)?;
    let mut env = Env::with_threads(cli.threads);
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
    if !cli.quiet {
        let notes = Notes::default();
        passed_over.into_iter().for_each(|n| notes.remark(n));
        tool::tell("nccopy", &notes, io);
    }
    let ended = job::run(&cli, &copies, &mut env, io);
    cli.network.tell("nccopy", &env, io);
    Ok(ended?)
}

/// The copies that a command line asks for.
fn copies(cli: &Cli) -> Result<in_place::CopiesInPlace> {
    let asked = cli.zarr.asked(cli.kind.kind());
    if cli.in_place {
        return in_place::copies(&cli.paths, asked);
    }
    let (inputs, output) = cli.paths();
    let copies = inputs::copies(inputs, output, (asked, cli.suffix.as_deref()))?;
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
}

fn copy_one(cli: &Cli, turn: Turn<'_>, env: &Env, io: &mut Io) -> Result<Report> {
    let Turn { copy, idle, .. } = turn;
    idle.store(true, Ordering::Relaxed);
    let trace = Trace::from_environment(cli.trace);
    let access = Access {
        trace: trace.clone(),
        allow_external: cli.allow_external,
        limits: env.limits.clone(),
        notes: Arc::clone(&env.notes),
        network: Arc::clone(&env.network),
        ..Access::default()
    };
    let input = access.input(&Location::new(&copy.input)?, &mut *io.stdin)?;
    // From here on there may be a temporary file, which a signal must not leave behind.
    idle.store(false, Ordering::Relaxed);
    if cli.in_place {
        in_place::check(copy, &input)?;
    }
    let name = Arc::clone(input.name());
    let reader = format::open(input, env)?;
    let engine = Engine::new(env);
    let whole = Dataset::new(&*reader, env).with(&engine);
    if cli.in_place {
        in_place::check_whole(copy, &*reader)?;
    }
    let edited = edited::edited(cli, whole, &engine).map_err(|e| e.of(&name))?;
    let of_edited = Engine::new(env);
    let set = match &edited {
        Some(edited) => Dataset::new(&edited.view, env).with(&of_edited),
        None => whole,
    };
    let named = edited
        .as_ref()
        .map_or(whole.reader.schema(), |edited| &edited.named);
    let asked = cli.zarr.asked(cli.kind.kind());
    let output = copy.output.clone().of_input(reader.schema().kind, asked);
    let plan = plan(cli, output.kind, (set, named)).map_err(|e| e.of(&name))?;
    if let Some(form) = cli.dry_run {
        let printed = dry_run::print(form, set, &plan, turn, io);
        printed.map_err(|e| e.of(&name))?;
        return env
            .notes
            .check()
            .map_err(|e| e.of(&name))
            .map(|()| Report::default());
    }
    env.notes.check().map_err(|e| e.of(&name))?;
    let replaces = output.replaces_store() && !cli.in_place;
    let target = format::output(&output, !cli.no_sync, env, &trace)?;
    // All data of classic files is written; unselected data stays zero, as in C. For variables of netCDF-4 files, the plan decides.
    let no_fill = !format::traits(plan.schema.kind).settings;
    let cloud = cli.storage.cloud;
    let create = CreateOptions {
        no_fill,
        space: cloud.map_or(FileSpace::Mixed, CloudRules::space),
        // Readers over a network need the metadata of a store under one key.
        zarr: ZarrOptions {
            consolidated: output.zarr.consolidated || cloud.is_some(),
            ..output.zarr
        },
    };
    let (target, kept) = held(target, cli.verify);
    let writer = format::create(target, plan.schema.clone(), create, env);
    let writer = writer.map_err(|e| e.of(&name))?;
    if cli.verify {
        env.progress.expect(copy::verify::bytes(&*reader, &plan)?);
    }
    let before = match cli.report {
        Some(_) => copy::report::before(set, &plan).map_err(|e| e.of(&name))?,
        None => vec![],
    };
    let mut report = copy::run(set, &plan, writer).map_err(|e| e.of(&name))?;
    report.add_before(&before);
    if let Some(kept) = kept {
        let allowed = copy::verify(set, &plan, &kept)?;
        report.add_allowed(&plan, allowed);
        if cli.report.is_none()
            && let Some(note) = report::allowed(&report, &copy.output.path)
        {
            env.notes.remark(note);
        }
    }
    if replaces {
        env.notes.remark(output.replaced());
    }
    Ok(report)
}

/// The target; with `verify`, one that stays hidden until it has been verified.
fn held(target: Output, verify: bool) -> (Output, Option<Kept>) {
    if !verify {
        return (target, None);
    }
    let (target, kept) = hold(target);
    (target, Some(kept))
}

/// Plans a copy; the options use the names of `named`, which has the same ids as the dataset.
fn plan(cli: &Cli, kind: Option<Kind>, (set, named): (Dataset<'_>, &Schema)) -> Result<copy::Plan> {
    let (reader, env) = (set.reader, set.env);
    let fixed = cloud::fixed(cli.storage.cloud, set)?;
    let options = options::resolve(cli, kind, (named, fixed), &env.notes)?;
    let kind = options.kind.unwrap_or(reader.schema().kind);
    for what in options::without_effect(cli, kind) {
        env.notes.say(Note {
            object: what.to_owned(),
            what: "no effect on classic output".to_owned(),
            remedy: Some("use -k nc4 for netCDF-4 output".to_owned()),
        });
    }
    if options::pages_without_effect(cli, kind) {
        env.notes.say(Note {
            object: "--cloud=paged".to_owned(),
            what: "no effect on Zarr output".to_owned(),
            remedy: Some("use -k nc4 for netCDF-4 output".to_owned()),
        });
    }
    let mut plan = copy::plan(reader.schema(), &options)?;
    plan.notes.drain(..).for_each(|note| env.notes.say(note));
    let remarks = plan.remarks.drain(..);
    remarks.for_each(|remark| env.notes.remark(remark));
    copy::plan::keep_fill_values(set, &mut plan)?;
    copy::plan::size_strings(set, &mut plan)?;
    Ok(plan)
}
