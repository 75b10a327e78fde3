//! The keys of this process on top of the keys of a shared store.

use std::ops::Range;
use std::sync::Arc;

use crate::error::Result;
use crate::io::dir::DirStore;
use crate::io::store::{KeyParts, Store, VisitKey};
use crate::io::sums::RunningSums;

/// A store whose own keys hide the shared keys. Lists contain only own keys.
#[derive(Debug)]
pub(super) struct Overlay {
    /// The keys of this process.
    pub own: DirStore,
    /// The keys of the shared store.
    pub others: DirStore,
    pub sums: RunningSums,
}

impl Store for Overlay {
    fn name(&self) -> &Arc<str> {
        self.own.name()
    }

    fn get(&self, key: &str) -> Result<Option<Vec<u8>>> {
        match self.own.get(key)? {
            None => self.others.get(key),
            found => Ok(found),
        }
    }

    fn get_ranges(&self, key: &str, ranges: &[Range<u64>]) -> Result<KeyParts> {
        match self.own.get_ranges(key, ranges)? {
            None => self.others.get_ranges(key, ranges),
            found => Ok(found),
        }
    }

    fn size(&self, key: &str) -> Result<Option<u64>> {
        match self.own.size(key)? {
            None => self.others.size(key),
            found => Ok(found),
        }
    }

    fn children(&self, prefix: &str) -> Result<Vec<String>> {
        self.own.children(prefix)
    }

    fn walk(&self, prefix: &str, visit: VisitKey<'_>) -> Result<()> {
        self.own.walk(prefix, visit)
    }

    fn put(&self, key: &str, bytes: &[u8]) -> Result<()> {
        self.sums.note(key, bytes);
        self.own.put(key, bytes)
    }

    fn put_if_absent(&self, key: &str, bytes: &[u8]) -> Result<()> {
        self.sums.note(key, bytes);
        self.own.put_if_absent(key, bytes)
    }

    fn delete(&self, key: &str) -> Result<()> {
        self.own.delete(key)
    }
}
