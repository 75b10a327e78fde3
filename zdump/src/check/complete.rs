//! Missing chunks: missing keys of the grid, and missing entries in shard indexes. Memory grows with the stored keys, not with the grid.

use std::collections::BTreeMap;

use netcdf_core::error::Result;
use netcdf_core::format::zarr::raw::RawArray;
use netcdf_core::model::region::product;

use super::arrays::ArrayTable;
use super::reading::{KeyReading, KeyToRead};
use super::report::{CheckReport, Finding, MOST};
use super::rule::Rule;
use super::text::counted;
use crate::array::place;
use netcdf_core::format::zarr::survey::{Role, join};

/// Maximum chunks of a shard that are named.
const NAMED: u64 = 5;

/// Looks for missing chunks of all arrays.
///
/// # Errors
/// Returns errors of the store.
pub(super) fn check(arrays: &ArrayTable<'_>, report: &mut CheckReport) -> Result<()> {
    let checked = arrays.checked;
    let nodes = checked.survey.nodes.iter().enumerate();
    let known = nodes.filter(|(_, node)| node.array().is_some());
    let mut stored: BTreeMap<usize, Vec<u64>> = known.map(|(n, _)| (n, vec![])).collect();
    checked
        .survey
        .each((checked.store, checked.env), &mut |key, size, role| {
            let (Role::Chunk(node, place) | Role::Shard(node, place)) = role else {
                return Ok(());
            };
            let Some((path, array)) = arrays.get(node) else {
                return Ok(());
            };
            let index = number(&place, &array.key_grid());
            stored.entry(node).or_default().extend(index);
            let job = KeyToRead {
                node,
                key: key.to_owned(),
                size,
                place,
            };
            if let Some(finding) = within(array, KeyReading::new(checked, &job)) {
                report.add(path, finding);
            }
            Ok(())
        })?;
    for (n, keys) in stored {
        if let Some((path, array)) = arrays.get(n) {
            missing((path, array), keys, report);
        }
    }
    Ok(())
}

/// Returns the number of a cell in a grid.
fn number(place: &[u64], grid: &[u64]) -> Option<u64> {
    let mut parts = place.iter().zip(grid);
    parts.try_fold(0u64, |n, (at, len)| n.checked_mul(*len)?.checked_add(*at))
}

/// Returns the numbers below `all` that are not in a list: at most the first `most`, and the total count.
fn absent(mut present: Vec<u64>, all: u64, most: u64) -> (Vec<u64>, u64) {
    present.sort_unstable();
    present.dedup();
    let count = all.saturating_sub(present.len() as u64);
    let mut first = vec![];
    let mut from = 0u64;
    for next in present.into_iter().chain([all]) {
        let room = most.saturating_sub(first.len() as u64);
        first.extend(from..next.min(from.saturating_add(room)));
        from = next.saturating_add(1);
    }
    (first, count)
}

/// Reports the missing keys of an array.
fn missing((path, array): (&str, &RawArray), keys: Vec<u64>, report: &mut CheckReport) {
    let grid = array.key_grid();
    let (named, count) = absent(keys, product(&grid).unwrap_or(u64::MAX), MOST);
    for n in &named {
        let key = join(path, &array.key(&place(*n, &grid)));
        report.add(path, Finding::new(Rule::ChunkMissing, key, what(array)));
    }
    let more = count.saturating_sub(named.len() as u64);
    if more > 0 {
        report.count(path, Rule::ChunkMissing, more);
    }
}

fn what(array: &RawArray) -> &'static str {
    match array.described.shards.is_empty() {
        true => "the chunk is missing",
        false => "the shard is missing",
    }
}

/// Reports the chunks in the array that a shard lacks. A damaged index is a separate finding.
fn within(array: &RawArray, mut read: KeyReading<'_>) -> Option<Finding> {
    if array.described.shards.is_empty() || array.described.problem.is_some() {
        return None;
    }
    read.unwrap_whole(array).ok()?;
    let at = &read.job.place;
    let parts = array.parts(at, read.size(), &mut |range| read.range(range));
    let lengths = array.described.shape.iter().zip(&array.described.chunk);
    let grid: Vec<u64> = lengths
        .map(|(len, chunk)| len.div_ceil((*chunk).max(1)))
        .collect();
    let per = array.outer().iter().zip(&array.described.chunk);
    let per: Vec<u64> = per.map(|(outer, chunk)| outer / (*chunk).max(1)).collect();
    let starts: Vec<u64> = at
        .iter()
        .zip(&per)
        .map(|(a, n)| a.saturating_mul(*n))
        .collect();
    let cells = starts.iter().zip(&per).zip(&grid);
    let cells: Vec<u64> = cells
        .map(|((start, n), end)| end.saturating_sub(*start).min(*n))
        .collect();
    let mut found: Vec<u64> = vec![];
    for part in parts.ok()? {
        let within = part.place.iter().zip(&starts).zip(&cells);
        let within: Option<Vec<u64>> = within
            .map(|((at, start), n)| at.checked_sub(*start).filter(|at| at < n))
            .collect();
        found.extend(within.and_then(|within| number(&within, &cells)));
    }
    let all = product(&cells)?;
    let (named, count) = absent(found, all, NAMED);
    if count == 0 {
        return None;
    }
    let more = if count > named.len() as u64 {
        " …"
    } else {
        ""
    };
    let named: Vec<_> = named
        .into_iter()
        .map(|n| {
            let place = place(n, &cells).into_iter().zip(&starts);
            let numbers: Vec<_> = place.map(|(at, start)| (at + start).to_string()).collect();
            format!("({})", numbers.join(", "))
        })
        .collect();
    let chunks = counted(count, "chunk");
    let verb = if count == 1 { "is" } else { "are" };
    let what = format!(
        "{chunks} of {all} {verb} missing in the shard: {}{more}",
        named.join(" ")
    );
    Some(read.finding(Rule::ChunkMissing, what))
}
