//! Keys to read, and their bytes.

use std::ops::Range;

use netcdf_core::error::{Error, Result};
use netcdf_core::format::zarr::raw::RawArray;
use netcdf_core::io::store::range_of;

use super::context::CheckedStore;
use super::decode::ArrayDecoder;
use super::report::Finding;
use super::rule::Rule;
use crate::key;

/// The work for the chunks of an array.
pub(super) struct ChunkWork<'a> {
    pub path: &'a str,
    pub array: &'a RawArray,
    /// Decodes chunks. `None` if only indexes are read.
    pub decoder: Option<ArrayDecoder<'a>>,
}

/// A key to read.
pub(super) struct KeyToRead {
    pub node: usize,
    pub key: String,
    pub size: u64,
    pub place: Vec<u64>,
}

/// Reads the bytes of a key.
pub(super) struct KeyReading<'a> {
    checked: CheckedStore<'a>,
    /// The key.
    pub job: &'a KeyToRead,
    /// The decoded shard if it is encoded as a whole.
    pub whole: Option<Vec<u8>>,
}

impl<'a> KeyReading<'a> {
    /// Returns an unread key.
    pub(super) fn new(checked: CheckedStore<'a>, job: &'a KeyToRead) -> Self {
        Self {
            checked,
            job,
            whole: None,
        }
    }

    /// Returns the number of bytes that ranges refer to.
    pub(super) fn size(&self) -> u64 {
        self.whole
            .as_ref()
            .map_or(self.job.size, |w| w.len() as u64)
    }

    /// Decodes a shard that is encoded as a whole.
    ///
    /// # Errors
    /// Returns errors of reading and decoding.
    pub(super) fn unwrap_whole(&mut self, array: &RawArray) -> Result<()> {
        if array.is_whole() {
            let stored = self.all()?;
            self.whole = Some(array.undo_whole(stored, self.checked.env)?);
        }
        Ok(())
    }

    /// Reads all stored bytes.
    ///
    /// # Errors
    /// Returns errors of the store.
    pub(super) fn all(&self) -> Result<Vec<u8>> {
        key::bytes(self.checked.store, &self.job.key)
    }

    /// Reads a range of the bytes.
    ///
    /// # Errors
    /// Returns errors of the store.
    pub(super) fn range(&self, range: Range<u64>) -> Result<Vec<u8>> {
        if let Some(shard) = &self.whole {
            return range_of(shard, &range).map(<[u8]>::to_vec);
        }
        key::range(self.checked.store, &self.job.key, range)
    }

    /// Returns a finding about the key.
    pub(super) fn finding(&self, rule: Rule, what: impl Into<String>) -> Finding {
        Finding::new(rule, self.job.key.clone(), what)
    }

    /// Returns the finding that the key is unreadable.
    pub(super) fn unreadable(&self, e: &Error) -> Finding {
        self.finding(Rule::KeyUnreadable, e.what())
    }
}
