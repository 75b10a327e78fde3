//! All objects below a prefix as a store.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;

use super::failure::changed;
use super::key_list::ListedKeys;
use super::outage::each;
use super::source::{cut, merged};
use super::wait::{aside, wait};
use super::{Objects, Part, PartResponse, Version, below, limited};
use crate::arithmetic::length;
use crate::error::{Error, ErrorKind, Result};
use crate::io::key;
use crate::io::key_reads::{KeyReads, KeyState};
use crate::io::reference::Reference;
use crate::io::store::{Hints, KeyContent, KeyParts, KeyRanges, Store, VisitKey};

/// The size limit for reading a key without a caller's limit, because a server may send endless data.
const MOST: u64 = 4 << 30;

/// Maximum number of keys in a state. Listing 1,000 keys takes one request.
const MOST_STATES: u64 = 20_000;

/// The maximum number of cached versions.
const VERSIONS: usize = 1 << 16;

/// A store of objects.
#[derive(Debug)]
pub(super) struct ObjectStore {
    objects: Arc<dyn Objects>,
    /// The prefix: empty, or a key with a trailing `/`.
    prefix: String,
    name: Arc<str>,
    hints: Hints,
    /// The versions of the keys read so far. Another version in a later read is an error.
    versions: Mutex<BTreeMap<String, Version>>,
    /// The sizes of all keys, after the first complete list. A list takes one request per 1,000 keys.
    listed: OnceLock<ListedKeys>,
    /// The record of the keys read.
    reads: OnceLock<Arc<KeyReads>>,
}

impl ObjectStore {
    /// Creates a store of the objects below `prefix`, a key without leading and trailing slashes.
    pub(super) fn new(objects: Arc<dyn Objects>, prefix: &str, hints: Hints) -> Self {
        let name = objects.address(prefix).into();
        let prefix = below(prefix);
        Self {
            objects,
            prefix,
            name,
            hints,
            versions: Mutex::default(),
            listed: OnceLock::new(),
            reads: OnceLock::new(),
        }
    }

    /// The service's key for a key of the store.
    fn full(&self, key: &str) -> Result<String> {
        let wrong = |e: Error| e.of(&self.name).in_object(key);
        key::check(key).map_err(wrong)?;
        Ok(format!("{}{key}", self.prefix))
    }

    /// The service's prefix for a prefix of the store.
    fn full_prefix(&self, prefix: &str) -> Result<String> {
        match prefix {
            "" => Ok(self.prefix.clone()),
            some => self
                .full(some.trim_end_matches('/'))
                .map(|key| format!("{key}/")),
        }
    }

    fn version(&self, key: &str) -> Option<Version> {
        let versions = self.versions.lock().unwrap_or_else(PoisonError::into_inner);
        versions.get(key).cloned()
    }

    /// Records the version of an answer. Returns an error if an earlier answer had another version.
    fn same(&self, key: &str, got: &PartResponse) -> Result<()> {
        let Some(version) = &got.version else {
            return Ok(());
        };
        let mut versions = self.versions.lock().unwrap_or_else(PoisonError::into_inner);
        match versions.get(key) {
            Some(known) if known == version => Ok(()),
            Some(_) => Err(changed()),
            None if versions.len() >= VERSIONS => Ok(()),
            None => {
                versions.insert(key.to_owned(), version.clone());
                Ok(())
            }
        }
    }

    /// Adds a key to the record of keys.
    fn record(&self, key: &str, got: &PartResponse) {
        if let Some(reads) = self.reads.get() {
            let state = KeyState {
                len: got.total,
                tag: got.version.as_ref().map(|version| version.0.as_str()),
                modified: got.modified,
            };
            reads.add(key, state);
        }
    }

    async fn ask(&self, key: &str, part: Part) -> Result<Option<PartResponse>> {
        let full = self.full(key)?;
        let version = self.version(key);
        let failed = |e: Error| e.of(&self.name).in_object(key);
        let got = limited(&*self.objects, &full, part, version.as_ref());
        let got = got.await.map_err(failed)?;
        match &got {
            Some(got) => {
                self.same(key, got).map_err(failed)?;
                self.record(key, got);
            }
            None if version.is_some() => return Err(failed(changed())),
            None => {}
        }
        Ok(got)
    }

    async fn content(&self, key: &str, most: u64) -> Result<KeyContent> {
        Ok(match self.ask(key, Part::Whole(most)).await? {
            None => KeyContent::Missing,
            Some(got) if got.total > most => KeyContent::Longer(got.total),
            Some(got) => {
                self.objects.network().used(got.total);
                KeyContent::Bytes(got.bytes)
            }
        })
    }

    async fn part(&self, key: &str, range: Range<u64>) -> Result<Option<Vec<u8>>> {
        if range.is_empty() {
            return Ok(Some(vec![]));
        }
        Ok(self
            .ask(key, Part::Range(range))
            .await?
            .map(|got| got.bytes))
    }

    /// Reads ranges of a key with merged requests.
    async fn parts(&self, key: &str, ranges: &[Range<u64>]) -> Result<KeyParts> {
        let reads = merged(ranges);
        for range in ranges {
            self.objects.network().used(length(range));
        }
        let asked: Vec<BoxFuture<'_, Result<Option<Vec<u8>>>>> = reads
            .iter()
            .map(|read| read.range.clone())
            .map(|range| Box::pin(self.part(key, range)) as BoxFuture<'_, _>)
            .collect();
        let asked = futures_util::stream::iter(asked).buffered(self.at_once());
        let got: Vec<Result<Option<Vec<u8>>>> = asked.collect().await;
        let got = got.into_iter().collect::<Result<Option<Vec<_>>>>()?;
        got.map(|got| cut(ranges, &reads, &got)).transpose()
    }

    async fn length(&self, key: &str) -> Result<Option<u64>> {
        let got = self.ask(key, Part::First(1)).await?;
        Ok(got.map(|got| got.total))
    }

    /// The maximum number of requests in flight.
    fn at_once(&self) -> usize {
        self.objects.network().downloads.most()
    }

    /// Sends a request per item. Returns the answers in order.
    fn each<'a, T: Send + 'a, A: Sync>(
        &self,
        items: &'a [A],
        ask: impl Fn(&'a A) -> BoxFuture<'a, Result<T>> + Send + Sync,
    ) -> Vec<Result<T>> {
        each(items, self.at_once(), ask, |answer| answer)
    }

    fn read_only(&self) -> Error {
        let what = "a store on another machine is written as a whole, not changed";
        Error::new(ErrorKind::ReadOnly, what).of(&self.name)
    }
}

impl Store for ObjectStore {
    fn name(&self) -> &Arc<str> {
        &self.name
    }

    fn hints(&self) -> Hints {
        self.hints
    }

    fn latency(&self) -> bool {
        true
    }

    fn location(&self, key: &str) -> Result<Option<Reference>> {
        let address = self.objects.address(&self.full(key)?);
        Ok(Some(Reference::Whole(address.into())))
    }

    fn get(&self, key: &str) -> Result<Option<Vec<u8>>> {
        match wait(self.content(key, MOST))? {
            KeyContent::Missing => Ok(None),
            KeyContent::Bytes(bytes) => Ok(Some(bytes)),
            KeyContent::Longer(size) => {
                let what = format!("{size} bytes, where {MOST} may be read at once");
                let e = Error::new(ErrorKind::Limit, what).of(&self.name);
                Err(e.in_object(key))
            }
        }
    }

    fn get_ranges(&self, key: &str, ranges: &[Range<u64>]) -> Result<KeyParts> {
        wait(self.parts(key, ranges))
    }

    fn get_parts(&self, keys: &[KeyRanges]) -> Vec<Result<KeyParts>> {
        self.each(keys, |of| Box::pin(self.parts(&of.key, &of.ranges)))
    }

    fn size(&self, key: &str) -> Result<Option<u64>> {
        wait(self.length(key))
    }

    fn sizes(&self, keys: &[String]) -> Vec<Result<Option<u64>>> {
        self.each(keys, |key| Box::pin(self.length(key)))
    }

    fn get_many(&self, keys: &[String], most: u64) -> Vec<Result<KeyContent>> {
        // The remaining limit only shrinks, so a refused answer would not fit later either.
        let left = Mutex::new(most);
        let now = || *left.lock().unwrap_or_else(PoisonError::into_inner);
        let take = |content| {
            let KeyContent::Bytes(bytes) = &content else {
                return content;
            };
            let size = bytes.len() as u64;
            let mut left = left.lock().unwrap_or_else(PoisonError::into_inner);
            match left.checked_sub(size) {
                None => KeyContent::Longer(size),
                Some(rest) => {
                    *left = rest;
                    content
                }
            }
        };
        each(
            keys,
            self.at_once(),
            |key| Box::pin(async { self.content(key, now()).await }),
            take,
        )
    }

    fn children(&self, prefix: &str) -> Result<Vec<String>> {
        let full = self.full_prefix(prefix)?;
        wait(self.objects.children(&full))
    }

    fn children_many(&self, prefixes: &[String]) -> Vec<Result<Vec<String>>> {
        self.each(prefixes, |prefix| {
            Box::pin(async move {
                let full = self.full_prefix(prefix)?;
                let limit = &self.objects.network().downloads;
                limit.run(self.objects.children(&full), |_| 0).await
            })
        })
    }

    fn state(&self) -> Result<Option<String>> {
        let all = wait(self.objects.states(&self.prefix, MOST_STATES))?;
        Ok(all.map(|all| all.text()))
    }

    fn watch(&self, reads: &Arc<KeyReads>) {
        // The first record stays.
        let _ = self.reads.set(Arc::clone(reads));
    }

    fn walk(&self, prefix: &str, visit: VisitKey<'_>) -> Result<()> {
        let full = self.full_prefix(prefix)?;
        if let Some(listed) = self.listed.get() {
            return listed.each(prefix, visit);
        }
        let mut all = ListedKeys::default();
        let mut page = |keys: Vec<(String, u64)>| {
            for (key, size) in keys {
                if let Some(own) = key.strip_prefix(&self.prefix) {
                    if prefix.is_empty() {
                        all.add(own, size);
                    }
                    visit(own, size)?;
                }
            }
            Ok(())
        };
        // The visitor may send requests.
        wait(self.objects.walk(&full, &mut |keys| aside(|| page(keys))))?;
        if let Some(all) = all.whole().filter(|_| prefix.is_empty()) {
            // Another thread may have listed the same keys.
            let _ = self.listed.set(all);
        }
        Ok(())
    }

    fn put(&self, _key: &str, _bytes: &[u8]) -> Result<()> {
        Err(self.read_only())
    }

    fn put_if_absent(&self, _key: &str, _bytes: &[u8]) -> Result<()> {
        Err(self.read_only())
    }

    fn delete(&self, _key: &str) -> Result<()> {
        Err(self.read_only())
    }
}
