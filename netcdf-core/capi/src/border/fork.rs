//! `fork` waits for the calls of all threads, so that the child finds no locked lock.

use std::cell::{Cell, RefCell};
use std::sync::{Once, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use netcdf_core::runtime;

/// Calls hold this lock for reading, `fork` holds it for writing.
static CALLS: RwLock<()> = RwLock::new(());

thread_local! {
    /// The lock of the thread that forks.
    static FORKING: RefCell<Option<RwLockWriteGuard<'static, ()>>> = const { RefCell::new(None) };
    /// Whether the thread is in a call.
    static IN_CALL: Cell<bool> = const { Cell::new(false) };
}

/// A call in progress.
pub(super) struct Call {
    _all: RwLockReadGuard<'static, ()>,
}

impl Drop for Call {
    fn drop(&mut self) {
        set_in_call(false);
    }
}

/// Begins a call, which lasts as long as the returned guard.
pub(super) fn begin_call() -> Call {
    static HANDLERS: Once = Once::new();
    HANDLERS.call_once(register);
    let all = CALLS.read().unwrap_or_else(PoisonError::into_inner);
    set_in_call(true);
    Call { _all: all }
}

fn set_in_call(value: bool) {
    // A thread without thread-local data ends.
    let _ = IN_CALL.try_with(|in_call| in_call.set(value));
}

fn register() {
    // SAFETY: the handlers are functions of this library, which is never unloaded (`-z nodelete`).
    let failed = unsafe { libc::pthread_atfork(Some(prepare), Some(release), Some(release)) };
    // Without memory for handlers, `fork` works as before.
    let _ = failed;
}

/// Checks whether `fork` belongs to a call of this library. The standard library forks to start the helper of a plugin if `posix_spawn`
/// lacks a feature. This `fork` must not wait for its own call, and its child only executes the helper.
fn is_own_fork() -> bool {
    IN_CALL.try_with(Cell::get).unwrap_or(false) || runtime::is_worker()
}

/// Runs in the parent before `fork`.
extern "C" fn prepare() {
    if is_own_fork() {
        return;
    }
    let all = CALLS.write().unwrap_or_else(PoisonError::into_inner);
    // A thread without thread-local data ends: it cannot fork.
    let _ = FORKING.try_with(|own| own.borrow_mut().replace(all));
}

/// Runs in the parent and in the child after `fork`.
extern "C" fn release() {
    let _ = FORKING.try_with(|own| own.borrow_mut().take());
}
