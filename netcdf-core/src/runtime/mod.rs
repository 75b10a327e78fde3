//! Threads and memory for the work of a process.
//!
//! A [`Runtime`] has workers that live as long as itself, and a budget of memory. Work comes as *jobs*
//! ([`Runtime::ordered`]): items, each with its size in bytes, and a sink that takes their results in order. All jobs
//! of a runtime, one after another, side by side or one within another, share its workers and its budget.
//!
//! | file | what |
//! |---|---|
//! | `job` | what the caller of a job does: it admits items, and passes results to the sink |
//! | `queue` | the items of a job, and which of them may begin |
//! | `budget` | bytes admitted by all jobs, and by one |
//! | `more` | bytes for items that turn out to need more than was admitted |
//! | `spare` | memory of what is kept because it may be of use again |
//! | `workers` | the threads, started when they are first needed |
//! | `stacks` | the stack size of workers |
//! | `turns`, `gate` | who computes and who asks, where requests take long |
//! | `buffers` | memory that is used again |
//!
//! # Order of service
//!
//! A job puts one *token* in the line of the workers for each item that may begin. A worker that comes to a token
//! runs the first item of that job. Tokens of callers that are no workers themselves are served first come, first
//! served. Tokens of a job within an item go first: they end what has begun.
//!
//! # Why nothing waits for ever
//!
//! 1. An item waits for no other item. What has to be done before it is said when it is made (`WorkItem::after`), and no
//!    worker gets it earlier.
//! 2. The caller of a job waits only for the oldest item of the job. If the caller is a worker and nobody has begun
//!    that item, the caller runs it. So it waits only for an item that another worker has begun.
//! 3. At the end of a job its tokens are taken out of the line. A caller that is a worker takes out its own, and may
//!    run items of other jobs meanwhile, above its own frame.
//!
//! Let a worker A wait in its topmost frame for an item that B has begun, B for an item of C, and so on. The item of
//! B began after the job in A's topmost frame; the topmost frame of B began no earlier than that item. So each
//! worker in such a chain waits in a frame that began later than that of the one before: the chain is no circle,
//! and its last worker works. Other callers wait for tokens, which workers come to as long as one of them works.
//!
//! Where requests take long ([`Runtime::for_requests`]), jobs run on more workers than threads, in turns; `turns` says why
//! nothing waits for ever there, either.
//!
//! Three rules for the code that runs in items keep this true:
//!
//! 1. No lock is held while a job runs.
//! 2. A job of another runtime runs on the worker that calls it (`job` ensures this).
//! 3. A thread may wait for a result of another thread, such as a decoded chunk (`chunk::read_cache`). The waiting thread holds no lock
//!    that the other thread takes, and has no turn ([`Runtime::wait`]). The other thread runs no job and does not wait.

mod budget;
pub(crate) mod buffers;
mod gate;
mod job;
mod more;
mod queue;
mod spare;
mod stacks;
mod turns;
mod workers;

pub use buffers::Buffers;
pub use job::WorkItem;
pub use more::MoreBytes;
pub use spare::{CacheReservation, Evictable, SpareBytes};

use std::sync::{Arc, OnceLock};

use budget::Budget;
use more::More;
use turns::Turns;
use workers::Workers;

/// The locks of a queue.
mod sync {
    pub(super) use std::sync::{Condvar, Mutex, MutexGuard};
}

/// Memory for each thread: for some chunks of a few megabytes.
const PER_THREAD: u64 = 18 << 20;
/// Most threads: processes with tens of thousands of them abort when one finds no room for its stack.
const MOST_THREADS: usize = 512;

/// Memory for one or two threads. Together with the rest of the process, it stays below 64 MB.
const LEAST: u64 = 36 << 20;
/// Memory for many threads.
const MOST: u64 = 256 << 20;

/// The planned number of requests to remote storage: memory and merged ranges are divided by it.
const REQUESTS: usize = 32;
/// Maximum number of requests to remote storage. The network adapts the number below this maximum (`io::request_limit`).
const MOST_REQUESTS: usize = 256;
/// Maximum number of requests at a time to local files. Idle workers look for work at all others: a thousand workers without latency take
/// fifty times as long as a hundred.
const LOCAL_REQUESTS: usize = 64;
/// Maximum number of workers beyond one for each request and thread.
const SPARE_WORKERS: usize = 64;

/// Memory for what is kept, on top of what work leaves.
const SPARE: u64 = 64 << 20;

/// Bytes of items that a caller works on itself, before workers are worth waking.
const SMALL: u64 = 64 << 10;

/// Threads and memory for work. Clones share them.
#[derive(Debug, Clone)]
pub struct Runtime {
    shared: Arc<SharedByJobs>,
    /// Bytes that the items of one job may take while they are in progress.
    memory: u64,
    /// Bytes of items that a caller works on itself, before workers are worth waking.
    small: u64,
    /// Whether more is asked for at a time than threads compute.
    many_requests: bool,
    /// Whether requests take long.
    latency: bool,
}

#[derive(Debug)]
struct SharedByJobs {
    /// Items in progress at a time, at least 1.
    threads: usize,
    /// Bytes that items of all jobs may take.
    memory: u64,
    /// Bytes more that may be kept.
    spare: u64,
    budget: Budget,
    more: More,
    workers: Workers,
    /// Requests at a time, if that was said.
    requests: Option<usize>,
    /// What jobs need that ask for more at a time than threads compute: of local files, and of what has latency.
    local: OnceLock<ManyRequests>,
    remote: OnceLock<ManyRequests>,
}

/// Workers that mostly wait for answers.
#[derive(Debug)]
struct ManyRequests {
    turns: Turns,
    workers: Workers,
    /// Number of workers.
    width: usize,
}

impl Default for Runtime {
    /// The runtime of the process: one thread a core.
    fn default() -> Self {
        static OF_PROCESS: OnceLock<Runtime> = OnceLock::new();
        let new = || Self::new(std::thread::available_parallelism().map_or(1, usize::from));
        OF_PROCESS.get_or_init(new).clone()
    }
}

impl Runtime {
    /// A runtime of this many threads, with the memory that they need to stay busy.
    #[must_use]
    pub fn new(threads: usize) -> Self {
        let threads = threads.clamp(1, MOST_THREADS);
        let memory = PER_THREAD.saturating_mul(threads as u64);
        Self::with(threads, memory.clamp(LEAST, MOST), SPARE, None)
    }

    /// A runtime of one thread, which is that of the caller.
    #[must_use]
    pub fn single() -> Self {
        Self::new(1)
    }

    /// A runtime of this many threads, with `memory` bytes for all jobs together. Of each job one item can always be in
    /// progress. As much again, but at most 64 MiB, may be kept because it may be of use again.
    #[must_use]
    pub fn sized(threads: usize, memory: u64) -> Self {
        Self::with(threads, memory, memory.min(SPARE), None)
    }

    fn with(threads: usize, memory: u64, spare: u64, requests: Option<usize>) -> Self {
        let threads = threads.clamp(1, MOST_THREADS);
        let shared = SharedByJobs {
            threads,
            memory,
            spare,
            budget: Budget::new(memory.saturating_add(spare)),
            more: More::default(),
            workers: Workers::default(),
            requests,
            local: OnceLock::new(),
            remote: OnceLock::new(),
        };
        Self {
            shared: Arc::new(shared),
            memory,
            small: SMALL,
            many_requests: false,
            latency: false,
        }
    }

    /// A runtime of the same size, with workers of its own, that asks any source for so many things at a time.
    #[must_use]
    pub fn with_requests(&self, requests: usize) -> Self {
        let SharedByJobs {
            threads,
            memory,
            spare,
            ..
        } = *self.shared;
        let requests = requests.clamp(1, MOST_THREADS);
        Self {
            memory: self.memory,
            small: self.small,
            ..Self::with(threads, memory, spare, Some(requests))
        }
    }

    /// The same runtime, for work on a source: if that has latency or if the number of requests was said, more is asked for at
    /// a time than threads compute.
    #[must_use]
    pub fn for_requests(&self, latency: bool) -> Self {
        Self {
            many_requests: latency || self.shared.requests.is_some(),
            latency,
            ..self.clone()
        }
    }

    /// What jobs need if they ask for more at a time than threads compute.
    fn many(&self) -> Option<&ManyRequests> {
        let new = || {
            let requests = self.most_requests();
            ManyRequests {
                turns: Turns::new(self.shared.threads, requests),
                workers: Workers::default(),
                // One worker for each request, and more workers for the case that the answer for the oldest item comes a round later.
                width: self.shared.threads + requests + requests.min(SPARE_WORKERS),
            }
        };
        let many = match self.latency {
            true => &self.shared.remote,
            false => &self.shared.local,
        };
        self.many_requests.then(|| many.get_or_init(new))
    }

    /// The maximum number of requests at a time.
    fn most_requests(&self) -> usize {
        let requests = self.shared.requests.unwrap_or(MOST_REQUESTS);
        match self.latency {
            true => requests,
            false => requests.min(LOCAL_REQUESTS),
        }
    }

    /// Asks a source for something. Meanwhile, others compute.
    pub fn ask<R>(&self, request: impl FnOnce() -> R) -> R {
        match self.many() {
            Some(many) => many.turns.ask(request),
            None => request(),
        }
    }

    /// The planned number of requests at a time; `None` without concurrent requests. It divides memory and merged ranges. Small objects
    /// may get more requests.
    #[must_use]
    pub fn requests(&self) -> Option<usize> {
        let usual = match self.shared.requests {
            Some(_) => self.most_requests(),
            None => REQUESTS,
        };
        self.many_requests.then_some(usual)
    }

    /// Whether more is asked for at a time than threads compute.
    #[must_use]
    pub fn asks_ahead(&self) -> bool {
        self.many_requests
    }

    /// Waits for what another thread is making. Meanwhile, others compute.
    pub fn wait<R>(&self, wait: impl FnOnce() -> R) -> R {
        match self.many() {
            Some(many) => many.turns.apart(|| many.turns.idle(wait)),
            None => wait(),
        }
    }

    /// Items in progress at a time: more than threads, if most of them wait for answers.
    #[must_use]
    pub fn width(&self) -> usize {
        self.many().map_or(self.shared.threads, |many| many.width)
    }

    /// The number of requests under way, if jobs make no more before one is answered: for tests that count rounds.
    #[cfg(test)]
    pub(crate) fn unanswered(&self) -> Option<usize> {
        self.many()?.turns.unanswered()
    }

    /// The same runtime, where workers get even the least work: for tests.
    #[must_use]
    pub fn sharing_all(self) -> Self {
        Self { small: 0, ..self }
    }

    /// The same runtime, where each job may take this many bytes, more or less than otherwise.
    #[must_use]
    pub fn with_memory(&self, memory: u64) -> Self {
        Self {
            memory,
            ..self.clone()
        }
    }

    /// Items worked on at a time, at least 1.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.shared.threads
    }

    /// Bytes that the items of a job may take while they are in progress.
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.memory
    }
}
