//! The item queue of a job (`runtime/queue.rs`) and the semaphore of turns (`runtime/semaphore.rs`) under all different orders of events,
//! with up to two preemptions. Results come in order, each once, and no thread waits forever.

use std::sync::PoisonError;

use loom::sync::Arc;
use loom::sync::atomic::AtomicUsize;
use loom::sync::atomic::Ordering::SeqCst;
use loom::thread;

use queue::{Next, Queue};
use sync::{Condvar, Mutex};

#[path = "../../netcdf-core/src/runtime/queue.rs"]
mod queue;
#[path = "../../netcdf-core/src/runtime/semaphore.rs"]
mod semaphore;

/// The locks that loom watches.
mod sync {
    pub(super) use loom::sync::{Condvar, Mutex, MutexGuard};
}

/// The queue of the workers: the number of waiting tokens, and whether more tokens can follow.
struct Line {
    state: Mutex<(usize, bool)>,
    more: Condvar,
}

impl Line {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new((0, true)),
            more: Condvar::new(),
        })
    }

    fn put(&self, tokens: usize) {
        if tokens > 0 {
            self.state.lock().unwrap().0 += tokens;
            self.more.notify_all();
        }
    }

    /// Waits for a token. Returns false if no more tokens follow.
    fn take(&self) -> bool {
        let mut state = self.state.lock().unwrap();
        loop {
            match *state {
                (0, true) => {
                    state = self
                        .more
                        .wait(state)
                        .unwrap_or_else(PoisonError::into_inner)
                }
                (0, false) => return false,
                (tokens, _) => {
                    state.0 = tokens - 1;
                    return true;
                }
            }
        }
    }

    fn end(&self) {
        self.state.lock().unwrap().1 = false;
        self.more.notify_all();
    }
}

type Numbers = Queue<u64, u64>;

/// Ends an item. The caller is not counted as resting if the item waits for it.
fn end(queue: &Numbers, (number, item): (u64, u64), resting: &AtomicUsize) -> usize {
    let wakes = || assert_eq!(resting.fetch_sub(1, SeqCst), 1);
    queue.end(number, item * 10, wakes)
}

/// A worker: runs an item for each token.
fn worker(queue: &Numbers, line: &Line, resting: &AtomicUsize) {
    while line.take() {
        if let Some(item) = queue.begin() {
            line.put(end(queue, item, resting));
        }
    }
}

fn model(run: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(run);
}

/// Runs a job with `workers` threads, whose items begin after the given numbers of other items.
fn job(after: &'static [u64], workers: usize, help: bool) {
    model(move || {
        let (queue, line) = (Arc::new(Numbers::from(7)), Line::new());
        let resting = Arc::new(AtomicUsize::new(0));
        let workers: Vec<_> = (0..workers)
            .map(|_| {
                let (queue, line) = (Arc::clone(&queue), Arc::clone(&line));
                let resting = Arc::clone(&resting);
                thread::spawn(move || worker(&queue, &line, &resting))
            })
            .collect();
        for (item, after) in after.iter().enumerate() {
            line.put(queue.add(7 + after, item as u64));
        }
        let mut out = vec![];
        loop {
            let waits = || assert_eq!(resting.fetch_add(1, SeqCst), 0);
            let next = queue.next(help, waits);
            assert_eq!(resting.load(SeqCst), 0);
            match next {
                Next::Result(result) => out.push(result),
                Next::Run(number, item) => line.put(end(&queue, (number, item), &resting)),
                Next::Nothing => break,
            }
        }
        let want = (0..after.len() as u64).map(|n| n * 10);
        assert_eq!(out, want.collect::<Vec<_>>());
        line.end();
        workers
            .into_iter()
            .for_each(|worker| worker.join().unwrap());
    });
}

#[test]
fn results_come_in_order() {
    job(&[0, 0, 0], 1, false);
    job(&[0, 0], 2, false);
}

#[test]
fn items_that_wait_for_others_begin_in_the_end() {
    job(&[0, 1, 1], 1, false);
    job(&[0, 0, 2], 2, false);
}

#[test]
fn a_caller_that_helps_needs_no_worker() {
    job(&[0, 1, 0], 0, true);
    job(&[0, 1, 0], 1, true);
}

/// Acquires and releases a permit, and counts the concurrent holders.
fn pass((gate, within): &(semaphore::Semaphore, AtomicUsize), places: usize) {
    gate.take();
    assert!(within.fetch_add(1, SeqCst) < places);
    within.fetch_sub(1, SeqCst);
    gate.give_back();
}

#[test]
fn a_semaphore_admits_as_many_threads_as_permits() {
    for places in [1, 2] {
        model(move || {
            let gate = Arc::new((semaphore::Semaphore::new(places), AtomicUsize::new(0)));
            let others = (0..2).map(|_| {
                let gate = Arc::clone(&gate);
                thread::spawn(move || pass(&gate, places))
            });
            let others: Vec<_> = others.collect();
            pass(&gate, places);
            others.into_iter().for_each(|other| other.join().unwrap());
        });
    }
}

#[test]
fn a_closed_queue_gives_no_more_items() {
    model(|| {
        let (queue, line) = (Arc::new(Numbers::from(0)), Line::new());
        let working = {
            let (queue, line) = (Arc::clone(&queue), Arc::clone(&line));
            thread::spawn(move || worker(&queue, &line, &AtomicUsize::new(0)))
        };
        (0..2).for_each(|item| line.put(queue.add(0, item)));
        queue.close();
        assert!(queue.begin().is_none());
        line.end();
        working.join().unwrap();
    });
}
