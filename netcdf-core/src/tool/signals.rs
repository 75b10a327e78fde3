//! Signals that ask the tool to end: SIGINT, SIGTERM, SIGHUP. This is the only place that handles them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Status;
use super::bar::BarLine;
use crate::cancel::Cancel;
use crate::error::{Error, Result};

/// Whether a signal would leave nothing behind.
pub type Idle = Arc<AtomicBool>;

/// Makes the first signal set `cancel`, which all work checks. The second one ends the process at once, because
/// a looping plugin may be at work; targets then stay as they were. While `idle` is set, the first signal ends
/// the process as usual: there is nothing to remove, and the process may be waiting for input, from which a flag
/// would not wake it. A bar is removed from its `line`.
///
/// # Errors
/// [`crate::ErrorKind::Io`] if the system refuses.
#[cfg(unix)]
pub fn catch_signals(cancel: &Cancel, idle: &Idle, line: &BarLine) -> Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    let failed = |e| Error::io("cannot catch signals", "signal", e);
    // Ignored signals, as with `nohup`, stay ignored.
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

/// The signals that our parent process wants ignored, as far as the system tells.
#[cfg(unix)]
fn ignored() -> Vec<i32> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    let mask = mask.unwrap_or(0);
    let is_set = |signal: &i32| mask >> (signal - 1) & 1 == 1;
    (1..=64).filter(is_set).collect()
}

/// Does nothing here.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn catch_signals(_: &Cancel, _: &Idle, _: &BarLine) -> Result<()> {
    Ok(())
}

/// Removes the bar, unless the terminal does not respond: then the process ends without that.
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

/// Makes writing beyond the maximum file size an error, also for temporary files: SIGXFSZ would end the process
/// silently.
///
/// # Errors
/// [`crate::ErrorKind::Io`] if the system refuses.
#[cfg(unix)]
pub fn catch_limits() -> Result<()> {
    let caught = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
    caught.map_err(|e| Error::io("cannot catch signals", "signal", e))?;
    Ok(())
}

/// There is no such signal here.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn catch_limits() -> Result<()> {
    Ok(())
}

/// The status of a run that ended with `error` after signals were caught with `cancel`.
#[must_use]
pub fn cancelled(cancel: &Cancel) -> Option<Status> {
    cancel
        .signal()
        .and_then(|n| u8::try_from(n).ok())
        .map(Status::Signal)
}
