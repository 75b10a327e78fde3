//! Data symbols of the version 2 interface.

use std::ffi::c_int;
use std::sync::atomic::{AtomicI32, Ordering};

/// The last error number of the version 2 functions. C declares `extern int ncerr`.
#[unsafe(no_mangle)]
static ncerr: AtomicI32 = AtomicI32::new(0);

/// Whether version 2 functions print errors and exit. Programs may set it; this library never prints and never exits.
#[unsafe(no_mangle)]
static ncopts: AtomicI32 = AtomicI32::new(3);

/// Records the error number of a version 2 function.
pub(super) fn set_old_status(number: c_int) {
    ncerr.store(number, Ordering::Relaxed);
}
