//! Round trips of every encoder with chunks of every length, also after filters that change the length.

use super::built_in::BUILT_IN;
use super::chain::FilterChain;
use super::codec::{CodecStage, stage};
use super::names::is_lossy;
use super::{ChunkContext, FilterTable, VariableFacts, ids, vlen_utf8};
use crate::error::Result;
use crate::model::{Atomic, Endianness, FilterSpec, StoredElement};

/// The element counts: around blocks of 8, and around the smallest block that Blosc splits.
const COUNTS: [u64; 5] = [1, 8, 9, 129, 331];

/// The types with their sizes. Other sizes are text sizes.
const NUMBERS: [(Atomic, u64); 5] = [
    (Atomic::Byte, 1),
    (Atomic::Short, 2),
    (Atomic::Int, 4),
    (Atomic::Float, 4),
    (Atomic::Double, 8),
];
const TEXTS: [u64; 4] = [3, 16, 17, 300];

fn spec(id: u32, params: &[u32]) -> FilterSpec {
    let params = params.to_vec();
    FilterSpec { id, params }
}

fn context(ty: Atomic, size: u64, count: u64) -> ChunkContext {
    ChunkContext {
        shape: vec![count],
        element: StoredElement {
            ty: ty.into(),
            size,
            order: Endianness::Little,
            plain: ty != Atomic::String,
        },
        fill: None,
        len: usize::try_from(count * size).ok(),
        about: VariableFacts {
            mandatory: size % 2 == 1,
            ..VariableFacts::default()
        },
    }
}

/// Returns all filters, with each compressor of Blosc and bitshuffle.
fn filters() -> Vec<FilterSpec> {
    let rows = BUILT_IN.iter().map(|row| spec(row.id, &[]));
    let blosc =
        (0..6).flat_map(|codec| [0, 1, 2].map(|shuffle| spec(ids::BLOSC, &[5, shuffle, codec])));
    let bits = [0, 2, 3].map(|codec| spec(32008, &[0, codec]));
    let more = [spec(ids::SZIP, &[4, 8]), spec(32013, &[5])];
    rows.chain(blosc).chain(bits).chain(more).collect()
}

/// Returns the chains to test for all filters.
fn chains() -> Vec<Vec<FilterSpec>> {
    let one = |id: u32| spec(id, &[]);
    let (sum, texts, blosc) = (
        one(ids::FLETCHER32),
        one(vlen_utf8::ID),
        spec(ids::BLOSC, &[1]),
    );
    let of = |filter: FilterSpec| {
        let alone = [vec![filter.clone()], vec![filter.clone(), blosc.clone()]];
        let behind = [&sum, &texts].map(|first| vec![first.clone(), filter.clone()]);
        // Element codecs come first.
        let takes_bytes = stage(filter.id) == CodecStage::Bytes && filter.id != vlen_utf8::ID;
        let behind = behind.into_iter().filter(move |_| takes_bytes);
        alone.into_iter().chain(behind)
    };
    filters().into_iter().flat_map(of).collect()
}

fn made(filters: &[FilterSpec], context: &ChunkContext) -> Result<FilterChain> {
    let (table, mut next, mut stored) = (FilterTable::default(), context.clone(), vec![]);
    for filter in filters {
        let entry = table.entry(filter.id)?;
        let params = entry.prepare(&next, &filter.params)?;
        next = entry.build(&params, &next)?.output(&next);
        stored.push(spec(filter.id, &params));
    }
    table.chain(&stored, context)
}

/// Checks whether the chain accepts the chunk. Panics if the decoded chunk differs.
fn comes_back(filters: &[FilterSpec], context: &ChunkContext, chunk: &[u8]) -> bool {
    let Ok(chain) = made(filters, context) else {
        return false;
    };
    let Ok((mask, stored)) = chain.encode(chunk.to_vec(), &mut vec![]) else {
        return false;
    };
    let about = || format!("{filters:?} {} bytes in {:?}", chunk.len(), context.element);
    let back = chain.decode(mask, stored, &mut vec![]);
    let back = back.unwrap_or_else(|e| panic!("{}: {e}", about()));
    assert!(back == chunk || filters.iter().any(is_lossy), "{}", about());
    true
}

#[test]
fn chunks_round_trip_through_all_filters() {
    let chains = chains();
    let texts = TEXTS.map(|size| (Atomic::String, size));
    let (mut taken, mut all) = (0, 0);
    for (ty, size) in NUMBERS.into_iter().chain(texts) {
        for count in COUNTS {
            let context = context(ty, size, count);
            let chunk: Vec<u8> = (0..count * size)
                .map(|n| (n * n / 7 % 113 + 1) as u8)
                .collect();
            let back = |filters: &&Vec<FilterSpec>| comes_back(filters, &context, &chunk);
            taken += chains.iter().filter(back).count();
            all += chains.len();
        }
    }
    assert!(taken > 1000, "{taken} of {all}");
}
