//! Values that are kept, with the times of their last use.

use std::collections::BTreeMap;

use crate::runtime::CachedBytes;

/// What a keeper keeps, up to a number of bytes.
#[derive(Debug)]
pub(super) struct Shelf<K, V> {
    kept: BTreeMap<K, KeptValue<V>>,
    /// By the time of their last use.
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
    /// Bytes of all values.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Number of values.
    pub(super) fn len(&self) -> usize {
        self.kept.len()
    }

    /// True if there is a value for a key.
    pub(super) fn has(&self, key: &K) -> bool {
        self.kept.contains_key(key)
    }

    /// The last value with this key or one before, and the time of its last use.
    pub(super) fn up_to(&self, key: &K) -> Option<(K, &V, u64)> {
        let (key, kept) = self.kept.range(..=key).next_back()?;
        Some((*key, &kept.value, kept.used))
    }

    /// The value for a key, used at this time.
    pub(super) fn at(&mut self, key: &K, time: u64) -> Option<&V> {
        let kept = self.kept.get_mut(key)?;
        self.used.remove(&kept.used);
        kept.used = time;
        self.used.insert(time, *key);
        Some(&kept.value)
    }

    /// Adds a value, used at this time, in place of the one that the key had.
    pub(super) fn put(&mut self, key: K, (value, spare): (V, CachedBytes), time: u64) {
        self.take(&key);
        self.bytes += spare.get();
        self.used.insert(time, key);
        let used = time;
        self.kept.insert(key, KeptValue { value, used, spare });
    }

    /// Takes a value out.
    pub(super) fn take(&mut self, key: &K) -> Option<V> {
        let kept = self.kept.remove(key)?;
        self.used.remove(&kept.used);
        self.bytes -= kept.spare.get();
        Some(kept.value)
    }

    /// The time of the last use of what was not used for the longest time.
    pub(super) fn oldest(&self) -> Option<u64> {
        self.used.first_key_value().map(|(time, _)| *time)
    }

    /// Takes out what was last used before a time, and before all else.
    pub(super) fn take_oldest(&mut self, before: u64) -> Option<V> {
        let (_, key) = self
            .used
            .first_key_value()
            .filter(|(at, _)| **at < before)?;
        let key = *key;
        self.take(&key)
    }
}
