//! Moves a directory aside while another directory gets its name.
//!
//! File systems without an exchange of two names (exFAT, old NFS) need two renames. The old directory is `.NAME.??????.was/old` between
//! them. If the process is killed there, the next run to the same name moves the old directory back ([`recover`]).

use std::io::{ErrorKind as Failure, Result};
use std::path::{Path, PathBuf};

use super::exclusive::locks_are_sure;
use super::names::folder;
use super::temporary::{self, Lock, REPLACED};

/// The name of the replaced directory within the temporary directory.
const OLD: &str = "old";

/// A directory that was moved aside.
#[derive(Debug)]
pub(in crate::io) struct Aside {
    /// The temporary directory.
    within: PathBuf,
    _lock: Lock,
}

impl Aside {
    /// Moves the directory `path` aside.
    ///
    /// # Errors
    /// Returns system errors. The directory then keeps its name.
    fn of(path: &Path) -> Result<Self> {
        let make =
            |builder: &tempfile::Builder, folder: &Path| Ok(builder.tempdir_in(folder)?.keep());
        let (within, lock) = temporary::beside_replaced(path, make)?;
        let aside = Self {
            within,
            _lock: lock,
        };
        if let Err(e) = std::fs::rename(path, aside.old()) {
            let _ = std::fs::remove_dir(&aside.within);
            return Err(e);
        }
        Ok(aside)
    }

    /// The path of the old directory.
    pub(in crate::io) fn old(&self) -> PathBuf {
        self.within.join(OLD)
    }

    /// Gives the old directory a free name.
    ///
    /// # Errors
    /// Returns system errors.
    pub(in crate::io) fn take_name(&self, path: &Path) -> Result<()> {
        std::fs::rename(self.old(), path)?;
        std::fs::remove_dir(&self.within)
    }

    /// The temporary directory. The caller removes it once the new directory is safe.
    pub(in crate::io) fn within(&self) -> &Path {
        &self.within
    }
}

/// Gives the directory `made` the name `path`, and moves the directory with this name aside.
///
/// # Errors
/// Returns system errors. Both directories then keep their names.
pub(in crate::io) fn swap(made: &Path, path: &Path) -> Result<Aside> {
    let aside = Aside::of(path)?;
    if let Err(e) = std::fs::rename(made, path) {
        std::fs::rename(aside.old(), path)?;
        let _ = std::fs::remove_dir(&aside.within);
        return Err(e);
    }
    Ok(aside)
}

/// Checks whether a directory was moved aside and none has the name `path`.
pub(in crate::io) fn is_aside(path: &Path) -> bool {
    let absent = path.symlink_metadata();
    let absent = absent.is_err_and(|e| e.kind() == Failure::NotFound);
    absent && !temporary::left(path, REPLACED).is_empty()
}

/// Cleans up after a process that was killed between the two renames. If no file has the name `path`, the old directory gets the name
/// back. Otherwise the old directory is removed. Failures are ignored.
pub(in crate::io) fn recover(path: &Path) {
    for within in temporary::left(path, REPLACED) {
        // A process that is moving the directory holds the lock.
        let Ok(_lock) = Lock::at(&within) else {
            continue;
        };
        let absent = path.symlink_metadata();
        let absent = absent.is_err_and(|e| e.kind() == Failure::NotFound);
        if absent && within.join(OLD).is_dir() {
            let back = std::fs::rename(within.join(OLD), path);
            let _ = back.and_then(|()| std::fs::remove_dir(&within));
        } else if path.is_dir() && locks_are_sure(folder(path)) {
            let _ = std::fs::remove_dir_all(&within);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(path: &Path, key: &str) {
        std::fs::create_dir(path).unwrap();
        std::fs::write(path.join(key), "").unwrap();
    }

    fn names(path: &Path) -> Vec<String> {
        let list = std::fs::read_dir(path).unwrap();
        list.map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }

    #[test]
    fn a_directory_gets_the_name_of_another_one() {
        let dir = tempfile::tempdir().unwrap();
        let (made, path) = (dir.path().join("made"), dir.path().join("s.zarr"));
        store(&made, "new");
        store(&path, "was");
        let aside = swap(&made, &path).unwrap();
        assert_eq!(names(&path), ["new"]);
        assert_eq!(names(&aside.old()), ["was"]);
        // The lock is held.
        recover(&path);
        assert!(aside.old().is_dir());
        aside.take_name(&made).unwrap();
        assert_eq!(names(&made), ["was"]);
        assert!(!aside.within().exists());
        std::fs::remove_dir_all(&made).unwrap();
        // A missing directory does not get the name.
        assert!(swap(&made, &path).is_err());
        assert_eq!(names(&path), ["new"]);
    }

    #[test]
    fn a_killed_process_loses_no_directory() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.zarr");
        store(&path, "was");
        drop(Aside::of(&path).unwrap());
        assert!(!path.exists());
        recover(&path);
        assert_eq!(
            (names(&path), names(dir.path())),
            (vec!["was".to_owned()], vec!["s.zarr".to_owned()])
        );
        let made = dir.path().join("made");
        store(&made, "new");
        drop(swap(&made, &path).unwrap());
        recover(&path);
        assert_eq!(names(&path), ["new"]);
        if locks_are_sure(dir.path()) {
            assert_eq!(names(dir.path()), ["s.zarr"]);
        }
    }
}
