//! A store that prefetches keys in groups.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::invalid_entries::InvalidEntry;
use super::key_reads::KeyReads;
use super::reference::{Reference, ReferenceKeys, SourceState};
use super::store::{Hints, KeyContent, KeyParts, KeyRanges, Store, VisitKey, ranges_of};
use crate::error::{OrInternal as _, Result};

/// A store that caches lists, and the keys of [`Store::get_many`], until [`PrefetchStore::forget`]. A cached key takes no further request.
/// Errors are not cached.
#[derive(Debug)]
pub(crate) struct PrefetchStore {
    inner: Arc<dyn Store>,
    known: Mutex<Option<PrefetchedKeys>>,
}

#[derive(Debug, Default)]
struct PrefetchedKeys {
    keys: BTreeMap<String, KeyContent>,
    children: BTreeMap<String, Vec<String>>,
}

impl PrefetchStore {
    /// Creates a cache in front of `inner`.
    #[must_use]
    pub(crate) fn new(inner: Arc<dyn Store>) -> Self {
        let known = Mutex::new(Some(PrefetchedKeys::default()));
        Self { inner, known }
    }

    /// Clears the cache. From then on, every answer comes from the store.
    pub(crate) fn forget(&self) {
        *self.lock() = None;
    }

    fn lock(&self) -> MutexGuard<'_, Option<PrefetchedKeys>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn known(&self, key: &str) -> Option<KeyContent> {
        self.lock().as_ref()?.keys.get(key).cloned()
    }

    /// Returns a cached key. `left` is the remaining byte limit.
    fn kept(&self, key: &str, left: &mut u64) -> Option<KeyContent> {
        match self.known(key)? {
            KeyContent::Bytes(bytes) => {
                let size = bytes.len() as u64;
                let Some(rest) = left.checked_sub(size) else {
                    return Some(KeyContent::Longer(size));
                };
                *left = rest;
                Some(KeyContent::Bytes(bytes))
            }
            KeyContent::Longer(size) => (size > *left).then_some(KeyContent::Longer(size)),
            KeyContent::Missing => Some(KeyContent::Missing),
        }
    }

    fn listed(&self, prefix: &str) -> Option<Vec<String>> {
        self.lock().as_ref()?.children.get(prefix).cloned()
    }

    /// Drops a changed key and all lists from the cache.
    fn change(&self, key: &str) {
        if let Some(known) = self.lock().as_mut() {
            known.keys.remove(key);
            known.children.clear();
        }
    }
}

/// Returns cached answers, and fetches missing answers with `ask`.
fn complete<T>(
    names: &[String],
    known: Vec<Option<T>>,
    ask: impl FnOnce(&[String]) -> Vec<Result<T>>,
) -> Vec<Result<T>> {
    let unknown = names.iter().zip(&known).filter(|(_, k)| k.is_none());
    let unknown: Vec<_> = unknown.map(|(name, _)| name.clone()).collect();
    let asked = match unknown.as_slice() {
        [] => vec![],
        unknown => ask(unknown),
    };
    let mut asked = asked.into_iter();
    let mut next = || asked.next().or_internal("an answer for each key").flatten();
    let all = known.into_iter();
    all.map(|known| known.map_or_else(&mut next, Ok)).collect()
}

impl Store for PrefetchStore {
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
        self.inner.latency()
    }

    fn get(&self, key: &str) -> Result<Option<Vec<u8>>> {
        match self.known(key) {
            Some(KeyContent::Bytes(bytes)) => Ok(Some(bytes)),
            Some(KeyContent::Missing) => Ok(None),
            Some(KeyContent::Longer(_)) | None => self.inner.get(key),
        }
    }

    fn get_ranges(&self, key: &str, ranges: &[Range<u64>]) -> Result<Option<Vec<Vec<u8>>>> {
        match self.known(key) {
            Some(KeyContent::Bytes(bytes)) => {
                let parts = ranges_of(&bytes, ranges);
                parts
                    .map(Some)
                    .map_err(|e| e.of(self.name()).in_object(key))
            }
            Some(KeyContent::Missing) => Ok(None),
            Some(KeyContent::Longer(_)) | None => self.inner.get_ranges(key, ranges),
        }
    }

    fn get_parts(&self, keys: &[KeyRanges]) -> Vec<Result<KeyParts>> {
        self.inner.get_parts(keys)
    }

    fn size(&self, key: &str) -> Result<Option<u64>> {
        let mut sizes = self.sizes(&[key.to_owned()]).into_iter();
        sizes.next().or_internal("a size").flatten()
    }

    fn sizes(&self, keys: &[String]) -> Vec<Result<Option<u64>>> {
        let size = |key: &String| match self.known(key)? {
            KeyContent::Bytes(bytes) => Some(Some(bytes.len() as u64)),
            KeyContent::Longer(size) => Some(Some(size)),
            KeyContent::Missing => Some(None),
        };
        let known = keys.iter().map(size).collect();
        complete(keys, known, |unknown| self.inner.sizes(unknown))
    }

    fn get_many(&self, keys: &[String], most: u64) -> Vec<Result<KeyContent>> {
        let mut left = most;
        let known = keys.iter().map(|key| self.kept(key, &mut left)).collect();
        let ask = |unknown: &[String]| {
            let got = self.inner.get_many(unknown, left);
            if let Some(known) = self.lock().as_mut() {
                let found = unknown.iter().zip(&got);
                let found = found.filter_map(|(key, got)| Some((key, got.as_ref().ok()?)));
                let found = found.map(|(key, got)| (key.clone(), got.clone()));
                known.keys.extend(found);
            }
            got
        };
        complete(keys, known, ask)
    }

    fn children(&self, prefix: &str) -> Result<Vec<String>> {
        let mut lists = self.children_many(&[prefix.to_owned()]).into_iter();
        lists.next().or_internal("a list").flatten()
    }

    fn children_many(&self, prefixes: &[String]) -> Vec<Result<Vec<String>>> {
        let ask = |unknown: &[String]| {
            let got = self.inner.children_many(unknown);
            if let Some(known) = self.lock().as_mut() {
                let found = unknown.iter().zip(&got);
                let found = found.filter_map(|(prefix, got)| Some((prefix, got.as_ref().ok()?)));
                let found = found.map(|(prefix, got)| (prefix.clone(), got.clone()));
                known.children.extend(found);
            }
            got
        };
        let known = prefixes.iter().map(|prefix| self.listed(prefix));
        complete(prefixes, known.collect(), ask)
    }

    fn walk(&self, prefix: &str, visit: VisitKey<'_>) -> Result<()> {
        self.inner.walk(prefix, visit)
    }

    fn put(&self, key: &str, bytes: &[u8]) -> Result<()> {
        self.change(key);
        self.inner.put(key, bytes)
    }

    fn put_if_absent(&self, key: &str, bytes: &[u8]) -> Result<()> {
        self.change(key);
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

    fn invalid_entries(&self, all: bool) -> Result<Vec<InvalidEntry>> {
        self.inner.invalid_entries(all)
    }

    fn delete(&self, key: &str) -> Result<()> {
        self.change(key);
        self.inner.delete(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::memory_store::{MemoryStore, MemoryStoreTarget};
    use crate::io::rounds::Rounds;
    use crate::io::suite;

    fn keys(keys: &[&str]) -> Vec<String> {
        keys.iter().map(|&key| key.to_owned()).collect()
    }

    #[test]
    fn it_is_a_store() {
        let inner: Arc<dyn Store> = Arc::new(MemoryStore::new("m"));
        let ahead: Arc<dyn Store> = Arc::new(PrefetchStore::new(inner));
        let (target, _) = MemoryStoreTarget::new(Arc::clone(&ahead));
        suite::making(Box::new(target));
        for _ in 0..2 {
            suite::reading(&*ahead);
        }
        suite::changing(&*ahead);
    }

    #[test]
    fn what_was_asked_for_ahead_is_kept() {
        let inner: Arc<dyn Store> = Arc::new(MemoryStore::new("m"));
        inner.put("a", b"abc").unwrap();
        inner.put("b", b"abcdef").unwrap();
        let counted = Rounds::of(inner);
        let ahead = PrefetchStore::new(Arc::clone(&counted) as Arc<dyn Store>);
        ahead.get_many(&keys(&["a", "b", "c"]), 4);
        ahead.children_many(&keys(&[""]));
        assert_eq!((counted.asked().rounds, counted.requests()), (2, 4));
        for _ in 0..2 {
            assert_eq!(ahead.get("a").unwrap().unwrap(), b"abc");
            let parts = ahead.get_ranges("a", &[1..2, 0..2]).unwrap().unwrap();
            assert_eq!(parts, [&b"b"[..], b"ab"]);
            assert_eq!(ahead.size("b").unwrap(), Some(6));
            assert_eq!(ahead.get("c").unwrap(), None);
            assert_eq!(ahead.children("").unwrap(), ["a", "b"]);
            ahead.get_many(&keys(&["c", "a"]), 9);
        }
        assert_eq!(counted.requests(), 4);
        assert_eq!(ahead.get("b").unwrap().unwrap(), b"abcdef");
        let got: Vec<_> = ahead.get_many(&keys(&["d", "a", "e"]), 9);
        let got: Vec<_> = got.into_iter().map(Result::unwrap).collect();
        let a = KeyContent::Bytes(b"abc".to_vec());
        assert_eq!(got, [KeyContent::Missing, a, KeyContent::Missing]);
        assert_eq!(counted.requests(), 7);
        ahead.forget();
        ahead.get("a").unwrap();
        ahead.get_many(&keys(&["a"]), 9);
        ahead.get("a").unwrap();
        assert_eq!(counted.requests(), 10);
    }
}
