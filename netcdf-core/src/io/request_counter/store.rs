//! A store with counted requests.

use std::ops::Range;
use std::sync::Arc;

use super::RequestCounter;
use crate::error::Result;
use crate::io::Store;
use crate::io::invalid_entries::InvalidEntry;
use crate::io::key_reads::KeyReads;
use crate::io::reference::{Reference, ReferenceKeys, SourceState};
use crate::io::store::{Hints, KeyContent, KeyParts, KeyRanges, VisitKey};

/// A store with counted requests. A key, a range of a key, and a list each take one request.
#[derive(Debug)]
pub(super) struct CountedStore {
    pub(super) inner: Arc<dyn Store>,
    pub(super) count: Arc<RequestCounter>,
}

impl CountedStore {
    fn parts(&self, ranges: usize, got: &Result<KeyParts>) {
        let parts = got.as_ref().ok().and_then(|parts| parts.as_deref());
        let bytes = parts
            .unwrap_or_default()
            .iter()
            .map(|part| part.len() as u64);
        self.count.add(ranges, bytes.sum());
    }
}

impl Store for CountedStore {
    fn name(&self) -> &Arc<str> {
        self.inner.name()
    }

    fn hints(&self) -> Hints {
        self.inner.hints()
    }

    fn location(&self, key: &str) -> Result<Option<Reference>> {
        self.inner.location(key)
    }

    fn source_state(&self, url: &str) -> Option<SourceState> {
        self.inner.source_state(url)
    }

    fn is_spread(&self) -> bool {
        self.inner.is_spread()
    }

    fn reference_keys(&self) -> Option<&dyn ReferenceKeys> {
        self.inner.reference_keys()
    }

    fn latency(&self) -> bool {
        self.count.counts() || self.inner.latency()
    }

    fn get(&self, key: &str) -> Result<Option<Vec<u8>>> {
        let got = self.inner.get(key)?;
        let bytes = got.as_ref().map_or(0, |bytes| bytes.len() as u64);
        self.count.add(1, bytes);
        Ok(got)
    }

    fn get_many(&self, keys: &[String], most: u64) -> Vec<Result<KeyContent>> {
        let got = self.inner.get_many(keys, most);
        for content in &got {
            let bytes = match content {
                Ok(KeyContent::Bytes(bytes)) => bytes.len() as u64,
                Ok(KeyContent::Missing | KeyContent::Longer(_)) | Err(_) => 0,
            };
            self.count.add(1, bytes);
        }
        got
    }

    fn get_ranges(&self, key: &str, ranges: &[Range<u64>]) -> Result<KeyParts> {
        let got = self.inner.get_ranges(key, ranges);
        self.parts(ranges.len(), &got);
        got
    }

    fn get_parts(&self, keys: &[KeyRanges]) -> Vec<Result<KeyParts>> {
        let got = self.inner.get_parts(keys);
        for (of, got) in keys.iter().zip(&got) {
            self.parts(of.ranges.len(), got);
        }
        got
    }

    fn size(&self, key: &str) -> Result<Option<u64>> {
        self.count.add(1, 0);
        self.inner.size(key)
    }

    fn sizes(&self, keys: &[String]) -> Vec<Result<Option<u64>>> {
        self.count.add(keys.len(), 0);
        self.inner.sizes(keys)
    }

    fn children(&self, prefix: &str) -> Result<Vec<String>> {
        self.count.add(1, 0);
        self.inner.children(prefix)
    }

    fn children_many(&self, prefixes: &[String]) -> Vec<Result<Vec<String>>> {
        self.count.add(prefixes.len(), 0);
        self.inner.children_many(prefixes)
    }

    fn walk(&self, prefix: &str, visit: VisitKey<'_>) -> Result<()> {
        self.count.add(1, 0);
        self.inner.walk(prefix, visit)
    }

    fn put(&self, key: &str, bytes: &[u8]) -> Result<()> {
        self.inner.put(key, bytes)
    }

    fn put_if_absent(&self, key: &str, bytes: &[u8]) -> Result<()> {
        self.inner.put_if_absent(key, bytes)
    }

    fn state(&self) -> Result<Option<String>> {
        self.inner.state()
    }

    fn watch(&self, reads: &Arc<KeyReads>) {
        self.inner.watch(reads);
    }

    fn changed(&self) -> Option<Arc<str>> {
        self.inner.changed()
    }

    fn changed_keys(&self) -> Vec<String> {
        self.inner.changed_keys()
    }

    fn later_key(&self) -> Option<String> {
        self.inner.later_key()
    }

    fn forget_states(&self) {
        self.inner.forget_states();
    }

    fn invalid_entries(&self, all: bool) -> Result<Vec<InvalidEntry>> {
        self.inner.invalid_entries(all)
    }

    fn delete(&self, key: &str) -> Result<()> {
        self.inner.delete(key)
    }
}
