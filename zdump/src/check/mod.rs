//! `check`: finds errors in a store. `docs/zdump.md` has the table of the rules.
//!
//! | module | content |
//! |---|---|
//! | `objects`, `strict` | metadata as text: JSON that all readers accept |
//! | `metadata`, `v2`, `v3`, `members` | metadata members: presence, validity, consistent rank |
//! | `structure` | parent groups, versions, names |
//! | `dimensions`, `nczarr` | dimension names and lengths, netCDF's lists |
//! | `consolidated` | consolidated metadata compared with the objects |
//! | `keys` | chunk keys, sizes of chunks without codecs, orphaned keys |
//! | `chunks`, `shards`, `reading`, `decode` | shard indexes, decoding of chunks |
//! | `complete` | missing chunks |
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
use crate::out::CommandOut;
use crate::session::Session;
use crate::verdict::Verdict;
use netcdf_core::format::zarr::survey::{StoreSurvey, no_store};

/// Runs the command.
///
/// # Errors
/// Returns errors of opening and of the store.
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
        // A check changes no files, but a signal must remove the progress bar.
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

/// Reports that an input is not a store.
fn none(session: &Session, (name, e): (&str, &Error), io: &mut Io) -> Result<Verdict> {
    if session.json {
        let mut out = CommandOut::new(true, io, ("check", name))?;
        out.record("summary", [("verdict", Json::text("no store"))])?;
        out.end()?;
    }
    tool::report(NAME, e, io);
    Ok(Verdict::NoStore)
}

/// Runs all checks.
///
/// # Errors
/// Returns errors of the store.
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
