//! The plugins that support concurrent threads.
//!
//! Plugins do not declare thread support, and plugins for the same filter differ. So the build id from the linker identifies safe builds.
//! All other plugins share one lock: plugins may share a library, and libhdf5 never calls two filters concurrently.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The lock of the process for plugins without known thread support.
static ONE_THREAD: Mutex<()> = Mutex::new(());

/// A guard of the lock.
pub(super) type OneThread = MutexGuard<'static, ()>;

/// Acquires the lock for a call of a plugin.
pub(super) fn lock() -> OneThread {
    ONE_THREAD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The calls that a plugin supports in concurrent threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Threads {
    /// Encoding.
    pub encodes: bool,
    /// Decoding.
    pub decodes: bool,
}

const BOTH: Threads = Threads {
    encodes: true,
    decodes: true,
};
const DECODES: Threads = Threads {
    encodes: false,
    decodes: true,
};

/// Builds for x86-64 with known thread support, from packages of the Python package index.
const KNOWN: &[(&str, Threads)] = &[
    // hdf5plugin 7.1.0: blosc2, bshuf, bzip2, lz4, zfp, zstd.
    ("9b5ba24b6b52337899e648bad378f795cf7f063c", DECODES),
    ("39f676312963b257a9242fc322598bf1e210f936", BOTH),
    ("434aa5fb862eb6ed284ba743ef98c70192aeaaf3", BOTH),
    ("4a358a2dcde7ba10c7cfd1b70de15e4d318939cf", BOTH),
    ("d0a852de167b5d1af738e6f0ee2cf8c62e0a594b", BOTH),
    ("7253c13d5c846975effc811c07f92dd9e28c196e", BOTH),
    // netCDF4 1.7.5: bzip2, deflate, fletcher32, shuffle, szip, zstd.
    ("7b232f936608e68e8e9f23b2d19b5f8f3a3af8f9", BOTH),
    ("82b7a57283e9324f4def9f5ec73e51c0fbdb3f47", DECODES),
    ("c0e4422ce87af1e69c3615a97434c48f8a40e3a0", DECODES),
    ("3b00df7eebb4d69cfa438c526638ebb21f167b60", DECODES),
    ("dac435255a364b491606258b56182691d1051dfe", DECODES),
    ("33d203cc6ef9742ec854f4ffceb9b37e635089e1", BOTH),
];

impl Threads {
    /// Returns the thread support of a build.
    pub(super) fn of(build: &str) -> Self {
        let known = KNOWN.iter().find(|(known, _)| *known == build);
        known.map(|(_, threads)| *threads).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_builds_have_one_thread() {
        for build in ["", "9b5ba24b6b52337899e648bad378f795cf7f063d"] {
            assert_eq!(Threads::of(build), Threads::default());
        }
        let mut builds: Vec<_> = KNOWN.iter().map(|(build, _)| *build).collect();
        builds.sort_unstable();
        builds.dedup();
        assert_eq!(builds.len(), KNOWN.len());
        assert!(builds.iter().all(|build| build.len() == 40));
        assert_eq!(Threads::of(KNOWN[0].0), DECODES);
    }
}
