//! `tree`: groups and arrays with their shapes, chunks, types and codecs, and what is stored of them.

use std::sync::Arc;

use netcdf_core::env::Note;
use netcdf_core::error::Result;
use netcdf_core::filter::Table as Filters;
use netcdf_core::format::zarr::raw::RawArray;
use netcdf_core::io::Store;
use netcdf_core::json::Json;
use netcdf_core::model::ZarrVersion;
use netcdf_core::model::region::product;

use crate::cli::TreeArgs;
use crate::open::Session;
use crate::out::{Colour, Out, maybe, numbers, plain};
use crate::table::{Table, ratio, shape, size};
use netcdf_core::format::zarr::survey::{Node, Role, Survey, What, no_store, split};

/// What is stored of an array.
#[derive(Debug, Default, Clone, Copy)]
struct Stored {
    keys: u64,
    bytes: u64,
}

/// Prints the tree.
///
/// # Errors
/// Those of the store; [`netcdf_core::ErrorKind::UnknownFormat`] for what is no store.
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
            what: "groups or arrays are known by consolidated metadata only".to_owned(),
            remedy: None,
        });
    }
    let mut stored = vec![Stored::default(); survey.nodes.len()];
    survey.each((store, &session.env), &mut |_, bytes, role| {
        if let Role::Chunk(node, _) | Role::Shard(node, _) = role
            && let Some(stored) = stored.get_mut(node)
        {
            stored.keys += 1;
            stored.bytes = stored.bytes.saturating_add(bytes);
        }
        Ok(())
    })?;
    let deepest = args.depth.unwrap_or(usize::MAX);
    let nodes = survey.nodes.iter().zip(&stored);
    let nodes: Vec<_> = nodes.filter(|(node, _)| node.depth() <= deepest).collect();
    if out.json {
        return nodes.into_iter().try_for_each(|(node, stored)| {
            out.record(
                record_name(node),
                members(node, *stored, &session.env.filters),
            )
        });
    }
    let mut table = Table::default();
    for (node, stored) in nodes {
        table.row(cells(node, *stored, &session.env.filters));
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

/// A line of the table.
fn cells(node: &Node, stored: Stored, filters: &Filters) -> Vec<String> {
    let (_, name) = split(&node.path);
    let name = match node.path.as_str() {
        "" => "/".to_owned(),
        _ => format!("{}{}", "  ".repeat(node.depth()), plain(name)),
    };
    let what = match &node.what {
        What::Group => vec!["group".to_owned()],
        What::Broken(why) => vec![format!("broken: {}", plain(why))],
        What::Nothing => vec!["no group and no array".to_owned()],
        What::Array(array) => array_cells(array, stored, filters),
    };
    [name].into_iter().chain(what).collect()
}

fn array_cells(array: &RawArray, stored: Stored, filters: &Filters) -> Vec<String> {
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
        format!("({chunks})"),
        plain(&described.stored.spelling()),
        codecs(array, filters),
        format!("{}/{expected} {word}", stored.keys),
        format!(
            "{} of {}",
            size(stored.bytes),
            array.raw_bytes().map_or("?".to_owned(), size)
        ),
        ratio(raw_of(array, stored), stored.bytes),
    ]
}

/// Bytes of the elements of the chunks that are stored, so that the ratio is that of compression.
fn raw_of(array: &RawArray, stored: Stored) -> Option<u64> {
    let per_key = product(array.outer())?.checked_mul(array.described.stored.size()?)?;
    array.raw_bytes()?;
    per_key.checked_mul(stored.keys)
}

/// The names of the codecs, in the order of writing.
fn codecs(array: &RawArray, filters: &Filters) -> String {
    let names = array.layout.filters.iter().map(|filter| {
        let label = filters.label(filter);
        label.name.unwrap_or_else(|| filter.id.to_string())
    });
    let names: Vec<_> = names.map(|name| plain(&name)).collect();
    match names.is_empty() {
        true => "-".to_owned(),
        false => names.join("|"),
    }
}

fn members(node: &Node, stored: Stored, filters: &Filters) -> Vec<(&'static str, Json)> {
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
        What::Array(array) => members.extend(array_members(array, stored, filters)),
    }
    members
}

fn array_members(array: &RawArray, stored: Stored, filters: &Filters) -> Vec<(&'static str, Json)> {
    let described = &array.described;
    let shard = described.shards.first();
    let problem = described.problem.as_deref();
    vec![
        ("shape", numbers(&described.shape)),
        ("chunk", numbers(&described.chunk)),
        ("shard", shard.map_or(Json::Null, |s| numbers(&s.shape))),
        ("dtype", Json::text(&described.stored.spelling())),
        ("codecs", Json::text(&codecs(array, filters))),
        ("present", Json::int(stored.keys)),
        ("expected", maybe(product(&array.key_grid()))),
        ("stored_bytes", Json::int(stored.bytes)),
        ("raw_bytes", maybe(array.raw_bytes())),
        ("problem", problem.map_or(Json::Null, Json::text)),
    ]
}
