//! Plugins that end the process, and how a tool reacts: a run ended by a plugin is not a success.
//!
//! `exit` runs the functions registered for exit, including ours, which knows whether a plugin is working.
//! `_exit` runs none; so on Linux our executables define a function of that name, which plugins find before the
//! one of the C library.

use std::cell::Cell;
use std::ffi::c_int;
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Once, OnceLock};

/// Calls of plugins in progress, in all threads: a plugin may have its own threads, and one of them may end the
/// process.
static CALLS: AtomicUsize = AtomicUsize::new(0);
/// The running tool, which never calls `exit` itself once there are plugins.
static TOOL: OnceLock<String> = OnceLock::new();
/// The working process: copies of it, which plugins may fork, end as they like.
static PROCESS: AtomicU32 = AtomicU32::new(0);
/// Whether this process is a helper: the process that started it reports how it ended.
static HELPER: AtomicBool = AtomicBool::new(false);
/// Registers our function once.
static WATCH: Once = Once::new();

thread_local! {
    /// The file of the plugin working in this thread.
    static INSIDE: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// Runs `work` of the plugin in `file`.
pub(super) fn inside<T>(file: &'static str, work: impl FnOnce() -> T) -> T {
    let before = INSIDE.replace(Some(file));
    CALLS.fetch_add(1, Ordering::Relaxed);
    PROCESS.store(std::process::id(), Ordering::Relaxed);
    let done = work();
    if is_copy() {
        INSIDE.set(None);
        // The plugin forked and returned in both processes: the copy must not go on with our work.
        end(0);
    }
    CALLS.fetch_sub(1, Ordering::Relaxed);
    INSIDE.set(before);
    done
}

/// Registers the functions that notice the end of the process, before the first plugin is loaded.
pub(super) fn watch() {
    WATCH.call_once(|| {
        #[cfg(unix)]
        // SAFETY: the function takes and returns nothing, and does not unwind.
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
    /// Like `atexit`, for `quick_exit`.
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

/// Ends the process, along with everything plugins do in it.
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

/// Declares that the process is a helper, which a plugin may end.
pub(super) fn is_helper() {
    HELPER.store(true, Ordering::Relaxed);
}

/// Whether this process is a fork of the working one.
fn is_copy() -> bool {
    std::process::id() != PROCESS.load(Ordering::Relaxed)
}

/// Whether the end of this process needs no message.
fn is_quiet() -> bool {
    is_copy() || HELPER.load(Ordering::Relaxed)
}

/// The file of the plugin working in this thread.
fn own() -> Option<&'static str> {
    INSIDE.try_with(Cell::get).ok().flatten()
}

/// The plugin that ends the process, if one does.
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
    // If standard error is closed, there is nobody to tell.
    let _ = std::io::stderr().write_all(text.as_bytes());
}

extern "C" fn at_exit() {
    if let Some(culprit) = culprit() {
        say(&culprit);
        // From here on we end the process ourselves.
        let _ = INSIDE.try_with(|inside| inside.set(None));
        end(1);
    }
}

/// Ends the process at once, like the C library's function, but never with success within a plugin.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn end_at_once(code: c_int) -> ! {
    let code = match own() {
        // From 128 on, we end by a signal ourselves.
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
