//! The stored form of chunks: readers of references refuse some frames that we decode.

use super::located_chunks::LocatedChunk;
use crate::arithmetic::exact;
use crate::chunk::Dataset;
use crate::chunk::decode::chain;
use crate::chunk::layout::{ChunkRef, Layout};
use crate::error::{Context as _, Result};
use crate::filter::codec::ids;
use crate::filter::ids::{BLOSC, ZSTD};
use crate::filter::{FilterChain, bzip2};
use crate::model::{FilterSpec, VarId};

/// The maximum number of chunks of a variable that are read. One program writes all chunks of a variable, so a few chunks show the form.
const SAMPLES: usize = 8;

/// The filters with frames that numcodecs refuses.
const FRAMED: [u32; 4] = [ZSTD, BLOSC, bzip2::ENTRY.id, ids::GZIP];

/// A variable with the filters that readers of references apply.
pub(super) struct FramedVariable<'a> {
    pub(super) set: Dataset<'a>,
    pub(super) var: VarId,
    pub(super) layout: &'a Layout,
    pub(super) filters: &'a [FilterSpec],
    /// The number of bytes at the end of a chunk that are not part of the references.
    pub(super) trailing: u64,
}

impl FramedVariable<'_> {
    /// Checks that readers decode the frames of the variable's chunks.
    ///
    /// # Errors
    /// Returns read errors.
    pub(super) fn is_strict(&self, chunks: &[LocatedChunk]) -> Result<bool> {
        let framed = |filter: &FilterSpec| FRAMED.contains(&filter.id);
        if !self.filters.iter().any(framed) {
            return Ok(true);
        }
        let (set, var) = (self.set, self.var);
        let layout = Layout {
            filters: self.filters.to_vec(),
            ..self.layout.clone()
        };
        let chain = chain(set.reader, set.env, var, &layout)?;
        let path = || set.reader.schema().var_path(var);
        let read = set.fetch(&samples(chunks)).in_object(path)?;
        let trailing = exact(self.trailing).index()?;
        let strict = |bytes: &Vec<u8>| is_strict(&chain, bytes, trailing);
        Ok(read.iter().all(strict))
    }
}

/// Checks the frame of a chunk. Readers also refuse damaged chunks.
fn is_strict(chain: &FilterChain, bytes: &[u8], trailing: usize) -> bool {
    let encoded = bytes.len().checked_sub(trailing);
    let encoded = encoded.and_then(|len| bytes.get(..len));
    let strict = |encoded| chain.is_strict(encoded, &mut vec![]).unwrap_or(false);
    encoded.is_some_and(strict)
}

/// Returns evenly spaced chunks with locations, with the first and the last chunk.
fn samples(chunks: &[LocatedChunk]) -> Vec<ChunkRef> {
    let Some(last) = chunks.len().checked_sub(1) else {
        return vec![];
    };
    let steps = last.min(SAMPLES - 1);
    let number = |n: usize| n * last / steps.max(1);
    let sampled = (0..=steps).filter_map(|n| chunks.get(number(n)));
    let located = sampled.filter(|(_, reference)| reference.is_some());
    located.map(|(chunk, _)| chunk.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::layout::ChunkHolder;
    use crate::io::reference::Reference;

    fn numbers(count: u64) -> Vec<u64> {
        let chunk = |index| {
            let chunk = ChunkRef {
                variable: VarId(0),
                index,
                holder: ChunkHolder::Key,
                range: 0..1,
                mask: 0,
            };
            (chunk, Some(Reference::Inline([0].into())))
        };
        let chunks: Vec<_> = (0..count).map(chunk).collect();
        samples(&chunks).iter().map(|chunk| chunk.index).collect()
    }

    #[test]
    fn samples_are_evenly_spaced() {
        assert!(numbers(0).is_empty());
        assert_eq!(numbers(1), [0]);
        assert_eq!(numbers(2), [0, 1]);
        assert_eq!(numbers(8), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(numbers(15), [0, 2, 4, 6, 8, 10, 12, 14]);
    }
}
