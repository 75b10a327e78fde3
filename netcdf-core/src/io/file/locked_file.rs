//! Existing files that are changed in place, with an exclusive lock.

use std::fs::{File, Metadata};
use std::io::{ErrorKind as Failure, Result as IoResult};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::exclusive::{Sharing, has_no_locks, is_at, locks_are_sure, try_lock, unlock};
use super::id::FileId;
use super::names::folder;
use super::place::{self, PathEnd};
use super::positions::{read_exact_at, write_all_at, write_pieces};
use super::writers;
use crate::error::{Error, ErrorKind, Result};
use crate::io::raw_file::{RawFile, RawStamp};

/// A file that is open for reading and writing. Dropping it releases the lock.
#[derive(Debug)]
pub struct LockedFile {
    name: Arc<str>,
    path: PathBuf,
    file: File,
    /// The identity of the file.
    id: Option<FileId>,
    /// Whether writes are synced.
    sync: bool,
}

/// The result of an attempt to open a file for changes in place.
#[derive(Debug)]
pub enum WriteAccess {
    /// No other program that uses locks has the file open.
    Exclusive(LockedFile),
    /// The file system has no locks, or locks are turned off.
    Unlocked(LockedFile),
    /// Other programs read the file with a lock.
    Readers,
}

impl LockedFile {
    /// Opens the regular file `path`, without waiting for a lock. A symbolic link leads to its target. With `sync`, changes are synced.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Busy`] if another program has the file open for writing, and errors of opening and locking it.
    pub fn open(path: &Path, sync: bool) -> Result<WriteAccess> {
        let name = path.to_string_lossy();
        let failed = |e| Error::io("cannot open for writing", &name, e);
        let real = match place::resolve(path).map_err(failed)? {
            PathEnd::Path(real) | PathEnd::Descriptor(real) => real,
        };
        loop {
            let opened = File::options().read(true).write(true).open(&real);
            let file = opened.map_err(failed)?;
            let meta = file.metadata().map_err(failed)?;
            let locked = Self {
                name: (*name).into(),
                path: real.clone(),
                id: FileId::of_open(&real, &meta),
                file,
                sync,
            };
            if !writers::locks_are_on() || !locks_are_sure(folder(&real)) {
                return Ok(WriteAccess::Unlocked(locked));
            }
            match try_lock(&locked.file, Sharing::Exclusive) {
                Ok(()) if is_at(&locked.file, &real) => return Ok(WriteAccess::Exclusive(locked)),
                // Another process replaced the file before this one locked it.
                Ok(()) => {}
                Err(e) if e.kind() == Failure::WouldBlock => return locked.readers(),
                Err(e) if has_no_locks(&e) => return Ok(WriteAccess::Unlocked(locked)),
                Err(e) => return Err(Error::io("cannot lock", &name, e)),
            }
        }
    }

    /// Checks whether only readers have locks.
    fn readers(self) -> Result<WriteAccess> {
        match try_lock(&self.file, Sharing::Shared) {
            Ok(()) => Ok(WriteAccess::Readers),
            Err(_) => {
                let what = "another program has this file open for writing";
                let e = Error::new(ErrorKind::Busy, what).of(&self.name);
                Err(e.with_remedy("wait until that program closes it"))
            }
        }
    }
}

impl Drop for LockedFile {
    fn drop(&mut self) {
        unlock(&self.file);
    }
}

impl RawFile for LockedFile {
    fn name(&self) -> &Arc<str> {
        &self.name
    }

    fn stamp(&self) -> IoResult<RawStamp> {
        Ok(stamp(&self.file.metadata()?))
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> IoResult<()> {
        read_exact_at(&self.file, buf, offset)
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> IoResult<()> {
        match bytes.len() as u64 <= SECTOR {
            // One call, so that the sector is never written in part.
            true => write_all_at(&self.file, bytes, offset),
            false => write_pieces(&self.file, offset, bytes),
        }
    }

    fn set_len(&self, len: u64) -> IoResult<()> {
        self.file.set_len(len)
    }

    fn sync(&self) -> IoResult<()> {
        match self.sync {
            true => self.file.sync_all(),
            false => Ok(()),
        }
    }

    fn stamp_at_path(&self) -> Option<RawStamp> {
        let meta = std::fs::metadata(&self.path).ok()?;
        let id = FileId::of_open(&self.path, &meta)?;
        (Some(id) == self.id).then(|| stamp(&meta))
    }

    fn share_lock(&self) {
        let _ = try_lock(&self.file, Sharing::Shared);
    }
}

fn stamp(meta: &Metadata) -> RawStamp {
    RawStamp {
        len: meta.len(),
        modified: meta.modified().ok(),
    }
}

/// The sector length in bytes.
const SECTOR: u64 = 512;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn one_program_writes_and_readers_are_noticed() {
        let dir = tempfile::tempdir().unwrap();
        if !locks_are_sure(dir.path()) {
            eprintln!("this file system has no locks: test skipped");
            return;
        }
        let path = dir.path().join("f");
        std::fs::write(&path, "abc").unwrap();
        let open = || LockedFile::open(&path, true);
        let first = open().unwrap();
        let WriteAccess::Exclusive(file) = &first else {
            panic!("{first:?}");
        };
        assert_eq!(open().unwrap_err().kind(), ErrorKind::Busy);
        file.write_at(1, b"x").unwrap();
        file.share_lock();
        assert!(matches!(open().unwrap(), WriteAccess::Readers));
        assert_eq!(file.stamp_at_path(), file.stamp().ok());
        drop(first);
        assert_eq!(std::fs::read(&path).unwrap(), b"axc");
        let link = dir.path().join("l");
        std::os::unix::fs::symlink("f", &link).unwrap();
        let through = LockedFile::open(&link, true).unwrap();
        assert!(matches!(through, WriteAccess::Exclusive(_)));
        assert_eq!(open().unwrap_err().kind(), ErrorKind::Busy);
    }
}
