//! `codecs`: the codecs of each array in the order of writing, and whether they are available here.

mod step;
#[cfg(test)]
mod tests;

use netcdf_core::error::Result;
use netcdf_core::json::Json;
use netcdf_core::tool::Io;

use crate::cli::CodecsArgs;
use crate::out::{Colour, CommandOut, plain};
use crate::session::Session;
use crate::table::TextTable;
use crate::verdict::Verdict;
use netcdf_core::format::zarr::survey::{Node, NodeContent};

use step::CodecStep;

/// Heads of the columns.
const HEAD: [&str; 7] = [
    "array",
    "step",
    "version 2",
    "version 3",
    "HDF5",
    "state",
    "parameters",
];

/// Prints the codecs.
///
/// # Errors
/// Returns errors of the store, and [`netcdf_core::ErrorKind::UnknownFormat`] for an input that is not a store.
pub(crate) fn run(args: &CodecsArgs, session: &Session, io: &mut Io) -> Result<Verdict> {
    let store = session.store(&args.store.store, io)?;
    let survey = session.survey(&store)?;
    let mut arrays = vec![];
    let mut missing = false;
    for node in &survey.nodes {
        let (mut steps, problem) = match &node.what {
            NodeContent::Group | NodeContent::Nothing => continue,
            NodeContent::Broken(why) => (vec![], Some(why.as_str())),
            NodeContent::Array(array) => (
                step::steps(array, &session.env),
                array.described.problem.as_deref(),
            ),
        };
        missing |= steps.iter().any(CodecStep::is_missing);
        if args.missing {
            steps.retain(CodecStep::is_missing);
        }
        if !args.missing || !steps.is_empty() {
            arrays.push((node, steps, problem.filter(|_| !args.missing)));
        }
    }
    let mut out = CommandOut::new(session.json, io, ("codecs", store.name()))?;
    match out.json {
        true => arrays
            .iter()
            .try_for_each(|(node, steps, problem)| record(node, steps, *problem, &mut out))?,
        false if arrays.is_empty() => out.line(match args.missing {
            true => "no codec is missing",
            false => "there are no arrays",
        })?,
        false => show(&arrays, &mut out)?,
    }
    out.end()?;
    Ok(match args.missing && missing {
        true => Verdict::Problems,
        false => Verdict::Sound,
    })
}

/// Prints the table, and each message about a missing or wrong codec once.
fn show(arrays: &[(&Node, Vec<CodecStep>, Option<&str>)], out: &mut CommandOut<'_>) -> Result<()> {
    let mut table = TextTable::default();
    table.row(HEAD.map(str::to_owned));
    let mut messages: Vec<String> = vec![];
    for (node, steps, problem) in arrays {
        let mut name = node.shown();
        for step in steps {
            let mut row = vec![std::mem::take(&mut name)];
            row.extend(step.cells().map(|cell| plain(&cell)));
            table.row(row);
            if let Some(text) = step.state.message().map(plain)
                && !messages.contains(&text)
            {
                messages.push(text);
            }
        }
        if let Some(problem) = problem {
            let text = format!("cannot be decoded: {}", plain(problem));
            table.row([std::mem::take(&mut name), text]);
        } else if steps.is_empty() {
            table.row([name, "no codecs".to_owned()]);
        }
    }
    for (n, line) in table.lines().iter().enumerate() {
        let line = match n {
            0 => out.paint(Colour::Bold, line),
            _ => line.clone(),
        };
        out.line(&line)?;
    }
    if !messages.is_empty() {
        out.line("")?;
    }
    messages
        .iter()
        .try_for_each(|text| out.line(&out.paint(Colour::Red, text)))
}

fn record(
    node: &Node,
    steps: &[CodecStep],
    problem: Option<&str>,
    out: &mut CommandOut<'_>,
) -> Result<()> {
    let path = Json::text(&format!("/{}", node.path));
    for (n, step) in steps.iter().enumerate() {
        let head = [("path", path.clone()), ("step", Json::int(n))];
        out.record("codec", head.into_iter().chain(step.members()))?;
    }
    match problem {
        None => Ok(()),
        Some(problem) => out.record(
            "problem",
            [("path", path), ("problem", Json::text(problem))],
        ),
    }
}
