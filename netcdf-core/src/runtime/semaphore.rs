//! A counting semaphore.
//!
//! `tests/tests/runtime_model.rs` includes this file with the locks of loom.

use std::sync::PoisonError;

use super::sync::{Condvar, Mutex};

/// A counting semaphore.
#[derive(Debug)]
pub(super) struct Semaphore {
    free: Mutex<usize>,
    given_back: Condvar,
}

impl Semaphore {
    /// Creates a semaphore with this number of permits.
    pub(super) fn new(places: usize) -> Self {
        Self {
            free: Mutex::new(places),
            given_back: Condvar::new(),
        }
    }

    /// Takes a permit, after waiting for a free one.
    pub(super) fn take(&self) {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        while *free == 0 {
            free = (self.given_back.wait(free)).unwrap_or_else(PoisonError::into_inner);
        }
        *free -= 1;
    }

    /// Returns a permit.
    pub(super) fn give_back(&self) {
        *self.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.given_back.notify_one();
    }
}
