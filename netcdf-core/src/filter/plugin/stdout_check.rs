//! Detects whether the process was started with its standard output closed.
//!
//! Before `main`, Rust's runtime replaces a closed standard descriptor with `/dev/null`, which would silently discard the output. This
//! check therefore runs earlier. It is in this module because it needs `unsafe`.

#[cfg(target_os = "linux")]
use std::sync::atomic::Ordering;

#[cfg(target_os = "linux")]
use crate::io::stdout::CLOSED;

/// The function for the dynamic linker, which calls it before the runtime starts.
#[cfg(target_os = "linux")]
#[used]
// SAFETY: the section contains pointers to functions of this type, which are called once, in one thread. This function makes a system call
// and stores a flag; it needs nothing from the runtime.
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;

#[cfg(target_os = "linux")]
extern "C" fn look() {
    // SAFETY: `fcntl` with `F_GETFD` accepts any number, and changes nothing.
    let flags = unsafe { libc::fcntl(1, libc::F_GETFD) };
    CLOSED.store(flags == -1, Ordering::Relaxed);
}
