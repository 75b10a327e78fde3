//! Lets so many through at a time, and the others wait.
//!
//! `tests/tests/runtime_model.rs` includes this file with locks of its own.

use std::sync::PoisonError;

use super::sync::{Condvar, Mutex};

/// Places that are taken and given back.
#[derive(Debug)]
pub(super) struct Gate {
    free: Mutex<usize>,
    given_back: Condvar,
}

impl Gate {
    /// A gate with this many places.
    pub(super) fn new(places: usize) -> Self {
        Self {
            free: Mutex::new(places),
            given_back: Condvar::new(),
        }
    }

    /// Takes a place, when one is free.
    pub(super) fn take(&self) {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        while *free == 0 {
            free = (self.given_back.wait(free)).unwrap_or_else(PoisonError::into_inner);
        }
        *free -= 1;
    }

    /// Gives a place back.
    pub(super) fn give_back(&self) {
        *self.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.given_back.notify_one();
    }
}
