//! `stat`: chunk sizes and compression ratios of each array.

mod sizes;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use netcdf_core::error::Result;
use netcdf_core::format::zarr::raw::RawArray;
use netcdf_core::io::Store;
use netcdf_core::json::Json;
use netcdf_core::model::region::product;
use netcdf_core::shown::number_agreement;
use netcdf_core::tool::Io;

use crate::cli::StoreArgs;
use crate::out::{Colour, CommandOut, maybe, object, plain};
use crate::session::Session;
use crate::table::{count, ratio, shape, size};
use crate::verdict::Verdict;
use crate::words::dtype;
use netcdf_core::format::zarr::survey::{Node, NodeContent, Role, StoreSurvey};

pub(crate) use sizes::SizeStats;

/// All keys of a store except chunks.
#[derive(Debug, Default)]
pub(crate) struct OtherKeys {
    metadata: SizeStats,
    other: SizeStats,
}

/// Prints the sizes.
///
/// # Errors
/// Returns errors of the store, and [`netcdf_core::ErrorKind::UnknownFormat`] for an input that is not a store.
pub(crate) fn run(args: &StoreArgs, session: &Session, io: &mut Io) -> Result<Verdict> {
    let store = session.store(&args.store, io)?;
    let survey = session.survey(&store)?;
    let (of, rest) = sizes(&survey, (&store, session))?;
    let mut out = CommandOut::new(session.json, io, ("stat", store.name()))?;
    for (node, sizes) in survey.nodes.iter().zip(&of) {
        match &node.what {
            NodeContent::Group | NodeContent::Nothing => {}
            NodeContent::Broken(why) => broken(node, why, &mut out)?,
            NodeContent::Array(array) if out.json => {
                out.record("array", members(node, array, sizes))?
            }
            NodeContent::Array(array) => show(node, (array, sizes), &mut out)?,
        }
    }
    let mut all = SizeStats::default();
    of.iter().for_each(|sizes| all.join(sizes));
    match out.json {
        true => out.record("total", totals(&all, &rest))?,
        false => out.line(&total(&all, &rest))?,
    }
    out.end()?;
    Ok(Verdict::Sound)
}

/// Returns the chunk sizes of each node, and the sizes of all other keys of a store.
///
/// # Errors
/// Returns errors of the store.
pub(crate) fn sizes(
    survey: &StoreSurvey,
    (store, session): (&Arc<dyn Store>, &Session),
) -> Result<(Vec<SizeStats>, OtherKeys)> {
    let mut of = vec![SizeStats::default(); survey.nodes.len()];
    let mut rest = OtherKeys::default();
    survey.each((store, &session.env), &mut |_, bytes, role| {
        match role {
            Role::Metadata => rest.metadata.add(bytes),
            Role::Other(_) => rest.other.add(bytes),
            Role::Chunk(node, place) | Role::Shard(node, place) => {
                let array = survey.nodes.get(node).and_then(Node::array);
                let elements = array.and_then(|array| array.elements_at(&place));
                if let Some(sizes) = of.get_mut(node) {
                    sizes.add_chunk(bytes, elements);
                }
            }
        }
        Ok(())
    })?;
    Ok((of, rest))
}

/// Prints the lines about an array.
fn show(
    node: &Node,
    (array, sizes): (&RawArray, &SizeStats),
    out: &mut CommandOut<'_>,
) -> Result<()> {
    let described = &array.described;
    let head = format!(
        "{}  {}  {}",
        node.shown(),
        shape(&described.shape),
        dtype(array)
    );
    out.line(&out.paint(Colour::Bold, &head))?;
    let expected = count(product(&array.key_grid()));
    let raw = raw_of(array, sizes.elements);
    let words = word(array);
    out.line(&format!(
        "  {} of {expected} {words}s, {} of {}, ratio {}",
        sizes.count,
        size(sizes.bytes),
        raw.map_or_else(|| "?".to_owned(), size),
        ratio(raw, sizes.bytes)
    ))?;
    if let (Some(least), Some(mean), Some(most)) = (sizes.least, sizes.mean(), sizes.most) {
        out.line(&match least == most {
            true => format!("  a {words} has {}", size(least)),
            false => {
                let [least, mean, most] = [least, mean, most].map(size);
                format!("  a {words} has {least} to {most}, {mean} on average")
            }
        })?;
    }
    sizes
        .bars(out.fancy)
        .iter()
        .try_for_each(|line| out.line(&format!("  {line}")))
}

/// Prints a broken array node. The keys of the array are unknown.
fn broken(node: &Node, why: &str, out: &mut CommandOut<'_>) -> Result<()> {
    if out.json {
        let path = Json::text(&format!("/{}", node.path));
        return out.record("broken", [("path", path), ("problem", Json::text(why))]);
    }
    let text = format!("{}  broken: {}", node.shown(), plain(why));
    out.line(&out.paint(Colour::Red, &text))
}

fn word(array: &RawArray) -> &'static str {
    match array.described.shards.is_empty() {
        true => "chunk",
        false => "shard",
    }
}

/// Returns the bytes of this number of elements, or `None` for variable-length texts.
pub(crate) fn raw_of(array: &RawArray, elements: Option<u64>) -> Option<u64> {
    array.raw_bytes()?;
    elements?.checked_mul(array.described.stored.size()?)
}

fn total(all: &SizeStats, rest: &OtherKeys) -> String {
    let other = match rest.other.count {
        0 => String::new(),
        n => format!("; {n} other keys, {}", size(rest.other.bytes)),
    };
    let text = format!(
        "in all {} {}, {}; {} keys of metadata, {}{other}",
        all.count,
        if all.count == 1 {
            "chunk or shard"
        } else {
            "chunks and shards"
        },
        size(all.bytes),
        rest.metadata.count,
        size(rest.metadata.bytes)
    );
    number_agreement(text.into()).into_owned()
}

fn members(node: &Node, array: &RawArray, sizes: &SizeStats) -> Vec<(&'static str, Json)> {
    let raw = raw_of(array, sizes.elements);
    let bins = sizes.bins().map(|(from, to, count)| {
        let members = [("from", from), ("to", to), ("count", count)];
        object(members.map(|(name, n)| (name, Json::int(n))))
    });
    vec![
        ("path", Json::text(&format!("/{}", node.path))),
        ("unit", Json::text(word(array))),
        ("present", Json::int(sizes.count)),
        ("expected", maybe(product(&array.key_grid()))),
        ("stored_bytes", Json::int(sizes.bytes)),
        ("raw_bytes", maybe(raw)),
        ("least", maybe(sizes.least)),
        ("mean", maybe(sizes.mean())),
        ("most", maybe(sizes.most)),
        ("bins", Json::Array(bins.collect())),
    ]
}

fn totals(all: &SizeStats, rest: &OtherKeys) -> Vec<(&'static str, Json)> {
    vec![
        ("present", Json::int(all.count)),
        ("stored_bytes", Json::int(all.bytes)),
        ("metadata_keys", Json::int(rest.metadata.count)),
        ("metadata_bytes", Json::int(rest.metadata.bytes)),
        ("other_keys", Json::int(rest.other.count)),
        ("other_bytes", Json::int(rest.other.bytes)),
    ]
}
