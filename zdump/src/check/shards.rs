//! Checks of shards: indexes and chunks.

use std::ops::Range;

use netcdf_core::error::{ErrorKind, Result};
use netcdf_core::format::zarr::raw::{KeyPart, RawArray};

use super::reading::{ChunkWork, KeyReading};
use super::report::Finding;
use super::rule::Rule;

/// Returns the findings about a shard, and the number of decoded chunks.
///
/// # Errors
/// Returns [`ErrorKind::Cancelled`].
pub(super) fn check(work: &ChunkWork<'_>, read: &KeyReading<'_>) -> Result<(Vec<Finding>, u64)> {
    let job = read.job;
    let parts = work
        .array
        .parts(&job.place, read.size(), &mut |range| read.range(range));
    let parts = match parts {
        Ok(parts) => parts,
        Err(e) if e.kind() == ErrorKind::Io => return Ok((vec![read.unreadable(&e)], 0)),
        Err(e) => return Ok((vec![read.finding(Rule::ShardIndex, e.what())], 0)),
    };
    let mut findings = overlaps(work.array, &parts, read);
    let mut decoded = 0;
    for part in &parts {
        let Some(decoder) = &work.decoder else { break };
        decoded += 1;
        let problem = match read.range(part.range.clone()) {
            Err(e) => Some((Rule::KeyUnreadable, e.what().to_string())),
            Ok(bytes) => decoder.problem(bytes),
        };
        if let Some((rule, what)) = problem {
            let what = format!("chunk ({}) in the shard: {what}", place(part));
            findings.push(read.finding(rule, what));
        }
    }
    Ok((findings, decoded))
}

/// Finds chunks that overlap each other or the index.
fn overlaps(array: &RawArray, parts: &[KeyPart], read: &KeyReading<'_>) -> Vec<Finding> {
    let mut findings = vec![];
    let mut sorted: Vec<&KeyPart> = parts.iter().filter(|p| !p.range.is_empty()).collect();
    sorted.sort_by_key(|part| (part.range.start, part.range.end));
    for pair in sorted.windows(2) {
        if let [one, other] = pair
            && other.range.start < one.range.end
        {
            let (one, other) = (place(one), place(other));
            let what = format!("the chunks ({one}) and ({other}) share bytes");
            findings.push(read.finding(Rule::ShardIndex, what));
        }
    }
    let Some(index) = index(array, read.size()) else {
        return findings;
    };
    let within = |p: &&&KeyPart| p.range.start < index.end && p.range.end > index.start;
    if let Some(part) = sorted.iter().find(within) {
        let what = format!("the chunk ({}) overlaps the index", place(part));
        findings.push(read.finding(Rule::ShardIndex, what));
    }
    findings
}

/// Returns the range of the index in a shard with this number of bytes.
fn index(array: &RawArray, size: u64) -> Option<Range<u64>> {
    let shards = &array.described.shards;
    let inner = shards.get(1).map_or(&array.described.chunk, |s| &s.shape);
    let shard = shards.first()?;
    shard.index_range(&shard.cells(inner), &(0..size)).ok()
}

/// Formats chunk coordinates as `1, 0`.
fn place(part: &KeyPart) -> String {
    let numbers: Vec<_> = part.place.iter().map(u64::to_string).collect();
    numbers.join(", ")
}
