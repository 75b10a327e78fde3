//! A file as a source.

use std::fs::{File, Metadata};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::pool::{Handle, Pool};
use super::positions::read_exact_at;
use super::references;
use crate::arithmetic::{exact, indices, length};
use crate::error::{Error, OrInternal as _, Result};
use crate::io::merge::merge;
use crate::io::source::{Source, present, read_range, truncated};

/// A regular file, read by position.
#[derive(Debug)]
pub struct FileSource {
    name: Arc<str>,
    /// The path at which the file was opened. `None` if the process inherited an open file.
    path: Option<PathBuf>,
    handle: Handle,
    /// The pool of open files beside this file.
    beside: Arc<Pool>,
    len: u64,
    modified: Option<std::time::SystemTime>,
    /// Whether the file was changed so recently when it was opened that a later change may have the same modification time.
    recent: bool,
}

impl FileSource {
    /// Opens `path`.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Io`], with the path.
    pub fn open(path: &Path) -> Result<Self> {
        let name = path.to_string_lossy();
        let file = File::open(path).map_err(|e| Error::io("cannot open", &name, e))?;
        Ok(Self::from_file(&name, file)?.found_at(path))
    }

    /// Sets the path, so that files beside this file can be opened.
    #[must_use]
    pub fn found_at(mut self, path: &Path) -> Self {
        self.path = Some(path.to_owned());
        self
    }

    /// Reads an open file, with a name for messages.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Io`].
    pub fn from_file(name: &str, file: File) -> Result<Self> {
        let meta = file
            .metadata()
            .map_err(|e| Error::io("cannot open", name, e))?;
        if meta.is_dir() {
            let e = std::io::Error::from(std::io::ErrorKind::IsADirectory);
            return Err(Error::io("cannot read", name, e));
        }
        Ok(Self {
            name: name.into(),
            path: None,
            handle: Handle::Open(Arc::new(file)),
            beside: Arc::default(),
            len: meta.len(),
            modified: meta.modified().ok(),
            recent: is_recent(&meta),
        })
    }

    /// Opens `path` in a pool, which may close the file while another file is read. `real` is the resolved path.
    fn pooled(path: &Path, real: &Path, pool: &Arc<Pool>) -> Result<Self> {
        let name = path.to_string_lossy();
        let file = references::open(real).map_err(|e| Error::io("cannot open", &name, e))?;
        let opened = Self::from_file(&name, file)?.found_at(path);
        let handle = match opened.handle {
            Handle::Open(file) => Handle::pooled(pool, real, file),
            pooled @ Handle::Pooled(_) => Ok(pooled),
        };
        let name = &opened.name;
        Ok(Self {
            handle: handle.map_err(|e| Error::io("cannot open", name, e))?,
            beside: Arc::clone(pool),
            ..opened
        })
    }
}

impl Source for FileSource {
    fn sibling(&self, name: &Path, outside: bool) -> Result<Arc<dyn Source>> {
        let folder = self.path.as_deref().and_then(Path::parent);
        let folder = folder.ok_or_else(|| {
            let what = format!("no file {} beside this source", name.display());
            Error::new(crate::ErrorKind::Unsupported, what).of(&self.name)
        })?;
        let real = references::resolve(folder, name, outside)?;
        let sibling = Self::pooled(&folder.join(name), &real, &self.beside)?;
        Ok(Arc::new(sibling))
    }

    fn name(&self) -> &Arc<str> {
        &self.name
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<()> {
        let file = self.handle.file()?;
        read_exact_at(&file, buf, offset).map_err(|e| match e.kind() {
            std::io::ErrorKind::UnexpectedEof => {
                // The file may have been truncated.
                let len = file.metadata().map_or(self.len, |m| m.len());
                let have = len.saturating_sub(offset);
                truncated(&self.name, offset, buf.len() as u64, have)
            }
            _ => Error::io("cannot read", &self.name, e).at(&self.name, offset),
        })
    }

    fn read_ranges(&self, ranges: &[Range<u64>]) -> Result<Vec<Vec<u8>>> {
        let mut out = Vec::with_capacity(ranges.len());
        for read in merge(ranges, self.coalesce_limits()) {
            match ranges.get(read.members).or_internal("ranges of a read")? {
                [only] => out.push(read_range(self, only)?),
                members => self.read_merged(&read.range, members, &mut out)?,
            }
        }
        Ok(out)
    }

    fn location(&self, range: &Range<u64>) -> Option<(Arc<str>, u64)> {
        self.path.as_ref()?;
        Some((Arc::clone(&self.name), range.start))
    }

    fn has_changed(&self) -> bool {
        let now = self.handle.file().ok().and_then(|f| f.metadata().ok());
        !now.is_some_and(|m| m.len() == self.len && m.modified().ok() == self.modified)
    }

    fn second_look(&self) -> Result<Option<Arc<dyn Source>>> {
        let failed = |e| Error::io("cannot read", &self.name, e);
        let file = self.handle.file()?;
        let meta = file.metadata().map_err(failed)?;
        let same = meta.len() == self.len && meta.modified().ok() == self.modified;
        if same && !self.recent {
            return Ok(None);
        }
        Ok(Some(Arc::new(Self {
            name: Arc::clone(&self.name),
            path: self.path.clone(),
            handle: Handle::Open(file),
            beside: Arc::clone(&self.beside),
            len: meta.len(),
            modified: meta.modified().ok(),
            recent: is_recent(&meta),
        })))
    }

    fn state(&self) -> String {
        let since = |time: std::time::SystemTime| time.duration_since(std::time::UNIX_EPOCH).ok();
        match self.modified.and_then(since) {
            Some(at) => {
                let (seconds, nanos) = (at.as_secs(), at.subsec_nanos());
                format!("{} bytes, changed at {seconds}.{nanos:09}", self.len)
            }
            None => format!("{} bytes", self.len),
        }
    }

    fn as_file(&self) -> Option<Arc<File>> {
        self.handle.file().ok()
    }
}

/// The time within which two changes may have the same modification time.
const TICK: std::time::Duration = std::time::Duration::from_secs(1);

/// Whether a file was changed so recently that a later change may have the same modification time.
fn is_recent(meta: &Metadata) -> bool {
    let age = meta.modified().ok().and_then(|at| at.elapsed().ok());
    age.is_none_or(|age| age < TICK)
}

impl FileSource {
    /// Reads `range` in one call, and returns the requested ranges.
    fn read_merged(
        &self,
        range: &Range<u64>,
        members: &[Range<u64>],
        out: &mut Vec<Vec<u8>>,
    ) -> Result<()> {
        for member in members {
            present(self, member)?;
        }
        let bytes = read_range(self, range)?;
        for member in members {
            let place = indices(exact(member.start) - range.start, length(member))?;
            let part = bytes.get(place).or_internal("a range outside its read")?;
            out.push(part.to_vec());
        }
        Ok(())
    }
}
