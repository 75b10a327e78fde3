//! `tree`: groups and arrays with shapes, chunks, types, codecs and stored sizes.

use netcdf_core::error::Result;
use netcdf_core::format::zarr::raw::RawArray;
use netcdf_core::json::Json;
use netcdf_core::model::region::product;
use netcdf_core::notes::Note;
use netcdf_core::tool::Io;

use crate::array::OpenArray;
use crate::cli::TreeArgs;
use crate::out::{Colour, CommandOut, maybe, numbers, plain};
use crate::session::Session;
use crate::stat::{self, SizeStats, raw_of};
use crate::table::{TextTable, count, ratio, shape, size};
use crate::verdict::Verdict;
use crate::words;
use netcdf_core::format::zarr::survey::{Node, NodeContent, split};

/// Prints the tree.
///
/// # Errors
/// Returns errors of the store, and [`netcdf_core::ErrorKind::UnknownFormat`] for an input that is not a store.
pub(crate) fn run(args: &TreeArgs, session: &Session, io: &mut Io) -> Result<Verdict> {
    let store = session.store(&args.store.store, io)?;
    let survey = session.survey(&store)?;
    if survey.consolidated_only {
        session.env.notes.say(Note {
            object: store.name().to_string(),
            what: "some groups or arrays are known only from consolidated metadata".to_owned(),
            remedy: None,
        });
    }
    let (stored, _) = stat::sizes(&survey, (&store, session))?;
    let deepest = args.depth.unwrap_or(usize::MAX);
    let nodes = survey.nodes.iter().zip(&stored);
    let nodes: Vec<_> = nodes.filter(|(node, _)| node.depth() <= deepest).collect();
    let mut out = CommandOut::new(session.json, io, ("tree", store.name()))?;
    let mut table = TextTable::default();
    for (node, stored) in nodes {
        if !out.json {
            table.row(cells(node, stored));
            continue;
        }
        let opened = OpenArray::new(&store, &session.env, node);
        let fill = opened.and_then(|opened| opened.fill_text());
        out.record(record_name(node), members(node, stored, fill.as_deref()))?;
    }
    for line in table.lines() {
        let group = line.trim_end().ends_with("group");
        let line = if group {
            out.paint(Colour::Bold, &line)
        } else {
            line
        };
        out.line(&line)?;
    }
    out.end()?;
    Ok(Verdict::Sound)
}

fn record_name(node: &Node) -> &'static str {
    match node.what {
        NodeContent::Group => "group",
        NodeContent::Array(_) => "array",
        NodeContent::Broken(_) => "broken",
        NodeContent::Nothing => "nothing",
    }
}

/// Returns a row of the table.
fn cells(node: &Node, stored: &SizeStats) -> Vec<String> {
    let (_, name) = split(&node.path);
    let name = match node.path.as_str() {
        "" => "/".to_owned(),
        _ => format!("{}{}", "  ".repeat(node.depth()), plain(name)),
    };
    let what = match &node.what {
        NodeContent::Group => vec!["group".to_owned()],
        NodeContent::Broken(why) => vec![format!("broken: {}", plain(why))],
        NodeContent::Nothing => vec!["neither a group nor an array".to_owned()],
        NodeContent::Array(array) => array_cells(node, array, stored),
    };
    [name].into_iter().chain(what).collect()
}

fn array_cells(node: &Node, array: &RawArray, stored: &SizeStats) -> Vec<String> {
    let expected = count(product(&array.key_grid()));
    let described = &array.described;
    let (word, chunks) = match described.shards.first() {
        None => ("chunks", shape(&described.chunk)),
        Some(shard) => (
            "shards",
            format!("{} in {}", shape(&described.chunk), shape(&shard.shape)),
        ),
    };
    vec![
        shape(&described.shape),
        words::dimension_list(node, array),
        format!("({chunks})"),
        words::dtype(array),
        codecs(array),
        format!("{}/{expected} {word}", stored.count),
        format!(
            "{} of {}",
            size(stored.bytes),
            array.raw_bytes().map_or("?".to_owned(), size)
        ),
        ratio(raw_of(array, stored.elements), stored.bytes),
    ]
}

/// Returns the codecs in the order of writing.
fn codecs(array: &RawArray) -> String {
    let names = words::codecs(array);
    match names.is_empty() {
        true => "-".to_owned(),
        false => names.join(" | "),
    }
}

fn members(node: &Node, stored: &SizeStats, fill: Option<&str>) -> Vec<(&'static str, Json)> {
    let version = node.version.map(words::version_number);
    let mut members = vec![
        ("path", Json::text(&format!("/{}", node.path))),
        ("version", version.map_or(Json::Null, Json::int)),
    ];
    match &node.what {
        NodeContent::Group | NodeContent::Nothing => {}
        NodeContent::Broken(why) => members.push(("problem", Json::text(why))),
        NodeContent::Array(array) => members.extend(array_members(node, array, (stored, fill))),
    }
    members
}

fn array_members(
    node: &Node,
    array: &RawArray,
    (stored, fill): (&SizeStats, Option<&str>),
) -> Vec<(&'static str, Json)> {
    let described = &array.described;
    let shard = described.shards.first();
    let problem = described.problem.as_deref();
    let codecs = described.codecs.as_ref();
    vec![
        ("shape", numbers(&described.shape)),
        (
            "dimensions",
            words::dimensions(node, array).unwrap_or(Json::Null),
        ),
        ("chunk", numbers(&described.chunk)),
        ("shard", shard.map_or(Json::Null, |s| numbers(&s.shape))),
        ("dtype", array.ty.clone()),
        ("fill", fill.map_or(Json::Null, Json::text)),
        ("codecs", codecs.cloned().unwrap_or(Json::Array(vec![]))),
        ("present", Json::int(stored.count)),
        ("expected", maybe(product(&array.key_grid()))),
        ("stored_bytes", Json::int(stored.bytes)),
        ("raw_bytes", maybe(array.raw_bytes())),
        ("problem", problem.map_or(Json::Null, Json::text)),
    ]
}
