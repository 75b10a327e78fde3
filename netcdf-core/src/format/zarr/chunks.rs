//! Finds the stored chunks of an array.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::grid::{cells, coarse, common, in_block, number, place};
use super::schema::Array;
use super::shard::ShardIndex;
use crate::chunk::layout::ChunkRef;
use crate::chunk::scatter::{Block, advance};
use crate::error::{Error, ErrorKind, Result};
use crate::format::recent::Recent;
use crate::io::Store;
use crate::io::store::{KeyRanges, UNKNOWN, range_of};
use crate::limits::room;
use crate::model::region::product;

/// Most chunks to look up one by one; for more, the store is listed.
const FEW: u64 = 64;
/// On a store with latency, keys are looked up together. Listing takes a request for some thousand keys: it is better than looking up
/// more than one key in this many.
const PART: u64 = 16;
/// Most keys to look up together, and most chunks that are asked for without knowing whether they are stored.
const TOGETHER: u64 = 1 << 16;
/// Bytes of a usual chunk of texts.
const USUAL: u64 = 64 << 10;
/// Most indexes of shards to read together: fewer than are kept.
const INDEXES: usize = 16;

/// A key of an array: its row-major number in the grid of keys, and its size in bytes.
pub type Key = (u64, u64);

/// Identifies the index of a shard: the variable, the number of the key, and the start of the shard in it.
pub type ShardId = (usize, u64, u64);

/// The keys of a variable, once listed.
#[derive(Debug, Default)]
pub struct Listing(OnceLock<Arc<Vec<Key>>>);

/// Finds chunks.
pub struct ChunkFinder<'a> {
    /// The store.
    pub store: &'a Arc<dyn Store>,
    /// The number of the variable.
    pub var: usize,
    /// The variable.
    pub array: &'a Array,
    /// Its keys, once listed.
    pub listing: &'a Listing,
    /// Indexes of shards.
    pub indexes: &'a Recent<ShardId, Arc<ShardIndex>>,
    /// Decoded shards that were encoded as a whole, by variable and number of the key.
    pub decoded: &'a Recent<(usize, u64), Arc<Vec<u8>>>,
}

/// Bytes of the key with this number.
struct KeyPart {
    key: u64,
    range: Range<u64>,
}

impl ChunkFinder<'_> {
    /// The shape of the contents of a key.
    fn outer(&self) -> &[u64] {
        let shard = self.array.described.shards.first();
        shard.map_or(&self.array.layout.chunk, |s| &s.shape)
    }

    /// Number of keys per dimension.
    fn key_grid(&self) -> Vec<u64> {
        let shape = self.array.layout.extent.iter().zip(self.outer());
        shape.map(|(&n, &c)| n.div_ceil(c.max(1))).collect()
    }

    /// The key at a place in the grid of keys.
    fn key_at(&self, place: Vec<u64>) -> String {
        let described = &self.array.described;
        let key = described.keys.key(&described.key_place(place));
        format!("{}{key}", self.array.prefix)
    }

    /// The key that contains a chunk.
    #[must_use]
    pub fn key(&self, chunk: u64) -> String {
        self.key_at(cells(&self.array.layout.place(chunk), &self.ratio()))
    }

    /// Number of chunks in a key, per dimension.
    fn ratio(&self) -> Vec<u64> {
        cells(self.outer(), &self.array.layout.chunk)
    }

    /// The keys in a box of the grid of keys, sorted.
    fn keys(&self, wanted: &Block, grid: &[u64]) -> Result<Vec<Key>> {
        let count = product(&wanted.count);
        if count == Some(0) {
            return Ok(vec![]);
        }
        if self.listing.0.get().is_none() && count.is_some_and(|n| n <= self.most(grid)) {
            let found = self.few(wanted, grid)?;
            if self.store.latency() && count == product(grid) {
                // These are all.
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

    /// Most keys to look up.
    fn most(&self, grid: &[u64]) -> u64 {
        match self.store.latency() {
            true => (product(grid).unwrap_or(u64::MAX) / PART).clamp(FEW, TOGETHER),
            false => FEW,
        }
    }

    /// Looks up each key.
    fn few(&self, wanted: &Block, grid: &[u64]) -> Result<Vec<Key>> {
        let (mut numbers, mut keys) = (vec![], vec![]);
        self.places(wanted, grid, &mut |number, place| {
            numbers.push(number);
            keys.push(self.key_at(place));
            Ok(())
        })?;
        let sizes = numbers.into_iter().zip(self.store.sizes(&keys));
        let found = sizes.filter_map(|(number, size)| size.map(|s| Some((number, s?))).transpose());
        found.collect()
    }

    /// Visits the places of a box that is not empty, in row-major order, with their numbers in the grid.
    fn places(
        &self,
        wanted: &Block,
        grid: &[u64],
        visit: &mut dyn FnMut(u64, Vec<u64>) -> Result<()>,
    ) -> Result<()> {
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

    /// All keys of the array, listed once.
    fn listed(&self, grid: &[u64]) -> Result<Arc<Vec<Key>>> {
        if let Some(listed) = self.listing.0.get() {
            return Ok(Arc::clone(listed));
        }
        product(grid).ok_or_else(too_many)?;
        let (prefix, mut found) = (&self.array.prefix, vec![]);
        self.store.walk(prefix, &mut |key, size| {
            // Chunks may be behind a link that is not followed: they must not count as missing.
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
        Ok(Arc::clone(self.listing.0.get_or_init(|| Arc::new(found))))
    }

    /// Visits the stored chunks within a box of the chunk grid, in row-major order.
    ///
    /// # Errors
    /// Those of the store; those of damaged indexes.
    pub fn locate(
        &self,
        wanted: &Block,
        visit: &mut dyn FnMut(ChunkRef) -> Result<()>,
    ) -> Result<()> {
        let grid = self.key_grid();
        let all = Block::whole(&grid);
        let keys = self.keys(&common(&coarse(wanted, &self.ratio()), &all), &grid)?;
        if self.array.described.shards.is_empty() {
            return keys
                .into_iter()
                .try_for_each(|(index, size)| visit(self.chunk(index, 0..size)));
        }
        let mut found = vec![];
        for part in keys.chunks(INDEXES) {
            self.indexes_ahead(part);
            for &(key, stored) in part {
                let size = match self.whole(key)? {
                    Some(shard) => shard.len() as u64,
                    None => stored,
                };
                let search = &mut Search {
                    wanted,
                    found: &mut found,
                };
                self.shard(key, size, &grid, search)?;
            }
        }
        found.sort_unstable_by_key(|chunk: &ChunkRef| chunk.index);
        found.into_iter().try_for_each(visit)
    }

    /// As [`ChunkFinder::locate`]. Where that would take requests, it visits all chunks instead, as if each had its decoded size: which
    /// of them are stored is known when they are fetched.
    ///
    /// # Errors
    /// As [`ChunkFinder::locate`].
    pub fn candidates(
        &self,
        wanted: &Block,
        visit: &mut dyn FnMut(ChunkRef) -> Result<()>,
    ) -> Result<()> {
        let grid = self.array.layout.grid();
        let all = common(wanted, &Block::whole(&grid));
        let few = product(&all.count).is_some_and(|n| (1..=TOGETHER).contains(&n));
        let unsure = self.asks_for_keys() && self.listing.0.get().is_none();
        match few && unsure && self.array.layout.chunk_bytes().is_some() {
            true => self.places(&all, &grid, &mut |number, _| visit(self.candidate(number))),
            false => self.locate(wanted, visit),
        }
    }

    /// True if it takes requests to find out which chunks are stored, and each chunk is all there is under a key.
    fn asks_for_keys(&self) -> bool {
        let described = &self.array.described;
        described.shards.is_empty() && described.heap.is_none() && self.store.latency()
    }

    /// True if a chunk that was visited is known to be stored. Others may have listed all keys since then.
    #[must_use]
    pub fn is_known(&self, chunk: u64) -> bool {
        let listed = |all: &Arc<Vec<Key>>| all.binary_search_by_key(&chunk, |(index, _)| *index);
        !self.asks_for_keys() || self.listing.0.get().is_some_and(|all| listed(all).is_ok())
    }

    /// The decoded shard under a key, if shards were encoded as a whole.
    fn whole(&self, key: u64) -> Result<Option<Arc<Vec<u8>>>> {
        let Some(whole) = &self.array.whole else {
            return Ok(None);
        };
        if let Some(known) = self.decoded.get(&(self.var, key)) {
            return Ok(Some(known));
        }
        let name = self.key_at(place(key, &self.key_grid()));
        let read = || {
            let size = self.store.size(&name)?.ok_or_else(gone)?;
            whole.check(size)?;
            let stored = self.store.get(&name)?.ok_or_else(gone)?;
            whole.chain.decode(0, stored, &mut vec![])
        };
        let bytes = read().map_err(|e| e.of(&format!("{}/{name}", self.store.name())))?;
        let size = bytes.len();
        Ok(Some(self.decoded.put(
            (self.var, key),
            Arc::new(bytes),
            size,
        )))
    }

    /// Parts of the key of a chunk, if shards are decoded as a whole; otherwise `None`.
    ///
    /// # Errors
    /// Those of reading and decoding; [`ErrorKind::Truncated`] past its end.
    pub fn parts(&self, chunk: u64, ranges: &[Range<u64>]) -> Result<Option<Vec<Vec<u8>>>> {
        let place = cells(&self.array.layout.place(chunk), &self.ratio());
        let key = number(&place, &self.key_grid()).ok_or_else(too_many)?;
        let Some(bytes) = self.whole(key)? else {
            return Ok(None);
        };
        let part = |range| range_of(&bytes, range).map(<[u8]>::to_vec);
        ranges.iter().map(part).collect::<Result<_>>().map(Some)
    }

    /// A chunk that may be stored, as if it had its decoded size; for texts, which can have any, a usual one.
    #[must_use]
    pub fn candidate(&self, index: u64) -> ChunkRef {
        let bytes = match self.array.heap() {
            Some(_) => USUAL,
            None => self.array.layout.chunk_bytes().unwrap_or_default() as u64,
        };
        self.chunk(index, 0..bytes)
    }

    fn chunk(&self, index: u64, range: Range<u64>) -> ChunkRef {
        ChunkRef {
            index,
            object: u32::try_from(self.var)
                .unwrap_or(u32::MAX)
                .saturating_add(1),
            range,
            mask: 0,
        }
    }

    /// Adds the wanted chunks of a shard.
    fn shard(&self, key: u64, size: u64, grid: &[u64], search: &mut Search<'_>) -> Result<()> {
        let corner = place(key, grid).into_iter().zip(self.outer());
        let corner: Vec<u64> = corner.map(|(at, len)| at.saturating_mul(*len)).collect();
        let range = 0..size;
        self.level(0, KeyPart { key, range }, &corner, search)
            .map_err(|e| {
                e.of(&format!(
                    "{}/{}",
                    self.store.name(),
                    self.key_at(place(key, grid))
                ))
            })
    }

    /// Adds the chunks of a shard, given by its bytes in a key and its first element.
    fn level(
        &self,
        level: usize,
        KeyPart { key, range }: KeyPart,
        corner: &[u64],
        search: &mut Search<'_>,
    ) -> Result<()> {
        let shards = &self.array.described.shards;
        let Some(shard) = shards.get(level) else {
            return Ok(());
        };
        let chunk = &self.array.layout.chunk;
        let inner = shards.get(level + 1).map_or(chunk, |s| &s.shape);
        let own = Block {
            start: cells(corner, inner),
            count: shard.cells(inner),
        };
        let index = self.index(level, (key, &range), &own.count)?;
        let part = common(&own, &coarse(search.wanted, &cells(inner, chunk)));
        if part.count.contains(&0) {
            return Ok(());
        }
        let mut at = vec![0u64; part.count.len()];
        loop {
            let place = sum(&at, &part.start);
            let local: Vec<u64> = place.iter().zip(&own.start).map(|(p, b)| p - b).collect();
            let n = shard.number(&local, &own.count);
            let cell = n.and_then(|n| index.get(n));
            if let Some(range) = cell {
                let corner: Vec<u64> = place
                    .iter()
                    .zip(inner)
                    .map(|(p, i)| p.saturating_mul(*i))
                    .collect();
                match number(&place, &self.array.layout.grid()) {
                    _ if level + 1 < shards.len() => {
                        self.level(level + 1, KeyPart { key, range }, &corner, search)?
                    }
                    Some(number) => search.add(self.chunk(number, range))?,
                    None => {}
                }
            }
            if !advance(&mut at, &part.count) {
                return Ok(());
            }
        }
    }

    /// Reads the indexes of shards together, if the store has latency. Errors come again when an index is needed.
    fn indexes_ahead(&self, keys: &[Key]) {
        let shards = &self.array.described.shards;
        let latency = self.store.latency() && self.array.whole.is_none();
        let Some(shard) = shards.first().filter(|_| latency) else {
            return;
        };
        let inner = shards.get(1).map_or(&self.array.layout.chunk, |s| &s.shape);
        let (grid, count) = (self.key_grid(), shard.cells(inner));
        let (mut unknown, mut parts) = (vec![], vec![]);
        for &(key, size) in keys {
            let id = (self.var, key, 0);
            let Ok(part) = shard.index_range(&count, &(0..size)) else {
                continue;
            };
            if self.indexes.get(&id).is_none() {
                let key = self.key_at(place(key, &grid));
                let ranges = vec![part];
                parts.push(KeyRanges { key, ranges });
                unknown.push((id, 0..size));
            }
        }
        if parts.len() < 2 {
            return;
        }
        for ((id, range), read) in unknown.into_iter().zip(self.store.get_parts(&parts)) {
            let bytes = read.ok().flatten().and_then(|mut parts| parts.pop());
            if let Some(Ok(index)) = bytes.map(|bytes| shard.index(bytes, &range)) {
                let bytes = index.bytes();
                self.indexes.put(id, Arc::new(index), bytes);
            }
        }
    }

    /// The index of a shard.
    fn index(
        &self,
        level: usize,
        (key, range): (u64, &Range<u64>),
        cells: &[u64],
    ) -> Result<Arc<ShardIndex>> {
        let id = (self.var, key, range.start + (level as u64) * (1 << 60));
        if let Some(known) = self.indexes.get(&id) {
            return Ok(known);
        }
        let Some(shard) = self.array.described.shards.get(level) else {
            return Ok(Arc::default());
        };
        let part = shard.index_range(cells, range)?;
        let name = self.key_at(place(key, &self.key_grid()));
        let bytes = match self.whole(key)? {
            Some(shard) => range_of(&shard, &part)?.to_vec(),
            None => {
                let read = self.store.get_ranges(&name, std::slice::from_ref(&part))?;
                read.and_then(|mut parts| parts.pop()).ok_or_else(gone)?
            }
        };
        let index = shard.index(bytes, range)?;
        let bytes = index.bytes();
        Ok(self.indexes.put(id, Arc::new(index), bytes))
    }
}

/// The place `at` cells from a corner.
fn sum(at: &[u64], corner: &[u64]) -> Vec<u64> {
    let all = at.iter().zip(corner);
    all.map(|(a, c)| a.saturating_add(*c)).collect()
}

/// A search in shards: what is wanted, and what was found.
struct Search<'a> {
    wanted: &'a Block,
    found: &'a mut Vec<ChunkRef>,
}

impl Search<'_> {
    fn add(&mut self, chunk: ChunkRef) -> Result<()> {
        if self.found.len() == self.found.capacity() {
            let more = self.found.len().saturating_mul(2 * size_of::<ChunkRef>());
            room(more, "a list of chunks")?;
        }
        self.found.push(chunk);
        Ok(())
    }
}

fn too_many() -> Error {
    Error::new(ErrorKind::Limit, "an array of more than 2^64 chunks")
}

/// The error for a key that has disappeared.
#[must_use]
pub fn gone() -> Error {
    Error::new(ErrorKind::NotFound, "the chunk is not there any more")
}
