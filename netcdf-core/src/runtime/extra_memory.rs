//! Extra memory for work items that outgrow their reservation.
//!
//! There is no deadlock: an item with extra memory never waits for an item that needs extra memory, and a single item with extra memory is
//! always admitted.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::{Runtime, SharedByJobs};

/// The items with extra memory.
#[derive(Debug, Default)]
pub(super) struct ExtraMemory {
    /// The number of items with extra memory.
    holders: Mutex<usize>,
    given_back: Condvar,
}

impl ExtraMemory {
    fn holders(&self) -> MutexGuard<'_, usize> {
        self.holders.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Extra bytes for an item in progress, returned on drop.
#[derive(Debug)]
pub struct ExtraBytes {
    shared: Arc<SharedByJobs>,
    bytes: u64,
}

impl Drop for ExtraBytes {
    fn drop(&mut self) {
        self.shared.budget.give_back(self.bytes);
        *self.shared.more.holders() -= 1;
        self.shared.more.given_back.notify_all();
    }
}

impl Runtime {
    /// Admits extra bytes for an item in progress. Waits until they fit in the memory of all jobs, or until no other item has extra bytes.
    ///
    /// The caller must hold no lock or memory that another item in progress needs. While it has extra bytes, it must not run a job or wait
    /// for a thread.
    #[must_use]
    pub fn admit_extra(&self, bytes: u64) -> ExtraBytes {
        let SharedByJobs {
            budget,
            more,
            memory,
            ..
        } = &*self.shared;
        let bytes = self.wait(|| {
            let mut holders = more.holders();
            loop {
                let most = if *holders == 0 { u64::MAX } else { *memory };
                if let Some(bytes) = budget.admit(bytes, most) {
                    *holders += 1;
                    return bytes;
                }
                holders = (more.given_back.wait(holders)).unwrap_or_else(PoisonError::into_inner);
            }
        });
        let shared = Arc::clone(&self.shared);
        ExtraBytes { shared, bytes }
    }

    /// Returns the bytes that all jobs have admitted, for tests.
    #[cfg(test)]
    pub(crate) fn admitted(&self) -> u64 {
        self.shared.budget.admitted()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::super::WorkItem;
    use super::*;

    #[test]
    fn what_does_not_fit_is_admitted_alone() {
        let runtime = Runtime::sized(2, 100);
        let (one, other) = (runtime.admit_extra(60), runtime.admit_extra(40));
        let (sent, received) = mpsc::channel();
        std::thread::scope(|scope| {
            for n in [30, 1000] {
                let (sent, runtime) = (sent.clone(), &runtime);
                scope.spawn(move || {
                    let more = runtime.admit_extra(n);
                    sent.send((n, runtime.admitted())).unwrap();
                    drop(more);
                });
            }
            assert!(received.try_recv().is_err());
            drop(one);
            // 40 bytes are free, so that only 30 fit.
            assert_eq!(received.recv(), Ok((30, 70)));
            assert!(received.try_recv().is_err());
            drop(other);
            assert_eq!(received.recv(), Ok((1000, 1000)));
        });
        assert_eq!(runtime.admitted(), 0);
    }

    #[test]
    fn items_that_need_more_come_to_an_end() {
        for requests in [None, Some(8)] {
            let runtime = Runtime::sized(3, 100).sharing_all();
            let runtime = requests.map_or(runtime.clone(), |n| runtime.with_requests(n));
            let runtime = runtime.for_requests(requests.is_some());
            let items = (0..200u64).map(|n| Ok(WorkItem::new(40, n)));
            let work = |n: u64| {
                let more = runtime.admit_extra(n % 7 * 30);
                assert!(runtime.admitted() >= 40 + more.bytes);
                Ok(())
            };
            runtime.ordered(items, work, Ok).unwrap();
            assert_eq!(runtime.admitted(), 0);
        }
    }
}
