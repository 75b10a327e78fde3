//! The cache of an open dataset.
//!
//! A [`Reader`](crate::chunk::Reader) describes stored data and caches no data. Each reader has one [`ReadCache`], which
//! [`Dataset`](crate::chunk::Dataset)s of the reader borrow:
//!
//! | file | responsibility |
//! |---|---|
//! | `decoded_chunks` | decoded chunks, up to a byte limit |
//! | `flight` | decodes a chunk once for several threads |
//! | `locations` | chunk locations, for the scanned parts of the index |
//! | `lru_map` | cache entries with the times of last use |
//! | `usage` | the chunks that a read caches |
//!
//! The cache stores a chunk with filters if a read takes only a part of it, because the next part is likely to be read soon. Reads of whole
//! chunks do not use the cache. The cache never changes a result: it stores the decoded bytes of a storage location.

mod decoded_chunks;
mod flight;
mod locations;
mod lru_map;
mod usage;

use std::sync::Arc;

use crate::chunk::scatter::Block;
use crate::chunk::visit::{Visit, Visited};
use crate::env::Env;
use crate::model::VarId;
use crate::runtime::CacheReservation;
use decoded_chunks::DecodedChunks;
pub(super) use decoded_chunks::{ChunkElements, ChunkFlight, ChunkLookup, Claim};
use locations::LocatedChunks;
pub(super) use locations::{LocateContext, SectionFlight};
pub(super) use usage::Usage;

/// The default limit of decoded chunks in bytes.
const DECODED: u64 = 64 << 20;
/// The limit of chunk locations in bytes.
const LOCATED: u64 = 16 << 20;

/// The read cache of an open dataset: decoded chunks and chunk locations. Create one per reader, even for readers of the same file.
#[derive(Debug)]
pub struct ReadCache {
    decoded: Arc<DecodedChunks>,
    located: Arc<LocatedChunks>,
    /// The limit of decoded chunks in bytes.
    limit: u64,
    /// The additional memory for decoded chunks beyond the default limit.
    _room: Option<CacheReservation>,
}

impl ReadCache {
    /// Creates an empty cache. Decoded chunks may take 64 MiB.
    #[must_use]
    pub fn new(env: &Env) -> Self {
        Self::sized(env, DECODED)
    }

    /// Creates an empty cache with up to `bytes` bytes of decoded chunks; 0 turns caching off. Beyond 64 MiB, the runtime has more memory
    /// while the cache exists. The cache accepts a chunk if two chunks of its size would fit.
    #[must_use]
    pub fn sized(env: &Env, bytes: u64) -> Self {
        let more = bytes.checked_sub(DECODED).filter(|&more| more > 0);
        Self {
            decoded: DecodedChunks::new(env, bytes),
            located: LocatedChunks::new(&env.runtime, LOCATED),
            limit: bytes,
            _room: more.map(|more| env.runtime.raise_cache_limit(more)),
        }
    }

    /// Forgets all chunks, because the dataset changed.
    pub(crate) fn clear(&mut self, env: &Env) {
        *self = Self::sized(env, self.limit);
    }

    /// Visits the stored chunks in a box of the variable's chunk grid, in row-major order.
    ///
    /// # Errors
    /// Returns errors from `context` and from `visit`.
    pub(super) fn visit_locations(
        &self,
        var: VarId,
        chunks: &Block,
        context: LocateContext<'_>,
        visit: Visit<'_>,
    ) -> Visited {
        self.located.visit(var, chunks, context, visit)
    }

    /// Returns the size of the cached chunks in bytes.
    #[must_use]
    pub fn decoded_bytes(&self) -> u64 {
        self.decoded.bytes()
    }

    /// Returns the size of the cached locations in bytes.
    #[must_use]
    pub fn located_bytes(&self) -> u64 {
        self.located.bytes()
    }
}

#[cfg(test)]
mod tests;
