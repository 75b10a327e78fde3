//! A list that several threads fill in parallel, each in a separate range.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The free ranges of a list, by the index of the first element.
pub(super) struct FreeRanges<'a, T>(Mutex<BTreeMap<usize, &'a mut [T]>>);

impl<'a, T> FreeRanges<'a, T> {
    /// Returns the whole list as one free range.
    pub(super) fn of(list: &'a mut [T]) -> Self {
        Self(Mutex::new(BTreeMap::from([(0, list)])))
    }

    /// Takes `len` elements from index `at`. Returns `None` if some elements do not exist or were already taken.
    pub(super) fn take(&self, at: usize, len: usize) -> Option<&'a mut [T]> {
        let mut free = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (&start, part) = free.range(..=at).next_back()?;
        let before = at - start;
        if part.len().checked_sub(before)? < len {
            return None;
        }
        let part = free.remove(&start)?;
        let (front, rest) = part.split_at_mut(before);
        let (taken, behind) = rest.split_at_mut(len);
        if !front.is_empty() {
            free.insert(start, front);
        }
        if !behind.is_empty() {
            free.insert(at.saturating_add(len), behind);
        }
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_taken_once() {
        let mut list = [0, 1, 2, 3, 4, 5];
        let shares = FreeRanges::of(&mut list);
        assert_eq!(shares.take(2, 2).unwrap(), [2, 3]);
        assert!(shares.take(1, 2).is_none() && shares.take(3, 1).is_none());
        assert!(shares.take(4, 3).is_none() && shares.take(7, 0).is_none());
        assert_eq!(shares.take(0, 1).unwrap(), [0]);
        assert_eq!(shares.take(4, 2).unwrap(), [4, 5]);
        assert_eq!(shares.take(1, 1).unwrap(), [1]);
        assert!(shares.take(0, 1).is_none());
    }
}
