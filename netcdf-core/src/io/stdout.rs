//! The standard output of the process, protected from plugins.
//!
//! Plugins may print. Before the first plugin is loaded, descriptor 1 is redirected to standard error. Data goes to an earlier duplicate of
//! descriptor 1.

use std::fs::File;
use std::io::Result;
#[cfg(unix)]
use std::sync::atomic::{AtomicBool, Ordering};

#[cfg(unix)]
use std::os::fd::{AsFd, OwnedFd};
#[cfg(unix)]
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Whether the process was started with a closed standard output. Code that runs before `main` sets this value, see
/// `filter::plugin::closed`.
#[cfg(unix)]
pub(crate) static CLOSED: AtomicBool = AtomicBool::new(false);

/// The original of descriptor 1. Like the descriptor, it exists once per process.
#[cfg(unix)]
static KEPT: Mutex<Option<OwnedFd>> = Mutex::new(None);

#[cfg(unix)]
fn kept() -> MutexGuard<'static, Option<OwnedFd>> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns a duplicate of the original standard output.
///
/// # Errors
/// Returns system errors.
#[cfg(unix)]
pub(crate) fn stdout() -> Result<File> {
    if CLOSED.load(Ordering::Relaxed) {
        return Err(std::io::Error::other("standard output is closed"));
    }
    match &*kept() {
        Some(fd) => fd.try_clone(),
        None => std::io::stdout().as_fd().try_clone_to_owned(),
    }
    .map(File::from)
}

/// Redirects descriptor 1 to standard error, or to the null device if standard error is closed. [`stdout`] is not affected. Repeated calls
/// have no effect.
///
/// # Errors
/// Returns system errors.
#[cfg(unix)]
pub(crate) fn lead_to_stderr() -> Result<()> {
    let mut kept = kept();
    if kept.is_some() {
        return Ok(());
    }
    let own = std::io::stdout().as_fd().try_clone_to_owned()?;
    let nowhere = |_| {
        let null = File::options().write(true).open("/dev/null")?;
        Ok::<_, std::io::Error>(rustix::stdio::dup2_stdout(null)?)
    };
    rustix::stdio::dup2_stdout(std::io::stderr()).or_else(nowhere)?;
    *kept = Some(own);
    Ok(())
}

/// Not supported on this system.
///
/// # Errors
/// Always returns an error.
#[cfg(not(unix))]
pub(crate) fn stdout() -> Result<File> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// Does nothing on this system.
///
/// # Errors
/// Never returns an error.
#[cfg(not(unix))]
pub(crate) fn lead_to_stderr() -> Result<()> {
    Ok(())
}
