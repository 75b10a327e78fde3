//! Memory of what is kept because it may be of use again.
//!
//! Keepers ([`Evictable`]), such as the decoded chunks of an open dataset, ask before they keep something
//! ([`Runtime::keep`]). What all of them keep and what jobs have admitted share an amount of memory: that of the jobs,
//! and some more. Work comes first: it is admitted as if nothing were kept, and what is then too much is given up, what
//! was not used for the longest time before all else. So no job waits for what is kept.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::{Runtime, SharedByJobs};

/// Keeps what can be made again.
///
/// Neither function waits for work: they are called where items are admitted.
pub trait Evictable: Send + Sync {
    /// The time ([`Runtime::tick`]) at which what was not used for the longest time was used last; `None` if nothing is
    /// kept.
    fn oldest(&self) -> Option<u64>;

    /// Drops that.
    fn drop_oldest(&self);
}

/// The keepers of a runtime.
#[derive(Default)]
pub(super) struct Spares {
    /// Bytes for work and for what is kept.
    room: AtomicU64,
    /// Bytes kept.
    bytes: AtomicU64,
    /// The number of times that something was used.
    time: AtomicU64,
    keepers: Mutex<Vec<Weak<dyn Evictable>>>,
}

impl std::fmt::Debug for Spares {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let bytes = self.bytes.load(Ordering::Relaxed);
        f.debug_struct("Spares")
            .field("room", &self.room)
            .field("bytes", &bytes)
            .finish_non_exhaustive()
    }
}

/// Bytes that are kept, as long as it lives.
#[derive(Debug)]
pub struct SpareBytes {
    shared: Arc<SharedByJobs>,
    bytes: u64,
}

impl SpareBytes {
    /// The number of bytes.
    #[must_use]
    pub fn get(&self) -> u64 {
        self.bytes
    }
}

impl Drop for SpareBytes {
    fn drop(&mut self) {
        let spares = self.shared.budget.spares();
        spares.bytes.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// Memory for more to keep, as long as it lives.
#[derive(Debug)]
pub struct CacheReservation {
    shared: Arc<SharedByJobs>,
    bytes: u64,
}

impl Drop for CacheReservation {
    fn drop(&mut self) {
        let budget = &self.shared.budget;
        let spares = budget.spares();
        spares.room.fetch_sub(self.bytes, Ordering::Relaxed);
        spares.make_room(budget.admitted());
    }
}

impl Spares {
    pub(super) fn new(room: u64) -> Self {
        Self {
            room: AtomicU64::new(room),
            ..Self::default()
        }
    }

    /// Bytes that may be kept while work takes `admitted` bytes.
    fn left(&self, admitted: u64) -> u64 {
        (self.room.load(Ordering::Relaxed)).saturating_sub(admitted)
    }

    /// Gives up what is too much now that work takes `admitted` bytes.
    pub(super) fn make_room(&self, admitted: u64) {
        let most = self.left(admitted);
        if self.bytes.load(Ordering::Relaxed) > most {
            self.shrink(most, u64::MAX);
        }
    }

    /// Gives up what was last used before a time, until at most `most` bytes are kept.
    fn shrink(&self, most: u64, before: u64) {
        let keepers = self.keepers.lock().unwrap_or_else(PoisonError::into_inner);
        let all: Vec<_> = keepers.iter().filter_map(Weak::upgrade).collect();
        drop(keepers);
        while self.bytes.load(Ordering::Relaxed) > most {
            let kept = all
                .iter()
                .filter_map(|keeper| Some((keeper.oldest()?, keeper)));
            let oldest = kept.min_by_key(|(time, _)| *time);
            let Some((_, keeper)) = oldest.filter(|(time, _)| *time < before) else {
                return;
            };
            keeper.drop_oldest();
        }
    }

    /// Counts bytes that fit in `most`.
    fn count(&self, bytes: u64, most: u64) -> bool {
        let sum = |kept: u64| kept.checked_add(bytes).filter(|sum| *sum <= most);
        let counted = (self.bytes).fetch_update(Ordering::Relaxed, Ordering::Relaxed, sum);
        counted.is_ok()
    }
}

impl Runtime {
    /// The next time: each is later than those before.
    #[must_use]
    pub fn tick(&self) -> u64 {
        let spares = self.shared.budget.spares();
        spares.time.fetch_add(1, Ordering::Relaxed)
    }

    /// Makes a keeper known, so that what it keeps can be given up.
    pub fn add_keeper(&self, keeper: Weak<dyn Evictable>) {
        let keepers = &self.shared.budget.spares().keepers;
        let mut keepers = keepers.lock().unwrap_or_else(PoisonError::into_inner);
        keepers.retain(|other| other.strong_count() > 0);
        keepers.push(keeper);
    }

    /// Lets a keeper keep `bytes`, as long as the result lives. What was last used before a time may be given up for
    /// them. `None` if there is no room.
    ///
    /// The caller holds no lock that [`Evictable::oldest`] or [`Evictable::drop_oldest`] take.
    #[must_use]
    pub fn keep(&self, bytes: u64, before: u64) -> Option<SpareBytes> {
        let budget = &self.shared.budget;
        let spares = budget.spares();
        let most = spares.left(budget.admitted());
        if !spares.count(bytes, most) {
            spares.shrink(most.checked_sub(bytes)?, before);
            spares.count(bytes, most).then_some(())?;
        }
        let shared = Arc::clone(&self.shared);
        Some(SpareBytes { shared, bytes })
    }

    /// Lets keepers keep so many bytes more, as long as the result lives; all of memory, if that is less.
    #[must_use]
    pub fn more_room(&self, bytes: u64) -> CacheReservation {
        let room = &self.shared.budget.spares().room;
        let all = |room: u64| Some(room.saturating_add(bytes));
        let before = room.fetch_update(Ordering::Relaxed, Ordering::Relaxed, all);
        CacheReservation {
            shared: Arc::clone(&self.shared),
            bytes: before.map_or(0, |before| bytes.min(u64::MAX - before)),
        }
    }

    /// Bytes that are kept.
    #[must_use]
    pub fn kept(&self) -> u64 {
        self.shared.budget.spares().bytes.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::super::WorkItem;
    use super::*;

    /// Keeps bytes, each with the time of its last use.
    #[derive(Default)]
    struct Shelf(Mutex<Vec<(u64, SpareBytes)>>);

    impl Shelf {
        fn new(runtime: &Runtime) -> Arc<Self> {
            let shelf = Arc::new(Self::default());
            let keeper: Arc<dyn Evictable> = shelf.clone();
            runtime.add_keeper(Arc::downgrade(&keeper));
            shelf
        }

        fn put(&self, runtime: &Runtime, bytes: u64, before: u64) -> bool {
            let kept = runtime.keep(bytes, before);
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
        // What was used in time stays.
        assert!(!other.put(&runtime, 10, 0));
        assert_eq!((one.has(), other.has()), (vec![30, 30], vec![40]));
        assert!(other.put(&runtime, 10, u64::MAX));
        assert_eq!((one.has(), other.has()), (vec![30], vec![40, 10]));
        assert!(!other.put(&runtime, 101, u64::MAX));
        drop(other);
        assert_eq!(runtime.kept(), 30);
        drop(one);
        assert_eq!(runtime.kept(), 0);
    }

    #[test]
    fn there_may_be_more_room_for_some_time() {
        let runtime = Runtime::sized(2, 50);
        let shelf = Shelf::new(&runtime);
        let more = runtime.more_room(30);
        let fill = || (0..20).all(|_| shelf.put(&runtime, 10, 0));
        assert!(!fill());
        assert_eq!(runtime.kept(), 130);
        let all = runtime.more_room(u64::MAX);
        assert!(fill());
        drop((more, all));
        assert_eq!(runtime.kept(), 100);
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
        // Two items of 40 bytes are not admitted at the same time; one item larger than all memory always is.
        for (bytes, left) in [(40, 60), (1000, 0)] {
            let items = (0..4).map(|n| Ok(WorkItem::new(bytes, n)));
            let mut done = vec![];
            let sink = |n: u64| {
                done.push(n);
                Ok(())
            };
            runtime.ordered(items, Ok, sink).unwrap();
            assert_eq!(done, [0, 1, 2, 3]);
            assert_eq!(runtime.kept(), left);
            // What work has left is there again.
            assert!((left / 10..10).all(|_| shelf.put(&runtime, 10, 0)));
        }
    }
}
