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
use netcdf_core::model::Schema;
use netcdf_core::shown::{ShownAddress, ShownText};
use netcdf_core::survey::{DatasetSize, LayoutClass, RuleSet, size, survey};
use netcdf_core::tool::{self, Io, Status};

use crate::file_series::{FileSeries, Heading};
use crate::request::{JOINED, LayoutRequest, NAME};
use crate::session::{access, environment, open, say};
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
    if request.join.is_some() {
        return look_at_join(request, env, heading, io);
    }
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
    let listing = Listing {
        request,
        path,
        schema: reader.schema(),
        env,
    };
    listing.print(&found, heading, io)?;
    Ok(match request.rules {
        Some(rules) => judge(path, &found, (rules, &*reader), io),
        None => Status::Success,
    })
}

/// Prints the layout of the variables of a joined dataset.
fn look_at_join(
    request: &LayoutRequest,
    env: &Env,
    heading: &Heading,
    io: &mut Io,
) -> Result<Status> {
    let joined = (Path::new(JOINED), request.join.as_ref());
    let (reader, resource) = open(joined, &request.process, env, io)?;
    let find = || -> Result<DatasetLayout> {
        let chosen = request.select.chosen(reader.schema())?;
        let mut survey = survey(Dataset::new(&*reader, env), DatasetSize::default())?;
        let assembled = survey.vars.iter_mut();
        for var in assembled.filter(|var| reader.assembles(var.var)) {
            (var.form, var.chunks) = (LayoutClass::Virtual, None);
        }
        Ok(DatasetLayout::joined(survey, chosen))
    };
    let found = find().map_err(|e| e.of(&resource))?;
    let listing = Listing {
        request,
        path: Path::new(JOINED),
        schema: reader.schema(),
        env,
    };
    listing.print(&found, heading, io)?;
    Ok(Status::Success)
}

/// The listing of a dataset.
struct Listing<'a> {
    request: &'a LayoutRequest,
    path: &'a Path,
    schema: &'a Schema,
    env: &'a Env,
}

impl Listing<'_> {
    /// Prints the listing if it is requested.
    fn print(&self, found: &DatasetLayout, heading: &Heading, io: &mut Io) -> Result<()> {
        let Self {
            request,
            path,
            schema,
            env,
        } = self;
        if !request.listing {
            return Ok(());
        }
        let text = match request.json {
            true => json::document(path, found, schema, env)?,
            false => heading.block() + &text::listing(path, found, schema, env),
        };
        match say(io, &text) {
            // EPIPE on standard output: the status still reports violations.
            Err(e) if e.is_broken_pipe() && request.rules.is_some() => Ok(()),
            said => said,
        }
    }
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
