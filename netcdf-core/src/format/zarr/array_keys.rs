//! The keys of an array. Each key stores a chunk or a shard.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::grid::{cells, in_block, number, place, sum};
use super::schema::Array;
use crate::chunk::scatter::{Block, advance};
use crate::chunk::{ChunkHolder, ChunkRef};
use crate::error::{Error, ErrorKind, Result};
use crate::io::Store;
use crate::io::store::UNKNOWN;
use crate::limits::room;
use crate::model::VarId;
use crate::model::region::product;

/// Maximum number of separate lookups on a store without latency. Beyond this number, the store is listed.
const MAX_LOOKUPS: u64 = 64;
/// Divisor of the key grid size, for stores with latency. Beyond this fraction of the grid, a listing is cheaper than concurrent lookups,
/// because one list request returns about a thousand keys.
const LISTING_FACTOR: u64 = 16;
/// Maximum number of keys per lookup, and of possibly missing chunks per fetch.
pub(super) const TOGETHER: u64 = 1 << 16;

/// A key of an array: its row-major number in the grid of keys, and its size in bytes.
pub(super) type ArrayKey = (u64, u64);

/// The keys of a variable, empty until the store has been listed.
#[derive(Debug, Default)]
pub(super) struct Listing(OnceLock<Arc<Vec<ArrayKey>>>);

/// The keys of an array.
#[derive(Clone, Copy)]
pub(super) struct ArrayKeys<'a> {
    /// The store.
    pub store: &'a Arc<dyn Store>,
    /// The variable.
    pub var: VarId,
    /// The metadata of the variable.
    pub array: &'a Array,
    /// The cached list of keys.
    pub listing: &'a Listing,
}

impl ArrayKeys<'_> {
    /// Returns the shape of a chunk or shard, the contents of a key.
    #[must_use]
    pub(super) fn outer(&self) -> &[u64] {
        let shard = self.array.described.shards.first();
        shard.map_or(&self.array.layout.chunk, |s| &s.shape)
    }

    /// Returns the number of keys per dimension.
    #[must_use]
    pub(super) fn key_grid(&self) -> Vec<u64> {
        let shape = self.array.layout.extent.iter().zip(self.outer());
        shape.map(|(&n, &c)| n.div_ceil(c.max(1))).collect()
    }

    /// Returns the key at a grid position.
    #[must_use]
    pub(super) fn key_at(&self, place: Vec<u64>) -> String {
        let described = &self.array.described;
        let key = described.keys.key(&described.key_place(place));
        format!("{}{key}", self.array.prefix)
    }

    /// Returns the key that contains a chunk.
    #[must_use]
    pub(super) fn key(&self, chunk: u64) -> String {
        self.key_at(cells(&self.array.layout.place(chunk), &self.ratio()))
    }

    /// Returns the number of chunks in a key, per dimension.
    #[must_use]
    pub(super) fn ratio(&self) -> Vec<u64> {
        cells(self.outer(), &self.array.layout.chunk)
    }

    /// Returns the existing keys in a block of the key grid, sorted.
    ///
    /// # Errors
    /// Returns store errors, or [`ErrorKind::Limit`] for more than 2^64 chunks.
    pub(super) fn keys(&self, wanted: &Block, grid: &[u64]) -> Result<Vec<ArrayKey>> {
        let count = product(&wanted.count);
        if count == Some(0) {
            return Ok(vec![]);
        }
        if self.listing.0.get().is_none() && count.is_some_and(|n| n <= self.lookup_limit(grid)) {
            let found = self.look_up(wanted, grid)?;
            if self.store.latency() && count == product(grid) {
                // The lookup covered all keys.
                let _ = self.listing.0.set(Arc::new(found.clone()));
            }
            return Ok(found);
        }
        let all = self.listed(grid)?;
        let row = grid.get(1..).and_then(product).unwrap_or(u64::MAX);
        let first = wanted.start.first().map_or(0, |s| s.saturating_mul(row));
        let from = all.partition_point(|(index, _)| *index < first);
        let rows = wanted.start.first().zip(wanted.count.first());
        let end = rows.map_or(u64::MAX, |(s, c)| s.saturating_add(*c).saturating_mul(row));
        let rest = all.get(from..).unwrap_or_default().iter();
        let near = rest.take_while(|(index, _)| *index < end);
        let wanted = near.filter(|(index, _)| in_block(&place(*index, grid), wanted));
        Ok(wanted.copied().collect())
    }

    /// Returns the maximum number of keys to look up.
    fn lookup_limit(&self, grid: &[u64]) -> u64 {
        match self.store.latency() {
            true => {
                (product(grid).unwrap_or(u64::MAX) / LISTING_FACTOR).clamp(MAX_LOOKUPS, TOGETHER)
            }
            false => MAX_LOOKUPS,
        }
    }

    /// Looks up each key.
    fn look_up(&self, wanted: &Block, grid: &[u64]) -> Result<Vec<ArrayKey>> {
        let (mut numbers, mut keys) = (vec![], vec![]);
        self.places::<Error>(wanted, grid, &mut |number, place| {
            numbers.push(number);
            keys.push(self.key_at(place));
            Ok(())
        })?;
        let sizes = numbers.into_iter().zip(self.store.sizes(&keys));
        let found = sizes.filter_map(|(number, size)| size.map(|s| Some((number, s?))).transpose());
        found.collect()
    }

    /// Visits the grid positions of a non-empty block in row-major order, with the grid indexes.
    ///
    /// # Errors
    /// Returns errors of the visitor, or [`ErrorKind::Limit`] for more than 2^64 chunks.
    pub(super) fn places<E: From<Error>>(
        &self,
        wanted: &Block,
        grid: &[u64],
        visit: &mut dyn FnMut(u64, Vec<u64>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut at = vec![0u64; wanted.count.len()];
        loop {
            let place = sum(&at, &wanted.start);
            let number = number(&place, grid).ok_or_else(too_many)?;
            visit(number, place)?;
            if !advance(&mut at, &wanted.count) {
                return Ok(());
            }
        }
    }

    /// Returns all keys of the array. The first call lists the store.
    fn listed(&self, grid: &[u64]) -> Result<Arc<Vec<ArrayKey>>> {
        if let Some(listed) = self.listing.0.get() {
            return Ok(Arc::clone(listed));
        }
        let found = self.listed_now(grid)?;
        Ok(Arc::clone(self.listing.0.get_or_init(|| Arc::new(found))))
    }

    /// Lists the store, and returns whether it has the listed keys and no others.
    pub(super) fn has_same_keys(&self) -> Result<bool> {
        let Some(listed) = self.listing.0.get() else {
            return Ok(false);
        };
        let now = self.listed_now(&self.key_grid())?;
        let numbers = |keys: &[ArrayKey]| keys.iter().map(|(index, _)| *index).collect::<Vec<_>>();
        Ok(numbers(listed) == numbers(&now))
    }

    /// Lists the store.
    fn listed_now(&self, grid: &[u64]) -> Result<Vec<ArrayKey>> {
        product(grid).ok_or_else(too_many)?;
        let (prefix, mut found) = (&self.array.prefix, vec![]);
        self.store.walk(prefix, &mut |key, size| {
            // Chunks behind a link that is not followed must not count as missing.
            let size = match size {
                UNKNOWN => self.store.size(key)?.unwrap_or(0),
                size => size,
            };
            let rest = key.strip_prefix(prefix.as_str()).unwrap_or_default();
            if let Some(index) = self.array.described.keys.index(rest, grid) {
                if found.len() == found.capacity() {
                    room(found.len().saturating_mul(32), "a list of chunks")?;
                }
                found.push((index, size));
            }
            Ok(())
        })?;
        found.sort_unstable();
        Ok(found)
    }

    /// Checks whether finding the stored chunks requires requests, and each key stores exactly one chunk.
    #[must_use]
    pub(super) fn needs_key_requests(&self) -> bool {
        let described = &self.array.described;
        described.shards.is_empty() && self.store.latency()
    }

    /// Checks whether all keys have been listed.
    #[must_use]
    pub(super) fn are_listed(&self) -> bool {
        self.listing.0.get().is_some()
    }

    /// Checks whether a visited chunk is known to exist. Another thread may have listed all keys since the visit.
    #[must_use]
    pub(super) fn is_known(&self, chunk: u64) -> bool {
        let listed =
            |all: &Arc<Vec<ArrayKey>>| all.binary_search_by_key(&chunk, |(index, _)| *index);
        !self.needs_key_requests() || self.listing.0.get().is_some_and(|all| listed(all).is_ok())
    }

    /// Returns the grid index of the key that contains a chunk.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`] for more than 2^64 chunks.
    pub(super) fn number_of(&self, chunk: u64) -> Result<u64> {
        let place = cells(&self.array.layout.place(chunk), &self.ratio());
        number(&place, &self.key_grid()).ok_or_else(too_many)
    }
}

/// Returns the error for too many chunks.
fn too_many() -> Error {
    Error::new(ErrorKind::Limit, "an array of more than 2^64 chunks")
}

/// Returns a reference to a chunk at a byte range of the key.
#[must_use]
pub(super) fn chunk_at(variable: VarId, index: u64, range: Range<u64>) -> ChunkRef {
    ChunkRef {
        variable,
        index,
        holder: ChunkHolder::Key,
        range,
        mask: 0,
    }
}

/// Returns the error for a key that has disappeared.
#[must_use]
pub(super) fn missing_chunk() -> Error {
    Error::new(ErrorKind::NotFound, "the chunk no longer exists")
}
