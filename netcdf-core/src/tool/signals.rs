//! Signals that end the tool: SIGINT, SIGTERM, SIGHUP. No other module handles signals.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
#[cfg(unix)]
use std::sync::atomic::Ordering;

use super::Status;
use super::bar::BarLine;
use crate::cancel::Cancel;
#[cfg(unix)]
use crate::error::Error;
use crate::error::Result;

/// Whether the process has no unfinished output, so that a signal may end it immediately.
pub type Idle = Arc<AtomicBool>;

/// Makes the first signal set `cancel`, which all work checks. The second signal ends the process immediately, because a plugin may hang;
/// targets stay unchanged. While `idle` is set, the first signal ends the process as usual: the process has no output to remove, and a flag
/// would not interrupt a wait for input. The bar is removed from its `line`.
///
/// # Errors
/// Returns [`crate::ErrorKind::Io`] if the system refuses.
#[cfg(unix)]
pub fn catch_signals(cancel: &Cancel, idle: &Idle, line: &BarLine) -> Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    let failed = |e| Error::io("cannot catch signals", "signal", e);
    // Keep ignored signals ignored, as under `nohup`.
    let ignored = ignored();
    let caught = [SIGINT, SIGTERM, SIGHUP];
    let caught = caught.into_iter().filter(|s| !ignored.contains(s));
    let mut signals = Signals::new(caught).map_err(failed)?;
    let (cancel, idle, line) = (cancel.clone(), Arc::clone(idle), line.clone());
    let watch = move || {
        for signal in signals.forever() {
            if idle.load(Ordering::Relaxed) {
                clear(&line);
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            } else if cancel.signal().is_some() {
                clear(&line);
                signal_hook::low_level::exit(signal.saturating_add(128));
            } else {
                let number = usize::try_from(signal).unwrap_or_default();
                cancel.0.store(number, Ordering::Relaxed);
            }
        }
    };
    let thread = std::thread::Builder::new().name("signals".to_owned());
    thread.spawn(watch).map_err(failed)?;
    Ok(())
}

/// Returns the signals that the parent process ignores, if the system reports them.
#[cfg(unix)]
fn ignored() -> Vec<i32> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    let mask = mask.unwrap_or(0);
    let is_set = |signal: &i32| mask >> (signal - 1) & 1 == 1;
    (1..=64).filter(is_set).collect()
}

/// Unix signals do not exist on this system.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn catch_signals(_: &Cancel, _: &Idle, _: &BarLine) -> Result<()> {
    Ok(())
}

/// Removes the bar, or ends the process without removal if the terminal does not respond.
#[cfg(unix)]
fn clear(line: &BarLine) {
    let line = line.clone();
    let (done, waits) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        line.clear();
        let _ = done.send(());
    });
    let _ = waits.recv_timeout(std::time::Duration::from_millis(200));
}

/// Makes writing beyond the maximum file size an error, also for temporary files. SIGXFSZ would end the process silently.
///
/// # Errors
/// Returns [`crate::ErrorKind::Io`] if the system refuses.
#[cfg(unix)]
pub fn catch_limits() -> Result<()> {
    let caught = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
    caught.map_err(|e| Error::io("cannot catch signals", "signal", e))?;
    Ok(())
}

/// SIGXFSZ does not exist on this system.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn catch_limits() -> Result<()> {
    Ok(())
}

/// Returns the exit status of a run that ended with `error` after signals were caught with `cancel`.
#[must_use]
pub fn cancelled(cancel: &Cancel) -> Option<Status> {
    cancel
        .signal()
        .and_then(|n| u8::try_from(n).ok())
        .map(Status::Signal)
}
