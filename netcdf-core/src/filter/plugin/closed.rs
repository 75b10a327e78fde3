//! Whether the process was started with its standard output closed.
//!
//! Rust's runtime puts `/dev/null` in the place of a standard descriptor that is closed, before `main`: what is written there would be
//! lost without a word. So it is looked up before that. This stands here as the one other thing that Rust has no safe way for.

use std::sync::atomic::{AtomicBool, Ordering};

static CLOSED: AtomicBool = AtomicBool::new(false);

/// Run by the dynamic linker, before the runtime.
#[cfg(target_os = "linux")]
#[used]
// SAFETY: the section holds pointers to functions of this type, which are called once, in one thread. This one calls a function of
// the system and stores a flag; it needs nothing of the runtime.
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;

#[cfg(target_os = "linux")]
extern "C" fn look() {
    // SAFETY: `fcntl` with `F_GETFD` takes any number, and changes nothing.
    let flags = unsafe { libc::fcntl(1, libc::F_GETFD) };
    CLOSED.store(flags == -1, Ordering::Relaxed);
}

/// Whether standard output was closed when the process began. Where that cannot be known, it was not.
pub(crate) fn stdout_was_closed() -> bool {
    CLOSED.load(Ordering::Relaxed)
}
