//! Caches for values that many objects share: a lazily filled cell, and a small least-recently-used cache.

use std::sync::{Mutex, OnceLock, PoisonError};

use crate::error::Result;

/// Returns the value of a cell. An empty cell first receives the result of `make`.
///
/// # Errors
/// Returns errors of `make`.
pub(super) fn once<T>(cell: &OnceLock<T>, make: impl FnOnce() -> Result<T>) -> Result<&T> {
    if let Some(known) = cell.get() {
        return Ok(known);
    }
    let made = make()?;
    Ok(cell.get_or_init(|| made))
}

/// A thread-safe cache of the most recently used values. Values should be cheap to clone.
#[derive(Debug)]
pub(super) struct Recent<K, V> {
    entries: Mutex<Vec<RecentEntry<K, V>>>,
    most: CacheLimits,
}

/// The limits of a cache. The most recently used value always stays.
#[derive(Debug, Clone, Copy)]
pub(super) struct CacheLimits {
    /// The maximum number of values.
    pub count: usize,
    /// The maximum size of all values in bytes.
    pub bytes: usize,
}

#[derive(Debug)]
struct RecentEntry<K, V> {
    key: K,
    value: V,
    bytes: usize,
}

impl<K: PartialEq, V: Clone> Recent<K, V> {
    /// Returns an empty cache.
    #[must_use]
    pub(super) fn new(most: CacheLimits) -> Self {
        Self {
            entries: Mutex::default(),
            most,
        }
    }

    /// Returns the value for a key.
    #[must_use]
    pub(super) fn get(&self, key: &K) -> Option<V> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let found = entries.iter().position(|e| e.key == *key)?;
        if found > 0 {
            entries.get_mut(..=found)?.rotate_right(1);
        }
        entries.first().map(|e| e.value.clone())
    }

    /// Removes all values.
    pub(super) fn clear(&self) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.clear();
    }

    /// Adds a value of `bytes` bytes, evicts the least recently used values, and returns the new value.
    pub(super) fn put(&self, key: K, value: V, bytes: usize) -> V {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.retain(|e| e.key != key);
        let kept = value.clone();
        entries.insert(
            0,
            RecentEntry {
                key,
                value: kept,
                bytes,
            },
        );
        entries.truncate(self.most.count.max(1));
        let mut total = 0usize;
        let keep = entries.iter().position(|e| {
            total = total.saturating_add(e.bytes);
            total > self.most.bytes
        });
        if let Some(keep) = keep {
            entries.truncate(keep.max(1));
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forgets_what_was_not_used_for_the_longest_time() {
        let recent = Recent::new(CacheLimits { count: 2, bytes: 9 });
        recent.put(1, 'a', 1);
        recent.put(2, 'b', 1);
        assert_eq!(recent.get(&1), Some('a'));
        recent.put(3, 'c', 1);
        assert_eq!(recent.get(&2), None);
        assert_eq!(recent.get(&1), Some('a'));
    }

    #[test]
    fn keeps_one_value_however_large() {
        let recent = Recent::new(CacheLimits { count: 9, bytes: 9 });
        recent.put(1, 'a', 5);
        recent.put(2, 'b', 5);
        assert_eq!(recent.get(&1), None);
        recent.put(3, 'c', 50);
        assert_eq!((recent.get(&2), recent.get(&3)), (None, Some('c')));
    }
}
