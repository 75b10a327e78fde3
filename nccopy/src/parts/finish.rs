//! `--finish`: joins the parts.

use std::path::Path;

use netcdf_core::copy::Report;
use netcdf_core::copy::parts::{self, Division};
use netcdf_core::error::{Error, ErrorKind, Result, list_names};
use netcdf_core::format::zarr::survey;
use netcdf_core::io::Output;
use netcdf_core::io::dir::Replace;
use netcdf_core::io::dir::shared::SharedTarget;
use netcdf_core::tool::{self, Bar, Idle, Io, Status};

use super::folder::{Folder, StoredPlan};
use super::plan::one_copy;
use crate::cli::Cli;
use crate::environment;
use crate::inputs::Copy;
use crate::ready::{self, Ready};

/// Checks that all parts are done and whole, and makes the output from them.
///
/// # Errors
/// [`ErrorKind::NotFound`] for parts that are not done; those of joining them.
pub fn run(cli: &Cli, folder: &Folder, io: &mut Io) -> Result<Status> {
    let plan = folder.plan()?;
    check(folder, &plan)?;
    let verify = cli.verify;
    let mut cli = plan.command_line(cli)?;
    cli.verify |= verify;
    let copy = one_copy(&cli)?;
    let mut env = environment(&cli);
    env.scratch = copy.output.scratch();
    tool::catch_limits()?;
    let idle = Idle::default();
    let bar = Bar::over(vec![copy.local.clone()], io.terminal && !cli.quiet);
    tool::catch_signals(&env.cancel, &idle, &bar.line())?;
    env.siblings.outputs.add(&copy.output.path);
    let joined = ready::with(&cli, (&copy, &idle), &env, io, |ready, _| {
        bar.begin(0, env.progress.clone());
        let mut sketch = parts::sketch(ready.plan.schema.clone(), ready.create, &env)?;
        let division = plan.division(&ready, &mut *sketch)?;
        let divided = (&division, folder, &plan);
        match &plan.record.store {
            Some(store) => together(&cli, (ready, &copy), divided, store),
            None => joined(&cli, (ready, &copy), (&division, folder)),
        }
    });
    drop(bar);
    if !cli.quiet {
        tool::tell("nccopy", &env.notes, io);
    }
    joined.map(|_| Status::Success)
}

/// Makes the output from the segments of the parts.
fn joined(
    cli: &Cli,
    (ready, copy): (Ready<'_>, &Copy),
    (division, folder): (&Division, &Folder),
) -> Result<Report> {
    let open = |part: u64| folder.segment(part);
    let target = ready.target(cli)?;
    ready.written(cli, (copy, target), |set, plan, writer| {
        parts::join(set, plan, (division, &open), writer)
    })
}

/// Finishes the store that the parts wrote together.
fn together(
    cli: &Cli,
    (ready, copy): (Ready<'_>, &Copy),
    (division, folder, plan): (&Division, &Folder, &StoredPlan),
    store: &Path,
) -> Result<Report> {
    let (target, _) = SharedTarget::create(store, !cli.no_sync, &ready.set.env.cancel)?;
    let replace = Replace {
        foreign: survey::foreign,
        overwrite: ready.output.overwrite,
    };
    let target = Output::Store(Box::new(target.becoming(&ready.output.path, replace)?));
    let done = (0..plan.record.parts).map(|part| folder.done(part));
    let chunks = done.flat_map(|done| match done {
        Ok(done) => done
            .map_or_else(Vec::new, |done| done.chunks)
            .into_iter()
            .map(Ok)
            .collect(),
        Err(e) => vec![Err(e)],
    });
    ready.written(cli, (copy, target), |set, plan, writer| {
        parts::complete(set, plan, (division, chunks), writer)
    })
}

/// Checks that all parts are done and whole.
fn check(folder: &Folder, plan: &StoredPlan) -> Result<()> {
    let mut missing = vec![];
    for part in 0..plan.record.parts {
        if !folder.is_whole(part, plan)? {
            missing.push(part.to_string());
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    let (some, all) = (missing.len(), plan.record.parts);
    let names = list_names(&missing);
    let what = format!("{some} of {all} parts are not done: {names}");
    let e = Error::new(ErrorKind::NotFound, what).of(&folder.path().to_string_lossy());
    let remedy = format!(
        "make them, as in: nccopy --part {} FOLDER",
        missing.first().map_or("K", String::as_str)
    );
    Err(e.with_remedy(remedy))
}
