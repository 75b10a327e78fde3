//! Elements that are not in a dataset yet: in memory up to 1 MiB, else in a temporary file.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::arithmetic::{exact, indices, span};
use crate::error::{OrInternal as _, Result};
use crate::io::Source;
use crate::io::file::Scratch;
use crate::io::source::{read_range, truncated};

/// The maximum number of bytes in memory.
const MEMORY: usize = 1 << 20;

/// Elements that are not in a dataset yet, also as the source of chunks. Clones share the elements.
#[derive(Clone)]
pub(super) struct StagedSpool {
    file: Arc<SpoolFile>,
    source: Arc<dyn Source>,
}

#[derive(Debug)]
struct SpoolFile {
    name: Arc<str>,
    /// The directory for the temporary file.
    folder: Option<PathBuf>,
    state: Mutex<SpoolState>,
}

#[derive(Debug)]
enum SpoolState {
    Memory(Vec<u8>),
    File(Arc<Scratch>),
}

impl StagedSpool {
    /// Creates an empty spool. `folder`: the directory for the temporary file.
    pub(super) fn new(folder: Option<&Path>) -> Self {
        let file = Arc::new(SpoolFile {
            name: "(staged data)".into(),
            folder: folder.map(Path::to_owned),
            state: Mutex::new(SpoolState::Memory(vec![])),
        });
        let source = Arc::clone(&file) as Arc<dyn Source>;
        Self { file, source }
    }

    /// Returns the elements as chunk source.
    pub(super) fn source(&self) -> &Arc<dyn Source> {
        &self.source
    }

    /// Writes `bytes` at `offset`.
    ///
    /// # Errors
    /// Returns errors of the temporary file.
    pub(super) fn write_at(&self, offset: u64, bytes: &[u8]) -> Result<()> {
        self.file.write_at(offset, bytes)
    }

    /// Appends `bytes` and returns their offset.
    ///
    /// # Errors
    /// Returns errors of the temporary file.
    pub(super) fn append(&self, bytes: &[u8]) -> Result<u64> {
        let at = self.file.len();
        self.file.write_at(at, bytes)?;
        Ok(at)
    }

    /// Reads `len` bytes at `offset`.
    ///
    /// # Errors
    /// Returns errors of the temporary file, and [`crate::ErrorKind::Truncated`] past the end.
    pub(super) fn read(&self, offset: u64, len: u64) -> Result<Vec<u8>> {
        read_range(&*self.file, &span(offset, len)?)
    }
}

impl SpoolFile {
    fn state(&self) -> MutexGuard<'_, SpoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> Result<()> {
        let end = (exact(offset) + bytes.len()).get()?;
        let mut state = self.state();
        if let SpoolState::Memory(memory) = &*state
            && end > MEMORY as u64
        {
            let file = Scratch::new(self.folder.as_deref())?;
            file.write_at(0, memory)?;
            *state = SpoolState::File(Arc::new(file));
        }
        match &mut *state {
            SpoolState::File(file) => file.write_at(offset, bytes),
            SpoolState::Memory(memory) => {
                let range = indices(exact(offset), bytes.len())?;
                if memory.len() < range.end {
                    memory.resize(range.end, 0);
                }
                let place = memory.get_mut(range).or_internal("staged bytes")?;
                place.copy_from_slice(bytes);
                Ok(())
            }
        }
    }
}

impl Source for SpoolFile {
    fn name(&self) -> &Arc<str> {
        &self.name
    }

    fn len(&self) -> u64 {
        match &*self.state() {
            SpoolState::Memory(memory) => memory.len() as u64,
            SpoolState::File(file) => file.len(),
        }
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<()> {
        let file = match &*self.state() {
            SpoolState::Memory(memory) => {
                let range = indices(exact(offset), buf.len()).ok();
                let Some(bytes) = range.and_then(|range| memory.get(range)) else {
                    let have = (memory.len() as u64).saturating_sub(offset);
                    return Err(truncated(&self.name, offset, buf.len() as u64, have));
                };
                buf.copy_from_slice(bytes);
                return Ok(());
            }
            SpoolState::File(file) => Arc::clone(file),
        };
        file.read_at(offset, buf)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_data_goes_to_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let spool = StagedSpool::new(Some(dir.path()));
        let is_in_memory = || matches!(&*spool.file.state(), SpoolState::Memory(_));
        assert_eq!(spool.append(b"abcd").unwrap(), 0);
        assert_eq!(spool.append(&[7; MEMORY - 4]).unwrap(), 4);
        assert!(is_in_memory());
        assert!(spool.read(5, MEMORY as u64).is_err());
        spool.write_at(2, b"xy").unwrap();
        assert_eq!(spool.append(b"end").unwrap(), MEMORY as u64);
        assert!(!is_in_memory());
        assert_eq!(spool.read(0, 5).unwrap(), b"abxy\x07");
        assert_eq!(spool.read(MEMORY as u64 - 1, 4).unwrap(), b"\x07end");
        assert!(spool.read(MEMORY as u64, 4).is_err());
        let none = StagedSpool::new(Some(&dir.path().join("no")));
        none.append(b"abc").unwrap();
        assert!(none.append(&[0; MEMORY]).is_err());
        assert_eq!(none.read(0, 3).unwrap(), b"abc");
    }
}
