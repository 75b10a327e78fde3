//! The stored chunks of an array, batch by batch.

use netcdf_core::error::Result;
use netcdf_core::runtime::WorkItem;

use super::{ChunkPlace, OpenArray, UnreadableShard};
use netcdf_core::format::zarr::survey::known;

/// Chunks per batch: enough for all threads, few enough for memory.
const BATCH: usize = 512;

/// A chunk, or a shard with an unreadable index.
pub(crate) type FoundChunk = Result<ChunkPlace, UnreadableShard>;

/// A listed key of an array.
struct ListedKey {
    /// The coordinates in the grid of keys.
    place: Vec<u64>,
    key: String,
    size: u64,
}

/// A visitor of chunks.
type VisitChunks<'a> = &'a mut dyn FnMut(Vec<FoundChunk>) -> Result<()>;

impl OpenArray<'_> {
    /// Processes the stored chunks in parallel. Passes the results to `sink` in order. `bytes` is the memory for a chunk.
    ///
    /// # Errors
    /// Returns the errors of [`Self::stored`], `work` and `sink`.
    pub(crate) fn each_stored<R: Send>(
        &self,
        bytes: impl Fn(&ChunkPlace) -> u64,
        work: impl Fn(FoundChunk) -> Result<R> + Sync,
        mut sink: impl FnMut(R) -> Result<()>,
    ) -> Result<()> {
        self.stored(&mut |batch| {
            let items = batch.into_iter().map(|value| {
                let bytes = value.as_ref().map_or(0, &bytes);
                Ok(WorkItem::new(bytes, value))
            });
            self.runtime.ordered(items, &work, &mut sink)
        })
    }

    /// Visits the stored chunks in the order of their keys and of their positions in shards. For a shard with a damaged index, visits an
    /// error instead of its chunks.
    ///
    /// # Errors
    /// Returns errors of listing the store and of `visit`, and [`netcdf_core::ErrorKind::Limit`] for more than 2^64 chunks.
    pub(super) fn stored(&self, visit: VisitChunks<'_>) -> Result<()> {
        self.numbered()?;
        let (mut keys, mut batch) = (vec![], vec![]);
        self.store.walk(&self.prefix, &mut |key, size| {
            self.env.cancel.check()?;
            let rest = key.strip_prefix(self.prefix.as_str()).unwrap_or_default();
            let Some(place) = self.array.place(rest) else {
                return Ok(());
            };
            keys.push(ListedKey {
                place,
                key: key.to_owned(),
                size: known(size),
            });
            match keys.len() < self.together() {
                true => Ok(()),
                false => self.chunks_of(std::mem::take(&mut keys), &mut batch, visit),
            }
        })?;
        self.chunks_of(keys, &mut batch, visit)?;
        match batch.is_empty() {
            true => Ok(()),
            false => visit(batch),
        }
    }

    /// Returns the number of keys whose chunks are located concurrently: several if locating needs requests. Shards that are encoded as a
    /// whole are located one after another, because only the last decoded shard is cached.
    fn together(&self) -> usize {
        match self.runtime.asks_ahead() && self.sharded() && !self.array.is_whole() {
            true => BATCH,
            false => 1,
        }
    }

    /// Visits the chunks in keys in batches.
    fn chunks_of(
        &self,
        keys: Vec<ListedKey>,
        batch: &mut Vec<FoundChunk>,
        visit: VisitChunks<'_>,
    ) -> Result<()> {
        let items = keys.into_iter().map(|key| Ok(WorkItem::new(0, key)));
        let work = |at: ListedKey| {
            let parts = self.parts(&at.place, &at.key, at.size);
            Ok((at, parts))
        };
        self.runtime.ordered(items, work, |(at, parts)| {
            let parts = match parts {
                Ok(parts) => parts,
                Err(error) => {
                    let key_place = at.place;
                    batch.push(Err(UnreadableShard { key_place, error }));
                    return Ok(());
                }
            };
            for part in parts.into_iter().filter(|part| !self.outside(&part.place)) {
                batch.push(Ok(ChunkPlace {
                    place: part.place,
                    key: at.key.clone(),
                    range: part.range,
                }));
                if batch.len() >= BATCH {
                    visit(std::mem::take(batch))?;
                }
            }
            Ok(())
        })
    }

    /// Checks whether a chunk of a shard lies completely outside the array.
    fn outside(&self, place: &[u64]) -> bool {
        place
            .iter()
            .zip(self.grid())
            .any(|(at, cells)| *at >= cells)
    }
}
