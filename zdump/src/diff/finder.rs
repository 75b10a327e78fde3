//! Locates and decodes chunks of an array. Recent chunks are cached, because neighbouring chunks of one array overlap with the same chunks
//! of the second array.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use netcdf_core::error::Result;
use netcdf_core::model::Values;

use crate::array::{ChunkPlace, OpenArray};
use crate::key;

/// Maximum number of cached shard indexes.
const INDEXES: usize = 8;

/// Maximum number of cached chunks: a longer search would be slow.
const CHUNKS: usize = 64;

/// The chunks of a key by coordinates. `None` for a missing key.
type ChunksOfKey = Option<BTreeMap<Vec<u64>, Range<u64>>>;

/// A cached item: coordinates, size in bytes, and value.
type KeptItem<T> = (Vec<u64>, u64, Arc<T>);

/// The cached items, most recently used first.
type KeptItems<T> = Mutex<VecDeque<KeptItem<T>>>;

/// Finds chunks.
pub(super) struct Finder<'a> {
    /// The array.
    pub opened: &'a OpenArray<'a>,
    indexes: KeptItems<ChunksOfKey>,
    chunks: KeptItems<Values>,
}

impl<'a> Finder<'a> {
    /// Returns a finder with an empty cache.
    pub(super) fn new(opened: &'a OpenArray<'a>) -> Self {
        Self {
            opened,
            indexes: Mutex::default(),
            chunks: Mutex::default(),
        }
    }

    /// Returns the location of a chunk, or `None` for a missing chunk.
    ///
    /// # Errors
    /// Returns errors of the store, and of a damaged shard index.
    pub(super) fn locate(&self, place: &[u64]) -> Result<Option<ChunkPlace>> {
        if !self.opened.sharded() {
            return self.opened.locate(place);
        }
        let key_place = self.opened.key_place(place);
        let key = self.opened.key(&key_place);
        let index = match get(&self.indexes, &key_place) {
            Some(index) => index,
            None => {
                let index = Arc::new(self.index(&key_place, &key)?);
                put(
                    &self.indexes,
                    (key_place, 1, Arc::clone(&index)),
                    INDEXES as u64,
                );
                index
            }
        };
        let range = index.as_ref().as_ref().and_then(|index| index.get(place));
        Ok(range.map(|range| ChunkPlace {
            place: place.to_vec(),
            key,
            range: range.clone(),
        }))
    }

    fn index(&self, key_place: &[u64], key: &str) -> Result<ChunksOfKey> {
        let Some(size) = key::size(self.opened.store, key)? else {
            return Ok(None);
        };
        let parts = self.opened.parts(key_place, key, size)?.into_iter();
        Ok(Some(parts.map(|part| (part.place, part.range)).collect()))
    }

    /// Returns the values of a chunk.
    ///
    /// # Errors
    /// Returns the errors of [`OpenArray::decode`].
    pub(super) fn decode(&self, place: &ChunkPlace) -> Result<Arc<Values>> {
        if let Some(values) = get(&self.chunks, &place.place) {
            return Ok(values);
        }
        let values = Arc::new(self.opened.decode(place)?);
        let (bytes, most) = (self.opened.memory(place), self.opened.env.runtime.memory());
        put(
            &self.chunks,
            (place.place.clone(), bytes, Arc::clone(&values)),
            most / 2,
        );
        Ok(values)
    }
}

fn lock<T>(kept: &KeptItems<T>) -> MutexGuard<'_, VecDeque<KeptItem<T>>> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

fn get<T>(kept: &KeptItems<T>, place: &[u64]) -> Option<Arc<T>> {
    let mut kept = lock(kept);
    let at = kept.iter().position(|(known, ..)| known == place)?;
    let found = kept.remove(at)?;
    let value = Arc::clone(&found.2);
    kept.push_front(found);
    Some(value)
}

/// Caches an item. The least recently used items are evicted.
fn put<T>(kept: &KeptItems<T>, new: KeptItem<T>, most: u64) {
    let mut kept = lock(kept);
    kept.push_front(new);
    let mut sum = 0u64;
    let fits = |(_, bytes, _): &KeptItem<T>| {
        sum = sum.saturating_add(*bytes);
        sum <= most
    };
    let fitting = kept.iter().take(CHUNKS).map(fits);
    let fitting = fitting.take_while(|fits| *fits).count();
    kept.truncate(fitting);
}
