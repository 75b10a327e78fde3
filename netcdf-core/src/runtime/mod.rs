//! Threads and memory for the work of a process.
//!
//! A [`Runtime`] has workers that live as long as the runtime, and a memory budget. Work comes as *jobs* ([`Runtime::ordered`]): items,
//! each with its size in bytes, and a sink that takes their results in order. All jobs of a runtime share its workers and its budget,
//! whether they are consecutive, concurrent or nested.
//!
//! | file | responsibility |
//! |---|---|
//! | `job` | the caller's side of a job: admits items, and passes results to the sink |
//! | `queue` | the items of a job, and their order of execution |
//! | `budget` | bytes admitted by all jobs, and by one job |
//! | `extra_memory` | memory for items that outgrow their reservation |
//! | `evict` | memory accounting for caches |
//! | `workers` | the threads, started when they are first needed |
//! | `stacks` | the stack size of workers |
//! | `turns`, `semaphore` | limits on computing threads and on requests, for slow requests |
//! | `buffers` | reused memory |
//!
//! # Order of service
//!
//! A job puts one *token* in the workers' queue for each item that may begin. A worker that takes a token runs the first item of that job.
//! Tokens of callers that are no workers are served in order of arrival. Tokens of a job within an item take precedence, because they
//! finish work in progress.
//!
//! # Freedom from deadlocks
//!
//! 1. An item waits for no other item. Its dependencies are declared when it is created (`WorkItem::after`), and no worker gets it earlier.
//! 2. The caller of a job waits only for the oldest item of the job. If the caller is a worker and this item has not begun, the caller runs
//!    it. So it waits only for an item that another worker has begun.
//! 3. At the end of a job its tokens are taken out of the queue. A caller that is a worker takes out its own tokens, and may run items of
//!    other jobs meanwhile, above its own frame.
//!
//! Let a worker A wait in its topmost frame for an item that B has begun, B for an item of C, and so on. The item of B began after the job
//! in A's topmost frame; the topmost frame of B began no earlier than that item. So each worker in this chain waits in a frame that began
//! later than the frame of its predecessor. The chain is no circle, and its last worker works. Other callers wait for tokens, which workers
//! reach as long as one of them works.
//!
//! For slow requests ([`Runtime::for_requests`]), jobs run on more workers than threads, in turns; `turns` shows that these jobs have no
//! deadlocks.
//!
//! Code that runs in items must follow three rules:
//!
//! 1. No lock is held while a job runs.
//! 2. A job of another runtime runs on the worker that calls it (`job` ensures this).
//! 3. A thread may wait for a result of another thread, such as a decoded chunk (`chunk::read_cache`). The waiting thread holds no lock
//!    that the working thread takes, and has no turn ([`Runtime::wait`]). The working thread runs no job and does not wait.

mod budget;
pub(crate) mod buffers;
mod evict;
mod extra_memory;
mod job;
mod queue;
mod semaphore;
mod stacks;
mod turns;
mod workers;

pub use buffers::Buffers;
pub use evict::{CacheReservation, CachedBytes, Evictable};
pub use extra_memory::ExtraBytes;
pub use job::WorkItem;

use std::sync::{Arc, OnceLock};

use budget::Budget;
use extra_memory::ExtraMemory;
use turns::Turns;
use workers::Workers;

/// The locks of a queue.
mod sync {
    pub(super) use std::sync::{Condvar, Mutex, MutexGuard};
}

/// Memory per thread: for some chunks of a few megabytes.
const PER_THREAD: u64 = 18 << 20;
/// The maximum number of threads. Processes with tens of thousands of threads abort when a stack cannot be allocated.
const MOST_THREADS: usize = 512;

/// Memory for one or two threads. Together with the rest of the process, it stays below 64 MB.
const LEAST: u64 = 36 << 20;
/// Memory for many threads.
const MOST: u64 = 256 << 20;

/// The planned number of requests to remote storage: memory and merged ranges are divided by it.
const REQUESTS: usize = 32;
/// Maximum number of requests to remote storage. The network adapts the number below this maximum (`io::request_limit`).
const MOST_REQUESTS: usize = 256;
/// The maximum number of concurrent requests to local files. Idle workers search all other workers for work: a thousand workers without
/// latency take fifty times as long as a hundred.
const LOCAL_REQUESTS: usize = 64;
/// Maximum number of workers beyond one for each request and thread.
const SPARE_WORKERS: usize = 64;

/// Memory for caches, on top of the memory that jobs do not use.
const SPARE: u64 = 64 << 20;

/// The maximum size in bytes of a job that its caller runs without waking workers.
const SMALL: u64 = 64 << 10;

/// Checks whether the calling thread is a worker of a runtime.
#[must_use]
pub fn is_worker() -> bool {
    rayon_core::current_thread_index().is_some()
}

/// Threads and memory for work. Clones share them.
#[derive(Debug, Clone)]
pub struct Runtime {
    shared: Arc<SharedByJobs>,
    /// The memory limit for the items of one job in progress, in bytes.
    memory: u64,
    /// The maximum size in bytes of a job that its caller runs without waking workers.
    small: u64,
    /// Whether requests may outnumber computing threads.
    many_requests: bool,
    /// Whether requests take long.
    latency: bool,
}

#[derive(Debug)]
struct SharedByJobs {
    /// The number of concurrent items, at least 1.
    threads: usize,
    /// The memory limit for the items of all jobs, in bytes.
    memory: u64,
    /// The additional memory for caches, in bytes.
    spare: u64,
    budget: Budget,
    more: ExtraMemory,
    workers: Workers,
    /// The configured number of concurrent requests, if any.
    requests: Option<usize>,
    /// The workers for jobs with more requests than threads: for local files, and for sources with latency.
    local: OnceLock<ManyRequests>,
    remote: OnceLock<ManyRequests>,
}

/// Workers that mostly wait for answers.
#[derive(Debug)]
struct ManyRequests {
    turns: Turns,
    workers: Workers,
    width: usize,
}

impl Default for Runtime {
    /// Returns the runtime of the process: one thread per core.
    fn default() -> Self {
        static OF_PROCESS: OnceLock<Runtime> = OnceLock::new();
        let new = || Self::new(std::thread::available_parallelism().map_or(1, usize::from));
        OF_PROCESS.get_or_init(new).clone()
    }
}

impl Runtime {
    /// Returns a runtime with this number of threads, and enough memory to keep them busy.
    #[must_use]
    pub fn new(threads: usize) -> Self {
        let threads = threads.clamp(1, MOST_THREADS);
        let memory = PER_THREAD.saturating_mul(threads as u64);
        Self::with(threads, memory.clamp(LEAST, MOST), SPARE, None)
    }

    /// Returns a runtime without workers: the caller does all work.
    #[must_use]
    pub fn single() -> Self {
        Self::new(1)
    }

    /// Returns a runtime with this number of threads, and `memory` bytes for all jobs together. One item of each job can always be in
    /// progress. Caches get the same amount again, but at most 64 MiB.
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
            more: ExtraMemory::default(),
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

    /// Returns a runtime of the same size with its own workers, and this number of concurrent requests to any source.
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

    /// Returns the same runtime for work on a source. Requests outnumber computing threads if the source has latency or the number of
    /// requests is configured.
    #[must_use]
    pub fn for_requests(&self, latency: bool) -> Self {
        Self {
            many_requests: latency || self.shared.requests.is_some(),
            latency,
            ..self.clone()
        }
    }

    /// Returns the workers for more requests than threads.
    fn many(&self) -> Option<&ManyRequests> {
        let new = || {
            let requests = self.most_requests();
            ManyRequests {
                turns: Turns::new(self.shared.threads, requests),
                workers: Workers::default(),
                // One worker for each request, and more workers in case the answer for the oldest item is one round late.
                width: self.shared.threads + requests + requests.min(SPARE_WORKERS),
            }
        };
        let many = match self.latency {
            true => &self.shared.remote,
            false => &self.shared.local,
        };
        self.many_requests.then(|| many.get_or_init(new))
    }

    /// Returns the maximum number of concurrent requests.
    fn most_requests(&self) -> usize {
        let requests = self.shared.requests.unwrap_or(MOST_REQUESTS);
        match self.latency {
            true => requests,
            false => requests.min(LOCAL_REQUESTS),
        }
    }

    /// Runs a request to a source. Other workers compute meanwhile.
    pub fn ask<R>(&self, request: impl FnOnce() -> R) -> R {
        match self.many() {
            Some(many) => many.turns.request(request),
            None => request(),
        }
    }

    /// Returns the planned number of concurrent requests; `None` without concurrent requests. It divides memory and merged ranges. Small
    /// objects may get more requests.
    #[must_use]
    pub fn requests(&self) -> Option<usize> {
        let usual = match self.shared.requests {
            Some(_) => self.most_requests(),
            None => REQUESTS,
        };
        self.many_requests.then_some(usual)
    }

    /// Returns true if requests may outnumber computing threads.
    #[must_use]
    pub fn asks_ahead(&self) -> bool {
        self.many_requests
    }

    /// Waits for a result of another thread. Other workers compute meanwhile.
    pub fn wait<R>(&self, wait: impl FnOnce() -> R) -> R {
        match self.many() {
            Some(many) => many.turns.without_turn(|| many.turns.idle(wait)),
            None => wait(),
        }
    }

    /// Returns the number of concurrent items: more than threads, if most items wait for answers.
    #[must_use]
    pub fn width(&self) -> usize {
        self.many().map_or(self.shared.threads, |many| many.width)
    }

    /// Returns the number of requests in flight, if jobs make no more requests before an answer arrives: for tests that count round trips.
    #[cfg(test)]
    pub(crate) fn unanswered(&self) -> Option<usize> {
        self.many()?.turns.unanswered()
    }

    /// Returns the same runtime, but workers get even the smallest job: for tests.
    #[must_use]
    pub fn sharing_all(self) -> Self {
        Self { small: 0, ..self }
    }

    /// Returns the same runtime with this memory limit in bytes per job.
    #[must_use]
    pub fn with_memory(&self, memory: u64) -> Self {
        Self {
            memory,
            ..self.clone()
        }
    }

    /// Returns the number of concurrent computations, at least 1.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.shared.threads
    }

    /// Returns the memory limit for the items of a job in progress, in bytes.
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.memory
    }
}
