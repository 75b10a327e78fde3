//! Cache entries with the times of last use.

use std::collections::BTreeMap;

use crate::runtime::CachedBytes;

/// The entries of a cache, each with its reserved memory.
#[derive(Debug)]
pub(super) struct LruMap<K, V> {
    entries: BTreeMap<K, LruEntry<V>>,
    /// The keys by the time of last use.
    used: BTreeMap<u64, K>,
    bytes: u64,
}

#[derive(Debug)]
struct LruEntry<V> {
    value: V,
    used: u64,
    reserved: CachedBytes,
}

impl<K, V> Default for LruMap<K, V> {
    fn default() -> Self {
        Self {
            entries: BTreeMap::new(),
            used: BTreeMap::new(),
            bytes: 0,
        }
    }
}

impl<K: Ord + Copy, V> LruMap<K, V> {
    /// Returns the size of all values in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the number of values.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns true if the key has a value.
    pub(super) fn has(&self, key: &K) -> bool {
        self.entries.contains_key(key)
    }

    /// Returns the last entry with this key or a smaller key, and the time of its last use.
    pub(super) fn up_to(&self, key: &K) -> Option<(K, &V, u64)> {
        let (key, entry) = self.entries.range(..=key).next_back()?;
        Some((*key, &entry.value, entry.used))
    }

    /// Returns the value of a key, and records this time as its last use.
    pub(super) fn at(&mut self, key: &K, time: u64) -> Option<&V> {
        let entry = self.entries.get_mut(key)?;
        self.used.remove(&entry.used);
        entry.used = time;
        self.used.insert(time, *key);
        Some(&entry.value)
    }

    /// Adds or replaces a value, used at this time.
    pub(super) fn put(&mut self, key: K, (value, reserved): (V, CachedBytes), time: u64) {
        self.take(&key);
        self.bytes += reserved.get();
        self.used.insert(time, key);
        let used = time;
        self.entries.insert(
            key,
            LruEntry {
                value,
                used,
                reserved,
            },
        );
    }

    /// Removes a value.
    pub(super) fn take(&mut self, key: &K) -> Option<V> {
        let entry = self.entries.remove(key)?;
        self.used.remove(&entry.used);
        self.bytes -= entry.reserved.get();
        Some(entry.value)
    }

    /// Returns the last use of the least recently used value.
    pub(super) fn oldest(&self) -> Option<u64> {
        self.used.first_key_value().map(|(time, _)| *time)
    }

    /// Removes the least recently used value, if its last use precedes a time.
    pub(super) fn take_oldest(&mut self, before: u64) -> Option<V> {
        let (_, key) = self
            .used
            .first_key_value()
            .filter(|(at, _)| **at < before)?;
        let key = *key;
        self.take(&key)
    }
}
