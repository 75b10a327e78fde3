//! A file before an unfinished change, or without a spent journal.

use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::journal::{Journal, last_bytes};
use super::patches::Patches;
use crate::arithmetic::{Amount, length};
use crate::error::Result;
use crate::io::Source;
use crate::io::merge::CoalesceLimits;
use crate::io::source::{present, truncated};

/// A source with old bytes from a journal laid over, and with the length before the change.
#[derive(Debug)]
pub(super) struct OverlaidSource {
    inner: Arc<dyn Source>,
    old: Arc<Patches>,
    len: u64,
    /// The last bytes of the file, which identify the journal.
    trailer: Option<Vec<u8>>,
}

impl OverlaidSource {
    /// Returns the file before a change.
    pub(super) fn before(inner: &Arc<dyn Source>, journal: &Journal) -> Result<Self> {
        let mut old = Patches::default();
        for range in &journal.ranges {
            old.put(range.offset, &range.old)?;
        }
        Self::new(inner, old, journal.old_len)
    }

    /// Returns the file after a change.
    pub(super) fn after(inner: &Arc<dyn Source>, journal: &Journal) -> Result<Self> {
        Self::new(inner, Patches::default(), journal.new_len)
    }

    fn new(inner: &Arc<dyn Source>, old: Patches, len: u64) -> Result<Self> {
        Ok(Self {
            inner: Arc::clone(inner),
            old: Arc::new(old),
            len,
            trailer: last_bytes(&**inner)?,
        })
    }
}

impl Source for OverlaidSource {
    fn name(&self) -> &Arc<str> {
        self.inner.name()
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<()> {
        let (want, have) = (buf.len() as u64, (Amount::of(self.len) - offset).get());
        if want > have {
            return Err(truncated(self.name(), offset, want, have));
        }
        self.inner.read_at(offset, buf)?;
        self.old.lay_over(offset, buf)
    }

    fn read_ranges(&self, ranges: &[Range<u64>]) -> Result<Vec<Vec<u8>>> {
        for range in ranges {
            present(self, range)?;
        }
        let mut read = self.inner.read_ranges(ranges)?;
        for (range, bytes) in ranges.iter().zip(&mut read) {
            self.old.lay_over(range.start, bytes)?;
        }
        Ok(read)
    }

    fn sibling(&self, name: &Path, outside: bool) -> Result<Arc<dyn Source>> {
        self.inner.sibling(name, outside)
    }

    fn latency(&self) -> bool {
        self.inner.latency()
    }

    fn coalesce_limits(&self) -> CoalesceLimits {
        self.inner.coalesce_limits()
    }

    fn has_changed(&self) -> bool {
        self.inner.has_changed()
    }

    /// While the file ends with the same journal, the journal's old bytes belong to the same state. Without the journal, the change has ended,
    /// and the file itself shows its state.
    fn second_look(&self) -> Result<Option<Arc<dyn Source>>> {
        let Some(now) = self.inner.second_look()? else {
            return Ok(None);
        };
        // A journal that vanishes meanwhile makes the file shorter.
        if !last_bytes(&*now).is_ok_and(|bytes| bytes == self.trailer) {
            return Ok(Some(now));
        }
        Ok(Some(Arc::new(Self {
            inner: now,
            old: Arc::clone(&self.old),
            len: self.len,
            trailer: self.trailer.clone(),
        })))
    }

    fn state(&self) -> String {
        self.inner.state()
    }

    fn location(&self, range: &Range<u64>) -> Option<(Arc<str>, u64)> {
        let is_stored = !self.old.touches(range) && length(range) <= self.len;
        self.inner.location(range).filter(|_| is_stored)
    }

    fn as_file(&self) -> Option<Arc<File>> {
        self.inner.as_file().filter(|_| self.old.is_empty())
    }

    fn is_in_one_file(&self) -> bool {
        self.inner.is_in_one_file()
    }
}
