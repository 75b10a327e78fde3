//! A set of keys with bytes behind them (Zarr).
//!
//! Keys have no `/` in front: `.zgroup`, `v/.zarray`, `v/c/0/1`. A prefix is empty or ends in `/`.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use crate::error::Result;

/// A visitor of keys and their sizes in bytes.
pub type Visit<'a> = &'a mut dyn FnMut(&str, u64) -> Result<()>;

/// A store of keys. "No such key" is `None`; a failure is an error.
pub trait Store: Debug + Send + Sync {
    /// Name for messages: path or URL.
    fn name(&self) -> &Arc<str>;

    /// The bytes of a key.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Io`].
    fn get(&self, key: &str) -> Result<Option<Vec<u8>>>;

    /// Ranges of the bytes of a key, in bytes.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Io`]; [`crate::ErrorKind::Truncated`] past the end.
    fn get_ranges(&self, key: &str, ranges: &[Range<u64>]) -> Result<Option<Vec<Vec<u8>>>>;

    /// Size of a key in bytes.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Io`].
    fn size(&self, key: &str) -> Result<Option<u64>>;

    /// Names directly below `prefix`, of keys and of what has keys below it, sorted by bytes.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Io`].
    fn children(&self, prefix: &str) -> Result<Vec<String>>;

    /// All keys below `prefix` with their sizes, sorted.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Io`], and those of the visitor.
    fn walk(&self, prefix: &str, visit: Visit<'_>) -> Result<()>;

    /// Stores a key; each key is put once.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Io`].
    fn put(&self, key: &str, bytes: &[u8]) -> Result<()>;

    /// Stores a key that must not exist.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Exists`] if it does; [`crate::ErrorKind::Io`].
    fn put_if_absent(&self, key: &str, bytes: &[u8]) -> Result<()>;

    /// Removes a key.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Io`].
    fn delete(&self, key: &str) -> Result<()>;
}

/// A range of bytes.
///
/// # Errors
/// [`crate::ErrorKind::Truncated`] if not all of them are there.
pub fn range_of<'b>(bytes: &'b [u8], range: &Range<u64>) -> Result<&'b [u8]> {
    let span = usize::try_from(range.start)
        .ok()
        .zip(usize::try_from(range.end).ok());
    span.and_then(|(start, end)| bytes.get(start..end))
        .ok_or_else(|| {
            let have = bytes.len();
            let what = format!(
                "{have} bytes where those from {} to {} are expected",
                range.start, range.end
            );
            crate::Error::new(crate::ErrorKind::Truncated, what)
        })
}
