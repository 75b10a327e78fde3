//! Cache entries with the times of last use.

use std::collections::BTreeMap;

use crate::runtime::CachedBytes;

/// The entries of a cache, each with its reserved memory.
#[derive(Debug)]
pub(super) struct Shelf<K, V> {
    kept: BTreeMap<K, KeptValue<V>>,
    /// The keys by the time of last use.
    used: BTreeMap<u64, K>,
    bytes: u64,
}

#[derive(Debug)]
struct KeptValue<V> {
    value: V,
    used: u64,
    spare: CachedBytes,
}

impl<K, V> Default for Shelf<K, V> {
    fn default() -> Self {
        Self {
            kept: BTreeMap::new(),
            used: BTreeMap::new(),
            bytes: 0,
        }
    }
}

impl<K: Ord + Copy, V> Shelf<K, V> {
    /// Returns the size of all values in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the number of values.
    pub(super) fn len(&self) -> usize {
        self.kept.len()
    }

    /// Returns true if the key has a value.
    pub(super) fn has(&self, key: &K) -> bool {
        self.kept.contains_key(key)
    }

    /// Returns the last entry with this key or a smaller key, and the time of its last use.
    pub(super) fn up_to(&self, key: &K) -> Option<(K, &V, u64)> {
        let (key, kept) = self.kept.range(..=key).next_back()?;
        Some((*key, &kept.value, kept.used))
    }

    /// Returns the value of a key, and records this time as its last use.
    pub(super) fn at(&mut self, key: &K, time: u64) -> Option<&V> {
        let kept = self.kept.get_mut(key)?;
        self.used.remove(&kept.used);
        kept.used = time;
        self.used.insert(time, *key);
        Some(&kept.value)
    }

    /// Adds or replaces a value, used at this time.
    pub(super) fn put(&mut self, key: K, (value, spare): (V, CachedBytes), time: u64) {
        self.take(&key);
        self.bytes += spare.get();
        self.used.insert(time, key);
        let used = time;
        self.kept.insert(key, KeptValue { value, used, spare });
    }

    /// Removes a value.
    pub(super) fn take(&mut self, key: &K) -> Option<V> {
        let kept = self.kept.remove(key)?;
        self.used.remove(&kept.used);
        self.bytes -= kept.spare.get();
        Some(kept.value)
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
