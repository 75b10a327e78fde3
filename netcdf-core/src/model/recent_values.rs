//! Shares memory between equal values. A dataset may have 100,000 variables with few different shapes, types and filters.

use std::collections::VecDeque;
use std::sync::Arc;

/// Number of values to compare a new value with.
const COUNT: usize = 16;

/// The most recent distinct values.
#[derive(Debug)]
pub(crate) struct RecentValues<T>(VecDeque<Arc<T>>);

impl<T> Default for RecentValues<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T: PartialEq> RecentValues<T> {
    /// Returns a recent value that equals `value`. Without such a value, adds `value` and returns it.
    pub(crate) fn share(&mut self, value: Arc<T>) -> Arc<T> {
        if let Some(known) = self.0.iter().find(|known| **known == value) {
            return Arc::clone(known);
        }
        if self.0.len() >= COUNT {
            self.0.pop_front();
        }
        self.0.push_back(Arc::clone(&value));
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_are_one() {
        let mut all = RecentValues::default();
        let mut shared = |n: usize| all.share(Arc::new(n));
        let first = shared(1);
        assert!(Arc::ptr_eq(&first, &shared(1)));
        assert!(!Arc::ptr_eq(&first, &shared(2)));
        (3..3 + COUNT).for_each(|n| drop(shared(n)));
        assert!(!Arc::ptr_eq(&first, &shared(1)));
    }
}
