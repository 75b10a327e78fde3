//! Readable bytes with a known length.

use std::fmt::Debug;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::merge::CoalesceLimits;
use super::reference::SourceState;
use crate::arithmetic::length;
use crate::error::Result;

/// A file, an object, or bytes in memory, read by position.
pub trait Source: Debug + Send + Sync {
    /// The name for messages: a path or URL.
    fn name(&self) -> &Arc<str>;

    /// The length in bytes.
    fn len(&self) -> u64;

    /// Whether the source is empty.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fills `buf` with the bytes at `offset`.
    ///
    /// # Errors
    /// Returns [`crate::ErrorKind::Truncated`], with resource and offset, past the end, and [`crate::ErrorKind::Io`].
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<()>;

    /// Returns the bytes of several ranges. A remote source can merge and parallelise the reads.
    ///
    /// # Errors
    /// Returns the errors of [`Source::read_at`], and [`crate::ErrorKind::Limit`] for a range that exceeds the memory.
    fn read_ranges(&self, ranges: &[Range<u64>]) -> Result<Vec<Vec<u8>>> {
        ranges.iter().map(|r| read_range(self, r)).collect()
    }

    /// Opens the file `name` beside this file. `outside` allows links that lead outside the directory.
    ///
    /// # Errors
    /// Returns [`crate::ErrorKind::Unsupported`] for a source without a directory and for links that lead outside, and errors of opening
    /// the file.
    fn sibling(&self, name: &Path, outside: bool) -> Result<Arc<dyn Source>> {
        let _ = outside;
        let what = format!("no file {} beside this source", name.display());
        Err(crate::Error::new(crate::ErrorKind::Unsupported, what).of(self.name()))
    }

    /// Whether the latency is high, so that callers should send requests concurrently.
    fn latency(&self) -> bool {
        false
    }

    /// The limits for merging ranges.
    fn coalesce_limits(&self) -> CoalesceLimits {
        CoalesceLimits::default()
    }

    /// Whether the bytes may have changed since the source was opened.
    fn has_changed(&self) -> bool {
        false
    }

    /// Returns the file as it is now if its bytes may have changed since the source was opened. `None` if they cannot have changed, and for
    /// sources that have one state.
    ///
    /// # Errors
    /// Returns I/O errors.
    fn second_look(&self) -> Result<Option<Arc<dyn Source>>> {
        Ok(None)
    }

    /// A text that changes with the bytes: their number and, if known, the modification time or a tag of the server.
    fn state(&self) -> String {
        format!("{} bytes", self.len())
    }

    /// Returns the name and offset of a range in a file or object that other programs can open. `None` for bytes in memory, and for a range
    /// that is not contiguous there.
    fn location(&self, range: &Range<u64>) -> Option<(Arc<str>, u64)> {
        let _ = range;
        None
    }

    /// Returns the state of the file or object of [`Source::location`].
    fn file_state(&self) -> SourceState {
        SourceState {
            size: self.len(),
            state: Some(self.state()),
        }
    }

    /// The file behind the source, for copies within the kernel.
    fn as_file(&self) -> Option<Arc<std::fs::File>> {
        None
    }

    /// Whether all bytes are in one local file, perhaps with changes that were taken back.
    fn is_in_one_file(&self) -> bool {
        self.as_file().is_some()
    }
}

/// Returns the bytes of one range. The range is checked against the source's length before memory is allocated.
///
/// # Errors
/// Returns the errors of [`Source::read_ranges`].
pub fn read_range<S: Source + ?Sized>(source: &S, range: &Range<u64>) -> Result<Vec<u8>> {
    let size = present(source, range)?;
    let mut buf = crate::limits::zeros(size, "a read")?;
    source.read_at(range.start, &mut buf)?;
    Ok(buf)
}

/// Returns the length of `range` in bytes, if the source contains the range.
///
/// # Errors
/// Returns [`crate::ErrorKind::Truncated`] for a range past the end.
pub fn present<S: Source + ?Sized>(source: &S, range: &Range<u64>) -> Result<usize> {
    let want = length(range);
    let have = source.len().saturating_sub(range.start);
    if want > have {
        return Err(truncated(source.name(), range.start, want, have));
    }
    crate::limits::Limits::default().item(want, "a read")
}

/// The error for a read of `want` bytes at `offset` if only `have` bytes exist.
#[must_use]
pub fn truncated(name: &Arc<str>, offset: u64, want: u64, have: u64) -> crate::Error {
    let what = format!("the file is truncated: expected {want} bytes, found {have}");
    crate::Error::new(crate::ErrorKind::Truncated, what).at(name, offset)
}
