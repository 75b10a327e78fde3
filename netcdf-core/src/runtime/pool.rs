//! Ordered parallel work within a memory budget.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::error::{Error, ErrorKind, Result};

/// Threads and memory for the work of the process; created once, in `main`.
#[derive(Debug, Clone)]
pub struct Pool {
    /// Work items in progress at a time, at least 1.
    pub threads: usize,
    /// Bytes that items in progress may take; one item always runs.
    pub memory: u64,
}

/// Memory for each thread: for some chunks of a few megabytes.
const PER_THREAD: u64 = 18 << 20;
/// Most threads of a pool: processes with tens of thousands of them abort when one finds no room for its stack.
const MOST_THREADS: usize = 512;

/// Memory for one or two threads. Together with the rest of the process, it stays below 64 MB.
const LEAST: u64 = 36 << 20;
/// Memory for many threads.
const MOST: u64 = 256 << 20;

impl Default for Pool {
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Self::new(threads)
    }
}

/// A work item and the bytes it takes while in progress.
#[derive(Debug)]
pub struct Item<T> {
    /// Bytes of memory, roughly.
    pub bytes: u64,
    /// The item.
    pub value: T,
}

thread_local! {
    /// True on the threads that work for a pool.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Data shared by the threads.
struct PoolState<T, R> {
    /// Items waiting for a thread, with their numbers.
    waiting: VecDeque<(u64, Item<T>)>,
    /// Results in order from `next_out` on; `None` if not done yet.
    done: VecDeque<Option<(u64, Result<R>)>>,
    /// Number of the first element of `done`.
    next_out: u64,
    /// Bytes admitted and not yet out.
    admitted: u64,
    /// Threads waiting for an item.
    idle: usize,
    /// No more items will come.
    closed: bool,
}

struct SharedByWorkers<T, R> {
    state: Mutex<PoolState<T, R>>,
    work: Condvar,
    result: Condvar,
}

impl<T, R> SharedByWorkers<T, R> {
    fn lock(&self) -> MutexGuard<'_, PoolState<T, R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pool {
    /// A pool of this many threads, with the memory that they need to stay busy.
    #[must_use]
    pub fn new(threads: usize) -> Self {
        let threads = threads.clamp(1, MOST_THREADS);
        let memory = PER_THREAD.saturating_mul(threads as u64);
        Self {
            threads,
            memory: memory.clamp(LEAST, MOST),
        }
    }

    /// A pool of one thread.
    #[must_use]
    pub fn single() -> Self {
        Self::new(1)
    }

    /// Runs `work` on the items in several threads, and passes the results to `sink` in the order of the items.
    /// The order, and so the output, does not depend on the number of threads. The first error of any stage ends
    /// it.
    ///
    /// Items are started in order, so `work` may wait for earlier items, but not for later ones. When called
    /// within `work`, this uses only the calling thread.
    ///
    /// # Errors
    /// The first error in the order of the items.
    pub fn ordered<T: Send, R: Send>(
        &self,
        items: impl IntoIterator<Item = Result<Item<T>>>,
        work: impl Fn(T) -> Result<R> + Sync,
        mut sink: impl FnMut(R) -> Result<()>,
    ) -> Result<()> {
        let mut items = items.into_iter();
        let Some(first) = items.next() else {
            return Ok(());
        };
        let alone = self.threads <= 1 || INSIDE.get();
        let second = if alone { None } else { items.next() };
        let Some(second) = second else {
            let rest = std::iter::once(first).chain(items);
            return rest
                .into_iter()
                .try_for_each(|item| sink(work(item?.value)?));
        };
        self.parallel([first, second].into_iter().chain(items), &work, sink)
    }

    fn parallel<T: Send, R: Send>(
        &self,
        mut items: impl Iterator<Item = Result<Item<T>>>,
        work: &(impl Fn(T) -> Result<R> + Sync),
        mut sink: impl FnMut(R) -> Result<()>,
    ) -> Result<()> {
        let shared = SharedByWorkers {
            state: Mutex::new(PoolState {
                waiting: VecDeque::new(),
                done: VecDeque::new(),
                next_out: 0,
                admitted: 0,
                idle: 0,
                closed: false,
            }),
            work: Condvar::new(),
            result: Condvar::new(),
        };
        std::thread::scope(|scope| {
            let _close = Close(&shared);
            let start =
                || std::thread::Builder::new().spawn_scoped(scope, || worker(&shared, work));
            let started = (0..self.threads).map_while(|_| start().ok()).count();
            if started == 0 {
                return items.try_for_each(|item| sink(work(item?.value)?));
            }
            let mut ended = None;
            let mut held = None;
            loop {
                if ended.is_none() && held.is_none() {
                    match items.next() {
                        Some(Ok(item)) => held = Some(item),
                        // Nobody waits for items in progress.
                        Some(Err(e)) if e.kind() == ErrorKind::Cancelled => return Err(e),
                        Some(Err(e)) => ended = Some(Err(e)),
                        None => ended = Some(Ok(())),
                    }
                }
                if let Some(item) = held.take() {
                    held = self.admit(&shared, item);
                    if held.is_none() {
                        continue;
                    }
                }
                match next_result(&shared) {
                    Some(result) => sink(result?)?,
                    None => return ended.unwrap_or(Ok(())),
                }
            }
        })
    }

    /// Passes an item to the threads, or returns it if it has to wait.
    fn admit<T, R>(&self, shared: &SharedByWorkers<T, R>, item: Item<T>) -> Option<Item<T>> {
        let mut state = shared.lock();
        let under_way = state.done.len();
        let full = state.admitted.saturating_add(item.bytes) > self.memory;
        if under_way >= 3 * self.threads || (under_way > 0 && full) {
            return Some(item);
        }
        let number = state.next_out + under_way as u64;
        state.admitted += item.bytes;
        state.waiting.push_back((number, item));
        state.done.push_back(None);
        // Waking a thread is a system call, even if none waits.
        if state.idle > 0 {
            shared.work.notify_one();
        }
        None
    }
}

/// Waits for the result of the oldest item; `None` if nothing is in progress.
fn next_result<T, R>(shared: &SharedByWorkers<T, R>) -> Option<Result<R>> {
    let mut state = shared.lock();
    loop {
        match state.done.front_mut() {
            None => return None,
            Some(slot) => {
                if let Some((bytes, result)) = slot.take() {
                    state.done.pop_front();
                    state.next_out += 1;
                    state.admitted = state.admitted.saturating_sub(bytes);
                    return Some(result);
                }
            }
        }
        state = shared
            .result
            .wait(state)
            .unwrap_or_else(PoisonError::into_inner);
    }
}

/// Works on items until no more can come.
fn worker<T, R>(shared: &SharedByWorkers<T, R>, work: &impl Fn(T) -> Result<R>) {
    INSIDE.set(true);
    loop {
        let mut state = shared.lock();
        let (number, item) = loop {
            if let Some(next) = state.waiting.pop_front() {
                break next;
            }
            if state.closed {
                return;
            }
            state.idle += 1;
            state = shared
                .work
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        };
        drop(state);
        let mut turn = Turn {
            shared,
            number,
            bytes: item.bytes,
            result: None,
        };
        turn.result = Some(work(item.value));
    }
}

/// An item being worked on. Its result is passed on at the end, whatever the end is.
struct Turn<'a, T, R> {
    shared: &'a SharedByWorkers<T, R>,
    number: u64,
    bytes: u64,
    result: Option<Result<R>>,
}

impl<T, R> Drop for Turn<'_, T, R> {
    fn drop(&mut self) {
        // The thread panics, and so does the scope, once nobody waits for the result.
        let ended = || Err(Error::new(ErrorKind::Cancelled, "the work on it ended"));
        let result = self.result.take().unwrap_or_else(ended);
        let mut state = self.shared.lock();
        let place = usize::try_from(self.number - state.next_out).unwrap_or(usize::MAX);
        if let Some(slot) = state.done.get_mut(place) {
            *slot = Some((self.bytes, result));
        }
        drop(state);
        if place == 0 {
            // The main thread waits for the oldest item only.
            self.shared.result.notify_one();
        }
    }
}

/// Ends the threads when the scope is left, also on an error: waiting items are dropped.
struct Close<'a, T, R>(&'a SharedByWorkers<T, R>);

impl<T, R> Drop for Close<'_, T, R> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.closed = true;
        state.waiting.clear();
        drop(state);
        self.0.work.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Error, ErrorKind};

    fn items(n: u64, bytes: u64) -> impl Iterator<Item = Result<Item<u64>>> {
        (0..n).map(move |value| Ok(Item { bytes, value }))
    }

    #[test]
    fn threads_are_not_without_number() {
        assert_eq!(Pool::new(0).threads, 1);
        assert_eq!(Pool::new(65_535).threads, MOST_THREADS);
    }

    #[test]
    fn a_panic_is_waited_for_by_nobody() {
        for threads in [1, 2, 4] {
            let pool = Pool {
                threads,
                memory: 1000,
            };
            let work = |x: u64| match x {
                5 => panic!("no result of 5"),
                _ => Ok(x),
            };
            let run = || pool.ordered(items(20, 100), work, |_| Ok(()));
            let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
            assert!(ended.is_err(), "{threads}");
        }
    }

    #[test]
    fn order_is_kept_for_any_number_of_threads() {
        for threads in [1, 2, 4, 9] {
            let pool = Pool {
                threads,
                memory: 1000,
            };
            let mut out = vec![];
            let work = |x: u64| {
                if x.is_multiple_of(7) {
                    std::thread::sleep(std::time::Duration::from_micros(50));
                }
                Ok(x * 2)
            };
            pool.ordered(items(500, 100), work, |x| {
                out.push(x);
                Ok(())
            })
            .unwrap();
            assert_eq!(out, (0..500).map(|x| x * 2).collect::<Vec<_>>());
        }
    }

    #[test]
    fn work_within_work_stays_on_its_thread() {
        let pool = Pool::new(3);
        let outer = |n| {
            let here = std::thread::current().id();
            let inner = |m| Ok((std::thread::current().id(), n * m));
            let mut sum = 0;
            pool.ordered(items(5, 1), inner, |(id, x)| {
                assert_eq!(id, here);
                sum += x;
                Ok(())
            })?;
            Ok(sum)
        };
        let mut all = vec![];
        let sink = |sum| {
            all.push(sum);
            Ok(())
        };
        pool.ordered(items(9, 1), outer, sink).unwrap();
        assert_eq!(all, (0..9).map(|n| n * 10).collect::<Vec<u64>>());
    }

    #[test]
    fn the_first_error_ends_it() {
        for threads in [1, 3] {
            let pool = Pool {
                threads,
                memory: u64::MAX,
            };
            let mut last = 0;
            let work = |x| match x {
                37.. => Err(Error::new(ErrorKind::Checksum, format!("{x}"))),
                _ => Ok(x),
            };
            let e = pool.ordered(items(1000, 1), work, |x| {
                last = x;
                Ok(())
            });
            assert_eq!((&*e.unwrap_err().what().text(), last), ("37", 36));
        }
    }

    #[test]
    fn an_error_of_the_sink_or_the_items_ends_it() {
        let pool = Pool {
            threads: 3,
            memory: u64::MAX,
        };
        let stop = || Error::new(ErrorKind::Io, "stop");
        assert!(pool.ordered(items(1000, 1), Ok, |_| Err(stop())).is_err());
        let bad = items(10, 1).chain([Err(stop())]);
        let mut n = 0;
        let r = pool.ordered(bad, Ok, |_| {
            n += 1;
            Ok(())
        });
        assert!(r.is_err());
        assert_eq!(n, 10);
    }

    #[test]
    fn what_waits_is_dropped_when_a_run_is_cancelled() {
        use std::sync::atomic::{AtomicU64, Ordering};
        let pool = Pool {
            threads: 2,
            memory: 100,
        };
        let cancelled = || Err(Error::new(ErrorKind::Cancelled, "stopped"));
        let begun = AtomicU64::new(0);
        let work = |_| {
            begun.fetch_add(1, Ordering::SeqCst);
            std::thread::sleep(std::time::Duration::from_millis(200));
            Ok(())
        };
        let ended = pool.ordered(items(5, 1).chain([cancelled()]), work, Ok);
        assert_eq!(ended.unwrap_err().kind(), ErrorKind::Cancelled);
        assert!(begun.load(Ordering::SeqCst) < 5);
    }

    #[test]
    fn the_budget_bounds_what_is_under_way() {
        use std::sync::atomic::{AtomicU64, Ordering};
        let pool = Pool {
            threads: 8,
            memory: 250,
        };
        let (now, most) = (AtomicU64::new(0), AtomicU64::new(0));
        let work = |_| {
            let n = now.fetch_add(1, Ordering::SeqCst) + 1;
            most.fetch_max(n, Ordering::SeqCst);
            std::thread::sleep(std::time::Duration::from_millis(1));
            now.fetch_sub(1, Ordering::SeqCst);
            Ok(())
        };
        pool.ordered(items(50, 100), work, Ok).unwrap();
        assert!(most.load(Ordering::SeqCst) <= 2);
    }
}
