//! Syncs file contents and directory entries.

use std::fmt;
use std::fs::File;
use std::io::{ErrorKind as Failure, Result};
use std::path::Path;
use std::sync::Arc;

use super::references::open_itself;
use crate::error::{self, Error};

/// Syncs an open file or directory with the given path.
type SyncCall = dyn Fn(&Path, &File) -> Result<()> + Send + Sync;

/// The sync operation: the system's, or a hook of a test.
#[derive(Clone)]
pub(in crate::io) struct Disk(Arc<SyncCall>);

impl Default for Disk {
    fn default() -> Self {
        Self(Arc::new(|_, file| file.sync_all()))
    }
}

impl fmt::Debug for Disk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Disk")
    }
}

impl Disk {
    #[cfg(test)]
    pub(in crate::io) fn of(
        sync: impl Fn(&Path, &File) -> Result<()> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(sync))
    }

    /// Syncs an open file.
    ///
    /// # Errors
    /// Returns disk errors.
    pub(in crate::io) fn open_file(&self, path: &Path, file: &File) -> Result<()> {
        (self.0)(path, file)
    }

    /// Syncs a file.
    ///
    /// # Errors
    /// Returns errors of opening the file, and disk errors.
    pub(in crate::io) fn file(&self, path: &Path) -> Result<()> {
        let file = match cfg!(windows) {
            // Windows only syncs files that are open for writing.
            true => File::options().write(true).open(path),
            false => open_itself(path),
        };
        (self.0)(path, &file?)
    }

    /// Syncs the entries of a directory, without subdirectories.
    ///
    /// # Errors
    /// Returns disk errors. File systems that cannot sync directories return none.
    pub(in crate::io) fn folder(&self, path: &Path) -> Result<()> {
        match File::open(path) {
            // A write-only directory (mode 0300), or a system that opens no directories (Windows).
            Err(e) if e.kind() == Failure::PermissionDenied => Ok(()),
            Err(e) => Err(e),
            Ok(folder) => match (self.0)(path, &folder) {
                Err(e) if cannot_sync_folders(&e) => Ok(()),
                done => done,
            },
        }
    }

    /// Syncs the directory in which the complete output `name` just got its name.
    ///
    /// # Errors
    /// The error states that the output is complete but may lose its name.
    pub(in crate::io) fn folder_above(&self, folder: &Path, name: &str) -> error::Result<()> {
        let what = "the output is complete and in place, but a power failure may undo that: \
                    its directory cannot be written to disk";
        self.folder(folder).map_err(|e| Error::io(what, name, e))
    }
}

/// Checks whether an error means that the file system cannot sync directories:
/// - `EINVAL`: not possible for this file (POSIX). CIFS, some FUSE and cluster file systems.
/// - `EBADF`: some FUSE file systems and old NFS only sync files open for writing, and a directory never is.
/// - `ENOTSUP`, `EOPNOTSUPP`, `ENOSYS`: no sync operation. FUSE, 9P and network file systems.
/// - `EROFS`: the file does not support it (Linux). The file system is writable, because a name was just written.
///
/// The server or the underlying file system then decides when names are on disk.
#[cfg(unix)]
fn cannot_sync_folders(e: &std::io::Error) -> bool {
    use rustix::io::Errno;
    let no = [
        Errno::INVAL,
        Errno::BADF,
        Errno::NOTSUP,
        Errno::OPNOTSUPP,
        Errno::NOSYS,
        Errno::ROFS,
    ];
    Errno::from_io_error(e).is_some_and(|e| no.contains(&e))
}

/// Only Unix can sync directories.
#[cfg(not(unix))]
fn cannot_sync_folders(_: &std::io::Error) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn folders_that_cannot_be_synced_are_no_errors_and_others_are() {
        use rustix::io::Errno;
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a");
        std::fs::write(&file, "x").unwrap();
        let cases = [
            (Errno::INVAL, true),
            (Errno::BADF, true),
            (Errno::NOTSUP, true),
            (Errno::NOSYS, true),
            (Errno::ROFS, true),
            (Errno::IO, false),
            (Errno::NOSPC, false),
            (Errno::DQUOT, false),
            (Errno::STALE, false),
        ];
        for (errno, fine) in cases {
            let disk = Disk::of(move |_, _| Err(errno.into()));
            assert_eq!(disk.folder(dir.path()).is_ok(), fine, "{errno:?}");
            assert!(disk.file(&file).is_err(), "{errno:?}");
        }
        assert!(Disk::default().folder(&dir.path().join("none")).is_err());
        assert!(Disk::default().file(&dir.path().join("none")).is_err());
        Disk::default().folder(dir.path()).unwrap();
        Disk::default().file(&file).unwrap();
    }
}
