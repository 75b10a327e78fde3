//! A pool of input files with a limit on open files. A dataset may consist of thousands of files, but a process can have only a few hundred
//! files open.

use std::fs::{File, Metadata};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::id::FileId;
use crate::error::{Error, ErrorKind, Result};

/// The maximum number of open files in a pool. In addition, each thread may use one file.
const OPEN: usize = 64;

/// The most recently used open files, with their numbers.
#[derive(Debug, Default)]
pub(super) struct Pool {
    open: Mutex<Vec<(u64, Arc<File>)>>,
    next: AtomicU64,
}

/// A file that is always open, or opened when it is read.
#[derive(Debug)]
pub(super) enum Handle {
    /// The file stays open.
    Open(Arc<File>),
    /// The pool may close the file when other files are read.
    Pooled(Pooled),
}

/// A file in a pool.
#[derive(Debug)]
pub(super) struct Pooled {
    pool: Arc<Pool>,
    number: u64,
    path: PathBuf,
    /// The identity and length at the first opening. A different file at the path is an error.
    id: Option<FileId>,
    len: u64,
}

impl Pool {
    /// Returns the open file with this number, and marks it as most recently used.
    fn get(&self, number: u64) -> Option<Arc<File>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let found = open.iter().position(|(n, _)| *n == number)?;
        if found > 0 {
            open.get_mut(..=found)?.rotate_right(1);
        }
        open.first().map(|(_, file)| Arc::clone(file))
    }

    fn put(&self, number: u64, file: &Arc<File>) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|(n, _)| *n != number);
        open.truncate(OPEN - 1);
        open.insert(0, (number, Arc::clone(file)));
    }

    fn close(&self, number: u64) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|(n, _)| *n != number);
    }
}

impl Handle {
    /// Moves the open file at `path` into a pool.
    pub(super) fn pooled(pool: &Arc<Pool>, path: &Path, file: Arc<File>) -> std::io::Result<Self> {
        let meta = file.metadata()?;
        let number = pool.next.fetch_add(1, Ordering::Relaxed);
        pool.put(number, &file);
        Ok(Self::Pooled(Pooled {
            pool: Arc::clone(pool),
            number,
            path: path.to_owned(),
            id: FileId::of_open(path, &meta),
            len: meta.len(),
        }))
    }

    /// Returns the open file. Opens it again if the pool has closed it.
    ///
    /// # Errors
    /// [`ErrorKind::Io`] if it cannot be reopened; [`ErrorKind::Changed`] if another file has replaced it.
    pub(super) fn file(&self) -> Result<Arc<File>> {
        match self {
            Self::Open(file) => Ok(Arc::clone(file)),
            Self::Pooled(pooled) => pooled.file(),
        }
    }
}

impl Pooled {
    fn file(&self) -> Result<Arc<File>> {
        if let Some(file) = self.pool.get(self.number) {
            return Ok(file);
        }
        let name = self.path.to_string_lossy();
        let failed = |e| Error::io("cannot open again", &name, e);
        let file = super::references::open(&self.path).map_err(failed)?;
        if !self.is_same(&file.metadata().map_err(failed)?) {
            let what = "not the same file as when the dataset was opened";
            return Err(Error::new(ErrorKind::Changed, what).of(&name));
        }
        let file = Arc::new(file);
        self.pool.put(self.number, &file);
        Ok(file)
    }

    fn is_same(&self, meta: &Metadata) -> bool {
        meta.len() == self.len && FileId::of_open(&self.path, meta) == self.id
    }
}

impl Drop for Pooled {
    fn drop(&mut self) {
        self.pool.close(self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::Source;
    use crate::io::file::FileSource;

    /// A dataset and files beside it. Each file contains its number.
    fn files(dir: &Path, count: usize) -> (FileSource, Vec<Arc<dyn Source>>) {
        std::fs::write(dir.join("base"), "base").unwrap();
        let base = FileSource::open(&dir.join("base")).unwrap();
        let sibling = |n: usize| {
            std::fs::write(dir.join(n.to_string()), format!("{n:08}")).unwrap();
            base.sibling(Path::new(&n.to_string()), false).unwrap()
        };
        let siblings = (0..count).map(sibling).collect();
        (base, siblings)
    }

    fn read(source: &dyn Source) -> Result<String> {
        let mut bytes = [0; 8];
        source.read_at(0, &mut bytes)?;
        Ok(String::from_utf8(bytes.to_vec()).unwrap())
    }

    /// The number of this process's open files in a directory.
    #[cfg(target_os = "linux")]
    fn open_below(dir: &Path) -> usize {
        let all = std::fs::read_dir("/proc/self/fd").unwrap();
        let targets = all.filter_map(|e| std::fs::read_link(e.ok()?.path()).ok());
        targets.filter(|t| t.starts_with(dir)).count()
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn only_some_are_open() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().canonicalize().unwrap();
        let (base, siblings) = files(&folder, 3 * OPEN);
        for _ in 0..2 {
            for (n, sibling) in siblings.iter().enumerate() {
                assert_eq!(read(&**sibling).unwrap(), format!("{n:08}"));
            }
        }
        // Files beside a sibling use the same pool.
        let beside = siblings[0].sibling(Path::new("7"), false).unwrap();
        assert_eq!(read(&*beside).unwrap(), "00000007");
        assert_eq!(open_below(&folder), OPEN + 1);
        drop((siblings, beside));
        assert_eq!(open_below(&folder), 1);
        drop(base);
    }

    #[test]
    fn another_file_is_not_read_in_its_place() {
        let dir = tempfile::tempdir().unwrap();
        let (_base, siblings) = files(dir.path(), OPEN + 2);
        std::fs::rename(dir.path().join("3"), dir.path().join("0")).unwrap();
        let e = read(&*siblings[0]).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Changed);
        assert!(e.to_string().contains("not the same file"), "{e}");
        std::fs::remove_file(dir.path().join("1")).unwrap();
        let e = read(&*siblings[1]).unwrap_err();
        assert!(e.to_string().contains("cannot open again"), "{e}");
        assert!(siblings[1].has_changed() && !siblings[2].has_changed());
    }
}
