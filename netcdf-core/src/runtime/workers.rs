//! The threads of a runtime.

use rayon_core::{ThreadPool, ThreadPoolBuilder};

use super::stacks;
use crate::per_process::PerProcess;

/// Threads that start when they are first needed, and end with the runtime. A forked child starts its own threads.
#[derive(Debug, Default)]
pub(super) struct Workers(PerProcess<Option<ThreadPool>>);

/// The kind of thread that calls a job.
pub(super) enum CallSite<'a> {
    /// A thread that is no worker: workers do the work.
    Outside(&'a ThreadPool),
    /// One of these workers: it helps.
    Worker(&'a ThreadPool),
    /// A thread without workers for the job: the caller does the work alone.
    Alone,
}

impl Workers {
    /// Returns the workers for a job of this thread. Starts `threads` workers if none are running.
    pub(super) fn of_caller(&self, threads: usize) -> CallSite<'_> {
        let worker = rayon_core::current_thread_index().is_some();
        match self.0.get_or_init(|| start(threads)) {
            Some(pool) if pool.current_thread_index().is_some() => CallSite::Worker(pool),
            // A worker of another runtime: if two runtimes waited for each other, neither might have free workers.
            Some(pool) if !worker => CallSite::Outside(pool),
            Some(_) | None => CallSite::Alone,
        }
    }
}

/// Starts the threads. Starts fewer or no threads if memory limits or the system forbid more.
fn start(threads: usize) -> Option<ThreadPool> {
    let stack = stacks::size();
    let most = stacks::threads(threads, stack);
    let fewer = std::iter::successors(Some(most), |n| Some(n / 2).filter(|n| *n > 0));
    let pool = |n| ThreadPoolBuilder::new().num_threads(n).stack_size(stack);
    let mut pools = fewer.map(|n| pool(n).build().ok());
    pools.find_map(|pool| pool)
}
