//! Advisory locks between processes (`flock`). The system releases the lock of a process that dies.

use std::fs::File;
use std::io::{ErrorKind as Failure, Result};
use std::path::Path;
use std::time::Duration;

use super::id::FileId;
use super::names::folder;
use super::references::open_itself;
use crate::cancel::Cancel;
use crate::error::{self, Error};

/// Time between two attempts to get a lock.
const PAUSE: Duration = Duration::from_millis(20);

/// The processes that may hold a lock at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharing {
    /// No other process.
    Exclusive,
    /// Other processes with a shared lock.
    Shared,
}

/// The result of an attempt to get a lock.
#[derive(Debug)]
pub enum LockAttempt {
    /// The process has the lock until the value is dropped.
    Held(FileLock),
    /// Another process has the lock.
    Busy,
    /// The file system has no locks that all machines see.
    Unsupported,
}

/// A lock on a file, released on drop.
#[derive(Debug)]
pub struct FileLock {
    file: File,
}

impl Drop for FileLock {
    fn drop(&mut self) {
        unlock(&self.file);
    }
}

impl FileLock {
    /// Tries to lock the file `path`, without waiting.
    ///
    /// # Errors
    /// Returns errors of opening the file, and of locking it where the file system has locks.
    pub fn attempt(path: &Path, sharing: Sharing) -> error::Result<LockAttempt> {
        let name = path.to_string_lossy();
        loop {
            let file = open_itself(path).map_err(|e| Error::io("cannot open", &name, e))?;
            if !locks_are_sure(folder(path)) {
                return Ok(LockAttempt::Unsupported);
            }
            match try_lock(&file, sharing) {
                Ok(()) if is_at(&file, path) => return Ok(LockAttempt::Held(Self { file })),
                // Another process removed or replaced the file before this one locked it.
                Ok(()) => {}
                Err(e) if e.kind() == Failure::WouldBlock => return Ok(LockAttempt::Busy),
                Err(e) if has_no_locks(&e) => return Ok(LockAttempt::Unsupported),
                Err(e) => return Err(Error::io("cannot lock", &name, e)),
            }
        }
    }

    /// Waits for a shared lock on the file `path`. Returns `None` without a lock if the file system has none.
    ///
    /// # Errors
    /// Returns the errors of [`FileLock::attempt`], and [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled).
    pub fn shared(path: &Path, cancel: &Cancel) -> error::Result<Option<Self>> {
        loop {
            match Self::attempt(path, Sharing::Shared)? {
                LockAttempt::Held(lock) => return Ok(Some(lock)),
                LockAttempt::Unsupported => return Ok(None),
                LockAttempt::Busy => {
                    cancel.check()?;
                    std::thread::sleep(PAUSE);
                }
            }
        }
    }
}

/// Checks whether the error code means that the file system or the system has no locks.
#[cfg(unix)]
pub(super) fn has_no_locks(e: &std::io::Error) -> bool {
    use rustix::io::Errno;
    let codes = [Errno::NOLCK, Errno::OPNOTSUPP, Errno::NOSYS, Errno::INVAL];
    codes
        .map(|code| Some(code.raw_os_error()))
        .contains(&e.raw_os_error())
}

#[cfg(not(unix))]
pub(super) fn has_no_locks(e: &std::io::Error) -> bool {
    e.kind() == Failure::Unsupported
}

/// Whether `path` still leads to the open file.
pub(super) fn is_at(file: &File, path: &Path) -> bool {
    let own = file.metadata().ok();
    let own = own.and_then(|meta| FileId::of_open(path, &meta));
    own.is_some() && own == FileId::of_path(path)
}

/// Locks an open file without waiting.
///
/// # Errors
/// [`Failure::WouldBlock`] if another process has a lock; any other error if the file system has no locks.
#[cfg(unix)]
pub(super) fn try_lock(file: &File, sharing: Sharing) -> Result<()> {
    use rustix::fs::{FlockOperation, flock};
    Ok(flock(
        file,
        match sharing {
            Sharing::Exclusive => FlockOperation::NonBlockingLockExclusive,
            Sharing::Shared => FlockOperation::NonBlockingLockShared,
        },
    )?)
}

/// Releases the lock of an open file. Closing the file is not enough while a new child process has a copy of the open file, until it runs
/// its program.
pub(super) fn unlock(file: &File) {
    #[cfg(unix)]
    let _ = rustix::fs::flock(file, rustix::fs::FlockOperation::Unlock);
    #[cfg(not(unix))]
    let _ = file;
}

#[cfg(not(unix))]
pub(super) fn try_lock(_: &File, _: Sharing) -> Result<()> {
    Err(Failure::Unsupported.into())
}

/// Whether a directory is on a local file system, where every process sees every lock.
#[cfg(target_os = "linux")]
pub(in crate::io) fn locks_are_sure(folder: &Path) -> bool {
    // ext2 to ext4, XFS, Btrfs, tmpfs, overlay, ZFS, F2FS, bcachefs, ramfs.
    const LOCAL: [i64; 9] = [
        0xef53,
        0x5846_5342,
        0x9123_683e,
        0x0102_1994,
        0x794c_7630,
        0x2fc1_2fc1,
        0xf2f5_2010,
        0xca45_1a4e,
        0x8584_58f6,
    ];
    let found = rustix::fs::statfs(folder);
    found.is_ok_and(|found| LOCAL.contains(&found.f_type))
}

#[cfg(not(target_os = "linux"))]
pub(in crate::io) fn locks_are_sure(_: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn an_exclusive_lock_excludes_all_others() {
        let dir = tempfile::tempdir().unwrap();
        if !locks_are_sure(dir.path()) {
            eprintln!("this file system has no locks: test skipped");
            return;
        }
        let path = dir.path().join("f");
        std::fs::write(&path, "").unwrap();
        let attempt = |sharing| FileLock::attempt(&path, sharing).unwrap();
        let first = attempt(Sharing::Shared);
        assert!(matches!(attempt(Sharing::Shared), LockAttempt::Held(_)));
        assert!(matches!(attempt(Sharing::Exclusive), LockAttempt::Busy));
        // As in a child process that does not run its program yet.
        let LockAttempt::Held(lock) = &first else {
            panic!("{first:?}");
        };
        let _copy = lock.file.try_clone().unwrap();
        drop(first);
        let _held = attempt(Sharing::Exclusive);
        assert!(matches!(attempt(Sharing::Shared), LockAttempt::Busy));
        // The lock is of the file, not of its name.
        let file = File::open(&path).unwrap();
        assert!(is_at(&file, &path));
        std::fs::remove_file(&path).unwrap();
        assert!(!is_at(&file, &path));
        std::fs::write(&path, "").unwrap();
        assert!(!is_at(&file, &path));
        assert!(matches!(attempt(Sharing::Exclusive), LockAttempt::Held(_)));
    }
}
