//! Chunk index queries and results.

use super::element::ChunkEntry;
use super::grid::{Block, IndexGrid};
use crate::chunk::visit::Visited;
use crate::error::ErrorKind;
use crate::format::hdf5::file::Hdf5File;

/// A stored chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexedChunk {
    /// Row-major number in the current chunk grid.
    pub index: u64,
    /// Address, relative to the base address.
    pub address: u64,
    /// Stored bytes.
    pub size: u64,
    /// Filter mask: bit `n` is set if filter `n` was skipped.
    pub mask: u32,
}

/// Receives the stored chunks.
pub type VisitChunk<'a> = dyn FnMut(IndexedChunk) -> Visited + 'a;

/// Length of the file signature at address 0.
const SIGNATURE: u64 = 8;

/// A query for the chunks of a block.
#[derive(Clone, Copy)]
pub(super) struct ChunkQuery<'a> {
    pub(super) file: &'a Hdf5File,
    pub(super) grid: &'a IndexGrid,
    /// A nonempty block within the grid.
    pub(super) wanted: &'a Block,
}

impl ChunkQuery<'_> {
    /// Passes a chunk to the visitor.
    pub(super) fn found(self, at: &[u64], chunk: ChunkEntry, visit: &mut VisitChunk) -> Visited {
        if chunk.address < SIGNATURE {
            let what = format!("chunk {at:?} overlaps the file signature");
            return Err(self
                .file
                .error(ErrorKind::Corrupt, chunk.address, what)
                .into());
        }
        visit(IndexedChunk {
            index: self.grid.number(at),
            address: chunk.address,
            size: chunk.size,
            mask: if self.grid.without_filters(at) {
                u32::MAX
            } else {
                chunk.mask
            },
        })
    }
}
