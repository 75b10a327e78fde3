//! Waits for answers with one small runtime for futures, which lives as long as the process. A forked child has its own.

use tokio::runtime::{Builder, Runtime};
use tokio::task::AbortHandle;

use crate::error::{Error, ErrorKind, Result};
use crate::per_process::PerProcess;

/// The number of threads that transfer bytes between the network and waiting threads.
const THREADS: usize = 2;

/// Waits for an answer. Threads that poll futures must not call this function.
///
/// # Errors
/// Returns errors of the answer, and [`ErrorKind::Io`] if no thread can be started.
pub(super) fn wait<T>(answer: impl Future<Output = Result<T>>) -> Result<T> {
    runtime()?.block_on(answer)
}

/// Runs blocking work within a future that [`wait`] polls. The work may call [`wait`].
pub(super) fn aside<R>(work: impl FnOnce() -> R) -> R {
    tokio::task::block_in_place(work)
}

/// Starts a future in the background.
///
/// # Errors
/// [`ErrorKind::Io`] if no thread can be started.
pub(super) fn start(answer: impl Future<Output = ()> + Send + 'static) -> Result<AbortHandle> {
    Ok(runtime()?.spawn(answer).abort_handle())
}

fn runtime() -> Result<&'static Runtime> {
    static RUNTIME: PerProcess<Option<Runtime>> = PerProcess::new();
    let started = RUNTIME.get_or_init(|| {
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(THREADS).thread_name("network");
        builder.enable_all().build().ok()
    });
    started
        .as_ref()
        .ok_or_else(|| Error::new(ErrorKind::Io, "cannot start the threads for the network"))
}
