//! The cache of an open dataset.
//!
//! A [`Reader`](crate::chunk::Reader) describes stored data and keeps no data. Each reader has one [`ReadCache`], which
//! [`Dataset`](crate::chunk::Dataset)s of the reader borrow:
//!
//! | file | what |
//! |---|---|
//! | `decoded` | chunks without their filters, up to a number of bytes |
//! | `flight` | one reader decodes a chunk, others that want it wait for it |
//! | `located` | where the chunks of a variable are stored, for the parts of its index that were walked |
//! | `shelf` | values with the times of their last use |
//! | `usage` | which chunks a read keeps, and which it only uses |
//!
//! The cache keeps a chunk with filters if a part of it is read: the next part is likely to be read soon. Reads of whole chunks do not
//! use the cache. The cache never changes a result: it has the decoded bytes of a place in storage.

mod decoded;
mod flight;
mod located;
mod shelf;
mod usage;

use std::sync::Arc;

use crate::chunk::scatter::Block;
use crate::chunk::visit::{Visit, Visited};
use crate::env::Env;
use crate::model::VarId;
use crate::runtime::CacheReservation;
use decoded::DecodedChunks;
pub(super) use decoded::{ChunkElements, ChunkFlight, Claim, Found};
use located::LocatedChunks;
pub(super) use located::{SectionFlight, Ways};
pub(super) use usage::Usage;

/// Bytes of decoded chunks that are kept.
const DECODED: u64 = 64 << 20;
/// Bytes of places of chunks that are kept.
const LOCATED: u64 = 16 << 20;

/// What is kept of an open dataset, as long as its reader is read. It belongs to that reader alone: another one, even
/// of the same file, needs another.
#[derive(Debug)]
pub struct ReadCache {
    decoded: Arc<DecodedChunks>,
    located: Arc<LocatedChunks>,
    /// Memory for more decoded chunks than usual.
    _room: Option<CacheReservation>,
}

impl ReadCache {
    /// Nothing kept yet; decoded chunks may take 64 MiB.
    #[must_use]
    pub fn new(env: &Env) -> Self {
        Self::sized(env, DECODED)
    }

    /// As [`ReadCache::new`], where decoded chunks may take `bytes`; with 0, none are kept. Beyond 64 MiB, the
    /// runtime has more memory as long as the cache lives. A chunk is kept if two of its size would fit.
    #[must_use]
    pub fn sized(env: &Env, bytes: u64) -> Self {
        let more = bytes.checked_sub(DECODED).filter(|&more| more > 0);
        Self {
            decoded: DecodedChunks::new(env, bytes),
            located: LocatedChunks::new(&env.runtime, LOCATED),
            _room: more.map(|more| env.runtime.raise_cache_limit(more)),
        }
    }

    /// Visits the stored chunks of a box of the grid of a variable, in row-major order.
    ///
    /// # Errors
    /// Those of `ways` and of `visit`.
    pub(super) fn visit_places(
        &self,
        var: VarId,
        chunks: &Block,
        ways: Ways<'_>,
        visit: Visit<'_>,
    ) -> Visited {
        self.located.visit(var, chunks, ways, visit)
    }

    /// Bytes of decoded chunks that are kept now.
    #[must_use]
    pub fn decoded_bytes(&self) -> u64 {
        self.decoded.bytes()
    }

    /// Bytes of places of chunks that are kept now.
    #[must_use]
    pub fn located_bytes(&self) -> u64 {
        self.located.bytes()
    }
}

#[cfg(test)]
mod tests;
