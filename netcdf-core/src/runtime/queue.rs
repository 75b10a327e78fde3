//! The items of one job: which wait, which may begin, which have a result.
//!
//! Nothing here starts a thread or runs an item. A model checker can therefore try the events in all orders:
//! `tests/tests/runtime_model.rs` includes this file with locks of its own.

use std::collections::VecDeque;
use std::sync::PoisonError;

use super::sync::{Condvar, Mutex, MutexGuard};

/// The items of a job on their way from its caller to the workers and back.
pub(super) struct Queue<T, R> {
    state: Mutex<QueueState<T, R>>,
    /// The oldest item has a result.
    oldest: Condvar,
}

struct QueueState<T, R> {
    /// Items that nobody has begun, each with the number of first items that have to be done before.
    waiting: VecDeque<(u64, T)>,
    /// How many of them may begin.
    ready: usize,
    /// Results from the oldest item on that is not out; `None` for items without one.
    results: VecDeque<Option<R>>,
    /// How many of the results are there without a gap.
    done: usize,
    /// The number of the oldest item.
    out: u64,
    /// The caller waits for its result.
    awaited: bool,
}

/// What the caller of a job does next.
pub(super) enum Next<T, R> {
    /// It takes this result, that of the oldest item.
    Result(R),
    /// It runs the oldest item itself, and says when that has ended.
    Run(u64, T),
    /// Nothing: all items are out.
    Nothing,
}

impl<T, R> QueueState<T, R> {
    /// Lets items begin that have nothing more to wait for. Returns how many.
    fn release(&mut self) -> usize {
        let done = self.out + self.done as u64;
        let before = self.ready;
        while self
            .waiting
            .get(self.ready)
            .is_some_and(|(after, _)| *after <= done)
        {
            self.ready += 1;
        }
        self.ready - before
    }

    /// The number of the first item that nobody has begun.
    fn next(&self) -> u64 {
        self.out + (self.results.len() - self.waiting.len()) as u64
    }

    fn next_step(&mut self, help: bool) -> Option<Next<T, R>> {
        let Some(oldest) = self.results.front_mut() else {
            return Some(Next::Nothing);
        };
        if let Some(result) = oldest.take() {
            self.results.pop_front();
            self.out += 1;
            self.done -= 1;
            return Some(Next::Result(result));
        }
        let run = help && self.next() == self.out;
        let item = if run { self.begin() } else { None };
        item.map(|(number, item)| Next::Run(number, item))
    }

    fn begin(&mut self) -> Option<(u64, T)> {
        let number = self.next();
        self.ready = self.ready.checked_sub(1)?;
        self.waiting.pop_front().map(|(_, item)| (number, item))
    }
}

impl<T, R> Queue<T, R> {
    /// A queue for items from this number on.
    pub(super) fn from(number: u64) -> Self {
        Self {
            state: Mutex::new(QueueState {
                waiting: VecDeque::new(),
                ready: 0,
                results: VecDeque::new(),
                done: 0,
                out: number,
                awaited: false,
            }),
            oldest: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, QueueState<T, R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an item, which begins once the first `after` items are done: at least, once all before it are. Returns
    /// how many items may begin now.
    pub(super) fn add(&self, after: u64, item: T) -> usize {
        let mut state = self.lock();
        let number = state.out + state.results.len() as u64;
        state.waiting.push_back((after.min(number), item));
        state.results.push_back(None);
        state.release()
    }

    /// Takes the first item that waits, if it may begin.
    pub(super) fn begin(&self) -> Option<(u64, T)> {
        self.lock().begin()
    }

    /// Takes the result of an item. Says so if the caller waits for that, before the caller can know. Returns how many items may
    /// begin now that had to wait for it.
    pub(super) fn end(&self, number: u64, result: R, wakes: impl FnOnce()) -> usize {
        let mut state = self.lock();
        let place = usize::try_from(number - state.out).unwrap_or(usize::MAX);
        if let Some(slot) = state.results.get_mut(place) {
            *slot = Some(result);
        }
        while matches!(state.results.get(state.done), Some(Some(_))) {
            state.done += 1;
        }
        let released = state.release();
        if place == 0 && std::mem::take(&mut state.awaited) {
            wakes();
            drop(state);
            self.oldest.notify_one();
        }
        released
    }

    /// The next step of the caller. If nobody has begun the oldest item and `help` is set, the caller is to run it; otherwise this
    /// waits for that item, and says so first, before the item can end.
    pub(super) fn next(&self, help: bool, waits: impl FnOnce()) -> Next<T, R> {
        let mut state = self.lock();
        if let Some(next) = state.next_step(help) {
            return next;
        }
        waits();
        state.awaited = true;
        loop {
            state = (self.oldest.wait(state)).unwrap_or_else(PoisonError::into_inner);
            if let Some(next) = state.next_step(help) {
                return next;
            }
        }
    }

    /// Drops the items that nobody has begun. The caller takes no more results.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.ready = 0;
        let dropped = std::mem::take(&mut state.waiting);
        drop(state);
        drop(dropped);
    }
}
