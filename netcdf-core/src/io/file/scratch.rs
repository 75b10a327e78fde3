//! Unnamed temporary files.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::full;
use super::positions::{read_exact_at, write_all_at};
use crate::arithmetic::{exact, span};
use crate::error::{Error, Result};
use crate::io::source::{Source, read_range, truncated};

/// An unnamed temporary file. The system removes it when the process ends.
#[derive(Debug)]
pub struct Scratch {
    name: Arc<str>,
    file: File,
    len: AtomicU64,
}

impl Scratch {
    /// Creates an empty file in `folder`, or in the system's temporary directory.
    ///
    /// # Errors
    /// Returns [`crate::ErrorKind::Io`] with the directory.
    pub fn new(folder: Option<&Path>) -> Result<Self> {
        let default = std::env::temp_dir();
        let own = folder.is_some();
        let folder = match folder {
            Some(folder) if folder.as_os_str().is_empty() => Path::new("."),
            Some(folder) => folder,
            None => &default,
        };
        let name = full::temporary(folder);
        let failed = |e| match own {
            true => full::failed("cannot create", &name, e),
            false => full::failed_to_make("intermediate data", e),
        };
        let file = tempfile::tempfile_in(folder);
        Ok(Self {
            file: file.map_err(failed)?,
            name: name.into(),
            len: AtomicU64::new(0),
        })
    }

    /// Writes `bytes` at `offset`.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Io`].
    pub fn write_at(&self, offset: u64, bytes: &[u8]) -> Result<()> {
        write_all_at(&self.file, bytes, offset)
            .map_err(|e| full::failed("cannot write", &self.name, e))?;
        let end = (exact(offset) + bytes.len()).get()?;
        self.len.fetch_max(end, Ordering::Relaxed);
        Ok(())
    }

    /// Appends `bytes` and returns their offset. Only one thread may append at a time.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Io`].
    pub fn append(&self, bytes: &[u8]) -> Result<u64> {
        let at = self.len();
        self.write_at(at, bytes)?;
        Ok(at)
    }

    /// Reads `len` bytes at `offset`.
    ///
    /// # Errors
    /// Returns [`crate::ErrorKind::Io`], and [`crate::ErrorKind::Truncated`] past the end.
    pub fn read(&self, offset: u64, len: u64) -> Result<Vec<u8>> {
        read_range(self, &span(offset, len)?)
    }
}

impl Source for Scratch {
    fn name(&self) -> &Arc<str> {
        &self.name
    }

    fn len(&self) -> u64 {
        self.len.load(Ordering::Relaxed)
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<()> {
        read_exact_at(&self.file, buf, offset).map_err(|e| match e.kind() {
            std::io::ErrorKind::UnexpectedEof => {
                let have = self.len().saturating_sub(offset);
                truncated(&self.name, offset, buf.len() as u64, have)
            }
            _ => Error::io("cannot read", &self.name, e),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_nothing_is_left() {
        let dir = tempfile::tempdir().unwrap();
        let scratch = Scratch::new(Some(dir.path())).unwrap();
        scratch.write_at(4, b"later").unwrap();
        scratch.write_at(0, b"abcd").unwrap();
        assert_eq!(read_range(&scratch, &(2..6)).unwrap(), b"cdla");
        assert!(read_range(&scratch, &(5..10)).is_err());
        assert_eq!(scratch.append(b"end").unwrap(), 9);
        assert_eq!(scratch.read(8, 4).unwrap(), b"rend");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        let e = Scratch::new(Some(&dir.path().join("no"))).unwrap_err();
        assert!(e.to_string().contains("no: cannot create"), "{e}");
    }
}
