//! Turns: limits on computing threads and on requests, for sources where requests may outnumber computing threads.
//!
//! A runtime for a source with latency has more workers than threads, because most workers wait for an answer. A worker computes only in
//! its *turn*, and there are as many turns as threads. It releases its turn before a request, and takes a turn again after the answer. The
//! caller of a job within an item releases its turn until the job ends.
//!
//! There is no deadlock: a thread with a turn never waits for a turn, and a thread with a request needs no turn.

use std::cell::Cell;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::semaphore::Semaphore;

thread_local! {
    /// The address of the [`Turns`] that gave this thread its turn; 0 without a turn.
    static HELD_TURN: Cell<usize> = const { Cell::new(0) };
    /// Whether this thread is in a request.
    static IN_REQUEST: Cell<bool> = const { Cell::new(false) };
    /// Whether this thread is counted as busy.
    static COUNTED_BUSY: Cell<bool> = const { Cell::new(false) };
}

/// The turns and requests of a runtime.
#[derive(Debug)]
pub(super) struct Turns {
    computing: Semaphore,
    requests: Mutex<Requests>,
    answered: Condvar,
}

#[derive(Debug)]
struct Requests {
    /// The number of requests in flight, and its maximum.
    in_flight: usize,
    most: usize,
    /// The number of threads that queued for a request, and of threads that left this queue, in order of arrival.
    queued: u64,
    started: u64,
    /// Tokens and callers that wait neither for answers nor for results.
    busy: usize,
}

impl Requests {
    /// Returns true if a queued thread may begin its request.
    fn next_may_start(&self) -> bool {
        self.started < self.queued && self.in_flight < self.most
    }
}

/// A function that runs on drop.
struct OnDrop<F: FnMut()>(F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

impl Turns {
    /// Creates `threads` turns and a limit of concurrent requests.
    pub(super) fn new(threads: usize, requests: usize) -> Self {
        Self {
            computing: Semaphore::new(threads),
            requests: Mutex::new(Requests {
                in_flight: 0,
                most: requests,
                queued: 0,
                started: 0,
                busy: 0,
            }),
            answered: Condvar::new(),
        }
    }

    fn requests(&self) -> MutexGuard<'_, Requests> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the address as an identity.
    fn id(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    fn take(&self) {
        self.computing.take();
        HELD_TURN.set(self.id());
    }

    fn release(&self) {
        HELD_TURN.set(0);
        self.computing.give_back();
    }

    /// Computes in a turn.
    pub(super) fn compute<R>(&self, work: impl FnOnce() -> R) -> R {
        let held = HELD_TURN.get();
        self.take();
        let _turn = OnDrop(|| {
            self.release();
            HELD_TURN.set(held);
        });
        work()
    }

    /// Waits without a turn. If this thread has a turn, it takes a turn again afterwards.
    pub(super) fn without_turn<R>(&self, wait: impl FnOnce() -> R) -> R {
        let holds = HELD_TURN.get() == self.id();
        if holds {
            self.release();
        }
        let _turn = OnDrop(|| {
            if holds {
                self.take();
            }
        });
        wait()
    }

    /// Runs a request without a turn, as soon as the number of requests in flight is below the limit, in order of arrival. A nested request
    /// of the same thread is part of the outer request.
    pub(super) fn request<R>(&self, request: impl FnOnce() -> R) -> R {
        if IN_REQUEST.get() {
            return request();
        }
        self.without_turn(|| {
            let counted = usize::from(COUNTED_BUSY.get());
            let mut requests = self.requests();
            requests.busy -= counted;
            let place = requests.queued;
            requests.queued += 1;
            while requests.started < place || requests.in_flight >= requests.most {
                requests = (self.answered.wait(requests)).unwrap_or_else(PoisonError::into_inner);
            }
            requests.started += 1;
            requests.in_flight += 1;
            let next = requests.next_may_start();
            drop(requests);
            if next {
                self.answered.notify_all();
            }
            IN_REQUEST.set(true);
            let _end = OnDrop(|| {
                IN_REQUEST.set(false);
                let mut requests = self.requests();
                requests.busy += counted;
                requests.in_flight -= 1;
                drop(requests);
                self.answered.notify_all();
            });
            request()
        })
    }

    /// Counts queued tokens or a caller as busy.
    pub(super) fn expect(&self, more: usize) {
        self.requests().busy += more;
    }

    /// Runs work that was counted as busy, and ends the count.
    pub(super) fn counted<R>(&self, work: impl FnOnce() -> R) -> R {
        let before = COUNTED_BUSY.replace(true);
        let _end = OnDrop(|| {
            COUNTED_BUSY.set(before);
            self.requests().busy -= 1;
        });
        work()
    }

    /// Counts a caller as no longer busy. The thread that wakes it counts it again, with [`Turns::expect`].
    pub(super) fn rest(&self) {
        self.requests().busy -= 1;
    }

    /// Waits for a result. The thread does not count as busy meanwhile.
    pub(super) fn idle<R>(&self, wait: impl FnOnce() -> R) -> R {
        let counted = usize::from(COUNTED_BUSY.get());
        self.requests().busy -= counted;
        let _end = OnDrop(|| self.expect(counted));
        wait()
    }

    /// Returns the number of requests in flight, if no more requests can start before an answer.
    #[cfg(test)]
    pub(super) fn unanswered(&self) -> Option<usize> {
        let requests = self.requests();
        let more = requests.busy > 0 || requests.next_may_start();
        (!more).then_some(requests.in_flight)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn who_asks_leaves_the_turn_to_others() {
        let turns = Turns::new(1, 2);
        let (both, in_flight) = (Barrier::new(2), Barrier::new(2));
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    turns.compute(|| {
                        // The two threads are in a request although only one computes.
                        turns.request(|| both.wait());
                        turns.without_turn(|| in_flight.wait());
                    });
                });
            }
        });
        assert_eq!(turns.unanswered(), Some(0));
    }

    #[test]
    fn few_requests_at_a_time() {
        let turns = Turns::new(8, 2);
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        turns.request(|| {
                            most.fetch_max(
                                now.fetch_add(1, Ordering::SeqCst) + 1,
                                Ordering::SeqCst,
                            );
                            std::thread::yield_now();
                            now.fetch_sub(1, Ordering::SeqCst);
                        });
                    }
                });
            }
        });
        assert!(most.into_inner() <= 2);
    }

    #[test]
    fn a_panic_gives_the_turn_back() {
        let turns = Turns::new(1, 1);
        let panics = || turns.compute(|| turns.request(|| panic!("no answer")));
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(panics));
        assert!(caught.is_err());
        assert_eq!(turns.compute(|| turns.request(|| 7)), 7);
    }
}
