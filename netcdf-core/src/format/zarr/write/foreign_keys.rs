//! Chunks that other processes write: existence checks and checksums.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use crate::arithmetic::exact;
use crate::cancel::Cancel;
use crate::env::Env;
use crate::error::{Error, ErrorKind, OrInternal as _, Result};
use crate::io::Store;
use crate::io::sums::KeySum;
use crate::runtime::WorkItem;

/// The number of bytes per read.
const PIECE: u64 = 8 << 20;

/// Number of keys per size query. A remote store sends concurrent requests.
const CHECKED_TOGETHER: usize = 1000;

/// Number of keys per work item.
const TOGETHER: usize = 8;

/// The keys of chunks that other processes write.
#[derive(Default)]
pub(super) struct ForeignKeys {
    seen: BTreeSet<Vec<u64>>,
    keys: Vec<String>,
}

impl ForeignKeys {
    /// Adds the key of a chunk or shard at a grid position, once.
    pub(super) fn add(&mut self, place: Vec<u64>, key: impl FnOnce(&[u64]) -> String) {
        if !self.seen.contains(&place) {
            self.keys.push(key(&place));
            self.seen.insert(place);
        }
    }

    /// Checks that all keys exist.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`] for a missing key, [`ErrorKind::Cancelled`], and I/O errors of the store.
    pub(super) fn check(&self, store: &dyn Store, cancel: &Cancel) -> Result<()> {
        for keys in self.keys.chunks(CHECKED_TOGETHER) {
            cancel.check()?;
            for (key, size) in keys.iter().zip(store.sizes(keys)) {
                size?.ok_or_else(|| missing(store, key))?;
            }
        }
        Ok(())
    }

    /// Reads all keys on all threads, and returns the total checksum.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`] for a missing key, [`ErrorKind::Cancelled`], and I/O errors of the store.
    pub(super) fn sum(&self, store: &Arc<dyn Store>, env: &Env) -> Result<KeySum> {
        let items = self.keys.chunks(TOGETHER);
        let items = items.map(|keys| Ok(WorkItem::new(PIECE, keys)));
        let work = |keys: &[String]| {
            let mut all = KeySum::default();
            for key in keys {
                env.cancel.check()?;
                all.add(&of_key(&**store, key)?);
            }
            Ok(all)
        };
        let mut all = KeySum::default();
        env.runtime.ordered(items, work, |sum| {
            all.add(&sum);
            Ok(())
        })?;
        Ok(all)
    }
}

/// Returns the checksum of a key.
fn of_key(store: &dyn Store, key: &str) -> Result<KeySum> {
    let len = store.size(key)?.ok_or_else(|| missing(store, key))?;
    if len <= PIECE {
        let bytes = store.get(key)?.ok_or_else(|| missing(store, key))?;
        let len = bytes.len() as u64;
        return KeySum::of((key, len), [Ok(bytes)]);
    }
    let mut at = 0;
    let mut failed = false;
    let pieces = std::iter::from_fn(|| {
        if at >= len || failed {
            return None;
        }
        let piece = next(at, len).and_then(|range| {
            at = range.end;
            piece(store, key, range)
        });
        failed = piece.is_err();
        Some(piece)
    });
    KeySum::of((key, len), pieces)
}

fn next(at: u64, len: u64) -> Result<Range<u64>> {
    Ok(at..(exact(at) + PIECE).get()?.min(len))
}

fn piece(store: &dyn Store, key: &str, range: Range<u64>) -> Result<Vec<u8>> {
    let read = store.get_ranges(key, &[range])?;
    let mut parts = read.ok_or_else(|| missing(store, key))?;
    parts.pop().or_internal("a part of a key")
}

/// Returns the error for a missing chunk.
pub(super) fn missing(store: &dyn Store, key: &str) -> Error {
    let e = Error::new(ErrorKind::NotFound, "a written chunk is missing");
    e.in_object(key).of(store.name())
}
