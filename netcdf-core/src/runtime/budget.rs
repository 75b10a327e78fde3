//! The memory budget that the jobs of a runtime share.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};

use super::evict::Caches;

/// The maximum memory of a job in bytes. Larger estimates of items are limited to this number.
const MOST: u64 = 1 << 48;

/// The bytes that all jobs of a runtime have admitted, and the caches of the runtime.
#[derive(Debug, Default)]
pub(super) struct Budget {
    admitted: AtomicU64,
    caches: Caches,
}

impl Budget {
    /// Creates a budget of `room` bytes for jobs and caches together.
    pub(super) fn new(room: u64) -> Self {
        Self {
            admitted: AtomicU64::new(0),
            caches: Caches::new(room),
        }
    }

    /// Returns the admitted bytes.
    pub(super) fn admitted(&self) -> u64 {
        self.admitted.load(Ordering::Relaxed)
    }

    /// Admits bytes if the total is then at most `most`. Returns the number of admitted bytes.
    pub(super) fn admit(&self, bytes: u64, most: u64) -> Option<u64> {
        let bytes = bytes.min(MOST);
        let sum = |admitted: u64| admitted.checked_add(bytes).filter(|sum| *sum <= most);
        let before = (self.admitted).fetch_update(Ordering::Relaxed, Ordering::Relaxed, sum);
        self.caches.evict_excess(before.ok()?.saturating_add(bytes));
        Some(bytes)
    }

    /// Returns bytes to the budget.
    pub(super) fn give_back(&self, bytes: u64) {
        self.admitted.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Returns the caches.
    pub(super) fn caches(&self) -> &Caches {
        &self.caches
    }
}

/// The bytes that one job has admitted. Dropping the share returns them to the budget.
pub(super) struct Share<'a> {
    budget: &'a Budget,
    /// The maximum bytes of this job, and of all jobs together.
    most: u64,
    all: u64,
    /// The sizes of the items in progress, oldest first, and their sum.
    items: VecDeque<u64>,
    own: u64,
}

impl<'a> Share<'a> {
    /// Creates the share of a job that may take `most` bytes, while all jobs together may take `all` bytes.
    pub(super) fn new(budget: &'a Budget, most: u64, all: u64) -> Self {
        let most = most.min(MOST);
        Self {
            budget,
            most,
            all: all.min(MOST).max(most),
            items: VecDeque::new(),
            own: 0,
        }
    }

    /// Returns the number of items in progress.
    pub(super) fn under_way(&self) -> usize {
        self.items.len()
    }

    /// Admits an item if its bytes fit, or if no other item of the job is in progress. So every job makes progress.
    pub(super) fn admit(&mut self, bytes: u64) -> bool {
        let bytes = bytes.min(MOST);
        let all = match self.items.is_empty() {
            true => u64::MAX,
            false if self.own + bytes > self.most => return false,
            false => self.all,
        };
        let Some(bytes) = self.budget.admit(bytes, all) else {
            return false;
        };
        self.own += bytes;
        self.items.push_back(bytes);
        true
    }

    /// Returns the bytes of the oldest item to the budget.
    pub(super) fn give_back(&mut self) {
        let bytes = self.items.pop_front().unwrap_or(0);
        self.own -= bytes;
        self.budget.give_back(bytes);
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        self.budget.give_back(self.own);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_share_a_budget_and_each_goes_on() {
        let budget = Budget::default();
        let mut one = Share::new(&budget, 80, 100);
        assert!(one.admit(70) && !one.admit(20) && one.admit(10));
        let mut other = Share::new(&budget, 80, 100);
        // The first item of a job is always admitted.
        assert!(other.admit(50) && !other.admit(1));
        one.give_back();
        assert!(other.admit(30) && !other.admit(1));
        assert_eq!((one.under_way(), other.under_way()), (1, 2));
        drop(other);
        assert_eq!(budget.admitted(), 10);
        drop(one);
        assert_eq!(budget.admitted(), 0);
    }

    #[test]
    fn no_number_of_bytes_is_too_large() {
        let budget = Budget::default();
        let mut shares: Vec<Share<'_>> = (0..9).map(|_| Share::new(&budget, u64::MAX, 0)).collect();
        assert!(shares.iter_mut().all(|share| share.admit(u64::MAX)));
        assert!(shares.iter_mut().all(|share| !share.admit(1)));
        drop(shares);
        assert_eq!(budget.admitted(), 0);
    }
}
