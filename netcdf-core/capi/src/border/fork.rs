//! `fork` waits for the calls of all threads, so that the child finds no locked lock.

use std::cell::RefCell;
use std::sync::{Once, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Calls hold this lock for reading, `fork` holds it for writing.
static CALLS: RwLock<()> = RwLock::new(());

thread_local! {
    /// The lock of the thread that forks.
    static FORKING: RefCell<Option<RwLockWriteGuard<'static, ()>>> = const { RefCell::new(None) };
}

/// Begins a call, which lasts as long as the returned guard.
pub(super) fn begin_call() -> RwLockReadGuard<'static, ()> {
    static HANDLERS: Once = Once::new();
    HANDLERS.call_once(register);
    CALLS.read().unwrap_or_else(PoisonError::into_inner)
}

fn register() {
    // SAFETY: the handlers are functions of this library, which is never unloaded (`-z nodelete`).
    let failed = unsafe { libc::pthread_atfork(Some(prepare), Some(release), Some(release)) };
    // Without memory for handlers, `fork` works as before.
    let _ = failed;
}

/// Runs in the parent before `fork`.
extern "C" fn prepare() {
    let all = CALLS.write().unwrap_or_else(PoisonError::into_inner);
    // A thread without thread-local data ends: it cannot fork.
    let _ = FORKING.try_with(|own| own.borrow_mut().replace(all));
}

/// Runs in the parent and in the child after `fork`.
extern "C" fn release() {
    let _ = FORKING.try_with(|own| own.borrow_mut().take());
}
