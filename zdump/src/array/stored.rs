//! The stored chunks of an array, batch by batch.

use netcdf_core::error::Result;
use netcdf_core::runtime::Item;

use super::{ChunkPlace, Lost, Opened};
use netcdf_core::format::zarr::survey::known;

/// Chunks that are looked at together: enough for all threads, few enough to be held.
const BATCH: usize = 512;

/// A chunk, or a shard whose chunks cannot be found.
pub(crate) type FoundChunk = Result<ChunkPlace, Lost>;

/// A visitor of chunks.
type VisitChunks<'a> = &'a mut dyn FnMut(Vec<FoundChunk>) -> Result<()>;

impl Opened<'_> {
    /// Works on the stored chunks in parallel, and passes the results on in order. `bytes` is the memory for a chunk.
    ///
    /// # Errors
    /// As [`Self::stored`], and those of `work` and `sink`.
    pub fn each_stored<R: Send>(
        &self,
        bytes: impl Fn(&ChunkPlace) -> u64,
        work: impl Fn(FoundChunk) -> Result<R> + Sync,
        mut sink: impl FnMut(R) -> Result<()>,
    ) -> Result<()> {
        self.stored(&mut |batch| {
            let items = batch.into_iter().map(|value| {
                let bytes = value.as_ref().map_or(0, &bytes);
                Ok(Item::new(bytes, value))
            });
            self.env.runtime.ordered(items, &work, &mut sink)
        })
    }

    /// Visits the stored chunks in the order of their keys, and of their places in shards. A shard with a damaged index is an
    /// error in place of its chunks.
    ///
    /// # Errors
    /// Errors of listing the store, and of `visit`; [`netcdf_core::ErrorKind::Limit`] for more than 2^64 chunks.
    pub(super) fn stored(&self, visit: VisitChunks<'_>) -> Result<()> {
        self.numbered()?;
        let mut batch = vec![];
        self.store.walk(&self.prefix, &mut |key, size| {
            self.env.cancel.check()?;
            let size = known(size);
            let rest = key.strip_prefix(self.prefix.as_str()).unwrap_or_default();
            let Some(key_place) = self.array.place(rest) else {
                return Ok(());
            };
            let parts = match self.parts(&key_place, key, size) {
                Ok(parts) => parts,
                Err(error) => {
                    batch.push(Err(Lost { key_place, error }));
                    return Ok(());
                }
            };
            for part in parts {
                if self.outside(&part.place) {
                    continue;
                }
                batch.push(Ok(ChunkPlace {
                    place: part.place,
                    key: key.to_owned(),
                    range: part.range,
                }));
                if batch.len() >= BATCH {
                    visit(std::mem::take(&mut batch))?;
                }
            }
            Ok(())
        })?;
        match batch.is_empty() {
            true => Ok(()),
            false => visit(batch),
        }
    }

    /// Whether a chunk of a shard lies completely outside the array.
    fn outside(&self, place: &[u64]) -> bool {
        place
            .iter()
            .zip(self.grid())
            .any(|(at, cells)| *at >= cells)
    }
}
