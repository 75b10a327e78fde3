//! Selects the chunks that a read caches.

use std::sync::Arc;

use super::ReadCache;
use super::decoded_chunks::{ChunkKey, ChunkLookup, DecodedChunks};
use crate::chunk::layout::{ChunkRef, Layout};
use crate::model::{Region, VarId};

/// The use of the cache by a read of a variable.
pub(in crate::chunk) struct Usage<'a> {
    chunks: &'a DecodedChunks,
    /// The variable's id in the reader of the cache.
    var: VarId,
    /// The region of the read, if it takes some chunks in part.
    part: Option<Region>,
    /// Whether all chunks are cached.
    all: bool,
    /// The start time of the read.
    since: u64,
}

impl<'a> Usage<'a> {
    /// Creates the usage for a read of a region, or of whole chunks. Returns `None` for chunks that are not cached: large chunks, and
    /// unfiltered chunks, whose parts can be read alone.
    pub(in crate::chunk) fn new(
        (cache, var): (&'a ReadCache, VarId),
        layout: &Layout,
        region: Option<&Region>,
    ) -> Option<Self> {
        let chunks = &*cache.decoded;
        let bytes = layout.chunk_bytes()? as u64;
        if layout.filters.is_empty() || !chunks.takes(bytes) {
            return None;
        }
        let whole = vec![0; layout.extent.len()];
        let part = region.filter(|region| takes_part(region, (&whole, &layout.extent), layout));
        Some(Self {
            chunks,
            var,
            part: part.cloned(),
            all: false,
            since: chunks.now(),
        })
    }

    /// Creates the usage for a read that caches all chunks of any size.
    pub(in crate::chunk) fn all((cache, var): (&'a ReadCache, VarId)) -> Self {
        let chunks = &*cache.decoded;
        Self {
            chunks,
            var,
            part: None,
            all: true,
            since: chunks.now(),
        }
    }

    /// Returns true if the read caches the chunk: all chunks are cached, or the read takes only a part of this chunk.
    pub(in crate::chunk) fn keeps(&self, layout: &Layout, chunk: &ChunkRef) -> bool {
        self.all
            || self.part.as_ref().is_some_and(|part| {
                let block = layout.block(chunk.index);
                takes_part(part, (&block.start, &block.count), layout)
            })
    }

    /// Returns the elements of a chunk, if cached.
    pub(in crate::chunk) fn find(&self, chunk: &ChunkRef) -> Option<Arc<Vec<u8>>> {
        self.chunks.find(&ChunkKey::new(self.var, chunk))
    }

    /// Looks up a chunk that will be cached, and claims it if necessary.
    pub(in crate::chunk) fn claim(&self, chunk: &ChunkRef) -> ChunkLookup<'a> {
        let key = ChunkKey::new(self.var, chunk);
        match self.chunks.claim(key, self.since) {
            ChunkLookup::Miss(mut claim) => {
                claim.any_size = self.all;
                ChunkLookup::Miss(claim)
            }
            found => found,
        }
    }
}

/// Returns true if a region omits some stored elements of a box (its start and its lengths per dimension).
fn takes_part(region: &Region, (start, count): (&[u64], &[u64]), layout: &Layout) -> bool {
    let dims = region.start.iter().zip(&region.count).zip(&region.stride);
    let boxed = start.iter().zip(count).zip(&layout.extent);
    dims.zip(boxed)
        .any(|(((&from, &n), &step), ((&at, &len), &extent))| {
            let end = extent.min(at + len);
            let dense = step == 1 || end <= at + 1;
            let last = n.checked_sub(1).map(|n| from + n * step);
            !dense || from > at || last.is_none_or(|last| last + 1 < end)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::layout::tests::layout;

    #[test]
    fn chunks_are_taken_whole_or_in_part() {
        let layout = layout(&[5, 7], &[2, 3]);
        let region = |start: [u64; 2], count: [u64; 2], stride: [u64; 2]| Region {
            start: start.to_vec(),
            count: count.to_vec(),
            stride: stride.to_vec(),
        };
        let parts = |region: &Region, chunks: &[u64]| {
            let one = |&index: &u64| {
                let block = layout.block(index);
                takes_part(region, (&block.start, &block.count), &layout)
            };
            chunks.iter().map(one).collect::<Vec<_>>()
        };
        // The chunks at the ends have fewer elements.
        let whole = region([0, 0], [5, 7], [1, 1]);
        assert_eq!(parts(&whole, &[0, 2, 4, 6, 8]), [false; 5]);
        let inner = region([1, 3], [3, 4], [1, 1]);
        assert_eq!(parts(&inner, &[1, 2, 4, 5]), [true, true, false, false]);
        let steps = region([0, 0], [3, 7], [2, 1]);
        assert_eq!(parts(&steps, &[0, 3, 6, 8]), [true, true, false, false]);
        let last = region([4, 6], [1, 1], [1, 1]);
        assert_eq!(parts(&last, &[8, 7]), [false, true]);
    }
}
