//! Missing chunks: keys of the grid that do not exist, and chunks that are not in the index of a shard. Memory grows with the
//! stored keys, not with the grid.

use std::collections::BTreeMap;
use std::ops::Range;

use netcdf_core::error::Result;
use netcdf_core::format::zarr::raw::RawArray;
use netcdf_core::model::region::product;

use super::arrays::Arrays;
use super::chunks::{KeyToRead, Reading};
use super::context::{Checked, counted};
use super::report::{Finding, MOST, Report};
use super::rule::Rule;
use netcdf_core::format::zarr::survey::{Role, join};

/// Most chunks of a shard that are named.
const NAMED: usize = 5;

/// Looks for missing chunks of all arrays.
///
/// # Errors
/// Errors of the store.
pub(super) fn check(checked: Checked<'_>, arrays: &Arrays<'_>, report: &mut Report) -> Result<()> {
    let mut stored: BTreeMap<usize, Vec<u64>> = BTreeMap::new();
    let nodes = checked.survey.nodes.iter().enumerate();
    let known = nodes.filter(|(_, node)| node.array().is_some());
    stored.extend(known.map(|(n, _)| (n, vec![])));
    checked
        .survey
        .each((checked.store, checked.env), &mut |key, size, role| {
            let (node, place) = match role {
                Role::Chunk(node, place) | Role::Shard(node, place) => (node, place),
                Role::Metadata | Role::Other(_) => return Ok(()),
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
            if let Some(finding) = within(array, Reading::new(checked, &job)) {
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

/// The number of a place in a grid.
fn number(place: &[u64], grid: &[u64]) -> Option<u64> {
    let mut parts = place.iter().zip(grid);
    parts.try_fold(0u64, |n, (at, len)| n.checked_mul(*len)?.checked_add(*at))
}

/// Reports the missing keys of an array.
fn missing((path, array): (&str, &RawArray), mut keys: Vec<u64>, report: &mut Report) {
    let grid = array.key_grid();
    let all = product(&grid).unwrap_or(u64::MAX);
    keys.sort_unstable();
    keys.dedup();
    let mut left = all.saturating_sub(keys.len() as u64);
    let mut named = 0;
    let mut from = 0;
    for next in keys.into_iter().chain([all]) {
        for n in gap(from..next, MOST.saturating_sub(named)) {
            let key = join(path, &array.key(&place(n, &grid)));
            report.add(path, Finding::new(Rule::ChunkMissing, key, what(array)));
            named += 1;
            left = left.saturating_sub(1);
        }
        from = next.saturating_add(1);
    }
    if left > 0 {
        report.add_more(path, Rule::ChunkMissing, left);
    }
}

/// The first numbers of a gap.
fn gap(gap: Range<u64>, most: u64) -> Range<u64> {
    gap.start..gap.end.min(gap.start.saturating_add(most)).max(gap.start)
}

fn what(array: &RawArray) -> &'static str {
    match array.described.shards.is_empty() {
        true => "the chunk is missing",
        false => "the shard is missing",
    }
}

/// The place of a number in a grid.
fn place(mut n: u64, grid: &[u64]) -> Vec<u64> {
    let mut place: Vec<u64> = grid
        .iter()
        .rev()
        .map(|len| {
            let at = n.checked_rem(*len).unwrap_or(0);
            n = n.checked_div(*len).unwrap_or(0);
            at
        })
        .collect();
    place.reverse();
    place
}

/// Reports the chunks within the array that a shard does not have. A damaged index is another finding.
fn within(array: &RawArray, mut read: Reading<'_>) -> Option<Finding> {
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
    found.sort_unstable();
    found.dedup();
    let count = all.saturating_sub(found.len() as u64);
    if count == 0 {
        return None;
    }
    let mut named = vec![];
    let mut from = 0;
    for next in found.into_iter().chain([all]) {
        let room = NAMED.saturating_sub(named.len()) as u64;
        named.extend(gap(from..next, room).map(|n| {
            let place = place(n, &cells);
            let place = place.iter().zip(&starts);
            let numbers: Vec<_> = place.map(|(at, start)| (at + start).to_string()).collect();
            format!("({})", numbers.join(", "))
        }));
        from = next.saturating_add(1);
    }
    let more = if count > named.len() as u64 {
        " …"
    } else {
        ""
    };
    let chunks = counted(usize::try_from(count).unwrap_or(usize::MAX), "chunk");
    let verb = if count == 1 { "is" } else { "are" };
    let what = format!(
        "{chunks} of {all} {verb} missing in the shard: {}{more}",
        named.join(" ")
    );
    Some(read.finding(Rule::ChunkMissing, what))
}
