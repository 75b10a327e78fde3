//! Locates the stored chunks of an array.

use super::array_keys::{ArrayKeys, TOGETHER, chunk_at};
use super::grid::{coarse, common};
use super::shard_reader::{ShardCache, ShardReader};
use crate::chunk::scatter::Block;
use crate::chunk::visit::{Visit, Visited};
use crate::model::region::product;

/// The expected size of a text chunk in bytes.
const USUAL: u64 = 64 << 10;

/// Locates chunks.
pub(super) struct ChunkFinder<'a> {
    /// The keys of the array.
    pub keys: ArrayKeys<'a>,
    /// Cached shard indexes.
    pub read: &'a ShardCache,
}

impl<'a> ChunkFinder<'a> {
    /// Returns the shards of the array.
    #[must_use]
    pub(super) fn sharded(&self) -> ShardReader<'a> {
        ShardReader {
            keys: self.keys,
            read: self.read,
        }
    }

    /// Visits the stored chunks in a block of the chunk grid, in row-major order.
    ///
    /// # Errors
    /// Returns errors of the store and of damaged indexes.
    pub(super) fn locate(&self, wanted: &Block, visit: Visit<'_>) -> Visited {
        let grid = self.keys.key_grid();
        let all = Block::whole(&grid);
        let wanted_keys = common(&coarse(wanted, &self.keys.ratio()), &all);
        let keys = self.keys.keys(&wanted_keys, &grid)?;
        if self.keys.array.described.shards.is_empty() {
            let chunk = |(index, size)| chunk_at(self.keys.var, index, 0..size);
            return keys.into_iter().map(chunk).try_for_each(visit);
        }
        let found = self.sharded().located(wanted, &keys)?;
        found.into_iter().try_for_each(visit)
    }

    /// Like [`ChunkFinder::locate`], but visits all chunks, each with the decoded size, if finding the stored chunks requires requests. The
    /// later fetch detects missing chunks.
    ///
    /// # Errors
    /// Returns the errors of [`ChunkFinder::locate`].
    pub(super) fn candidates(&self, wanted: &Block, visit: Visit<'_>) -> Visited {
        let layout = &self.keys.array.layout;
        let grid = layout.grid();
        let all = common(wanted, &Block::whole(&grid));
        let few = product(&all.count).is_some_and(|n| (1..=TOGETHER).contains(&n));
        let unsure = self.keys.needs_key_requests() && !self.keys.are_listed();
        if !few || !unsure || layout.chunk_bytes().is_none() {
            return self.locate(wanted, visit);
        }
        self.keys.places(&all, &grid, &mut |number, _| {
            visit(chunk_at(self.keys.var, number, 0..self.usual()))
        })
    }

    /// Returns the expected size of a chunk in bytes: the size of the elements, or a default for texts.
    fn usual(&self) -> u64 {
        let array = self.keys.array;
        match array.texts {
            Some(_) => USUAL,
            None => array.layout.chunk_bytes().unwrap_or_default() as u64,
        }
    }
}
