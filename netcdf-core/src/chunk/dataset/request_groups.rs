//! Groups of chunks for common requests.

use std::ops::Range;

use super::Dataset;
use crate::arithmetic::{Amount, length};
use crate::chunk::layout::ChunkRef;
use crate::io::merge::{CoalesceLimits, merge};
use crate::runtime::WorkItem;

impl Dataset<'_> {
    /// Splits chunks into groups of consecutive chunks. One request fetches a group of close chunks in a file. The number
    /// of groups is at least the number of concurrent requests, unless transferring a group takes less time than a round trip. A chunk
    /// takes `bytes` of memory, and a group at most its share. Without latency, each chunk is a group.
    pub(super) fn request_groups(
        &self,
        chunks: &[ChunkRef],
        bytes: impl Fn(&ChunkRef) -> u64,
    ) -> Vec<Range<usize>> {
        let runtime = self.runtime();
        let Some(requests) = runtime.requests() else {
            return (0..chunks.len()).map(|n| n..n + 1).collect();
        };
        let stored = chunks.iter().map(|chunk| Amount::of(length(&chunk.range)));
        let share = stored.sum::<Amount>() / requests as u64;
        let memory = runtime.memory() / requests as u64;
        let holders = self.reader.bytes();
        let mut groups = Vec::new();
        let mut first = 0;
        for same in chunks.chunk_by(|a, b| holders.coalesce_limits(a, b).is_some()) {
            let limits = match same {
                [a, b, ..] => holders.coalesce_limits(a, b).unwrap_or_default(),
                _ => CoalesceLimits::default(),
            };
            let limits = CoalesceLimits {
                max_len: (share + limits.max_gap).get().min(limits.max_len),
                ..limits
            };
            let ranges: Vec<_> = same.iter().map(|chunk| chunk.range.clone()).collect();
            for read in merge(&ranges, limits) {
                let members = same.get(read.members.clone()).unwrap_or_default();
                let start = first + read.members.start;
                groups.extend(
                    within(members, memory, &bytes).map(|n| start + n.start..start + n.end),
                );
            }
            first += same.len();
        }
        groups
    }

    /// Returns the groups of [`Dataset::request_groups`] as work items.
    pub(super) fn in_groups<F: Fn(&ChunkRef) -> u64>(
        &self,
        chunks: Vec<ChunkRef>,
        bytes: F,
    ) -> impl Iterator<Item = WorkItem<Vec<ChunkRef>>> + use<F> {
        let groups = self.request_groups(&chunks, &bytes).into_iter();
        let mut chunks = chunks.into_iter();
        groups.map(move |group| {
            let group: Vec<_> = chunks.by_ref().take(group.len()).collect();
            let all = group.iter().map(|chunk| Amount::of(bytes(chunk)));
            WorkItem::new(all.sum::<Amount>().get(), group)
        })
    }
}

/// Splits a group into parts of at most `most` bytes of memory, or of one chunk.
fn within(
    chunks: &[ChunkRef],
    most: u64,
    bytes: impl Fn(&ChunkRef) -> u64,
) -> impl Iterator<Item = Range<usize>> {
    let mut next = 0;
    std::iter::from_fn(move || {
        let start = next;
        let mut taken = Amount::of(bytes(chunks.get(start)?));
        next += 1;
        while let Some(chunk) = chunks.get(next) {
            taken = taken + bytes(chunk);
            if taken > most.into() {
                break;
            }
            next += 1;
        }
        Some(start..next)
    })
}
