//! Reads of metadata that end with a second look at the superblock.
//!
//! A program of ours may change the file in place while it is read. Before it changes metadata, it changes the first byte of the
//! superblock, and afterwards the superblock has another end of the file ([`io::patched`](crate::io::patched)). So if the superblock is
//! the same after a read as at opening, the bytes belong to the state that was opened. A file that has not changed at all costs one
//! system call.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use crate::error::{Error, ErrorKind, Result};
use crate::io::Source;
use crate::io::merge::CoalesceLimits;

/// The offset of the version in superblocks.
const VERSION: usize = 8;
/// The offset of the consistency flags in superblocks of version 3.
const FLAGS: usize = 11;
/// The flag of a file that another program writes for concurrent readers ("II. Disk Format: Level 0A", file consistency flags).
const SWMR: u8 = 4;

/// A source for reads of one state. A read fails if the file has changed since opening.
#[derive(Debug)]
pub(crate) struct OneStateSource {
    inner: Arc<dyn Source>,
    /// The source offset of the superblock.
    at: u64,
    /// The superblock at opening.
    superblock: Vec<u8>,
}

impl OneStateSource {
    /// Wraps a source that had these bytes of the superblock at the offset `at` when it was opened.
    pub(crate) fn new(inner: Arc<dyn Source>, at: u64, superblock: Vec<u8>) -> Self {
        Self {
            inner,
            at,
            superblock,
        }
    }

    /// Checks that the file has the state that was opened.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Changed`] for another state, and I/O errors.
    pub(crate) fn look(&self) -> Result<()> {
        if is_shared(&self.superblock) {
            return Ok(());
        }
        let Some(now) = self.inner.second_look()? else {
            return Ok(());
        };
        let mut superblock = vec![0; self.superblock.len()];
        let read = now.read_at(self.at, &mut superblock);
        if read.is_ok() && (superblock == self.superblock || is_shared(&superblock)) {
            return Ok(());
        }
        let what = "another program changed the file since it was opened";
        let e = Error::new(ErrorKind::Changed, what).of(self.name());
        Err(e.with_remedy("open it again"))
    }

    /// Returns the bytes of a read, after the second look. A change takes precedence over a read error.
    fn checked<T>(&self, read: Result<T>) -> Result<T> {
        self.look()?;
        read
    }
}

/// Returns whether a program writes the file for concurrent readers (SWMR). Such readers always find valid metadata.
fn is_shared(superblock: &[u8]) -> bool {
    let flags = superblock.get(FLAGS);
    superblock.get(VERSION) == Some(&3) && flags.is_some_and(|flags| flags & SWMR != 0)
}

impl Source for OneStateSource {
    fn name(&self) -> &Arc<str> {
        self.inner.name()
    }

    fn len(&self) -> u64 {
        self.inner.len()
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<()> {
        let read = self.inner.read_at(offset, buf);
        self.checked(read)
    }

    fn read_ranges(&self, ranges: &[Range<u64>]) -> Result<Vec<Vec<u8>>> {
        let read = self.inner.read_ranges(ranges);
        self.checked(read)
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

    fn second_look(&self) -> Result<Option<Arc<dyn Source>>> {
        self.inner.second_look()
    }

    fn state(&self) -> String {
        self.inner.state()
    }

    fn location(&self, range: &Range<u64>) -> Option<(Arc<str>, u64)> {
        self.inner.location(range)
    }
}
