//! Plugins that end the process, and what a tool does about it: a run that a plugin ended is no success.
//!
//! `exit` runs the functions that were registered for the end, of which ours is one: it knows whether a plugin is at work. `_exit`
//! runs none. On Linux our executables have a function of that name, which plugins find before that of the C library.

use std::cell::Cell;
use std::ffi::c_int;
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Once, OnceLock};

/// Calls of plugins under way, in all threads: a plugin may have threads of its own, and one of these may end the process.
static CALLS: AtomicUsize = AtomicUsize::new(0);
/// The tool that runs, which itself never ends by `exit` once there are plugins.
static TOOL: OnceLock<String> = OnceLock::new();
/// The process that works: copies of it, which plugins may make, end as they like.
static PROCESS: AtomicU32 = AtomicU32::new(0);
/// Whether this process is a helper: who started it tells how it ended.
static HELPER: AtomicBool = AtomicBool::new(false);
/// Our function is registered once.
static WATCH: Once = Once::new();

thread_local! {
    /// The file of the plugin that works in this thread.
    static INSIDE: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// Does work of the plugin in `file`.
pub(super) fn inside<T>(file: &'static str, work: impl FnOnce() -> T) -> T {
    let before = INSIDE.replace(Some(file));
    CALLS.fetch_add(1, Ordering::Relaxed);
    PROCESS.store(std::process::id(), Ordering::Relaxed);
    let done = work();
    if is_copy() {
        INSIDE.set(None);
        // The plugin made it and came back in both: the copy must not go on with our work.
        end(0);
    }
    CALLS.fetch_sub(1, Ordering::Relaxed);
    INSIDE.set(before);
    done
}

/// Sees to it that the end of the process is noticed, before the first plugin is loaded.
pub(super) fn watch() {
    WATCH.call_once(|| {
        #[cfg(unix)]
        // SAFETY: the function takes nothing, gives nothing and does not unwind.
        unsafe {
            libc::atexit(at_exit);
        }
        #[cfg(target_os = "linux")]
        // SAFETY: as above.
        unsafe {
            at_quick_exit(at_exit);
        }
    });
}

#[cfg(target_os = "linux")]
unsafe extern "C" {
    /// The same as `atexit` for `quick_exit`.
    fn at_quick_exit(function: extern "C" fn()) -> c_int;
}

/// Says that the process is that of a tool, which ends by [`leave`].
pub(crate) fn is_tool(name: &str) {
    TOOL.get_or_init(|| name.to_owned());
}

/// Ends the process if plugins were loaded: what they left for its end is not run, it could change the status.
pub(crate) fn leave(code: u8) {
    if WATCH.is_completed() {
        end(code.into());
    }
}

/// Ends the process, and with it what plugins do in it.
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

/// Says that the process is a helper, which a plugin may end.
pub(super) fn is_helper() {
    HELPER.store(true, Ordering::Relaxed);
}

/// Whether this process is a copy of the one that works.
fn is_copy() -> bool {
    std::process::id() != PROCESS.load(Ordering::Relaxed)
}

/// Whether the end of this process is nothing to be said.
fn is_quiet() -> bool {
    is_copy() || HELPER.load(Ordering::Relaxed)
}

/// The file of the plugin that works in this thread.
fn own() -> Option<&'static str> {
    INSIDE.try_with(Cell::get).ok().flatten()
}

/// The plugin that ends the process, if it is one.
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
        "{tool}: {culprit} ended the process; with --isolate-plugins only its own would have ended\n"
    );
    // Where standard error is closed, there is nobody left to tell.
    let _ = std::io::stderr().write_all(text.as_bytes());
}

extern "C" fn at_exit() {
    if let Some(culprit) = culprit() {
        say(&culprit);
        // It is us who end the process now.
        let _ = INSIDE.try_with(|inside| inside.set(None));
        end(1);
    }
}

/// Ends the process at once, as the function of the C library does; within a plugin never as a success.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn end_at_once(code: c_int) -> ! {
    let code = match own() {
        // From 128 on it is us who end by a signal.
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

/// For plugins, and for ourselves.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[unsafe(no_mangle)]
extern "C" fn _exit(code: c_int) -> ! {
    end_at_once(code)
}

/// For plugins.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[unsafe(no_mangle)]
extern "C" fn _Exit(code: c_int) -> ! {
    end_at_once(code)
}
