//! `--diff`: the differences between two datasets.
//!
//! | module | content |
//! |---|---|
//! | `choice` | the compared objects |
//! | `value` | values as text |
//! | `text` | findings as lines |
//! | `json` | findings as JSON |

mod choice;
mod json;
mod text;
mod value;

use netcdf_core::chunk::view::SubsetReader;
use netcdf_core::chunk::{Dataset, ReadCache, Reader};
use netcdf_core::diff::{self, Compared, DatasetSide, Difference, ObjectKind};
use netcdf_core::env::Env;
use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::notes::Note;
use netcdf_core::shown::ShownAddress;
use netcdf_core::tool::{self, Io, Status};

use crate::request::{DiffRequest, NAME};
use crate::session::{environment, open, part, say};
use choice::DiffChoice;

/// Runs a comparison. Returns success without differences, failure with differences, and the misuse status after an error.
pub(crate) fn run(request: &DiffRequest, io: &mut Io) -> Status {
    let mut env = environment(&request.process, true);
    (env.raw_types, env.exact_null) = (true, true);
    let mut outcome = DiffOutcome::default();
    let done = compare(request, (&env, &mut outcome), io);
    let strict = env.notes.check();
    tool::tell(NAME, &env.notes, io);
    outcome.errors.extend(env.damage.take());
    outcome.errors = crate::filters::grouped(outcome.errors);
    let printed = match (&done, request.json) {
        (Ok(()), true) => say(io, &json::document(request, &outcome)),
        (Ok(()) | Err(_), _) => Ok(()),
    };
    request.process.network.tell(NAME, io);
    for e in &outcome.errors {
        tool::report(NAME, e, io);
    }
    match done.and(printed) {
        Err(e) => failed(&e, &env, io),
        Ok(()) if strict.is_err() || !outcome.errors.is_empty() => Status::Usage,
        Ok(()) if outcome.differ => Status::Failure,
        Ok(()) => Status::Success,
    }
}

/// The result of a comparison.
#[derive(Default)]
struct DiffOutcome {
    differ: bool,
    /// The findings, if they are printed as a whole.
    findings: Vec<netcdf_core::json::Json>,
    /// The reasons why some values could not be compared.
    errors: Vec<Error>,
}

/// Reports an error that ended the comparison. Returns the exit status.
fn failed(e: &Error, env: &Env, io: &mut Io) -> Status {
    if let Some(status) = tool::cancelled(&env.cancel) {
        return status;
    }
    if e.is_broken_pipe() {
        // Comparisons only write differences.
        return Status::Failure;
    }
    tool::report(NAME, e, io);
    Status::Usage
}

fn compare(
    request: &DiffRequest,
    (env, outcome): (&Env, &mut DiffOutcome),
    io: &mut Io,
) -> Result<()> {
    tool::catch_limits()?;
    let [a, b] = &request.inputs;
    let process = &request.process;
    let (a, _) = open((a, request.join.as_ref()), process, env, io)?;
    let (b, _) = open((b, None), process, env, io)?;
    let whole = [ReadCache::new(env), ReadCache::new(env)];
    let parts = [
        part(&request.parts, Dataset::new(&*a, env), &whole[0])?,
        part(&request.parts, Dataset::new(&*b, env), &whole[1])?,
    ];
    let caches = [ReadCache::new(env), ReadCache::new(env)];
    let [x, y] = [
        selected(&*a, parts[0].as_ref()),
        selected(&*b, parts[1].as_ref()),
    ];
    let names = request
        .inputs
        .each_ref()
        .map(|path| ShownAddress::of(path).into_text());
    let sides = [
        Compared {
            set: Dataset::new(x, env).with(&caches[0]),
            name: Some(&names[0]),
        },
        Compared {
            set: Dataset::new(y, env).with(&caches[1]),
            name: Some(&names[1]),
        },
    ];
    let choice = DiffChoice::new(request, [x.schema(), y.schema()])?;
    outcome.errors.extend(skipped(env, &choice));
    let takes = |candidate: &diff::IgnoreCandidate<'_>| choice.takes(candidate);
    let options = diff::DiffOptions {
        tolerance: request.tolerance,
        layout: request.layout,
        values: request.values,
        takes: &takes,
    };
    let shown = value::ValueForms::new([x.schema(), y.schema()], &env.notes);
    let mut visit = |difference: Difference| {
        outcome.differ = true;
        match request.json {
            true => outcome.findings.push(json::finding(&shown, &difference)),
            false => say(io, &text::line(&shown, &difference))?,
        }
        Ok(())
    };
    let errors = diff::diff(sides, &options, &mut visit)?;
    outcome.errors.extend(errors);
    Ok(())
}

/// Returns an error about skipped objects, which are not compared.
fn skipped(env: &Env, choice: &DiffChoice<'_>) -> Option<Error> {
    let taken = |note: &Note| {
        let (path, attribute) = match note.object.rsplit_once(':') {
            Some((path, name)) => (path, Some(name)),
            None => (&*note.object, None),
        };
        let kind = match attribute {
            Some(_) => ObjectKind::Attribute,
            None => ObjectKind::Variable,
        };
        DatasetSide::BOTH.into_iter().any(|side| {
            choice.takes(&diff::IgnoreCandidate {
                side,
                kind,
                path,
                attribute,
            })
        })
    };
    let count = env
        .notes
        .skipped()
        .iter()
        .filter(|note| taken(note))
        .count();
    let what = match count {
        0 => return None,
        1 => "1 skipped object was not compared".to_owned(),
        n => format!("{n} skipped objects were not compared"),
    };
    let error = Error::new(ErrorKind::Unsupported, what);
    Some(error.with_remedy("--ignore excludes objects by name"))
}

/// Returns the selected part of a dataset, or the whole dataset.
fn selected<'a>(whole: &'a dyn Reader, part: Option<&'a SubsetReader<'a>>) -> &'a dyn Reader {
    match part {
        Some(part) => part,
        None => whole,
    }
}
