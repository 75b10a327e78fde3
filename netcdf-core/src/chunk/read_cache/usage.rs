//! Which chunks a read keeps, and which it only uses.

use std::sync::Arc;

use super::ReadCache;
use super::decoded::{ChunkKey, DecodedChunks, Found};
use crate::chunk::layout::{ChunkRef, Layout};
use crate::model::{Region, VarId};

/// How the chunks of a variable that are kept serve a read of it.
pub(in crate::chunk) struct Usage<'a> {
    chunks: &'a DecodedChunks,
    /// The variable, in the reader that the chunks belong to.
    var: VarId,
    /// What is read, if some chunks are read in part.
    part: Option<Region>,
    /// Whether all chunks are kept.
    all: bool,
    /// When the read began.
    since: u64,
}

impl<'a> Usage<'a> {
    /// For a read of a region, or of whole chunks. `None` for chunks that are not worth keeping: those without filters,
    /// parts of which can be read, and large ones.
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

    /// For chunks that are all worth keeping, however large.
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

    /// True if the chunk is kept: all are, or the read takes only a part of this one.
    pub(in crate::chunk) fn keeps(&self, layout: &Layout, chunk: &ChunkRef) -> bool {
        self.all
            || self.part.as_ref().is_some_and(|part| {
                let block = layout.block(chunk.index);
                takes_part(part, (&block.start, &block.count), layout)
            })
    }

    /// The elements of a chunk, if they are kept.
    pub(in crate::chunk) fn find(&self, chunk: &ChunkRef) -> Option<Arc<Vec<u8>>> {
        self.chunks.find(&ChunkKey::new(self.var, chunk))
    }

    /// What there is of a chunk that is to be kept.
    pub(in crate::chunk) fn claim(&self, chunk: &ChunkRef) -> Found<'a> {
        let key = ChunkKey::new(self.var, chunk);
        match self.chunks.claim(key, self.since) {
            Found::Nothing(mut claim) => {
                claim.any_size = self.all;
                Found::Nothing(claim)
            }
            found => found,
        }
    }
}

/// True if a region leaves out some stored elements of a box (its start and its elements per dimension).
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
