//! The threads of the library: a guest in the process of another program.

use std::ffi::OsStr;
use std::num::NonZeroU16;
use std::sync::OnceLock;

use netcdf_core::runtime::Runtime;

/// The environment variable for the number of threads.
const THREADS: &str = "NETCDF_THREADS";
/// Variables that launchers of MPI set: each processor already has a process.
const LAUNCHERS: [&str; 4] = [
    "OMPI_COMM_WORLD_SIZE",
    "PMI_SIZE",
    "PMIX_RANK",
    "MV2_COMM_WORLD_SIZE",
];

/// Returns the runtime of all datasets. Threads start at the first large read.
pub(crate) fn runtime() -> Runtime {
    static OF_LIBRARY: OnceLock<Runtime> = OnceLock::new();
    OF_LIBRARY.get_or_init(new).clone()
}

fn new() -> Runtime {
    let launched = LAUNCHERS
        .iter()
        .any(|name| std::env::var_os(name).is_some());
    match wanted(std::env::var_os(THREADS).as_deref(), launched) {
        // The default has one thread for each processor that the process may use.
        None => Runtime::default(),
        Some(threads) => Runtime::new(threads.get().into()),
    }
}

/// Returns the number of threads for the value of the variable; `None` for the default.
fn wanted(value: Option<&OsStr>, launched: bool) -> Option<NonZeroU16> {
    let number = value.and_then(OsStr::to_str).and_then(|v| v.parse().ok());
    number.or(launched.then_some(NonZeroU16::MIN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_takes_precedence() {
        let of = |value: Option<&str>, launched| {
            wanted(value.map(OsStr::new), launched).map(NonZeroU16::get)
        };
        assert_eq!(of(None, false), None);
        assert_eq!(of(None, true), Some(1));
        assert_eq!(of(Some("4"), true), Some(4));
        assert_eq!(of(Some("0"), false), None);
        assert_eq!(of(Some("many"), false), None);
    }
}
