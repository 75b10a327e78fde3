//! `check`: what is wrong in a store. `docs/zdump.md` has the table of the rules.
//!
//! | module | what it checks |
//! |---|---|
//! | `objects`, `strict` | metadata as text: JSON that all readers accept |
//! | `metadata`, `v2`, `v3`, `members` | members of metadata: present, possible, of consistent rank |
//! | `structure` | groups above everything, one version, names |
//! | `dimensions`, `nczarr` | names and lengths of dimensions, netCDF's lists |
//! | `consolidated` | consolidated metadata compared with the objects |
//! | `keys` | keys of chunks, sizes of uncoded chunks, keys that belong to nothing |
//! | `chunks`, `shards`, `reading`, `decode` | indexes of shards, decoding of chunks |
//! | `complete` | chunks that are missing |
//! | `rule`, `report` | the rules; the findings |

mod arrays;
mod chunks;
mod complete;
mod consolidated;
mod context;
mod decode;
mod dimensions;
mod keys;
mod members;
mod metadata;
mod nczarr;
mod objects;
mod reading;
mod report;
mod rule;
mod shards;
mod strict;
mod structure;
#[cfg(test)]
mod tests;
mod text;
mod v2;
mod v3;

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::json::Json;
use netcdf_core::tool::{self, Bar, Idle, Io};

use self::arrays::ArrayTable;
use self::context::CheckedStore;
use self::report::CheckReport;
use crate::cli::CheckArgs;
use crate::cli::NAME;
use crate::open::Session;
use crate::out::CommandOut;
use crate::verdict::Verdict;
use netcdf_core::format::zarr::survey::{StoreSurvey, no_store};

/// Runs the command.
///
/// # Errors
/// Errors of opening and of the store.
pub(crate) fn run(args: &CheckArgs, session: &Session, io: &mut Io) -> Result<Verdict> {
    let store = match session.store(&args.store.store, io) {
        Ok(store) => store,
        Err(e) if e.kind() == ErrorKind::UnknownFormat => {
            return none(session, (&args.store.store.to_string_lossy(), &e), io);
        }
        Err(e) => return Err(e),
    };
    let env = &session.env;
    let survey = StoreSurvey::read(&store, env)?;
    if !survey.is_store() {
        return none(session, (store.name(), &no_store(&store)), io);
    }
    let show = args.deep && io.terminal && !args.quiet;
    let bar = Bar::over(vec![args.store.store.clone()], show);
    bar.begin(0, env.progress.clone());
    if show {
        // There is nothing to undo, but the bar must not be left behind.
        tool::catch_signals(&env.cancel, &Idle::new(true.into()), &bar.line())?;
    }
    let (store, survey) = (&store, &survey);
    let checked = CheckedStore { store, survey, env };
    let report = look(checked, (args.deep, args.complete))?;
    drop(bar);
    let verdict = match report.has_errors() {
        true => Verdict::Problems,
        false => Verdict::Sound,
    };
    let mut out = CommandOut::new(session.json, io, ("check", store.name()))?;
    report.print(&mut out)?;
    out.end()?;
    Ok(verdict)
}

/// Reports that something is not a store.
fn none(session: &Session, (name, e): (&str, &Error), io: &mut Io) -> Result<Verdict> {
    if session.json {
        let mut out = CommandOut::new(true, io, ("check", name))?;
        out.record("summary", [("verdict", Json::text("no store"))])?;
        out.end()?;
    }
    tool::report(NAME, e, io);
    Ok(Verdict::NoStore)
}

/// All checks.
///
/// # Errors
/// Errors of the store.
fn look(checked: CheckedStore<'_>, (deep, complete): (bool, bool)) -> Result<CheckReport> {
    let mut report = CheckReport::default();
    objects::check(checked, &mut report)?;
    metadata::check(checked, &mut report);
    structure::check(checked, &mut report);
    dimensions::check(checked, &mut report);
    nczarr::check(checked, &mut report);
    consolidated::check(checked, &mut report);
    let arrays = ArrayTable::of(checked);
    let nodes = &checked.survey.nodes;
    report.counts.arrays = nodes.iter().filter(|n| n.array().is_some()).count() as u64;
    let stored = keys::check(&arrays, &mut report)?;
    chunks::check(&arrays, &stored, deep, &mut report)?;
    if complete {
        complete::check(&arrays, &mut report)?;
    }
    Ok(report)
}
