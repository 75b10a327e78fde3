//! A set of keys, each with bytes (Zarr).
//!
//! Keys have no leading `/`: `.zgroup`, `v/.zarray`, `v/c/0/1`. A prefix is empty or ends in `/`.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use super::key_reads::KeyReads;
use super::odd::Odd;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::room;

/// The size of a key whose bytes cannot be read, such as a link that leads out of the store: asking for its
/// size, or for its bytes, returns the error.
pub const UNKNOWN: u64 = u64::MAX;

/// A visitor of keys and their sizes in bytes, which may be [`UNKNOWN`].
pub type VisitKey<'a> = &'a mut dyn FnMut(&str, u64) -> Result<()>;

/// What the user said about a store, for instance by the fragment of a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Hints {
    /// Ignore netCDF's own metadata (`mode=zarr`).
    pub pure: bool,
    /// Ignore `_ARRAY_DIMENSIONS` (`noxarray`).
    pub no_xarray: bool,
    /// Use consolidated metadata if it exists (`consolidated`).
    pub consolidated: bool,
}

/// Last parts of keys of which every Zarr store has at least one directly below its root: in versions 2 and 3,
/// and in the first NCZarr.
pub const MARKERS: [&str; 6] = [
    ".zgroup",
    ".zarray",
    ".zattrs",
    ".zmetadata",
    "zarr.json",
    ".nczarr",
];

/// What there is under a key, as far as it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyContent {
    /// No such key.
    Missing,
    /// All its bytes.
    Bytes(Vec<u8>),
    /// More bytes than may be read: so many.
    Longer(u64),
}

/// Parts of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRanges {
    /// The key.
    pub key: String,
    /// Ranges of its bytes.
    pub ranges: Vec<Range<u64>>,
}

/// The bytes of the ranges of a key, unless it is missing.
pub type KeyParts = Option<Vec<Vec<u8>>>;

/// A store of keys. A missing key is `None`; a failure is an error. Keys that violate the grammar
/// ([`super::key`]) are [`crate::ErrorKind::BadName`] everywhere. No key with bytes has keys below it; a name
/// that only has keys below it is a "key without content", which has its own error.
pub trait Store: Debug + Send + Sync {
    /// Name for messages: path or URL.
    fn name(&self) -> &Arc<str>;

    /// The hints about it.
    fn hints(&self) -> Hints {
        Hints::default()
    }

    /// True if every request takes long, however little it asks for: many are then better made at once than one after another.
    fn latency(&self) -> bool {
        false
    }

    /// The bytes of a key.
    ///
    /// # Errors
    /// [`crate::ErrorKind::NoContent`] for a name that only has keys below it; [`crate::ErrorKind::Io`].
    fn get(&self, key: &str) -> Result<Option<Vec<u8>>>;

    /// Ranges of the bytes of a key.
    ///
    /// # Errors
    /// As [`Store::get`]; [`crate::ErrorKind::Truncated`] past the end.
    fn get_ranges(&self, key: &str, ranges: &[Range<u64>]) -> Result<KeyParts>;

    /// As [`Store::get_ranges`], for several keys. A store with latency asks for all of them at once.
    fn get_parts(&self, keys: &[KeyRanges]) -> Vec<Result<KeyParts>> {
        let parts = |of: &KeyRanges| self.get_ranges(&of.key, &of.ranges);
        keys.iter().map(parts).collect()
    }

    /// Size of a key in bytes.
    ///
    /// # Errors
    /// As [`Store::get`].
    fn size(&self, key: &str) -> Result<Option<u64>>;

    /// The contents of keys, each with its own errors, which are those of [`Store::get`]. All together have at most `most` bytes; a key
    /// for which there is no room is [`KeyContent::Longer`]. A store with latency asks for all keys at once.
    fn get_many(&self, keys: &[String], most: u64) -> Vec<Result<KeyContent>> {
        let mut left = most;
        keys.iter()
            .map(|key| content(self, key, &mut left))
            .collect()
    }

    /// As [`Store::size`], for several keys. A store with latency asks for all of them at once.
    fn sizes(&self, keys: &[String]) -> Vec<Result<Option<u64>>> {
        keys.iter().map(|key| self.size(key)).collect()
    }

    /// The names directly below `prefix`, of keys and of names with keys below them, sorted by bytes.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Io`].
    fn children(&self, prefix: &str) -> Result<Vec<String>>;

    /// As [`Store::children`], for several prefixes. A store with latency asks for all of them at once.
    fn children_many(&self, prefixes: &[String]) -> Vec<Result<Vec<String>>> {
        prefixes
            .iter()
            .map(|prefix| self.children(prefix))
            .collect()
    }

    /// All keys below `prefix` with their sizes, sorted.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Io`], and those of the visitor.
    fn walk(&self, prefix: &str, visit: VisitKey<'_>) -> Result<()>;

    /// Stores a key; each key is stored once.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Exists`] if there are keys below it, or if it would be below another key;
    /// [`crate::ErrorKind::Io`].
    fn put(&self, key: &str, bytes: &[u8]) -> Result<()>;

    /// Stores a key that must not exist.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Exists`] if it does, and as [`Store::put`].
    fn put_if_absent(&self, key: &str, bytes: &[u8]) -> Result<()>;

    /// A text that is another one after a change of any key: from sizes and times or tags. `None` if the store has too many keys, or
    /// keys without times and tags.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Io`].
    fn state(&self) -> Result<Option<String>> {
        Ok(None)
    }

    /// Records the keys that are read from now on, where they have times or tags.
    fn watch(&self, reads: &Arc<KeyReads>) {
        let _ = reads;
    }

    /// The name of a file that has changed since keys were read, as far as known; of very many keys, only some
    /// are checked.
    fn changed(&self) -> Option<Arc<str>> {
        None
    }

    /// Entries that are not keys, or several for one key, as found so far; with `all`, also those that require a
    /// look at the whole store.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Io`].
    fn odd(&self, all: bool) -> Result<Vec<Odd>> {
        let _ = all;
        Ok(vec![])
    }

    /// Removes a key, if it exists.
    ///
    /// # Errors
    /// [`crate::ErrorKind::NoContent`] for a name that only has keys below it; [`crate::ErrorKind::Io`].
    fn delete(&self, key: &str) -> Result<()>;
}

/// The content of a key, if it has no more than the bytes that are left.
fn content<S: Store + ?Sized>(store: &S, key: &str, left: &mut u64) -> Result<KeyContent> {
    let Some(size) = store.size(key)? else {
        return Ok(KeyContent::Missing);
    };
    let Some(rest) = left.checked_sub(size) else {
        return Ok(KeyContent::Longer(size));
    };
    let Some(bytes) = store.get(key)? else {
        return Ok(KeyContent::Missing);
    };
    *left = rest;
    Ok(KeyContent::Bytes(bytes))
}

/// The error for reading the bytes of a name that only has keys below it.
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
    let what = "the key already exists";
    Error::new(ErrorKind::Exists, what).in_object(key).of(store)
}

/// The error for a key that cannot have bytes because it has keys below it, or would be below one.
#[must_use]
pub fn in_the_way(store: &str, key: &str) -> Error {
    let what = "the key cannot be stored: a key with bytes cannot have keys below it";
    Error::new(ErrorKind::Exists, what).in_object(key).of(store)
}

/// Copies of ranges of bytes.
///
/// # Errors
/// As [`range_of`]; [`crate::ErrorKind::Limit`] if there is no memory for one.
pub fn ranges_of(bytes: &[u8], ranges: &[Range<u64>]) -> Result<Vec<Vec<u8>>> {
    let part = |range: &Range<u64>| {
        let part = range_of(bytes, range)?;
        room(part.len(), "a read")?;
        Ok(part.to_vec())
    };
    ranges.iter().map(part).collect()
}

/// A range of bytes.
///
/// # Errors
/// [`crate::ErrorKind::Truncated`] if some of them are missing.
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
