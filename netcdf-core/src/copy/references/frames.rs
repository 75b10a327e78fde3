//! The stored form of chunks: readers of references refuse some frames that we decode.

use super::located_chunks::LocatedChunk;
use crate::chunk::Dataset;
use crate::chunk::layout::{ChunkRef, Layout};
use crate::error::{Context as _, Result};
use crate::filter::codec::ids;
use crate::filter::ids::{BLOSC, ZSTD};
use crate::filter::{FilterChain, VariableFacts, bzip2};
use crate::model::{FilterSpec, VarId};

/// The maximum number of chunks of a variable that are read. One program writes all chunks of a variable, so a few chunks show the form.
const SAMPLES: usize = 8;

/// The filters with frames that numcodecs refuses.
const FRAMED: [u32; 4] = [ZSTD, BLOSC, bzip2::ENTRY.id, ids::GZIP];

/// Checks that readers decode the frames of a variable's chunks. `trailing` is the number of bytes that are not part of the references.
///
/// # Errors
/// Returns read errors.
pub(super) fn are_strict(
    set: Dataset<'_>,
    (var, layout): (VarId, &Layout),
    (filters, trailing): (&[FilterSpec], u64),
    chunks: &[LocatedChunk],
) -> Result<bool> {
    if !filters.iter().any(|filter| FRAMED.contains(&filter.id)) {
        return Ok(true);
    }
    let facts = VariableFacts::new(set.reader.schema(), layout.element.ty, filters);
    let chain = set.env.filters.chain(filters, &layout.context(facts))?;
    let path = || set.reader.schema().var_path(var);
    let read = set.fetch(&samples(chunks)).in_object(path)?;
    let trailing = usize::try_from(trailing).unwrap_or(usize::MAX);
    let strict = |bytes: &Vec<u8>| is_strict(&chain, bytes, trailing);
    Ok(read.iter().all(strict))
}

/// Checks the frame of a chunk. Readers also refuse damaged chunks.
fn is_strict(chain: &FilterChain, bytes: &[u8], trailing: usize) -> bool {
    let encoded = bytes.get(..bytes.len().saturating_sub(trailing));
    let strict = chain.is_strict(encoded.unwrap_or_default(), &mut vec![]);
    strict.unwrap_or(false)
}

/// Returns evenly spaced chunks with locations, with the first and the last chunk.
fn samples(chunks: &[LocatedChunk]) -> Vec<ChunkRef> {
    let last = chunks.len().saturating_sub(1);
    let count = chunks.len().min(SAMPLES);
    let number = |n: usize| n.saturating_mul(last) / count.saturating_sub(1).max(1);
    let sampled = (0..count).filter_map(|n| chunks.get(number(n)));
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
