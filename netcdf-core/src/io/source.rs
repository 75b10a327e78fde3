//! Readable bytes with a length.

use std::fmt::Debug;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::merge::Near;
use crate::arithmetic::length;
use crate::error::Result;

/// A file, an object, or bytes in memory, read by position.
pub trait Source: Debug + Send + Sync {
    /// Name for messages: path or URL.
    fn name(&self) -> &Arc<str>;

    /// Length in bytes.
    fn len(&self) -> u64;

    /// True if there are no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fills `buf` from byte `offset` on.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Truncated`] if some bytes are missing, with resource and offset;
    /// [`crate::ErrorKind::Io`].
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<()>;

    /// The bytes of several ranges. A remote source can merge and parallelize them.
    ///
    /// # Errors
    /// As [`Source::read_at`]; [`crate::ErrorKind::Limit`] for a range too large for memory.
    fn read_ranges(&self, ranges: &[Range<u64>]) -> Result<Vec<Vec<u8>>> {
        ranges.iter().map(|r| read_range(self, r)).collect()
    }

    /// Opens the file `name` beside this one; `outside` allows links that lead out of the directory.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Unsupported`] for a source without neighbours, and for links that lead out; those of opening.
    fn sibling(&self, name: &Path, outside: bool) -> Result<Arc<dyn Source>> {
        let _ = outside;
        let what = format!("no file {} beside this source", name.display());
        Err(crate::Error::new(crate::ErrorKind::Unsupported, what).of(self.name()))
    }

    /// True if an answer takes so long that many requests should be under way at a time.
    fn latency(&self) -> bool {
        false
    }

    /// Which ranges are better asked for together.
    fn near(&self) -> Near {
        Near::default()
    }

    /// True if the bytes may have changed since the source was opened.
    fn has_changed(&self) -> bool {
        false
    }

    /// What tells this state of the bytes from a later one: their number and, if known, when they changed, or a tag of the server.
    fn state(&self) -> String {
        format!("{} bytes", self.len())
    }

    /// The file behind the source, for copies within the kernel.
    fn as_file(&self) -> Option<Arc<std::fs::File>> {
        None
    }
}

/// The bytes of one range, which is checked against the source's length before memory is allocated.
///
/// # Errors
/// As [`Source::read_ranges`].
pub fn read_range<S: Source + ?Sized>(source: &S, range: &Range<u64>) -> Result<Vec<u8>> {
    let size = present(source, range)?;
    let mut buf = crate::limits::zeros(size, "a read")?;
    source.read_at(range.start, &mut buf)?;
    Ok(buf)
}

/// Length of `range` in bytes, if all of it lies within the source.
///
/// # Errors
/// [`crate::ErrorKind::Truncated`] otherwise.
pub fn present<S: Source + ?Sized>(source: &S, range: &Range<u64>) -> Result<usize> {
    let want = length(range);
    let have = source.len().saturating_sub(range.start);
    if want > have {
        return Err(truncated(source.name(), range.start, want, have));
    }
    crate::limits::Limits::default().item(want, "a read")
}

/// The error for `want` bytes at `offset` if only `have` exist.
#[must_use]
pub fn truncated(name: &Arc<str>, offset: u64, want: u64, have: u64) -> crate::Error {
    let what = format!("the file is truncated: expected {want} bytes, found {have}");
    crate::Error::new(crate::ErrorKind::Truncated, what).at(name, offset)
}
