//! Detects programs that have a dataset open for writing.
//!
//! The HDF5 library locks its files (`flock`), exclusively for writing and shared for reading. A shared lock is therefore available unless
//! a program writes the file. Programs with SWMR access hold no lock. This library also locks classic files that it changes in place.

use std::ffi::OsStr;
use std::fs::File;
use std::io::ErrorKind as Failure;
use std::path::Path;

use super::exclusive::{Sharing, try_lock};
use super::positions::read_exact_at;
use super::references::open_itself;
use crate::error::is_too_many;
use crate::error::{Error, ErrorKind, Result};

/// The signature of HDF5, without the first byte, which differs during a change in place.
const HDF5: &[u8; 7] = b"HDF\r\n\x1a\n";
/// The same for classic files, without the version.
const CLASSIC: &[u8; 2] = b"DF";

/// The environment variable that turns off the locks of HDF5.
const LOCKING: &str = "HDF5_USE_FILE_LOCKING";

/// Takes a shared lock of an HDF5 or classic file. Returns `None` for other files, and on file systems without locks.
///
/// # Errors
/// [`ErrorKind::Busy`] if a program has the file open for writing.
pub(super) fn refuse(path: &Path) -> Result<Option<File>> {
    if !locks_are_on() {
        return Ok(None);
    }
    let file = match open_itself(path) {
        Err(e) if is_too_many(&e) => {
            return Err(Error::io("cannot open", &path.to_string_lossy(), e));
        }
        // The file is missing or unreadable.
        Err(_) => return Ok(None),
        Ok(file) if !is_dataset(&file) => return Ok(None),
        Ok(file) => file,
    };
    match try_lock(&file, Sharing::Shared) {
        Ok(()) => Ok(Some(file)),
        Err(e) if e.kind() == Failure::WouldBlock => {
            let what =
                "another program has this file open for writing (it is locked): it is not replaced";
            let e = Error::new(ErrorKind::Busy, what).of(&path.to_string_lossy());
            Err(e.with_remedy(
                "wait until that program closes it, or set HDF5_USE_FILE_LOCKING=FALSE if none writes it",
            ))
        }
        // Some file systems have no locks.
        Err(_) => Ok(None),
    }
}

/// Whether HDF5 and this library lock files.
pub(super) fn locks_are_on() -> bool {
    is_on(std::env::var_os(LOCKING).as_deref())
}

/// Whether HDF5 locks files with this value of the variable.
fn is_on(value: Option<&OsStr>) -> bool {
    !value.is_some_and(|value| value == "FALSE" || value == "0")
}

/// Checks for the signature of a classic file, and of HDF5 at the offsets that HDF5 defines: the start, or the end of a user block.
fn is_dataset(file: &File) -> bool {
    let len = file.metadata().ok().filter(std::fs::Metadata::is_file);
    let len = len.map_or(0, |meta| meta.len());
    let starts = std::iter::once(0).chain((9..u64::BITS).map(|n| 1u64 << n));
    let mut starts = starts.take_while(|start| *start < len);
    starts.any(|start| {
        let mut bytes = [0; 8];
        let is_read = read_exact_at(file, &mut bytes, start).is_ok();
        let [_, name @ ..] = bytes;
        is_read && (name == *HDF5 || (start == 0 && name.starts_with(CLASSIC)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn only_files_that_are_being_written_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.nc");
        assert!(refuse(&path).unwrap().is_none());
        for start in [0, 512, 4096] {
            let bytes = [vec![0; start], b"\x89".to_vec(), HDF5.to_vec(), vec![0; 9]].concat();
            std::fs::write(&path, bytes).unwrap();
            let other = File::open(&path).unwrap();
            if try_lock(&other, Sharing::Exclusive).is_err() {
                eprintln!("this file system has no locks: test skipped");
                return;
            }
            assert_eq!(refuse(&path).unwrap_err().kind(), ErrorKind::Busy);
            drop(other);
            let other = File::open(&path).unwrap();
            try_lock(&other, Sharing::Shared).unwrap();
            assert!(refuse(&path).unwrap().is_some());
        }
        for (bytes, refused) in [("CDF\x01 a classic file", true), ("another file", false)] {
            std::fs::write(&path, bytes).unwrap();
            let other = File::open(&path).unwrap();
            try_lock(&other, Sharing::Exclusive).unwrap();
            assert_eq!(refuse(&path).is_err(), refused, "{bytes}");
        }
    }

    #[test]
    fn users_turn_locks_off_as_in_hdf5() {
        for (value, on) in [
            (None, true),
            (Some("FALSE"), false),
            (Some("0"), false),
            (Some("TRUE"), true),
            (Some("BEST_EFFORT"), true),
        ] {
            assert_eq!(is_on(value.map(OsStr::new)), on, "{value:?}");
        }
    }
}
