//! Syncing: bytes and names are put on disk before anything relies on them.

use std::fmt;
use std::fs::File;
use std::io::{ErrorKind as Failure, Result};
use std::path::Path;
use std::sync::Arc;

use super::beside::open_itself;
use crate::error::{self, Error};

/// Syncs an open file or folder, whose path is given, too.
type SyncCall = dyn Fn(&Path, &File) -> Result<()> + Send + Sync;

/// The way to sync open files and folders: that of the system; tests look on, and let it fail.
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

    /// Puts the bytes of an open file on disk.
    ///
    /// # Errors
    /// Those of the disk.
    pub(in crate::io) fn open_file(&self, path: &Path, file: &File) -> Result<()> {
        (self.0)(path, file)
    }

    /// Puts the bytes of a file on disk.
    ///
    /// # Errors
    /// Those of opening it, and of the disk.
    pub(in crate::io) fn file(&self, path: &Path) -> Result<()> {
        let file = match cfg!(windows) {
            // It syncs only what is open for writing.
            true => File::options().write(true).open(path),
            false => open_itself(path),
        };
        (self.0)(path, &file?)
    }

    /// Puts the names in a folder on disk, not those in folders within it.
    ///
    /// # Errors
    /// Those of the disk; where folders cannot be synced at all, there are none.
    pub(in crate::io) fn folder(&self, path: &Path) -> Result<()> {
        match File::open(path) {
            // A folder that is only written to (mode 0300), or a system that opens no folders, like Windows.
            Err(e) if e.kind() == Failure::PermissionDenied => Ok(()),
            Err(e) => Err(e),
            Ok(folder) => match (self.0)(path, &folder) {
                Err(e) if cannot_sync_folders(&e) => Ok(()),
                done => done,
            },
        }
    }

    /// As [`Disk::folder`], for the folder in which the complete output `name` just got its name.
    ///
    /// # Errors
    /// Says that the output is there, but may lose its name.
    pub(in crate::io) fn folder_above(&self, folder: &Path, name: &str) -> error::Result<()> {
        let what = "the output is complete and in place, but a power failure may undo that: \
                    its directory cannot be written to disk";
        self.folder(folder).map_err(|e| Error::io(what, name, e))
    }
}

/// True if a file system says that it does not sync folders, rather than that it failed to:
/// - `EINVAL`: not possible for what is open, in the words of POSIX; CIFS, some FUSE and cluster file systems;
/// - `EBADF`: some FUSE file systems and old NFS sync only what is open for writing, and no folder is;
/// - `ENOTSUP`, `EOPNOTSUPP`, `ENOSYS`: no such operation, from FUSE, 9P and network file systems;
/// - `EROFS`: what is open does not support it, in the words of Linux; a name was just written there.
///
/// Their names are on disk when the server or the file system below has them there.
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

/// Only Unix has a call for that.
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
