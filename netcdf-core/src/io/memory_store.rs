//! Keys in memory, as a store and as a target.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::key;
use super::store::{Store, Visit, exists, in_the_way, range_of, without_content};
use super::target::StoreTarget;
use crate::error::Result;

/// A store of keys in memory.
#[derive(Debug)]
pub struct MemoryStore {
    name: Arc<str>,
    keys: Mutex<BTreeMap<String, Vec<u8>>>,
}

impl MemoryStore {
    /// An empty store under a name for messages.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            keys: Mutex::default(),
        }
    }

    fn keys(&self) -> MutexGuard<'_, BTreeMap<String, Vec<u8>>> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks a key whose bytes are wanted.
    fn check(&self, key: &str) -> Result<()> {
        key::check(key).map_err(|e| e.of(&self.name))?;
        match self.has_below(key) {
            true => Err(without_content(&self.name, key)),
            false => Ok(()),
        }
    }

    /// Checks a key that is to be put.
    fn check_put(&self, key: &str) -> Result<()> {
        key::check(key).map_err(|e| e.of(&self.name))?;
        let keys = self.keys();
        let mut above = key.match_indices('/').filter_map(|(end, _)| key.get(..end));
        let blocked = above.any(|above| keys.contains_key(above));
        drop(keys);
        match blocked || self.has_below(key) {
            true => Err(in_the_way(&self.name, key)),
            false => Ok(()),
        }
    }

    fn has_below(&self, key: &str) -> bool {
        let prefix = format!("{key}/");
        let keys = self.keys();
        let next = keys.range(prefix.clone()..).next();
        next.is_some_and(|(key, _)| key.starts_with(&prefix))
    }

    /// Keys below `prefix`, with their sizes.
    fn below(&self, prefix: &str) -> Vec<(String, u64)> {
        let keys = self.keys();
        let below = keys.range(prefix.to_owned()..);
        let below = below.take_while(|(key, _)| key.starts_with(prefix));
        below.map(|(k, v)| (k.clone(), v.len() as u64)).collect()
    }
}

impl Store for MemoryStore {
    fn name(&self) -> &Arc<str> {
        &self.name
    }

    fn get(&self, key: &str) -> Result<Option<Vec<u8>>> {
        self.check(key)?;
        Ok(self.keys().get(key).cloned())
    }

    fn get_ranges(&self, key: &str, ranges: &[Range<u64>]) -> Result<Option<Vec<Vec<u8>>>> {
        self.check(key)?;
        let keys = self.keys();
        let Some(bytes) = keys.get(key) else {
            return Ok(None);
        };
        let parts = ranges.iter().map(|range| {
            let part = range_of(bytes, range).map(<[u8]>::to_vec);
            part.map_err(|e| e.of(&self.name).in_object(key))
        });
        parts.collect::<Result<_>>().map(Some)
    }

    fn size(&self, key: &str) -> Result<Option<u64>> {
        self.check(key)?;
        Ok(self.keys().get(key).map(|bytes| bytes.len() as u64))
    }

    fn children(&self, prefix: &str) -> Result<Vec<String>> {
        key::check_prefix(prefix).map_err(|e| e.of(&self.name))?;
        let below = self.below(prefix);
        let name = |(key, _): &(String, u64)| {
            let rest = key.get(prefix.len()..).unwrap_or_default();
            rest.split('/').next().unwrap_or_default().to_owned()
        };
        let mut names: Vec<_> = below.iter().map(name).collect();
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    fn walk(&self, prefix: &str, visit: Visit<'_>) -> Result<()> {
        key::check_prefix(prefix).map_err(|e| e.of(&self.name))?;
        let below = self.below(prefix);
        below.iter().try_for_each(|(key, size)| visit(key, *size))
    }

    fn put(&self, key: &str, bytes: &[u8]) -> Result<()> {
        self.check_put(key)?;
        self.keys().insert(key.to_owned(), bytes.to_vec());
        Ok(())
    }

    fn put_if_absent(&self, key: &str, bytes: &[u8]) -> Result<()> {
        self.check_put(key)?;
        match self.keys().entry(key.to_owned()) {
            Entry::Occupied(_) => Err(exists(&self.name, key)),
            Entry::Vacant(place) => {
                place.insert(bytes.to_vec());
                Ok(())
            }
        }
    }

    fn delete(&self, key: &str) -> Result<()> {
        self.check(key)?;
        self.keys().remove(key);
        Ok(())
    }
}

/// A store in memory in the making; the one who kept the other handle sees whether it was committed.
#[derive(Debug)]
pub struct MemoryStoreTarget {
    store: Arc<dyn Store>,
    committed: Arc<Mutex<bool>>,
}

impl MemoryStoreTarget {
    /// A target that fills `store`, and the handle that says whether it was committed.
    #[must_use]
    pub fn new(store: Arc<dyn Store>) -> (Self, Arc<Mutex<bool>>) {
        let committed = Arc::default();
        let target = Self {
            store,
            committed: Arc::clone(&committed),
        };
        (target, committed)
    }
}

impl StoreTarget for MemoryStoreTarget {
    fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    fn commit(self: Box<Self>) -> Result<()> {
        *self
            .committed
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = true;
        Ok(())
    }
}
