//! Checks that each key belongs to a node and is where readers look for it.

use std::collections::BTreeMap;

use netcdf_core::error::Result;
use netcdf_core::format::zarr::Dtype;
use netcdf_core::format::zarr::raw::RawArray;
use netcdf_core::io::invalid_entries::EntryDefect;
use netcdf_core::io::patched_store::is_hidden;

use super::arrays::ArrayTable;
use super::context::CheckedStore;
use super::report::{CheckReport, Finding};
use super::rule::Rule;
use super::text::counted;
use crate::stat::SizeStats;
use netcdf_core::format::zarr::survey::{Node, NodeContent, Role, join, split};

/// Maximum bytes of a key in S3.
const KEY: usize = 1024;
/// Maximum bytes of a name in most file systems.
const PART: usize = 255;

/// The stored amount of each array, by node number.
pub(super) type StoredAmounts = BTreeMap<usize, SizeStats>;

/// Checks all keys. Returns the stored amount of each array.
///
/// # Errors
/// Returns errors of the store.
pub(super) fn check(arrays: &ArrayTable<'_>, report: &mut CheckReport) -> Result<StoredAmounts> {
    let checked = arrays.checked;
    let mut stored = StoredAmounts::new();
    for key in &checked.survey.unreadable {
        if let Err(e) = checked.store.size(key) {
            let node = nearest(checked, key).0;
            report.add(node, Finding::new(Rule::KeyUnreadable, key, e.what()));
        }
    }
    checked
        .survey
        .each((checked.store, checked.env), &mut |key, size, role| {
            report.counts.keys += 1;
            long(checked, key, report);
            match role {
                Role::Metadata => {}
                Role::Chunk(n, _) | Role::Shard(n, _) => {
                    report.counts.chunks += 1;
                    stored.entry(n).or_default().add(size);
                    if let Some((path, array)) = arrays.get(n) {
                        self::size(path, array, (key, size), report);
                    }
                }
                Role::Other(_) => other(checked, key, report),
            }
            Ok(())
        })?;
    invalid_entries(checked, report)?;
    Ok(stored)
}

/// Reports entries that are not keys, or not unique keys.
fn invalid_entries(checked: CheckedStore<'_>, report: &mut CheckReport) -> Result<()> {
    for entry in checked.store.invalid_entries(true)? {
        let rule = match entry.defect {
            EntryDefect::NoKey => Rule::KeyIllegal,
            EntryDefect::Twice => Rule::KeyTwice,
            EntryDefect::OtherName => Rule::KeyNamed,
        };
        report.add("", Finding::new(rule, entry.name, entry.defect.text()));
    }
    Ok(())
}

/// Reports keys that some stores cannot contain.
fn long(checked: CheckedStore<'_>, key: &str, report: &mut CheckReport) {
    let part = key.split('/').map(str::len).max().unwrap_or_default();
    let what = match (key.len(), part) {
        (KEY.., _) if key.len() > KEY => format!("a key of {} bytes", key.len()),
        (_, PART..) if part > PART => format!("a key with a part of {part} bytes"),
        _ => return,
    };
    let node = nearest(checked, key).0;
    report.add(node, Finding::new(Rule::KeyLong, key, what));
}

/// Checks the size of a chunk that no codec changes.
fn size(path: &str, array: &RawArray, (key, size): (&str, u64), report: &mut CheckReport) {
    let described = &array.described;
    let plain = array.layout.filters.is_empty()
        && described.shards.is_empty()
        && described.problem.is_none();
    let Some(expected) = array.chunk_bytes().filter(|_| plain) else {
        return;
    };
    if size != expected {
        let what = format!("the chunk has {size} bytes, its elements need {expected}");
        report.add(path, Finding::new(Rule::ChunkSize, key, what));
    }
}

/// Returns the path of the deepest node above a key, and the node. Returns the root if there is none.
fn nearest<'a>(checked: CheckedStore<'a>, key: &str) -> (&'a str, Option<&'a Node>) {
    let mut path = key;
    while !path.is_empty() {
        path = split(path).0;
        if let Some(node) = checked.survey.node(path) {
            return (&node.path, Some(node));
        }
    }
    ("", None)
}

/// Reports a key that is neither metadata nor a chunk that readers look for.
fn other(checked: CheckedStore<'_>, key: &str, report: &mut CheckReport) {
    let (path, node) = nearest(checked, key);
    let rest = key.get(path.len()..).unwrap_or(key).trim_start_matches('/');
    match node.map(|node| &node.what) {
        // The valid keys below a broken node are unknown.
        Some(NodeContent::Broken(_)) => {}
        Some(NodeContent::Array(array)) if unclear(array) => {}
        Some(NodeContent::Array(array)) => {
            if let Some(finding) = below_array(array, key, rest) {
                report.add(path, finding);
            }
        }
        Some(NodeContent::Group | NodeContent::Nothing) | None => {
            let (array, chunk) = chunk_like(rest);
            let finding = match chunk.is_empty() {
                true => Finding::new(Rule::OrphanKey, key, "it belongs to no array or group"),
                false => {
                    let array = join(path, array);
                    let what = format!("it looks like a chunk of /{array}, which is not an array");
                    Finding::new(Rule::OrphanChunk, key, what)
                }
            };
            report.add(path, finding);
        }
    }
}

/// Checks whether the array's metadata has unknown parts, so that its real grid may differ.
fn unclear(array: &RawArray) -> bool {
    let described = &array.described;
    let known = !matches!(described.stored.dtype, Dtype::Unknown(..));
    let codecs = array.layout.filters.len() < described.filters.len();
    described.problem.is_some() && known && !codecs
}

/// Splits a key into an array path and a part in chunk key form: `a/b` and `c/0/1`, `0.1`.
fn chunk_like(rest: &str) -> (&str, &str) {
    let number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let dotted = |part: &str| {
        let part = part.strip_prefix("c.").unwrap_or(part);
        part.split('.').all(number)
    };
    let mut at = rest.len();
    while at > 0 {
        let (above, part) = split(rest.get(..at).unwrap_or_default());
        if part != "c" && !dotted(part) {
            break;
        }
        at = above.len();
        if part == "c" {
            break;
        }
    }
    let chunk = rest.get(at..).unwrap_or_default().trim_start_matches('/');
    (rest.get(..at).unwrap_or_default(), chunk)
}

/// Returns the finding about a key below an array that is not a chunk.
fn below_array(array: &RawArray, key: &str, rest: &str) -> Option<Finding> {
    let (above, chunk) = chunk_like(rest);
    if is_hidden(rest) {
        let what = "it belongs to an unfinished change in place";
        return Some(Finding::new(Rule::ChangeUnfinished, key, what));
    }
    if chunk.is_empty() || !above.is_empty() {
        let what = "it is not a chunk of the array above it";
        return Some(Finding::new(Rule::OrphanKey, key, what));
    }
    let digits = chunk.strip_prefix('c').unwrap_or(chunk);
    let parts: Vec<&str> = digits.split(['/', '.']).filter(|p| !p.is_empty()).collect();
    let grid = array.key_grid();
    if parts.len() != grid.len() {
        let numbers = counted(parts.len() as u64, "number");
        let rank = counted(grid.len() as u64, "dimension");
        let what = format!("the chunk key has {numbers}, the array has {rank}");
        return Some(Finding::new(Rule::ChunkKey, key, what));
    }
    let place: Option<Vec<u64>> = parts.iter().map(|part| part.parse().ok()).collect();
    if let Some(usual) = place
        .map(|place| array.key(&place))
        .filter(|usual| usual != rest)
    {
        let zeros = parts
            .iter()
            .any(|part| part.len() > 1 && part.starts_with('0'));
        let why = if zeros {
            "leading zeros"
        } else {
            "another form"
        };
        let what = format!("a chunk key with {why}: readers look for {usual}");
        return Some(Finding::new(Rule::ChunkKey, key, what));
    }
    let shape = &array.described.shape;
    let what = outside((shape, &grid), &parts)?;
    Some(Finding::new(Rule::ChunkOutside, key, what))
}

/// Returns the finding that a chunk lies outside the grid in some dimension. Returns `None` for grids with more than 2^64 chunks.
fn outside((shape, grid): (&[u64], &[u64]), parts: &[&str]) -> Option<String> {
    let cells = parts.iter().zip(shape.iter().zip(grid)).enumerate();
    let mut outside = cells.filter(|(_, (part, (_, cells)))| {
        let at: Result<u64, _> = part.parse();
        at.is_err() || at.is_ok_and(|at| at >= **cells)
    });
    let (n, (part, (len, cells))) = outside.next()?;
    let end = if *cells == 1 { "" } else { "s" };
    Some(format!(
        "chunk {part} of dimension {n}, which has {cells} chunk{end} for a length of {len}"
    ))
}
