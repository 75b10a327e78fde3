//! Chunks in shards. A shard is a byte range of a key, with an index of inner chunks. An inner chunk may be a nested shard. After the
//! lookup, an inner chunk is read, decoded and cached like any other chunk: as a byte range of a key.
//!
//! Specification: Zarr extension "sharding codec", version 1.0.

use std::ops::Range;
use std::sync::Arc;

use super::array::Shard;
use super::array_keys::{ArrayKey, ArrayKeys, chunk_at, missing_chunk};
use super::grid::{cells, coarse, common, number, place, sum};
use super::shard::ShardIndex;
use crate::chunk::layout::ChunkRef;
use crate::chunk::scatter::{Block, advance};
use crate::error::{Error, Result};
use crate::format::recent::{CacheLimits, Recent};
use crate::io::store::{KeyParts, KeyRanges, range_of};
use crate::limits::room;
use crate::model::VarId;

/// Maximum number of shard indexes to prefetch. The value is below the cache limit.
const TOGETHER: usize = 16;
/// Maximum number of cached indexes, and of cached decoded keys.
const MAX_CACHED: usize = 32;
/// Maximum size of cached decoded keys in bytes.
const DECODED: usize = 128 << 20;
/// Maximum size of cached indexes in bytes.
const INDEXES: usize = 16 << 20;

/// Cache of shard indexes and decoded keys of a store.
#[derive(Debug)]
pub(super) struct ShardCache {
    indexes: Recent<ShardId, Arc<ShardIndex>>,
    /// Decoded keys with codecs for complete shards, by variable and key number.
    decoded: Recent<(VarId, u64), Arc<Vec<u8>>>,
}

impl Default for ShardCache {
    fn default() -> Self {
        let most = |bytes| CacheLimits {
            count: MAX_CACHED,
            bytes,
        };
        Self {
            indexes: Recent::new(most(INDEXES)),
            decoded: Recent::new(most(DECODED)),
        }
    }
}

/// The identity of a shard index.
#[derive(Debug, Clone, Copy, PartialEq)]
struct ShardId {
    var: VarId,
    key: u64,
    level: usize,
    /// The offset of the shard in the key.
    start: u64,
}

/// The bytes of a key. Shard ranges refer to these bytes.
enum KeyBytes {
    /// The stored bytes.
    Stored,
    /// The bytes that the codecs for complete shards decode.
    Decoded(Arc<Vec<u8>>),
}

/// The shards of an array.
pub(super) struct ShardReader<'a> {
    /// The keys of the array.
    pub keys: ArrayKeys<'a>,
    /// Cached indexes and decoded keys.
    pub read: &'a ShardCache,
}

/// A byte range of the key with this number.
struct ShardRange {
    key: u64,
    range: Range<u64>,
}

/// A shard search: the requested block, and the chunks found so far.
struct ShardSearch<'a> {
    wanted: &'a Block,
    found: &'a mut Vec<ChunkRef>,
}

impl ShardReader<'_> {
    /// Returns the chunks in these keys that are in a block of the chunk grid, in row-major order.
    ///
    /// # Errors
    /// Returns errors of the store and of damaged indexes.
    pub(super) fn located(&self, wanted: &Block, keys: &[ArrayKey]) -> Result<Vec<ChunkRef>> {
        let mut found = vec![];
        for part in keys.chunks(TOGETHER) {
            self.indexes_ahead(part);
            for &(key, stored) in part {
                let size = match self.bytes(key)? {
                    KeyBytes::Decoded(bytes) => bytes.len() as u64,
                    KeyBytes::Stored => stored,
                };
                let found = &mut found;
                self.in_key(key, size, &mut ShardSearch { wanted, found })?;
            }
        }
        found.sort_unstable_by_key(|chunk: &ChunkRef| chunk.index);
        Ok(found)
    }

    /// Returns ranges of a chunk's key if codecs encode the complete key, otherwise `None`.
    ///
    /// # Errors
    /// Returns errors from reading and decoding the key, or [`ErrorKind::Truncated`](crate::ErrorKind::Truncated) past the end of the key.
    pub(super) fn parts(&self, chunk: u64, ranges: &[Range<u64>]) -> Result<Option<Vec<Vec<u8>>>> {
        match self.bytes(self.keys.number_of(chunk)?)? {
            KeyBytes::Stored => Ok(None),
            KeyBytes::Decoded(bytes) => parts_of(&bytes, ranges).map(Some),
        }
    }

    /// Returns the shard format of a nesting level.
    fn shard(&self, level: usize) -> Option<&Shard> {
        self.keys.array.described.shards.get(level)
    }

    /// Returns the shape in elements of the shards or chunks within the shards of a level.
    fn inner(&self, level: usize) -> &[u64] {
        let next = self.shard(level + 1);
        next.map_or(&self.keys.array.layout.chunk, |shard| &shard.shape)
    }

    /// Returns the name of the key with this number.
    fn name(&self, key: u64) -> String {
        self.keys.key_at(place(key, &self.keys.key_grid()))
    }

    /// Adds the key to an error.
    fn of_key(&self, key: u64, e: Error) -> Error {
        e.of(&format!("{}/{}", self.keys.store.name(), self.name(key)))
    }

    /// Returns the bytes of a key.
    fn bytes(&self, key: u64) -> Result<KeyBytes> {
        let Some(whole) = &self.keys.array.whole else {
            return Ok(KeyBytes::Stored);
        };
        let id = (self.keys.var, key);
        if let Some(known) = self.read.decoded.get(&id) {
            return Ok(KeyBytes::Decoded(known));
        }
        let (store, name) = (self.keys.store, self.name(key));
        let read = || {
            let size = store.size(&name)?.ok_or_else(missing_chunk)?;
            whole.check(size)?;
            let stored = store.get(&name)?.ok_or_else(missing_chunk)?;
            whole.chain.decode(0, stored, &mut vec![])
        };
        let bytes = read().map_err(|e| e.of(&format!("{}/{name}", store.name())))?;
        let size = bytes.len();
        let kept = self.read.decoded.put(id, Arc::new(bytes), size);
        Ok(KeyBytes::Decoded(kept))
    }

    /// Returns byte ranges of a key.
    fn ranges(&self, key: u64, ranges: Vec<Range<u64>>) -> Result<KeyParts> {
        match self.bytes(key)? {
            KeyBytes::Stored => self.keys.store.get_ranges(&self.name(key), &ranges),
            KeyBytes::Decoded(bytes) => parts_of(&bytes, &ranges).map(Some),
        }
    }

    /// Adds the requested chunks of a key of `size` bytes.
    fn in_key(&self, key: u64, size: u64, search: &mut ShardSearch<'_>) -> Result<()> {
        let corner = place(key, &self.keys.key_grid()).into_iter();
        let corner = corner.zip(self.keys.outer());
        let corner: Vec<u64> = corner.map(|(at, len)| at.saturating_mul(*len)).collect();
        let range = 0..size;
        let added = self.level(0, ShardRange { key, range }, &corner, search);
        added.map_err(|e| self.of_key(key, e))
    }

    /// Adds the requested chunks of a shard, given by the byte range in a key and the coordinates of the first element.
    fn level(
        &self,
        level: usize,
        ShardRange { key, range }: ShardRange,
        corner: &[u64],
        search: &mut ShardSearch<'_>,
    ) -> Result<()> {
        let Some(shard) = self.shard(level) else {
            return Ok(());
        };
        let inner = self.inner(level);
        let own = Block {
            start: cells(corner, inner),
            count: shard.cells(inner),
        };
        let index = self.index(level, (key, &range), &own.count)?;
        let ratio = cells(inner, &self.keys.array.layout.chunk);
        let part = common(&own, &coarse(search.wanted, &ratio));
        if part.count.contains(&0) {
            return Ok(());
        }
        let mut at = vec![0u64; part.count.len()];
        loop {
            let place = sum(&at, &part.start);
            let local: Vec<u64> = place.iter().zip(&own.start).map(|(p, b)| p - b).collect();
            let cell = shard.number(&local, &own.count);
            if let Some(range) = cell.and_then(|n| index.get(n)) {
                self.cell(level, &place, ShardRange { key, range }, search)?;
            }
            if !advance(&mut at, &part.count) {
                return Ok(());
            }
        }
    }

    /// Adds a stored cell of a shard: a chunk, or the requested chunks of a nested shard. `place` counts in cells.
    fn cell(
        &self,
        level: usize,
        place: &[u64],
        part: ShardRange,
        search: &mut ShardSearch<'_>,
    ) -> Result<()> {
        if self.shard(level + 1).is_none() {
            let number = number(place, &self.keys.array.layout.grid());
            let chunk = number.map(|number| chunk_at(self.keys.var, number, part.range));
            return chunk.map_or(Ok(()), |chunk| search.add(chunk));
        }
        let corner = place.iter().zip(self.inner(level));
        let corner: Vec<u64> = corner.map(|(p, len)| p.saturating_mul(*len)).collect();
        self.level(level + 1, part, &corner, search)
    }

    /// Prefetches shard indexes concurrently if the store has latency. Ignores errors: the later read of an index reports them.
    fn indexes_ahead(&self, keys: &[ArrayKey]) {
        let latency = self.keys.store.latency() && self.keys.array.whole.is_none();
        let Some(shard) = self.shard(0).filter(|_| latency) else {
            return;
        };
        let count = shard.cells(self.inner(0));
        let (mut unknown, mut parts) = (vec![], vec![]);
        for &(key, size) in keys {
            let id = self.id(0, (key, 0));
            let Ok(part) = shard.index_range(&count, &(0..size)) else {
                continue;
            };
            if self.read.indexes.get(&id).is_none() {
                let (key, ranges) = (self.name(key), vec![part]);
                parts.push(KeyRanges { key, ranges });
                unknown.push((id, 0..size));
            }
        }
        if parts.len() < 2 {
            return;
        }
        let read = self.keys.store.get_parts(&parts);
        for ((id, range), read) in unknown.into_iter().zip(read) {
            let bytes = read.ok().flatten().and_then(|mut parts| parts.pop());
            if let Some(Ok(index)) = bytes.map(|bytes| shard.index(bytes, &range)) {
                self.keep(id, index);
            }
        }
    }

    /// Returns the identity of a shard at an offset of a key.
    fn id(&self, level: usize, (key, start): (u64, u64)) -> ShardId {
        let var = self.keys.var;
        ShardId {
            var,
            key,
            level,
            start,
        }
    }

    fn keep(&self, id: ShardId, index: ShardIndex) -> Arc<ShardIndex> {
        let bytes = index.bytes();
        self.read.indexes.put(id, Arc::new(index), bytes)
    }

    /// Returns the shard index.
    fn index(
        &self,
        level: usize,
        (key, range): (u64, &Range<u64>),
        cells: &[u64],
    ) -> Result<Arc<ShardIndex>> {
        let id = self.id(level, (key, range.start));
        if let Some(known) = self.read.indexes.get(&id) {
            return Ok(known);
        }
        let Some(shard) = self.shard(level) else {
            return Ok(Arc::default());
        };
        let part = shard.index_range(cells, range)?;
        let read = self.ranges(key, vec![part])?;
        let bytes = read
            .and_then(|mut parts| parts.pop())
            .ok_or_else(missing_chunk)?;
        Ok(self.keep(id, shard.index(bytes, range)?))
    }
}

impl ShardSearch<'_> {
    fn add(&mut self, chunk: ChunkRef) -> Result<()> {
        if self.found.len() == self.found.capacity() {
            let more = self.found.len().saturating_mul(2 * size_of::<ChunkRef>());
            room(more, "a list of chunks")?;
        }
        self.found.push(chunk);
        Ok(())
    }
}

/// Returns ranges of decoded bytes.
fn parts_of(bytes: &[u8], ranges: &[Range<u64>]) -> Result<Vec<Vec<u8>>> {
    let part = |range| range_of(bytes, range).map(<[u8]>::to_vec);
    ranges.iter().map(part).collect()
}
