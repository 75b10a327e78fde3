//! Existing directories of keys that are changed in place, with an exclusive lock.

use std::fs::File;
use std::io::{ErrorKind as Failure, Result as IoResult, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, scope};

use super::disk::Disk;
use super::exclusive::{Sharing, has_no_locks, is_at, locks_are_sure, try_lock, unlock};
use super::permissions;
use super::positions::PIECE;
use super::references::open_itself;
use super::writers;
use crate::error::{Error, ErrorKind, Result};
use crate::io::key;
use crate::io::raw_keys::RawKeys;

/// The maximum number of sync threads, which only wait.
const THREADS: usize = 32;

/// A directory whose keys are changed. Dropping it releases the lock.
#[derive(Debug)]
pub struct LockedDirectory {
    name: Arc<str>,
    /// The path, with symbolic links resolved.
    root: PathBuf,
    /// The open directory; `None` on systems that open no directories.
    folder: Option<File>,
    /// `None` if changes are not synced.
    disk: Option<Disk>,
}

/// The result of an attempt to open a directory for changes in place.
#[derive(Debug)]
pub enum DirectoryAccess {
    /// No other program that uses locks writes to the directory.
    Exclusive(LockedDirectory),
    /// The file system has no locks, or locks are turned off.
    Unlocked(LockedDirectory),
}

impl LockedDirectory {
    /// Opens the directory `path`, without waiting for a lock. A symbolic link leads to its target. With `sync`, changes are synced.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Busy`] if another program of this library writes to the directory, and errors of opening and locking it.
    pub fn open(path: &Path, sync: bool) -> Result<DirectoryAccess> {
        let name = path.to_string_lossy();
        let failed = |e| Error::io("cannot open for writing", &name, e);
        loop {
            let root = std::fs::canonicalize(path).map_err(failed)?;
            let locked = Self {
                name: (*name).into(),
                folder: open_itself(&root).ok(),
                disk: sync.then(Disk::default),
                root,
            };
            let Some(folder) = locked
                .folder
                .as_ref()
                .filter(|_| writers::locks_are_on() && locks_are_sure(&locked.root))
            else {
                return Ok(DirectoryAccess::Unlocked(locked));
            };
            match try_lock(folder, Sharing::Exclusive) {
                Ok(()) if locked.is_at_path() => return Ok(DirectoryAccess::Exclusive(locked)),
                // Another process replaced the directory before this one locked it.
                Ok(()) => {}
                Err(e) if e.kind() == Failure::WouldBlock => return Err(busy(&name)),
                Err(e) if has_no_locks(&e) => return Ok(DirectoryAccess::Unlocked(locked)),
                Err(e) => return Err(Error::io("cannot lock", &name, e)),
            }
        }
    }

    fn path(&self, key: &str) -> IoResult<PathBuf> {
        match key.is_empty() || key::check(key).is_ok() {
            true => Ok(self.root.join(key)),
            false => Err(Failure::InvalidInput.into()),
        }
    }

    /// Copies permissions of the file that a rename replaces.
    fn keep_permissions(&self, from: &Path, to: &Path) -> IoResult<()> {
        let (Ok(old), Ok(new)) = (open_itself(to), open_itself(from)) else {
            return Ok(());
        };
        let meta = old.metadata()?;
        let kept = permissions::keep(&self.name, &new, (&old, &meta));
        kept.map_err(std::io::Error::other)
    }
}

/// Takes a shared lock of a directory that is replaced. Returns `None` for a missing directory, and on file systems without locks.
///
/// # Errors
/// Returns [`ErrorKind::Busy`] if a program of this library changes the directory in place.
pub(in crate::io) fn refuse_writers(path: &Path) -> Result<Option<File>> {
    let Ok(folder) = open_itself(path) else {
        return Ok(None);
    };
    match try_lock(&folder, Sharing::Shared) {
        Ok(()) => Ok(Some(folder)),
        Err(e) if e.kind() == Failure::WouldBlock => Err(busy(&path.to_string_lossy())),
        Err(_) => Ok(None),
    }
}

fn busy(name: &str) -> Error {
    let what = "another program has this store open for writing";
    let e = Error::new(ErrorKind::Busy, what).of(name);
    e.with_remedy("wait until that program closes it")
}

impl Drop for LockedDirectory {
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            unlock(folder);
        }
    }
}

impl RawKeys for LockedDirectory {
    fn name(&self) -> &Arc<str> {
        &self.name
    }

    fn read(&self, key: &str) -> IoResult<Option<Vec<u8>>> {
        match std::fs::read(self.path(key)?) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(e) if is_absent(&e) => Ok(None),
            Err(e) => Err(e),
        }
    }

    fn append(&self, key: &str, bytes: &[u8]) -> IoResult<()> {
        let path = self.path(key)?;
        let open = || File::options().append(true).create(true).open(&path);
        let mut file = match open() {
            Err(e) if e.kind() == Failure::NotFound => {
                make_folder_of(&path)?;
                open()?
            }
            opened => opened?,
        };
        bytes
            .chunks(PIECE)
            .try_for_each(|part| file.write_all(part))
    }

    fn rename(&self, from: &str, to: &str) -> IoResult<()> {
        let (from, to) = (self.path(from)?, self.path(to)?);
        self.keep_permissions(&from, &to)?;
        match std::fs::rename(&from, &to) {
            Err(e) if e.kind() == Failure::NotFound => {
                make_folder_of(&to)?;
                std::fs::rename(&from, &to)
            }
            done => done,
        }
    }

    fn remove(&self, key: &str) -> IoResult<()> {
        ignore_absent(std::fs::remove_file(self.path(key)?))
    }

    fn remove_folder(&self, folder: &str) -> IoResult<()> {
        ignore_absent(std::fs::remove_dir_all(self.path(folder)?))
    }

    fn is_plain(&self, key: &str) -> bool {
        let Ok(path) = self.path(key) else {
            return false;
        };
        let is_link = |path: &Path| path.symlink_metadata().is_ok_and(|meta| meta.is_symlink());
        let file = path.symlink_metadata().ok();
        let mut folders = path.ancestors().skip(1).take_while(|at| *at != self.root);
        file.is_none_or(|meta| meta.is_file()) && !folders.any(is_link)
    }

    fn sync(&self, keys: &[String], folders: &[String]) -> IoResult<()> {
        let Some(disk) = &self.disk else {
            return Ok(());
        };
        let next = AtomicUsize::new(0);
        let failed: Mutex<Option<std::io::Error>> = Mutex::new(None);
        let total = keys.len() + folders.len();
        let one = |n: usize| match keys.get(n) {
            Some(key) => disk.file(&self.path(key)?),
            None => match folders.get(n - keys.len()) {
                Some(folder) => ignore_absent(disk.folder(&self.path(folder)?)),
                None => Ok(()),
            },
        };
        let work = || {
            loop {
                let n = next.fetch_add(1, Ordering::Relaxed);
                if n >= total {
                    return;
                }
                if let Err(e) = one(n) {
                    *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(e);
                }
            }
        };
        scope(|scope| {
            for _ in 1..total.min(THREADS) {
                // Without another thread, this one does the work.
                let _ = Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
        match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(e) => Err(e),
            None => Ok(()),
        }
    }

    fn is_at_path(&self) -> bool {
        let folder = self.folder.as_ref();
        folder.is_none_or(|folder| is_at(folder, &self.root))
    }

    fn share_lock(&self) {
        if let Some(folder) = &self.folder {
            let _ = try_lock(folder, Sharing::Shared);
        }
    }
}

fn make_folder_of(path: &Path) -> IoResult<()> {
    path.parent().map_or(Ok(()), std::fs::create_dir_all)
}

fn is_absent(e: &std::io::Error) -> bool {
    matches!(e.kind(), Failure::NotFound | Failure::NotADirectory)
}

fn ignore_absent(done: IoResult<()>) -> IoResult<()> {
    match done {
        Err(e) if is_absent(&e) => Ok(()),
        done => done,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn one_program_writes() {
        let dir = tempfile::tempdir().unwrap();
        if !locks_are_sure(dir.path()) {
            eprintln!("this file system has no locks: test skipped");
            return;
        }
        let open = || LockedDirectory::open(dir.path(), true);
        let first = open().unwrap();
        let DirectoryAccess::Exclusive(store) = &first else {
            panic!("{first:?}");
        };
        assert_eq!(open().unwrap_err().kind(), ErrorKind::Busy);
        assert_eq!(
            refuse_writers(dir.path()).unwrap_err().kind(),
            ErrorKind::Busy
        );
        store.append("a/b/1", b"x").unwrap();
        store.append("a/b/1", b"y").unwrap();
        store.rename("a/b/1", "c/d/2").unwrap();
        assert_eq!(store.read("a/b/1").unwrap(), None);
        assert_eq!(store.read("c/d/2").unwrap(), Some(b"xy".to_vec()));
        let folders = ["", "c", "c/d"].map(str::to_owned);
        store.sync(&["c/d/2".to_owned()], &folders).unwrap();
        assert!(store.sync(&["none".to_owned()], &[]).is_err());
        assert!(store.is_plain("c/d/2") && store.is_plain("c/e/2"));
        std::os::unix::fs::symlink("c", dir.path().join("l")).unwrap();
        assert!(!store.is_plain("l") && !store.is_plain("l/d/2") && !store.is_plain("c"));
        store.remove("c/d/2").unwrap();
        store.remove("c/d/2").unwrap();
        store.remove_folder("a").unwrap();
        store.remove_folder("a").unwrap();
        assert!(store.read("../x").is_err() && store.is_at_path());
        store.share_lock();
        assert!(refuse_writers(dir.path()).unwrap().is_some());
        assert_eq!(open().unwrap_err().kind(), ErrorKind::Busy);
        drop(first);
        assert!(open().is_ok());
    }
}
