//! A set of keys with bytes behind them (Zarr).
//!
//! Keys have no `/` in front: `.zgroup`, `v/.zarray`, `v/c/0/1`. A prefix is empty or ends in `/`.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use super::odd::Odd;
use crate::error::{Error, ErrorKind, Result};

/// The size of a key whose bytes nobody may read, as of a link that leads out of the store: to ask for its size, or for
/// its bytes, says why.
pub const UNKNOWN: u64 = u64::MAX;

/// A visitor of keys and their sizes in bytes; [`UNKNOWN`] is one.
pub type Visit<'a> = &'a mut dyn FnMut(&str, u64) -> Result<()>;

/// What the one who named a store said of it, as by the fragment of a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Hints {
    /// netCDF's own metadata is not looked at (`mode=zarr`).
    pub pure: bool,
    /// `_ARRAY_DIMENSIONS` is not looked at (`noxarray`).
    pub no_xarray: bool,
    /// Consolidated metadata is used where there is some (`consolidated`).
    pub consolidated: bool,
}

/// Last parts of the keys that every Zarr store has one of, directly below its root: of versions 2 and 3,
/// and of the first NCZarr.
pub const MARKERS: [&str; 6] = [
    ".zgroup",
    ".zarray",
    ".zattrs",
    ".zmetadata",
    "zarr.json",
    ".nczarr",
];

/// A store of keys. "No such key" is `None`; a failure is an error. Keys that break the grammar
/// ([`super::key`]) are [`crate::ErrorKind::BadName`] everywhere. No key with bytes has keys below it: what has
/// is a "key without content", an error of its own.
pub trait Store: Debug + Send + Sync {
    /// Name for messages: path or URL.
    fn name(&self) -> &Arc<str>;

    /// What was said of it.
    fn hints(&self) -> Hints {
        Hints::default()
    }

    /// The bytes of a key.
    ///
    /// # Errors
    /// [`crate::ErrorKind::NoContent`] for what only has keys below it; [`crate::ErrorKind::Io`].
    fn get(&self, key: &str) -> Result<Option<Vec<u8>>>;

    /// Ranges of the bytes of a key, in bytes.
    ///
    /// # Errors
    /// As [`Store::get`]; [`crate::ErrorKind::Truncated`] past the end.
    fn get_ranges(&self, key: &str, ranges: &[Range<u64>]) -> Result<Option<Vec<Vec<u8>>>>;

    /// Size of a key in bytes.
    ///
    /// # Errors
    /// As [`Store::get`].
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
    /// [`crate::ErrorKind::Exists`] if there are keys below it, or one that it would be below;
    /// [`crate::ErrorKind::Io`].
    fn put(&self, key: &str, bytes: &[u8]) -> Result<()>;

    /// Stores a key that must not exist.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Exists`] if it does, and as [`Store::put`].
    fn put_if_absent(&self, key: &str, bytes: &[u8]) -> Result<()>;

    /// The name of a file that is not as it was when keys were read, as far as that is known; of very many keys, some are
    /// looked at.
    fn changed(&self) -> Option<Arc<str>> {
        None
    }

    /// Entries that are no keys, or not one key each, as far as they were met; with `all`, what the whole of the store has to
    /// be looked at for as well.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Io`].
    fn odd(&self, all: bool) -> Result<Vec<Odd>> {
        let _ = all;
        Ok(vec![])
    }

    /// Removes a key; there may be none.
    ///
    /// # Errors
    /// [`crate::ErrorKind::NoContent`] for what only has keys below it; [`crate::ErrorKind::Io`].
    fn delete(&self, key: &str) -> Result<()>;
}

/// The error for what only has keys below it, where the bytes of a key are asked for.
#[must_use]
pub fn without_content(store: &str, key: &str) -> Error {
    let what = "there are keys below it, but it has no bytes of its own";
    Error::new(ErrorKind::NoContent, what)
        .in_object(key)
        .of(store)
}

/// The error for a key that must not exist.
#[must_use]
pub fn exists(store: &str, key: &str) -> Error {
    let what = "the key exists already";
    Error::new(ErrorKind::Exists, what).in_object(key).of(store)
}

/// The error for a key that has keys below it, or would be below one, so that it cannot have bytes.
#[must_use]
pub fn in_the_way(store: &str, key: &str) -> Error {
    let what = "the key cannot be put: a key with bytes has no keys below it";
    Error::new(ErrorKind::Exists, what).in_object(key).of(store)
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
            Error::new(ErrorKind::Truncated, what)
        })
}
