//! Memory accounting for caches.
//!
//! Caches ([`Evictable`]), such as the decoded chunks of an open dataset, reserve memory before they store an entry
//! ([`Runtime::reserve_cache`]). All caches and all admitted items share one limit: the memory of the jobs plus an allowance. Jobs take
//! precedence. A job is admitted as if the caches were empty, and then the least recently used entries are evicted until the limit is met.
//! So no job waits for a cache.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::{Runtime, SharedByJobs};

/// A cache of entries that can be read or computed again.
///
/// Neither function may wait for a job, because admission of items calls both.
pub trait Evictable: Send + Sync {
    /// Returns the last use ([`Runtime::tick`]) of the least recently used entry; `None` if the cache is empty.
    fn oldest(&self) -> Option<u64>;

    /// Evicts the least recently used entry.
    fn drop_oldest(&self);
}

/// The caches of a runtime.
#[derive(Default)]
pub(super) struct Caches {
    /// The limit in bytes of jobs and caches together.
    room: AtomicU64,
    /// The cached bytes.
    bytes: AtomicU64,
    /// The number of cache uses, which serves as the clock.
    time: AtomicU64,
    registered: Mutex<Vec<Weak<dyn Evictable>>>,
}

impl std::fmt::Debug for Caches {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let bytes = self.bytes.load(Ordering::Relaxed);
        f.debug_struct("Caches")
            .field("room", &self.room)
            .field("bytes", &bytes)
            .finish_non_exhaustive()
    }
}

/// Cached bytes, released on drop.
#[derive(Debug)]
pub struct CachedBytes {
    shared: Arc<SharedByJobs>,
    bytes: u64,
}

impl CachedBytes {
    /// Returns the number of bytes.
    #[must_use]
    pub fn get(&self) -> u64 {
        self.bytes
    }
}

impl Drop for CachedBytes {
    fn drop(&mut self) {
        let caches = self.shared.budget.caches();
        caches.bytes.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// A temporary allowance for caches, withdrawn on drop.
#[derive(Debug)]
pub struct CacheReservation {
    shared: Arc<SharedByJobs>,
    bytes: u64,
}

impl Drop for CacheReservation {
    fn drop(&mut self) {
        let budget = &self.shared.budget;
        let caches = budget.caches();
        caches.room.fetch_sub(self.bytes, Ordering::Relaxed);
        caches.evict_excess(budget.admitted());
    }
}

impl Caches {
    pub(super) fn new(room: u64) -> Self {
        Self {
            room: AtomicU64::new(room),
            ..Self::default()
        }
    }

    /// Returns the maximum number of cached bytes while jobs take `admitted` bytes.
    fn left(&self, admitted: u64) -> u64 {
        (self.room.load(Ordering::Relaxed)).saturating_sub(admitted)
    }

    /// Evicts entries until the caches fit beside `admitted` bytes of jobs.
    pub(super) fn evict_excess(&self, admitted: u64) {
        let most = self.left(admitted);
        if self.bytes.load(Ordering::Relaxed) > most {
            self.shrink(most, u64::MAX);
        }
    }

    /// Evicts entries last used before a time, until at most `most` bytes are cached.
    fn shrink(&self, most: u64, before: u64) {
        let registered = self
            .registered
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let all: Vec<_> = registered.iter().filter_map(Weak::upgrade).collect();
        drop(registered);
        while self.bytes.load(Ordering::Relaxed) > most {
            let kept = all
                .iter()
                .filter_map(|cache| Some((cache.oldest()?, cache)));
            let oldest = kept.min_by_key(|(time, _)| *time);
            let Some((_, cache)) = oldest.filter(|(time, _)| *time < before) else {
                return;
            };
            cache.drop_oldest();
        }
    }

    /// Counts bytes if the sum stays at most `most`.
    fn count(&self, bytes: u64, most: u64) -> bool {
        let sum = |kept: u64| kept.checked_add(bytes).filter(|sum| *sum <= most);
        let counted = (self.bytes).fetch_update(Ordering::Relaxed, Ordering::Relaxed, sum);
        counted.is_ok()
    }
}

impl Runtime {
    /// Returns the next time, which is later than all earlier times.
    #[must_use]
    pub fn tick(&self) -> u64 {
        let caches = self.shared.budget.caches();
        caches.time.fetch_add(1, Ordering::Relaxed)
    }

    /// Registers a cache for eviction.
    pub fn register_cache(&self, cache: Weak<dyn Evictable>) {
        let registered = &self.shared.budget.caches().registered;
        let mut registered = registered.lock().unwrap_or_else(PoisonError::into_inner);
        registered.retain(|other| other.strong_count() > 0);
        registered.push(cache);
    }

    /// Reserves `bytes` of cache memory while the result lives. This may evict entries last used before a time. Returns `None` if the
    /// memory does not suffice.
    ///
    /// The caller must not hold a lock that [`Evictable::oldest`] or [`Evictable::drop_oldest`] takes.
    #[must_use]
    pub fn reserve_cache(&self, bytes: u64, before: u64) -> Option<CachedBytes> {
        let budget = &self.shared.budget;
        let caches = budget.caches();
        let most = caches.left(budget.admitted());
        if !caches.count(bytes, most) {
            caches.shrink(most.checked_sub(bytes)?, before);
            caches.count(bytes, most).then_some(())?;
        }
        let shared = Arc::clone(&self.shared);
        Some(CachedBytes { shared, bytes })
    }

    /// Raises the cache limit by `bytes` while the result lives, up to the largest number.
    #[must_use]
    pub fn raise_cache_limit(&self, bytes: u64) -> CacheReservation {
        let room = &self.shared.budget.caches().room;
        let all = |room: u64| Some(room.saturating_add(bytes));
        let before = room.fetch_update(Ordering::Relaxed, Ordering::Relaxed, all);
        CacheReservation {
            shared: Arc::clone(&self.shared),
            bytes: before.map_or(0, |before| bytes.min(u64::MAX - before)),
        }
    }

    /// Returns the cached bytes.
    #[must_use]
    pub fn cached_bytes(&self) -> u64 {
        self.shared.budget.caches().bytes.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::super::WorkItem;
    use super::*;

    /// A cache of byte reservations, each with the time of its last use.
    #[derive(Default)]
    struct Shelf(Mutex<Vec<(u64, CachedBytes)>>);

    impl Shelf {
        fn new(runtime: &Runtime) -> Arc<Self> {
            let shelf = Arc::new(Self::default());
            let cache: Arc<dyn Evictable> = shelf.clone();
            runtime.register_cache(Arc::downgrade(&cache));
            shelf
        }

        fn put(&self, runtime: &Runtime, bytes: u64, before: u64) -> bool {
            let kept = runtime.reserve_cache(bytes, before);
            let time = runtime.tick();
            let put = kept.map(|kept| self.0.lock().unwrap().push((time, kept)));
            put.is_some()
        }

        fn has(&self) -> Vec<u64> {
            let list = self.0.lock().unwrap();
            list.iter().map(|(_, kept)| kept.get()).collect()
        }
    }

    impl Evictable for Shelf {
        fn oldest(&self) -> Option<u64> {
            self.0.lock().unwrap().iter().map(|(time, _)| *time).min()
        }

        fn drop_oldest(&self) {
            let mut list = self.0.lock().unwrap();
            if !list.is_empty() {
                list.remove(0);
            }
        }
    }

    #[test]
    fn keepers_share_the_room_and_the_oldest_goes_first() {
        let runtime = Runtime::sized(2, 50);
        let (one, other) = (Shelf::new(&runtime), Shelf::new(&runtime));
        assert!(one.put(&runtime, 30, 0) && other.put(&runtime, 40, 0));
        assert!(one.put(&runtime, 30, 0));
        // Entries used at or after the time stay.
        assert!(!other.put(&runtime, 10, 0));
        assert_eq!((one.has(), other.has()), (vec![30, 30], vec![40]));
        assert!(other.put(&runtime, 10, u64::MAX));
        assert_eq!((one.has(), other.has()), (vec![30], vec![40, 10]));
        assert!(!other.put(&runtime, 101, u64::MAX));
        drop(other);
        assert_eq!(runtime.cached_bytes(), 30);
        drop(one);
        assert_eq!(runtime.cached_bytes(), 0);
    }

    #[test]
    fn there_may_be_more_room_for_some_time() {
        let runtime = Runtime::sized(2, 50);
        let shelf = Shelf::new(&runtime);
        let more = runtime.raise_cache_limit(30);
        let fill = || (0..20).all(|_| shelf.put(&runtime, 10, 0));
        assert!(!fill());
        assert_eq!(runtime.cached_bytes(), 130);
        let all = runtime.raise_cache_limit(u64::MAX);
        assert!(fill());
        drop((more, all));
        assert_eq!(runtime.cached_bytes(), 100);
    }

    #[test]
    fn more_requests_leave_as_much_room() {
        for runtime in [
            Runtime::sized(2, 50),
            Runtime::sized(2, 50).with_requests(8),
        ] {
            let shelf = Shelf::new(&runtime);
            assert!(shelf.put(&runtime, 100, 0) && !shelf.put(&runtime, 1, 0));
        }
    }

    #[test]
    fn work_takes_the_memory_of_what_is_kept() {
        let runtime = Runtime::sized(2, 50).sharing_all();
        let shelf = Shelf::new(&runtime);
        let fill = || (0..10).all(|_| shelf.put(&runtime, 10, 0));
        assert!(fill());
        // Two items of 40 bytes are not admitted concurrently; one item larger than all memory is always admitted.
        for (bytes, left) in [(40, 60), (1000, 0)] {
            let items = (0..4).map(|n| Ok(WorkItem::new(bytes, n)));
            let mut done = vec![];
            let sink = |n: u64| {
                done.push(n);
                Ok(())
            };
            runtime.ordered(items, Ok, sink).unwrap();
            assert_eq!(done, [0, 1, 2, 3]);
            assert_eq!(runtime.cached_bytes(), left);
            // Memory is free again after the job.
            assert!((left / 10..10).all(|_| shelf.put(&runtime, 10, 0)));
        }
    }
}
