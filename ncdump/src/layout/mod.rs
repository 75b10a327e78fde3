//! `--layout` and `--require`: storage layout of datasets, and rule violations.
//!
//! | module | content |
//! |---|---|
//! | `dataset_layout` | surveyed layout and rule violations |
//! | `text` | the listing as a table |
//! | `json` | the listing as JSON |
//! | `correction` | the `nccopy` command that corrects violations |

mod correction;
mod dataset_layout;
mod json;
mod text;

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use netcdf_core::chunk::{Dataset, Reader};
use netcdf_core::env::Env;
use netcdf_core::error::{Error, Result};
use netcdf_core::format;
use netcdf_core::io::locator::Location;
use netcdf_core::io::request_counter::RequestCounter;
use netcdf_core::shown::{ShownAddress, ShownText};
use netcdf_core::survey::{RuleSet, size, survey};
use netcdf_core::tool::{self, Io, Status};

use crate::file_series::{FileSeries, Heading};
use crate::request::{LayoutRequest, NAME};
use crate::session::{access, environment, say};
use dataset_layout::DatasetLayout;

/// Prints the layout of datasets, and violations of the required rules. Returns failure for a violation, and the status of misuse for
/// an error.
pub(crate) fn run(request: &LayoutRequest, io: &mut Io) -> Status {
    let mut files = FileSeries::new(&request.inputs);
    let mut env = environment(&request.process, false);
    env.survey = true;
    if let Err(e) = tool::catch_limits() {
        return failed(&e, &env, io);
    }
    for input in &request.inputs {
        let heading = files.heading(input);
        let done = look((request, input), &env, &heading, io);
        let strict = env.notes.check();
        heading.tell(&env, io);
        let status = match done.as_ref().map(|&status| strict.map(|()| status)) {
            Ok(Ok(status)) => status,
            Ok(Err(e)) => failed(&e, &env, io),
            Err(e) => failed(e, &env, io),
        };
        if files.count(&done, status) {
            break;
        }
    }
    request.process.network.tell(NAME, io);
    files.worst()
}

/// Returns the status after an error.
fn failed(e: &Error, env: &Env, io: &mut Io) -> Status {
    if let Some(status) = tool::cancelled(&env.cancel) {
        return status;
    }
    if e.is_broken_pipe() {
        return Status::Success;
    }
    tool::report(NAME, e, io);
    Status::Usage
}

fn look(
    (request, path): (&LayoutRequest, &Path),
    env: &Env,
    heading: &Heading,
    io: &mut Io,
) -> Result<Status> {
    let access = access(&request.process, env);
    let input = access.input(&Location::new(path)?, &mut *io.stdin)?;
    let resource = Arc::clone(input.name());
    let size = size(&input)?;
    let (counted, counter) = RequestCounter::of(input);
    let reader = format::open(counted, env)?;
    let opening = counter.stop();
    let find = || -> Result<DatasetLayout> {
        let chosen = request.select.chosen(reader.schema())?;
        let survey = survey(Dataset::new(&*reader, env), size)?;
        Ok(DatasetLayout::new(survey, reader.schema(), chosen, opening))
    };
    let found = find().map_err(|e| e.of(&resource))?;
    if request.listing {
        let text = match request.json {
            true => json::document(path, &found, reader.schema(), env)?,
            false => heading.block() + &text::listing(path, &found, reader.schema(), env),
        };
        match say(io, &text) {
            // EPIPE on standard output: the status still reports violations.
            Err(e) if e.is_broken_pipe() && request.rules.is_some() => {}
            said => said?,
        }
    }
    Ok(match request.rules {
        Some(rules) => judge(path, &found, (rules, &*reader), io),
        None => Status::Success,
    })
}

/// Prints the rule violations of a dataset.
fn judge(
    path: &Path,
    found: &DatasetLayout,
    (rules, reader): (RuleSet, &dyn Reader),
    io: &mut Io,
) -> Status {
    let missed = found.missed(rules);
    for shortcoming in missed {
        let file = ShownAddress::of(path).into_text();
        let reason = dataset_layout::reason(reader.schema(), shortcoming);
        let line = format!("{NAME}: {file}: {reason}");
        // If standard error is closed, the status still reports violations.
        let _ = writeln!(io.stderr, "{}", ShownText::new(&line));
    }
    match missed.is_empty() {
        true => Status::Success,
        false => Status::Failure,
    }
}
