//! Ordered parallel work within a memory budget.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rayon_core::Scope;

use super::Runtime;
use super::budget::Share;
use super::queue::{Next, Queue};
use super::turns::Turns;
use super::workers::{CallSite, Workers};
use crate::error::{Error, ErrorKind, Result};

/// Items of a job in progress per thread.
const AHEAD: usize = 3;

/// Memory per concurrent request.
const PER_REQUEST: u64 = 1 << 20;

/// The minimum size of an item when a caller decides whether to wake workers: an item may need no memory of its own, but much work.
const LEAST: u64 = 4 << 10;

/// A work item.
#[derive(Debug)]
pub struct WorkItem<T> {
    /// The estimated memory of the item in progress, in bytes.
    pub bytes: u64,
    /// The number of leading items of the job that must end before this item begins.
    pub after: u64,
    /// The item.
    pub value: T,
}

impl<T> WorkItem<T> {
    /// Creates an item that may begin at any time.
    pub fn new(bytes: u64, value: T) -> Self {
        Self {
            bytes,
            after: 0,
            value,
        }
    }
}

/// The data of a job that workers use.
struct Job<'a, T, R, W> {
    queue: Queue<T, Result<R>>,
    work: &'a W,
    /// The turns that items need.
    turns: Option<&'a Turns>,
}

/// Drops the waiting items when the caller returns, also after an error.
struct Close<'a, T, R, W>(&'a Job<'a, T, R, W>);

impl<T, R, W> Drop for Close<'_, T, R, W> {
    fn drop(&mut self) {
        self.0.queue.close();
    }
}

impl Runtime {
    /// Runs `work` on the items on several threads, and passes the results to `sink` in the order of the items. The order, and so the
    /// output, does not depend on the number of threads. The first error of any stage ends the job. The calling thread does small jobs
    /// alone. It also does all work of a runtime with one thread, and of calls from a thread in another rayon pool.
    ///
    /// `work` may run jobs itself, but must not hold a lock meanwhile, and must not wait for other items ([`WorkItem::after`]).
    ///
    /// # Errors
    /// Returns the first error in the order of the items. A panic of `work` is an internal error.
    pub fn ordered<T: Send, R: Send>(
        &self,
        items: impl IntoIterator<Item = Result<WorkItem<T>>>,
        work: impl Fn(T) -> Result<R> + Sync,
        mut sink: impl FnMut(R) -> Result<()>,
    ) -> Result<()> {
        let mut items = items.into_iter().fuse();
        let (mut number, mut bytes) = (0u64, 0u64);
        while let Some(first) = items.next() {
            let first = first?;
            bytes = bytes.saturating_add(first.bytes.max(LEAST));
            if bytes > self.small() && self.width() > 1 {
                return match items.next() {
                    None => sink(self.here(&work, first)?),
                    Some(second) => {
                        let items = [Ok(first), second].into_iter().chain(items);
                        self.shared_out((number, items), &work, sink)
                    }
                };
            }
            sink(self.here(&work, first)?)?;
            number += 1;
        }
        Ok(())
    }

    /// Returns the total size of the first items, which the caller runs itself. It is 0 for requests, because their answers take long.
    fn small(&self) -> u64 {
        match self.many_requests {
            true => 0,
            false => self.small,
        }
    }

    /// Returns the workers of a job, their number, and the turns that they need.
    fn workers(&self) -> (&Workers, usize, Option<&Turns>) {
        match self.many() {
            Some(many) => (&many.workers, many.width, Some(&many.turns)),
            None => (&self.shared.workers, self.threads(), None),
        }
    }

    /// Runs an item on the calling thread. The budget counts its bytes meanwhile.
    fn here<T, R>(&self, work: &impl Fn(T) -> Result<R>, item: WorkItem<T>) -> Result<R> {
        let mut share = self.share();
        share.admit(item.bytes);
        caught(work, item.value)
    }

    /// Returns the memory share of a job. For slow requests, nested jobs get more memory, because they make most of the requests.
    fn share(&self) -> Share<'_> {
        let more = self.requests().map(|n| PER_REQUEST * n as u64);
        let all = self.shared.memory.saturating_add(more.unwrap_or(0));
        Share::new(&self.shared.budget, self.memory, all)
    }

    /// Runs the items from `number` on the workers.
    fn shared_out<T: Send, R: Send>(
        &self,
        (number, mut items): (u64, impl Iterator<Item = Result<WorkItem<T>>>),
        work: &(impl Fn(T) -> Result<R> + Sync),
        mut sink: impl FnMut(R) -> Result<()>,
    ) -> Result<()> {
        let (workers, width, turns) = self.workers();
        let (pool, help) = match workers.of_caller(width) {
            CallSite::Outside(pool) => (pool, false),
            CallSite::Worker(pool) => (pool, true),
            CallSite::Alone => return items.try_for_each(|item| sink(self.here(work, item?)?)),
        };
        let job = Job {
            queue: Queue::from(number),
            work,
            turns,
        };
        let mut share = self.share();
        let run = || {
            pool.in_place_scope(|scope| {
                let _close = Close(&job);
                let called = CalledJob {
                    job: &job,
                    scope,
                    help,
                    most: match turns {
                        Some(_) => width,
                        None => AHEAD * width,
                    },
                };
                called.run(&mut share, items, sink)
            })
        };
        match turns {
            // A caller that is a worker is already counted, and releases its turn.
            Some(turns) if help => turns.without_turn(run),
            Some(turns) => {
                turns.expect(1);
                turns.counted(run)
            }
            None => run(),
        }
    }
}

/// A running job as seen by its caller.
struct CalledJob<'c, 's, T, R, W> {
    job: &'s Job<'s, T, R, W>,
    scope: &'c Scope<'s>,
    /// Whether the caller runs items, like a worker.
    help: bool,
    /// The maximum number of items in progress.
    most: usize,
}

impl<T: Send, R: Send, W: Fn(T) -> Result<R> + Sync> CalledJob<'_, '_, T, R, W> {
    /// Admits items, and passes their results to the sink.
    fn run(
        &self,
        share: &mut Share<'_>,
        items: impl Iterator<Item = Result<WorkItem<T>>>,
        mut sink: impl FnMut(R) -> Result<()>,
    ) -> Result<()> {
        let mut items = items.fuse();
        let mut ended = Ok(());
        let mut held = None;
        loop {
            if held.is_none() && ended.is_ok() {
                held = match items.next().transpose() {
                    Ok(item) => item,
                    // A cancelled job does not wait for items in progress.
                    Err(e) if e.kind() == ErrorKind::Cancelled => return Err(e),
                    Err(e) => {
                        ended = Err(e);
                        None
                    }
                };
            }
            let room = share.under_way() < self.most;
            if let Some(item) = held.take_if(|item| room && share.admit(item.bytes)) {
                self.call(self.job.queue.add(item.after, item.value));
                continue;
            }
            match self.job.next(self.help) {
                Next::Result(result) => {
                    share.give_back();
                    sink(result?)?;
                }
                Next::Run(number, value) => {
                    let result = self.job.work(value);
                    self.call(self.job.end(number, result));
                }
                Next::Nothing => return ended,
            }
        }
    }

    fn call(&self, items: usize) {
        self.job.call(self.scope, items);
    }
}

impl<T: Send, R: Send, W: Fn(T) -> Result<R> + Sync> Job<'_, T, R, W> {
    /// Calls workers for this number of items.
    fn call<'s>(&'s self, scope: &Scope<'s>, items: usize) {
        if let Some(turns) = self.turns {
            turns.expect(items);
        }
        (0..items).for_each(|_| {
            scope.spawn(|scope| match self.turns {
                Some(turns) => turns.counted(|| self.turn(scope)),
                None => self.turn(scope),
            });
        });
    }

    /// Runs one item on a worker.
    fn turn<'s>(&'s self, scope: &Scope<'s>) {
        if let Some((number, value)) = self.queue.begin() {
            let result = self.work(value);
            self.call(scope, self.end(number, result));
        }
    }

    fn work(&self, value: T) -> Result<R> {
        match self.turns {
            Some(turns) => turns.compute(|| caught(self.work, value)),
            None => caught(self.work, value),
        }
    }

    /// Returns the caller's next step. The caller is not busy while it waits for that step.
    fn next(&self, help: bool) -> Next<T, Result<R>> {
        let waits = || self.turns.into_iter().for_each(Turns::rest);
        self.queue.next(help, waits)
    }

    /// Records the result of an item. Returns the number of items that may now begin.
    fn end(&self, number: u64, result: Result<R>) -> usize {
        let wakes = || self.turns.into_iter().for_each(|turns| turns.expect(1));
        self.queue.end(number, result, wakes)
    }
}

/// Returns the result of work on an item. A panic has already printed its own message.
fn caught<T, R>(work: &impl Fn(T) -> Result<R>, value: T) -> Result<R> {
    // Data that the work shares with other threads is behind locks and atomics.
    let result = catch_unwind(AssertUnwindSafe(|| work(value)));
    result.unwrap_or_else(|_| Err(Error::internal("the work on an item panicked")))
}

#[cfg(test)]
mod tests;
