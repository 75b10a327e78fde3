//! Turns: limits on computing threads and on requests, for sources where requests may outnumber computing threads.
//!
//! A runtime for a source with latency has more workers than threads, because most workers wait for an answer. A worker computes only in
//! its *turn*, and there are as many turns as threads. It releases its turn before a request, and takes a turn again after the answer. The
//! caller of a job within an item releases its turn until the job ends.
//!
//! There is no deadlock: a thread with a turn never waits for a turn, and a thread with a request needs no turn.

use std::cell::Cell;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::gate::Gate;

thread_local! {
    /// The address of the [`Turns`] that gave this thread its turn; 0 without a turn.
    static HELD: Cell<usize> = const { Cell::new(0) };
    /// Whether this thread is in a request.
    static ASKS: Cell<bool> = const { Cell::new(false) };
    /// Whether this thread is counted as busy.
    static COUNTED: Cell<bool> = const { Cell::new(false) };
}

/// The turns and requests of a runtime.
#[derive(Debug)]
pub(super) struct Turns {
    computing: Gate,
    requests: Mutex<Requests>,
    answered: Condvar,
}

#[derive(Debug)]
struct Requests {
    /// The number of requests in flight, and its maximum.
    asked: usize,
    most: usize,
    /// The number of threads that queued for a request, and of threads that left this queue, in order of arrival.
    came: u64,
    began: u64,
    /// Tokens and callers that wait neither for answers nor for results.
    busy: usize,
}

impl Requests {
    /// Returns true if a queued thread may begin its request.
    fn next_may_ask(&self) -> bool {
        self.began < self.came && self.asked < self.most
    }
}

/// A function that runs on drop.
struct Finally<F: FnMut()>(F);

impl<F: FnMut()> Drop for Finally<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

impl Turns {
    /// Creates `threads` turns and a limit of concurrent requests.
    pub(super) fn new(threads: usize, requests: usize) -> Self {
        Self {
            computing: Gate::new(threads),
            requests: Mutex::new(Requests {
                asked: 0,
                most: requests,
                came: 0,
                began: 0,
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
        HELD.set(self.id());
    }

    fn give_up(&self) {
        HELD.set(0);
        self.computing.give_back();
    }

    /// Computes in a turn.
    pub(super) fn compute<R>(&self, work: impl FnOnce() -> R) -> R {
        let held = HELD.get();
        self.take();
        let _turn = Finally(|| {
            self.give_up();
            HELD.set(held);
        });
        work()
    }

    /// Waits without a turn. If this thread has a turn, it takes a turn again afterwards.
    pub(super) fn apart<R>(&self, wait: impl FnOnce() -> R) -> R {
        let holds = HELD.get() == self.id();
        if holds {
            self.give_up();
        }
        let _turn = Finally(|| {
            if holds {
                self.take();
            }
        });
        wait()
    }

    /// Runs a request without a turn, as soon as the number of requests in flight is below the limit, in order of arrival. A nested request
    /// of the same thread is part of the outer request.
    pub(super) fn ask<R>(&self, request: impl FnOnce() -> R) -> R {
        if ASKS.get() {
            return request();
        }
        self.apart(|| {
            let counted = usize::from(COUNTED.get());
            let mut requests = self.requests();
            requests.busy -= counted;
            let place = requests.came;
            requests.came += 1;
            while requests.began < place || requests.asked >= requests.most {
                requests = (self.answered.wait(requests)).unwrap_or_else(PoisonError::into_inner);
            }
            requests.began += 1;
            requests.asked += 1;
            let next = requests.next_may_ask();
            drop(requests);
            if next {
                self.answered.notify_all();
            }
            ASKS.set(true);
            let _end = Finally(|| {
                ASKS.set(false);
                let mut requests = self.requests();
                requests.busy += counted;
                requests.asked -= 1;
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
        let before = COUNTED.replace(true);
        let _end = Finally(|| {
            COUNTED.set(before);
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
        let counted = usize::from(COUNTED.get());
        self.requests().busy -= counted;
        let _end = Finally(|| self.expect(counted));
        wait()
    }

    /// Returns the number of requests in flight, if no more requests can start before an answer.
    #[cfg(test)]
    pub(super) fn unanswered(&self) -> Option<usize> {
        let requests = self.requests();
        let more = requests.busy > 0 || requests.next_may_ask();
        (!more).then_some(requests.asked)
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
        let (both, asked) = (Barrier::new(2), Barrier::new(2));
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    turns.compute(|| {
                        // Both threads are in a request although only one computes.
                        turns.ask(|| both.wait());
                        turns.apart(|| asked.wait());
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
                        turns.ask(|| {
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
        let panics = || turns.compute(|| turns.ask(|| panic!("no answer")));
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(panics));
        assert!(caught.is_err());
        assert_eq!(turns.compute(|| turns.ask(|| 7)), 7);
    }
}
