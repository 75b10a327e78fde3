//! Waits for answers: one small runtime for futures, which lives as long as the process.

use std::sync::OnceLock;

use tokio::runtime::{Builder, Runtime};
use tokio::task::AbortHandle;

use crate::error::{Error, ErrorKind, Result};

/// Threads that move bytes between the network and those who wait.
const THREADS: usize = 2;

/// Waits for an answer. Any thread may, but none that polls futures.
///
/// # Errors
/// Those of the answer; [`ErrorKind::Io`] if no thread can be started.
pub(super) fn wait<T>(answer: impl Future<Output = Result<T>>) -> Result<T> {
    runtime()?.block_on(answer)
}

/// Does something within an answer that [`wait`] waits for: it may itself wait for answers.
pub(super) fn aside<R>(work: impl FnOnce() -> R) -> R {
    tokio::task::block_in_place(work)
}

/// Begins something that nobody waits for.
///
/// # Errors
/// [`ErrorKind::Io`] if no thread can be started.
pub(super) fn start(answer: impl Future<Output = ()> + Send + 'static) -> Result<AbortHandle> {
    Ok(runtime()?.spawn(answer).abort_handle())
}

fn runtime() -> Result<&'static Runtime> {
    static RUNTIME: OnceLock<Option<Runtime>> = OnceLock::new();
    let started = RUNTIME.get_or_init(|| {
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(THREADS).thread_name("network");
        builder.enable_all().build().ok()
    });
    started
        .as_ref()
        .ok_or_else(|| Error::new(ErrorKind::Io, "cannot start the threads for the network"))
}
