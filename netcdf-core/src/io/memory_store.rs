//! Keys in memory, as a store and as a target.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::store::{Store, Visit, range_of};
use super::target::StoreTarget;
use crate::error::{Error, ErrorKind, Result};

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
        Ok(self.keys().get(key).cloned())
    }

    fn get_ranges(&self, key: &str, ranges: &[Range<u64>]) -> Result<Option<Vec<Vec<u8>>>> {
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
        Ok(self.keys().get(key).map(|bytes| bytes.len() as u64))
    }

    fn children(&self, prefix: &str) -> Result<Vec<String>> {
        let below = self.below(prefix);
        let name = |(key, _): &(String, u64)| {
            let rest = key.get(prefix.len()..).unwrap_or_default();
            rest.split('/').next().unwrap_or_default().to_owned()
        };
        let mut names: Vec<_> = below.iter().map(name).collect();
        names.dedup();
        Ok(names)
    }

    fn walk(&self, prefix: &str, visit: Visit<'_>) -> Result<()> {
        let below = self.below(prefix);
        below.iter().try_for_each(|(key, size)| visit(key, *size))
    }

    fn put(&self, key: &str, bytes: &[u8]) -> Result<()> {
        self.keys().insert(key.to_owned(), bytes.to_vec());
        Ok(())
    }

    fn put_if_absent(&self, key: &str, bytes: &[u8]) -> Result<()> {
        let mut keys = self.keys();
        if keys.contains_key(key) {
            let what = "the key exists already";
            return Err(Error::new(ErrorKind::Exists, what)
                .in_object(key)
                .of(&self.name));
        }
        keys.insert(key.to_owned(), bytes.to_vec());
        Ok(())
    }

    fn delete(&self, key: &str) -> Result<()> {
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
