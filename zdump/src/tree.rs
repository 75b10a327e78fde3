//! `tree`: groups and arrays with their shapes, chunks, types and codecs, and how much of them is stored.

use std::sync::Arc;

use netcdf_core::error::Result;
use netcdf_core::format::zarr::raw::RawArray;
use netcdf_core::io::Store;
use netcdf_core::json::Json;
use netcdf_core::model::ZarrVersion;
use netcdf_core::model::region::product;
use netcdf_core::notes::Note;

use crate::array::Opened;
use crate::cli::TreeArgs;
use crate::open::Session;
use crate::out::{Colour, Out, maybe, numbers, plain};
use crate::table::{Table, ratio, shape, size};
use crate::words;
use netcdf_core::format::zarr::survey::{Node, Role, Survey, What, no_store, split};

/// How much of an array is stored.
#[derive(Debug, Clone, Copy)]
struct StoredPart {
    keys: u64,
    bytes: u64,
    /// Elements of the array in these chunks; `None` if there are too many.
    elements: Option<u64>,
}

impl StoredPart {
    /// Nothing yet.
    const NOTHING: Self = Self {
        keys: 0,
        bytes: 0,
        elements: Some(0),
    };

    /// Adds a chunk or shard.
    fn add(&mut self, bytes: u64, elements: Option<u64>) {
        self.keys += 1;
        self.bytes = self.bytes.saturating_add(bytes);
        let sum = self.elements.zip(elements);
        self.elements = sum.and_then(|(sum, more)| sum.checked_add(more));
    }

    /// Bytes of the stored elements; `None` for texts of variable length.
    fn raw(&self, array: &RawArray) -> Option<u64> {
        array.raw_bytes()?;
        self.elements?.checked_mul(array.described.stored.size()?)
    }
}

/// Prints the tree.
///
/// # Errors
/// Errors of the store; [`netcdf_core::ErrorKind::UnknownFormat`] for anything that is not a store.
pub(crate) fn show(
    args: &TreeArgs,
    store: &Arc<dyn Store>,
    session: &Session,
    out: &mut Out<'_>,
) -> Result<()> {
    let survey = Survey::read(store, &session.env)?;
    if !survey.is_store() {
        return Err(no_store(store));
    }
    if survey.consolidated_only {
        session.env.notes.say(Note {
            object: store.name().to_string(),
            what: "some groups or arrays are known only from consolidated metadata".to_owned(),
            remedy: None,
        });
    }
    let mut stored = vec![StoredPart::NOTHING; survey.nodes.len()];
    survey.each((store, &session.env), &mut |_, bytes, role| {
        if let Role::Chunk(node, place) | Role::Shard(node, place) = role
            && let Some(stored) = stored.get_mut(node)
        {
            let array = survey.nodes.get(node).and_then(Node::array);
            stored.add(bytes, array.and_then(|array| array.elements_at(&place)));
        }
        Ok(())
    })?;
    let deepest = args.depth.unwrap_or(usize::MAX);
    let nodes = survey.nodes.iter().zip(&stored);
    let nodes: Vec<_> = nodes.filter(|(node, _)| node.depth() <= deepest).collect();
    if out.json {
        return nodes.into_iter().try_for_each(|(node, stored)| {
            let opened = Opened::new(store, &session.env, node);
            let fill = opened.and_then(|opened| opened.fill_text());
            out.record(record_name(node), members(node, *stored, fill.as_deref()))
        });
    }
    let mut table = Table::default();
    for (node, stored) in nodes {
        table.row(cells(node, *stored));
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
    Ok(())
}

fn record_name(node: &Node) -> &'static str {
    match node.what {
        What::Group => "group",
        What::Array(_) => "array",
        What::Broken(_) => "broken",
        What::Nothing => "nothing",
    }
}

/// A row of the table.
fn cells(node: &Node, stored: StoredPart) -> Vec<String> {
    let (_, name) = split(&node.path);
    let name = match node.path.as_str() {
        "" => "/".to_owned(),
        _ => format!("{}{}", "  ".repeat(node.depth()), plain(name)),
    };
    let what = match &node.what {
        What::Group => vec!["group".to_owned()],
        What::Broken(why) => vec![format!("broken: {}", plain(why))],
        What::Nothing => vec!["neither a group nor an array".to_owned()],
        What::Array(array) => array_cells(node, array, stored),
    };
    [name].into_iter().chain(what).collect()
}

fn array_cells(node: &Node, array: &RawArray, stored: StoredPart) -> Vec<String> {
    let expected = product(&array.key_grid());
    let expected = expected.map_or_else(|| "?".to_owned(), |n| n.to_string());
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
        format!("{}/{expected} {word}", stored.keys),
        format!(
            "{} of {}",
            size(stored.bytes),
            array.raw_bytes().map_or("?".to_owned(), size)
        ),
        ratio(stored.raw(array), stored.bytes),
    ]
}

/// The codecs, in the order of writing.
fn codecs(array: &RawArray) -> String {
    let names = words::codecs(array);
    match names.is_empty() {
        true => "-".to_owned(),
        false => names.join(" | "),
    }
}

fn members(node: &Node, stored: StoredPart, fill: Option<&str>) -> Vec<(&'static str, Json)> {
    let version = node.version.map_or(Json::Null, |version| match version {
        ZarrVersion::V2 => Json::int(2),
        ZarrVersion::V3 => Json::int(3),
    });
    let mut members = vec![
        ("path", Json::text(&format!("/{}", node.path))),
        ("version", version),
    ];
    match &node.what {
        What::Group | What::Nothing => {}
        What::Broken(why) => members.push(("problem", Json::text(why))),
        What::Array(array) => members.extend(array_members(node, array, (stored, fill))),
    }
    members
}

fn array_members(
    node: &Node,
    array: &RawArray,
    (stored, fill): (StoredPart, Option<&str>),
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
        ("present", Json::int(stored.keys)),
        ("expected", maybe(product(&array.key_grid()))),
        ("stored_bytes", Json::int(stored.bytes)),
        ("raw_bytes", maybe(array.raw_bytes())),
        ("problem", problem.map_or(Json::Null, Json::text)),
    ]
}
