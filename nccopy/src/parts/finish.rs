//! `--finish`: joins the parts.

use netcdf_core::copy::parts;
use netcdf_core::error::{Error, ErrorKind, Result, list_names};
use netcdf_core::tool::{self, Bar, Idle, Io, Status};

use super::folder::{Folder, StoredPlan};
use super::plan::one_copy;
use crate::cli::Cli;
use crate::{environment, ready};

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
        let open = |part: u64| folder.segment(part);
        ready.written(&cli, &copy, |set, plan, writer| {
            parts::join(set, plan, (&division, &open), writer)
        })
    });
    drop(bar);
    if !cli.quiet {
        tool::tell("nccopy", &env.notes, io);
    }
    joined.map(|_| Status::Success)
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
