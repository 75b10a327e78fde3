//! The only chunk of a dataset ("VII.A. The Single Chunk Index").

use super::element::ChunkEntry;
use super::query::{ChunkQuery, VisitChunk};
use crate::chunk::visit::Visited;

/// The only chunk.
#[derive(Debug)]
pub(super) struct Single {
    address: u64,
    filtered: Option<(u64, u32)>,
}

impl Single {
    pub(super) fn new(address: u64, filtered: Option<(u64, u32)>) -> Self {
        Self { address, filtered }
    }

    pub(super) fn locate(&self, query: ChunkQuery, visit: &mut VisitChunk) -> Visited {
        let (size, mask) = self.filtered.unwrap_or((query.grid.bytes, 0));
        let at = &query.wanted.start;
        if at.iter().any(|&x| x != 0) {
            return Ok(());
        }
        let address = self.address;
        let chunk = ChunkEntry {
            address,
            size,
            mask,
        };
        query.found(at, chunk, visit)
    }
}
