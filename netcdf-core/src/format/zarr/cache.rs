//! A small cache of decoded data, in case it is needed again.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Most entries to keep.
const MOST: usize = 32;

/// A cache that drops the oldest entries first.
#[derive(Debug)]
pub struct Cache<K, V> {
    items: Mutex<VecDeque<(K, Arc<V>, usize)>>,
    bytes: usize,
}

impl<K: PartialEq, V> Cache<K, V> {
    /// An empty cache for entries of about `bytes` bytes in total.
    #[must_use]
    pub fn new(bytes: usize) -> Self {
        Self {
            items: Mutex::default(),
            bytes,
        }
    }

    /// The entry for a key.
    #[must_use]
    pub fn get(&self, key: &K) -> Option<Arc<V>> {
        let items = self.items.lock().unwrap_or_else(PoisonError::into_inner);
        let found = items.iter().find(|(known, ..)| known == key);
        found.map(|(_, value, _)| Arc::clone(value))
    }

    /// Adds an entry of `bytes` bytes.
    pub fn put(&self, key: K, value: V, bytes: usize) -> Arc<V> {
        let value = Arc::new(value);
        let mut items = self.items.lock().unwrap_or_else(PoisonError::into_inner);
        items.push_back((key, Arc::clone(&value), bytes));
        let total = |items: &VecDeque<(K, Arc<V>, usize)>| {
            items
                .iter()
                .fold(0usize, |sum, (.., n)| sum.saturating_add(*n))
        };
        while items.len() > MOST || (items.len() > 1 && total(&items) > self.bytes) {
            items.pop_front();
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_go_first() {
        let cache = Cache::new(100);
        for n in 0..3 {
            cache.put(n, n * 10, 40);
        }
        let kept: Vec<_> = (0..3).map(|n| cache.get(&n).map(|v| *v)).collect();
        assert_eq!(kept, [None, Some(10), Some(20)]);
        cache.put(9, 9, 1000);
        assert_eq!((cache.get(&2), cache.get(&9).map(|v| *v)), (None, Some(9)));
    }
}
