//! Handles plugins that end the process: a run ended by a plugin is not a success.
//!
//! `exit` runs the registered exit functions, including ours, which checks whether a plugin is running. `_exit` runs none. On Linux, our
//! executables therefore define their own `_exit`, which plugins find before the one of the C library.

use std::cell::Cell;
use std::ffi::c_int;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Once, OnceLock};

#[cfg(unix)]
pub(super) use exit::is_helper;

/// The number of plugin calls in progress, in all threads. A plugin may have its own threads, and one of them may end the process.
static CALLS: AtomicUsize = AtomicUsize::new(0);
/// The running tool, which never calls `exit` itself once plugins are loaded.
static TOOL: OnceLock<String> = OnceLock::new();
/// The id of the working process. Copies that plugins fork may end in any way.
static PROCESS: AtomicU32 = AtomicU32::new(0);
/// Registers the exit function once.
static WATCH: Once = Once::new();

thread_local! {
    /// The file of the plugin that runs in this thread.
    static INSIDE: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// Calls `work`, which belongs to the plugin in `file`.
pub(super) fn inside<T>(file: &'static str, work: impl FnOnce() -> T) -> T {
    let before = INSIDE.replace(Some(file));
    CALLS.fetch_add(1, Ordering::Relaxed);
    PROCESS.store(std::process::id(), Ordering::Relaxed);
    let done = work();
    if is_copy() {
        INSIDE.set(None);
        // The plugin forked and returned in both processes: the copy must not continue our work.
        end(0);
    }
    CALLS.fetch_sub(1, Ordering::Relaxed);
    INSIDE.set(before);
    done
}

/// Registers the functions that detect the end of the process, before the first plugin is loaded.
pub(super) fn watch() {
    WATCH.call_once(|| {
        #[cfg(unix)]
        // SAFETY: the function has no arguments and no result, and does not unwind.
        unsafe {
            libc::atexit(exit::at_exit);
        }
        #[cfg(target_os = "linux")]
        // SAFETY: as above.
        unsafe {
            at_quick_exit(exit::at_exit);
        }
    });
}

#[cfg(target_os = "linux")]
unsafe extern "C" {
    /// Registers a function like `atexit`, for `quick_exit`.
    fn at_quick_exit(function: extern "C" fn()) -> c_int;
}

/// Declares that the process is a tool, which ends with [`leave`].
pub(crate) fn is_tool(name: &str) {
    TOOL.get_or_init(|| name.to_owned());
}

/// Ends the process if plugins were loaded, without running their exit functions, which could change the status.
pub(crate) fn leave(code: u8) {
    if WATCH.is_completed() {
        end(code.into());
    }
}

/// Ends the process immediately, including all plugin threads.
pub(super) fn leave_at_once(code: u8) -> ! {
    end(code.into())
}

#[cfg(unix)]
fn end(code: c_int) -> ! {
    // SAFETY: the function takes a number and does not return.
    unsafe { libc::_exit(code) }
}

#[cfg(not(unix))]
fn end(code: c_int) -> ! {
    std::process::exit(code)
}

/// Checks whether this process is a fork of the working process.
fn is_copy() -> bool {
    std::process::id() != PROCESS.load(Ordering::Relaxed)
}

/// The functions that run at the end of the process.
#[cfg(unix)]
mod exit {
    use std::cell::Cell;
    use std::io::Write;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::{CALLS, INSIDE, TOOL, end, is_copy};

    /// Whether this process is a helper: the parent process reports how it ended.
    static HELPER: AtomicBool = AtomicBool::new(false);

    /// Declares that the process is a helper, which a plugin may end.
    pub(in crate::filter::plugin) fn is_helper() {
        HELPER.store(true, Ordering::Relaxed);
    }

    /// Checks whether the end of this process needs no message.
    fn is_quiet() -> bool {
        is_copy() || HELPER.load(Ordering::Relaxed)
    }

    /// Returns the file of the plugin that runs in this thread.
    fn own() -> Option<&'static str> {
        INSIDE.try_with(Cell::get).ok().flatten()
    }

    /// Returns the plugin that ends the process, if a plugin does.
    fn culprit() -> Option<String> {
        match own() {
            _ if is_quiet() => None,
            Some(file) => Some(format!("the plugin {file}")),
            None if TOOL.get().is_some() || CALLS.load(Ordering::Relaxed) > 0 => {
                Some("a plugin".to_owned())
            }
            None => None,
        }
    }

    fn say(culprit: &str) {
        let tool = TOOL.get().map_or("netcdf", String::as_str);
        let text = format!(
            "{tool}: {culprit} ended the process; with --isolate-plugins only a helper process would have ended\n"
        );
        // Ignore errors: standard error may be closed.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }

    pub(super) extern "C" fn at_exit() {
        if let Some(culprit) = culprit() {
            say(&culprit);
            // From here on, this function ends the process.
            let _ = INSIDE.try_with(|inside| inside.set(None));
            end(1);
        }
    }

    /// Ends the process immediately, like the C library's function, but never successfully within a plugin.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    fn end_at_once(code: std::ffi::c_int) -> ! {
        let code = match own() {
            // Exit codes from 128 on come from our own signal handling.
            Some(file) if code & 0xff < 128 && !is_quiet() => {
                say(&format!("the plugin {file}"));
                1
            }
            Some(_) | None => code,
        };
        loop {
            // SAFETY: the system call takes a number and does not return.
            unsafe { libc::syscall(libc::SYS_exit_group, code) };
        }
    }

    /// `_exit` for plugins and for our own code.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[unsafe(no_mangle)]
    extern "C" fn _exit(code: std::ffi::c_int) -> ! {
        end_at_once(code)
    }

    /// `_Exit` for plugins.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[unsafe(no_mangle)]
    extern "C" fn _Exit(code: std::ffi::c_int) -> ! {
        end_at_once(code)
    }
}
