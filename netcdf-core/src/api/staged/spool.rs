//! The temporary file of a dataset being edited.

use std::sync::Arc;

use crate::error::{Error, ErrorKind, Result};
use crate::io::Source;
use crate::io::file::Scratch;
use crate::io::source::read_range;

/// A growing file that stores elements until the dataset is written.
pub(super) struct StagedSpool {
    file: Arc<Scratch>,
    source: Arc<dyn Source>,
    end: u64,
}

impl StagedSpool {
    pub(super) fn new(folder: Option<&std::path::Path>) -> Result<Self> {
        let file = Arc::new(Scratch::new(folder)?);
        Ok(Self {
            source: Arc::clone(&file) as Arc<dyn Source>,
            file,
            end: 0,
        })
    }

    /// Returns the file as chunk source.
    pub(super) fn source(&self) -> &Arc<dyn Source> {
        &self.source
    }

    /// Appends bytes and returns their position.
    pub(super) fn add(&mut self, bytes: &[u8]) -> Result<u64> {
        let at = self.end;
        let end = at.checked_add(bytes.len() as u64);
        let end = end.ok_or_else(|| Error::new(ErrorKind::Limit, "2^64 bytes of data"))?;
        self.file.write_at(at, bytes)?;
        self.end = end;
        Ok(at)
    }

    /// Overwrites appended bytes.
    pub(super) fn write_at(&self, at: u64, bytes: &[u8]) -> Result<()> {
        self.file.write_at(at, bytes)
    }

    /// Reads appended bytes.
    pub(super) fn read(&self, at: u64, len: u64) -> Result<Vec<u8>> {
        let end = at.checked_add(len);
        let end = end.ok_or_else(|| Error::new(ErrorKind::Corrupt, "data beyond 2^64 bytes"))?;
        read_range(&*self.source, &(at..end))
    }
}
