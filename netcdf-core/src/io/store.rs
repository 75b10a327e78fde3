//! A key-value store (Zarr).
//!
//! Keys have no leading `/`: `.zgroup`, `v/.zarray`, `v/c/0/1`. A prefix is empty or ends in `/`.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use super::invalid_entries::InvalidEntry;
use super::key_reads::KeyReads;
use super::reference::{Reference, ReferenceKeys, SourceState};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::room;

/// The size of a key that cannot be read, such as a link that leads outside the store. Requests for the size or the bytes return the error.
pub const UNKNOWN: u64 = u64::MAX;

/// A visitor of keys and their sizes in bytes, which may be [`UNKNOWN`].
pub type VisitKey<'a> = &'a mut dyn FnMut(&str, u64) -> Result<()>;

/// User options for a store, for instance from the fragment of a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Hints {
    /// Ignore netCDF's own metadata (`mode=zarr`).
    pub pure: bool,
    /// Ignore `_ARRAY_DIMENSIONS` (`noxarray`).
    pub no_xarray: bool,
    /// Use consolidated metadata if it exists (`consolidated`).
    pub consolidated: bool,
}

/// Last parts of metadata keys. Every Zarr store has at least one of these keys directly below its root, in versions 2 and 3 and in the
/// first NCZarr.
pub const MARKERS: [&str; 6] = [
    ".zgroup",
    ".zarray",
    ".zattrs",
    ".zmetadata",
    "zarr.json",
    ".nczarr",
];

/// Returns whether the last part of a key is the name of metadata.
pub(crate) fn is_marker(key: &str) -> bool {
    MARKERS.contains(&key.rsplit('/').next().unwrap_or(key))
}

/// The result of a read with a size limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyContent {
    /// The key does not exist.
    Missing,
    /// All bytes of the key.
    Bytes(Vec<u8>),
    /// The size of a key that exceeds the limit.
    Longer(u64),
}

/// A key and requested ranges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRanges {
    /// The key.
    pub key: String,
    /// The requested ranges.
    pub ranges: Vec<Range<u64>>,
}

/// The bytes of the ranges of a key, or `None` for a missing key.
pub type KeyParts = Option<Vec<Vec<u8>>>;

/// A key-value store. A missing key is `None`, and a failure is an error. Keys that violate the grammar ([`super::key`]) are
/// [`crate::ErrorKind::BadName`] in all methods. A key with bytes has no keys below it. A name that is only a prefix of other keys is a
/// "key without content", and reading it is an error.
pub trait Store: Debug + Send + Sync {
    /// The name for messages: a path or URL.
    fn name(&self) -> &Arc<str>;

    /// The user options.
    fn hints(&self) -> Hints {
        Hints::default()
    }

    /// Whether the latency is high, so that callers should send requests concurrently.
    fn latency(&self) -> bool {
        false
    }

    /// Returns the bytes of a key.
    ///
    /// # Errors
    /// Returns [`crate::ErrorKind::NoContent`] for a name that is only a prefix of other keys, and [`crate::ErrorKind::Io`].
    fn get(&self, key: &str) -> Result<Option<Vec<u8>>>;

    /// Returns ranges of a key.
    ///
    /// # Errors
    /// Returns the errors of [`Store::get`], and [`crate::ErrorKind::Truncated`] past the end.
    fn get_ranges(&self, key: &str, ranges: &[Range<u64>]) -> Result<KeyParts>;

    /// Like [`Store::get_ranges`], for several keys. A store with latency sends the requests concurrently.
    fn get_parts(&self, keys: &[KeyRanges]) -> Vec<Result<KeyParts>> {
        let parts = |of: &KeyRanges| self.get_ranges(&of.key, &of.ranges);
        keys.iter().map(parts).collect()
    }

    /// Returns the location of a key's bytes, with an absolute path or a URL. `None` for a missing key, and for bytes that only this store
    /// can decode.
    ///
    /// # Errors
    /// Returns the errors of [`Store::get`].
    fn location(&self, key: &str) -> Result<Option<Reference>> {
        let _ = key;
        Ok(None)
    }

    /// Returns the state of a source of [`Store::location`], if the store has few sources.
    fn source_state(&self, url: &str) -> Option<SourceState> {
        let _ = url;
        None
    }

    /// Whether the bytes of keys are in other files.
    fn is_spread(&self) -> bool {
        false
    }

    /// Returns the store as one that accepts references; `None` for stores of bytes.
    fn reference_keys(&self) -> Option<&dyn ReferenceKeys> {
        None
    }

    /// Returns the size of a key in bytes.
    ///
    /// # Errors
    /// Returns the errors of [`Store::get`].
    fn size(&self, key: &str) -> Result<Option<u64>>;

    /// Returns the contents of keys, each with the errors of [`Store::get`]. The limit for all contents together is `most` bytes. A key
    /// beyond the limit is [`KeyContent::Longer`]. A store with latency sends the requests concurrently.
    fn get_many(&self, keys: &[String], most: u64) -> Vec<Result<KeyContent>> {
        let mut left = most;
        keys.iter()
            .map(|key| content(self, key, &mut left))
            .collect()
    }

    /// Like [`Store::size`], for several keys. A store with latency sends the requests concurrently.
    fn sizes(&self, keys: &[String]) -> Vec<Result<Option<u64>>> {
        keys.iter().map(|key| self.size(key)).collect()
    }

    /// Returns the names directly below `prefix`, of keys and of longer prefixes, sorted by bytes.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Io`].
    fn children(&self, prefix: &str) -> Result<Vec<String>>;

    /// Like [`Store::children`], for several prefixes. A store with latency sends the requests concurrently.
    fn children_many(&self, prefixes: &[String]) -> Vec<Result<Vec<String>>> {
        prefixes
            .iter()
            .map(|prefix| self.children(prefix))
            .collect()
    }

    /// Visits all keys below `prefix` with their sizes, sorted.
    ///
    /// # Errors
    /// Returns [`crate::ErrorKind::Io`] and errors of `visit`.
    fn walk(&self, prefix: &str, visit: VisitKey<'_>) -> Result<()>;

    /// Stores a key. Each key is stored once.
    ///
    /// # Errors
    /// Returns [`crate::ErrorKind::Exists`] if the key is a prefix of another key or the reverse, and [`crate::ErrorKind::Io`].
    fn put(&self, key: &str, bytes: &[u8]) -> Result<()>;

    /// Stores a new key.
    ///
    /// # Errors
    /// Returns [`crate::ErrorKind::Exists`] for an existing key, and the errors of [`Store::put`].
    fn put_if_absent(&self, key: &str, bytes: &[u8]) -> Result<()>;

    /// Returns a text that changes with every key: it is computed from sizes and times or tags. `None` if the store has too many keys, or
    /// keys without times and tags.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Io`].
    fn state(&self) -> Result<Option<String>> {
        Ok(None)
    }

    /// Records keys that are read from now on, if they have times or tags.
    fn watch(&self, reads: &Arc<KeyReads>) {
        let _ = reads;
    }

    /// The name of a key that has changed since it was read, as far as known. For very many keys, only a sample is checked.
    fn changed(&self) -> Option<Arc<str>> {
        None
    }

    /// The keys that have changed since they were read, sorted. The prefix of a directory that was listed is also a key. Empty for a store
    /// that does not record states.
    fn changed_keys(&self) -> Vec<String> {
        vec![]
    }

    /// A data key that another program changed after the store was opened, and before the key was first read. `None` for a store that does
    /// not record states.
    fn later_key(&self) -> Option<String> {
        None
    }

    /// Changes a key with `change`. The new state of the key does not count as a change since it was read.
    ///
    /// # Errors
    /// Returns the errors of `change`.
    fn change_own(
        &self,
        key: &str,
        change: &mut dyn FnMut() -> std::io::Result<()>,
    ) -> std::io::Result<()> {
        let _ = key;
        change()
    }

    /// Forgets data keys that were looked up and are missing.
    fn forget_missing(&self) {}

    /// Forgets the states of keys, so that [`Store::changed`] compares with later reads only.
    fn forget_states(&self) {}

    /// Returns the invalid entries found so far. `all` includes entries that require a scan of the whole store.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Io`].
    fn invalid_entries(&self, all: bool) -> Result<Vec<InvalidEntry>> {
        let _ = all;
        Ok(vec![])
    }

    /// Removes a key, if it exists.
    ///
    /// # Errors
    /// Returns [`crate::ErrorKind::NoContent`] for a name that is only a prefix of other keys, and [`crate::ErrorKind::Io`].
    fn delete(&self, key: &str) -> Result<()>;
}

/// The content of a key, up to the limit `left`.
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

/// The error for reading a name that is only a prefix of other keys.
#[must_use]
pub fn without_content(store: &str, key: &str) -> Error {
    let what = "the key is only a prefix of other keys, and has no value";
    Error::new(ErrorKind::NoContent, what)
        .in_object(key)
        .of(store)
}

/// The error for a key that already exists.
#[must_use]
pub fn exists(store: &str, key: &str) -> Error {
    let what = "the key already exists";
    Error::new(ErrorKind::Exists, what).in_object(key).of(store)
}

/// The error for a key that is a prefix of another key, or the reverse.
#[must_use]
pub fn in_the_way(store: &str, key: &str) -> Error {
    let what = "the key cannot be stored: a key with bytes cannot have keys below it";
    Error::new(ErrorKind::Exists, what).in_object(key).of(store)
}

/// Copies ranges of bytes.
///
/// # Errors
/// Returns the errors of [`range_of`], and [`crate::ErrorKind::Limit`] if memory is insufficient.
pub fn ranges_of(bytes: &[u8], ranges: &[Range<u64>]) -> Result<Vec<Vec<u8>>> {
    let part = |range: &Range<u64>| {
        let part = range_of(bytes, range)?;
        room(part.len(), "a read")?;
        Ok(part.to_vec())
    };
    ranges.iter().map(part).collect()
}

/// Returns a range of bytes.
///
/// # Errors
/// Returns [`crate::ErrorKind::Truncated`] if the range exceeds the bytes.
pub fn range_of<'b>(bytes: &'b [u8], range: &Range<u64>) -> Result<&'b [u8]> {
    let span = usize::try_from(range.start)
        .ok()
        .zip(usize::try_from(range.end).ok());
    span.and_then(|(start, end)| bytes.get(start..end))
        .ok_or_else(|| {
            let have = bytes.len();
            let what = format!(
                "{have} bytes, but bytes {} to {} are needed",
                range.start, range.end
            );
            Error::new(ErrorKind::Truncated, what)
        })
}
