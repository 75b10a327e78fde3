//! Keys in memory, as a store and as a target.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::key;
use super::store::{Store, VisitKey, exists, in_the_way, ranges_of, without_content};
use super::target::StoreTarget;
use super::tree;
use crate::error::Result;

/// A store of keys in memory.
#[derive(Debug)]
pub struct MemoryStore {
    name: Arc<str>,
    keys: Mutex<BTreeMap<String, Vec<u8>>>,
}

impl MemoryStore {
    /// Creates an empty store. `name` is for messages.
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

    /// Locks the keys to read `key`. Checks the key's name.
    fn reading(&self, key: &str) -> Result<MutexGuard<'_, BTreeMap<String, Vec<u8>>>> {
        key::check(key).map_err(|e| e.of(&self.name))?;
        let keys = self.keys();
        match tree::has_below(&keys, key) {
            true => Err(without_content(&self.name, key)),
            false => Ok(keys),
        }
    }

    /// Locks the keys to store `key`. Checks that the key can be stored.
    fn putting(&self, key: &str) -> Result<MutexGuard<'_, BTreeMap<String, Vec<u8>>>> {
        key::check(key).map_err(|e| e.of(&self.name))?;
        let keys = self.keys();
        match tree::is_blocked(&keys, key) {
            true => Err(in_the_way(&self.name, key)),
            false => Ok(keys),
        }
    }
}

impl Store for MemoryStore {
    fn name(&self) -> &Arc<str> {
        &self.name
    }

    fn get(&self, key: &str) -> Result<Option<Vec<u8>>> {
        Ok(self.reading(key)?.get(key).cloned())
    }

    fn get_ranges(&self, key: &str, ranges: &[Range<u64>]) -> Result<Option<Vec<Vec<u8>>>> {
        let keys = self.reading(key)?;
        let parts = keys.get(key).map(|bytes| ranges_of(bytes, ranges));
        parts
            .transpose()
            .map_err(|e| e.of(&self.name).in_object(key))
    }

    fn size(&self, key: &str) -> Result<Option<u64>> {
        let keys = self.reading(key)?;
        Ok(keys.get(key).map(|bytes| bytes.len() as u64))
    }

    fn children(&self, prefix: &str) -> Result<Vec<String>> {
        key::check_prefix(prefix).map_err(|e| e.of(&self.name))?;
        Ok(tree::children(&self.keys(), prefix))
    }

    fn walk(&self, prefix: &str, visit: VisitKey<'_>) -> Result<()> {
        key::check_prefix(prefix).map_err(|e| e.of(&self.name))?;
        // Do not hold the lock while the visitor runs: it may use the store.
        let keys = self.keys();
        let below =
            tree::below(&keys, prefix).map(|(key, bytes)| (key.clone(), bytes.len() as u64));
        let below: Vec<_> = below.collect();
        drop(keys);
        below.iter().try_for_each(|(key, size)| visit(key, *size))
    }

    fn put(&self, key: &str, bytes: &[u8]) -> Result<()> {
        self.putting(key)?.insert(key.to_owned(), bytes.to_vec());
        Ok(())
    }

    fn put_if_absent(&self, key: &str, bytes: &[u8]) -> Result<()> {
        match self.putting(key)?.entry(key.to_owned()) {
            Entry::Occupied(_) => Err(exists(&self.name, key)),
            Entry::Vacant(place) => {
                place.insert(bytes.to_vec());
                Ok(())
            }
        }
    }

    fn delete(&self, key: &str) -> Result<()> {
        self.reading(key)?.remove(key);
        Ok(())
    }
}

/// A new store in memory. A second handle receives whether the store was committed.
#[derive(Debug)]
pub struct MemoryStoreTarget {
    store: Arc<dyn Store>,
    committed: Arc<Mutex<bool>>,
}

impl MemoryStoreTarget {
    /// Creates a target that fills `store`, and the handle that receives whether the store was committed.
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
