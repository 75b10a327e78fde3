//! What an open dataset keeps between reads.
//!
//! A [`Reader`](crate::chunk::Reader) describes what is stored and keeps nothing. Around it stands one [`Engine`],
//! which the [`Dataset`](crate::chunk::Dataset)s of its reader borrow:
//!
//! | file | what |
//! |---|---|
//! | `decoded` | chunks without their filters, up to a number of bytes |
//! | `flight` | one reader decodes a chunk, others that want it wait for it |
//! | `located` | where the chunks of a variable are stored, after its index was walked once |
//! | `usage` | which chunks a read keeps, and which it only uses |
//!
//! A chunk is kept if it has filters and somebody reads a part of it: somebody is likely to read the next part. Who
//! takes chunks whole neither fills what is kept nor pays for it. What is kept never changes a result: it is what the
//! reader's own bytes decode to, by the place where they are stored.

mod decoded;
mod flight;
mod located;
mod usage;

use std::sync::Arc;

use crate::env::Env;
use crate::model::VarId;
use decoded::DecodedChunks;
pub(super) use decoded::{ChunkElements, Found};
pub(super) use flight::{Claim, Flight};
use located::LocatedChunks;
pub(super) use located::{Places, Walk};
pub(super) use usage::Usage;

/// Bytes of decoded chunks that are kept.
const DECODED: u64 = 64 << 20;
/// Bytes of places of chunks that are kept.
const LOCATED: u64 = 16 << 20;

/// What is kept of an open dataset, as long as its reader is read. It belongs to that reader alone: another one, even
/// of the same file, needs another.
#[derive(Debug)]
pub struct Engine {
    decoded: Arc<DecodedChunks>,
    located: LocatedChunks,
}

impl Engine {
    /// Nothing kept yet.
    #[must_use]
    pub fn new(env: &Env) -> Self {
        Self::sized(env, DECODED)
    }

    /// As [`Engine::new`], where decoded chunks may take `bytes`.
    #[must_use]
    pub fn sized(env: &Env, bytes: u64) -> Self {
        Self {
            decoded: DecodedChunks::new(env, bytes),
            located: LocatedChunks::new(&env.runtime, LOCATED),
        }
    }

    /// Where the stored chunks of a variable are, if that is known.
    pub(super) fn places(&self, var: VarId) -> Option<Arc<Places>> {
        self.located.of(var)
    }

    /// Begins a walk of all stored chunks of a variable with this grid of chunks.
    pub(super) fn walk(&self, var: VarId, grid: &[u64]) -> Walk<'_> {
        self.located.walk(var, grid)
    }

    /// Bytes of decoded chunks that are kept now.
    #[must_use]
    pub fn decoded_bytes(&self) -> u64 {
        self.decoded.bytes()
    }
}

#[cfg(test)]
mod tests;
