//! The items of one job: waiting, ready, or with a result.
//!
//! This file starts no thread and runs no item. So a model checker can try the events in all orders: `tests/tests/runtime_model.rs`
//! includes this file with the locks of loom.

use std::collections::VecDeque;
use std::sync::PoisonError;

use super::sync::{Condvar, Mutex, MutexGuard};

/// The items of a job on their way from its caller to the workers and back.
pub(super) struct Queue<T, R> {
    state: Mutex<QueueState<T, R>>,
    /// Signals that the oldest item has a result.
    oldest: Condvar,
}

struct QueueState<T, R> {
    /// The items that have not begun, each with the number of leading items that must end first.
    waiting: VecDeque<(u64, T)>,
    /// The number of waiting items that may begin.
    ready: usize,
    /// The results from the oldest item that was not returned; `None` for items without a result.
    results: VecDeque<Option<R>>,
    /// The number of leading results without a gap.
    done: usize,
    /// The number of the oldest item.
    out: u64,
    /// Whether the caller waits for the oldest result.
    awaited: bool,
}

/// The next step of a job's caller.
pub(super) enum Next<T, R> {
    /// Return the result of the oldest item.
    Result(R),
    /// Run the oldest item, and then report its end.
    Run(u64, T),
    /// End: all results were returned.
    Nothing,
}

impl<T, R> QueueState<T, R> {
    /// Marks items without pending dependencies as ready. Returns their number.
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

    /// Returns the number of the first item that has not begun.
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
    /// Creates a queue for items from this number.
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

    /// Adds an item, which may begin once the first `after` items have ended. If `after` is larger than its own number, all earlier items
    /// suffice. Returns the number of items that may now begin.
    pub(super) fn add(&self, after: u64, item: T) -> usize {
        let mut state = self.lock();
        let number = state.out + state.results.len() as u64;
        state.waiting.push_back((after.min(number), item));
        state.results.push_back(None);
        state.release()
    }

    /// Takes the first waiting item, if it may begin.
    pub(super) fn begin(&self) -> Option<(u64, T)> {
        self.lock().begin()
    }

    /// Records the result of an item. Calls `wakes` before the result is visible if the caller waits for it. Returns the number of
    /// dependent items that may now begin.
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

    /// Returns the next step of the caller: to run the oldest item if it has not begun and `help` is set. Otherwise, calls `waits` while
    /// the item cannot end yet, and waits for the item.
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

    /// Drops the items that have not begun. The caller takes no more results.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.ready = 0;
        let dropped = std::mem::take(&mut state.waiting);
        drop(state);
        drop(dropped);
    }
}
