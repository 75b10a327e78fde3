//! Chunk locations of a dataset ("VII. Appendix C: Types of Indexes for Dataset Chunks").
//!
//! Grid coordinates identify chunks, counted in chunks rather than elements. An [`OpenIndex`] finds the stored chunks in a grid [`Block`],
//! in row-major order.

mod array_order;
mod array_walk;
mod btree_v1;
mod btree_v2;
mod element;
mod extensible_array;
pub(in crate::format::hdf5) mod extensible_blocks;
mod fixed_array;
mod grid;
mod implicit;
mod pages;
mod query;
mod single;
#[cfg(test)]
mod tests;

pub(crate) use array_order::ArrayOrder;
pub use grid::{Block, DatasetExtent};
pub use query::{IndexedChunk, VisitChunk};

use crate::chunk::visit::Visited;
use crate::error::Result;
use crate::format::hdf5::file::Hdf5File;
use crate::format::hdf5::message::layout::{ChunkIndexKind, ChunkedLayout};
use grid::IndexGrid;
use query::ChunkQuery;

/// A chunk index with its header in memory.
#[derive(Debug)]
pub struct OpenIndex {
    grid: IndexGrid,
    kind: IndexKind,
}

#[derive(Debug)]
enum IndexKind {
    /// No chunk was ever stored.
    Empty,
    BTree1(btree_v1::ChunkTreeV1),
    Single(single::Single),
    Implicit(implicit::Implicit),
    /// Large variants are boxed: a file may have 100,000 datasets with version 1 B-trees.
    FixedArray(Box<fixed_array::FixedArray>),
    ExtensibleArray(Box<extensible_array::ExtensibleArray>),
    BTree2(Box<btree_v2::ChunkTreeV2>),
}

impl OpenIndex {
    /// Reads the header of a dataset's chunk index.
    ///
    /// # Errors
    /// Returns read errors, [`crate::ErrorKind::Corrupt`] if extent and chunks have different ranks, and [`crate::ErrorKind::Limit`] for
    /// more than 2^64 chunks.
    pub fn open(file: &Hdf5File, chunked: &ChunkedLayout, extent: &DatasetExtent) -> Result<Self> {
        let grid = IndexGrid::new(file, chunked, extent)?;
        let kind = match (chunked.address, chunked.index) {
            (None, _) => IndexKind::Empty,
            (Some(at), ChunkIndexKind::BTree1) => {
                IndexKind::BTree1(btree_v1::ChunkTreeV1::new(at, &grid))
            }
            (Some(at), ChunkIndexKind::Single(filtered)) => {
                IndexKind::Single(single::Single::new(at, filtered))
            }
            (Some(at), ChunkIndexKind::Implicit) => {
                IndexKind::Implicit(implicit::Implicit::new(at, &grid))
            }
            (Some(at), ChunkIndexKind::FixedArray) => {
                let array = fixed_array::FixedArray::open(file, at, &grid)?;
                IndexKind::FixedArray(Box::new(array))
            }
            (Some(at), ChunkIndexKind::ExtensibleArray) => {
                let array = extensible_array::ExtensibleArray::open(file, at, &grid)?;
                IndexKind::ExtensibleArray(Box::new(array))
            }
            (Some(at), ChunkIndexKind::BTree2) => {
                let tree = btree_v2::ChunkTreeV2::open(file, at, &grid)?;
                IndexKind::BTree2(Box::new(tree))
            }
        };
        Ok(Self { grid, kind })
    }

    /// Number of chunks per grid dimension.
    #[must_use]
    pub fn grid(&self) -> &[u64] {
        self.grid.counts()
    }

    /// Visits the stored chunks of a block in row-major order. Parts of the block beyond the grid are ignored.
    ///
    /// # Errors
    /// Returns read errors, [`crate::ErrorKind::Corrupt`], [`crate::ErrorKind::Checksum`], and errors from `visit`.
    pub fn locate(&self, file: &Hdf5File, wanted: &Block, visit: &mut VisitChunk) -> Visited {
        let wanted = self.grid.clip(wanted);
        if wanted.count.contains(&0) {
            return Ok(());
        }
        let query = ChunkQuery {
            file,
            grid: &self.grid,
            wanted: &wanted,
        };
        match &self.kind {
            IndexKind::Empty => Ok(()),
            IndexKind::BTree1(tree) => tree.locate(query, visit),
            IndexKind::Single(single) => single.locate(query, visit),
            IndexKind::Implicit(array) => array.locate(query, visit),
            IndexKind::FixedArray(array) => array.locate(query, visit),
            IndexKind::ExtensibleArray(array) => array.locate(query, visit),
            IndexKind::BTree2(tree) => tree.locate(query, visit),
        }
    }
}
