//! A file whose changes are only counted, for the plans of changes in place.

use std::io::Result;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Source;
use super::raw_file::{RawFile, RawStamp};

/// A file that ignores writes.
#[derive(Debug)]
pub struct TrialFile {
    source: Arc<dyn Source>,
    len: AtomicU64,
}

impl TrialFile {
    /// Returns a file with the bytes of `source`.
    #[must_use]
    pub fn new(source: Arc<dyn Source>) -> Self {
        Self {
            len: AtomicU64::new(source.len()),
            source,
        }
    }
}

impl RawFile for TrialFile {
    fn name(&self) -> &Arc<str> {
        self.source.name()
    }

    fn stamp(&self) -> Result<RawStamp> {
        Ok(RawStamp {
            len: self.len.load(Ordering::Relaxed),
            modified: None,
        })
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<()> {
        let read = self.source.read_at(offset, buf);
        read.map_err(std::io::Error::other)
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> Result<()> {
        let end = offset.checked_add(bytes.len() as u64);
        let end = end.ok_or(std::io::ErrorKind::FileTooLarge)?;
        self.len.fetch_max(end, Ordering::Relaxed);
        Ok(())
    }

    fn set_len(&self, len: u64) -> Result<()> {
        self.len.store(len, Ordering::Relaxed);
        Ok(())
    }

    fn sync(&self) -> Result<()> {
        Ok(())
    }

    fn stamp_at_path(&self) -> Option<RawStamp> {
        self.stamp().ok()
    }

    fn share_lock(&self) {}
}
