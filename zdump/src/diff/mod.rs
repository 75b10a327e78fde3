//! `diff`: the differences between two stores of any layout and version.
//!
//! | module | content |
//! |---|---|
//! | `nodes` | groups and arrays by path |
//! | `meta` | the metadata of two arrays |
//! | `attributes` | attributes by value |
//! | `data` | array values by region |
//! | `tally` | the result of a value comparison |
//! | `finder` | located and cached chunks |
//! | `raw` | keys and bytes |
//! | `report` | text and JSON lines |

mod attributes;
mod data;
mod finder;
mod meta;
mod nodes;
mod raw;
mod report;
mod tally;
#[cfg(test)]
mod tests;

use std::path::Path;

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::json::Json;
use netcdf_core::shown::ShownAddress;
use netcdf_core::tool::Io;

use crate::cli::DiffArgs;
use crate::out::CommandOut;
use crate::session::Session;
use crate::verdict::Verdict;
use netcdf_core::format::zarr::survey::{StoreSurvey, no_store};
use report::DiffReport;

/// Runs the command.
///
/// # Errors
/// Returns errors of the stores.
pub(crate) fn run(args: &DiffArgs, session: &Session, io: &mut Io) -> Result<Verdict> {
    let stdin = Path::new("-");
    if args.a == stdin && args.b == stdin {
        let what = "only one of the stores can be standard input";
        return Err(Error::new(ErrorKind::Argument, what));
    }
    let a = session.store(&args.a, io)?;
    let b = session.store(&args.b, io)?;
    let mut out = CommandOut::new(session.json, io, ("diff", a.name()))?;
    if out.json {
        let other = ShownAddress::new(b.name());
        out.record("other", [("store", Json::text(other.text()))])?;
    }
    let mut report = DiffReport::new(out);
    if args.raw {
        raw::compare((&a, &b), &session.env, &mut report)?;
    } else {
        let surveys = (
            StoreSurvey::read(&a, &session.env)?,
            StoreSurvey::read(&b, &session.env)?,
        );
        for (survey, store) in [(&surveys.0, &a), (&surveys.1, &b)] {
            if !survey.is_store() {
                return Err(no_store(store).with_remedy("--raw compares any keys"));
            }
        }
        nodes::compare(
            (&a, &surveys.0),
            (&b, &surveys.1),
            (&session.env, &mut report),
        )?;
    }
    report.end()
}
