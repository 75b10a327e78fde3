//! The keys of a store that is being written below a prefix.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::claim;
use super::place::ObjectPrefix;
use super::sending::Sending;
use crate::error::{Error, ErrorKind, Result};
use crate::io::key;
use crate::io::lease::Lease;
use crate::io::network::OutputRun;
use crate::io::remote::bucket::Bucket;
use crate::io::remote::key_list::ListedKeys;
use crate::io::remote::store::ObjectStore;
use crate::io::remote::wait::wait;
use crate::io::remote::{Objects, Part};
use crate::io::store::{Hints, KeyParts, MARKERS, Store, VisitKey, exists, ranges_of};
use crate::io::sums::RunningSums;

/// A store that is being written.
#[derive(Debug)]
pub(super) struct InProgress {
    /// The objects of the service.
    pub there: ObjectStore,
    pub place: ObjectPrefix,
    pub sending: Sending,
    held: Mutex<HeldParts>,
    /// State for stores that several processes write.
    others: Option<ForeignWriters>,
}

/// State for stores that several processes write.
#[derive(Debug, Default)]
pub(super) struct ForeignWriters {
    /// The digest of this process's keys.
    pub sums: RunningSums,
    /// Whether the store is complete. The process then compares keys with the stored keys instead of sending them.
    pub complete: bool,
    /// Sizes of the other processes' keys, after the first size request. A list takes one request per 1,000 keys.
    pub listed: Option<OnceLock<Option<ListedKeys>>>,
    /// The lease of a process that finishes the store. Without the lease, the process puts no keys.
    pub lease: Option<Arc<Lease>>,
}

#[derive(Debug, Default)]
struct HeldParts {
    /// Root metadata, in the order of the puts.
    root: Vec<(String, Vec<u8>)>,
    /// Keys that must not be put again.
    once: BTreeSet<String>,
}

impl InProgress {
    pub(super) fn new(
        place: ObjectPrefix,
        others: Option<ForeignWriters>,
        run: &OutputRun,
    ) -> Self {
        let objects = Arc::clone(&place.bucket) as Arc<dyn Objects>;
        Self {
            there: ObjectStore::new(objects, &place.key, Hints::default()),
            place,
            sending: Sending::new(run),
            held: Mutex::default(),
            others,
        }
    }

    fn held(&self) -> MutexGuard<'_, HeldParts> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The bytes of a key that is not sent yet.
    fn kept(&self, key: &str) -> Option<Vec<u8>> {
        let held = self.held();
        let found = held.root.iter().find(|(name, _)| name == key);
        found.map(|(_, bytes)| bytes.clone())
    }

    /// Waits for all requests, and returns the objects of the service.
    fn settled(&self) -> Result<&ObjectStore> {
        self.sending.finish()?;
        Ok(&self.there)
    }

    /// The lease of a process that finishes the store.
    pub(super) fn lease(&self) -> Option<&Arc<Lease>> {
        self.others
            .as_ref()
            .and_then(|others| others.lease.as_ref())
    }

    fn checked(&self, key: &str) -> Result<()> {
        key::check(key).map_err(|e| e.of(self.there.name()).in_object(key))
    }

    /// Sends the root metadata. The keys that identify a store are sent last.
    pub(super) async fn send_root(&self) -> Result<()> {
        let mut root = std::mem::take(&mut self.held().root);
        root.sort_by_key(|(name, _)| matches!(&**name, ".zgroup" | ".zarray" | ".nczarr"));
        for (name, bytes) in root {
            self.putting(&name, bytes).await?;
        }
        Ok(())
    }

    /// Puts a key, or compares it with the stored key if the store is complete.
    fn putting(
        &self,
        key: &str,
        bytes: Vec<u8>,
    ) -> impl Future<Output = Result<()>> + Send + 'static {
        let full = self.place.full(key);
        let bucket = Arc::clone(&self.place.bucket);
        let complete = self.others.as_ref().is_some_and(|others| others.complete);
        async move {
            match complete {
                true => same(&bucket, &full, &bytes).await,
                false => bucket.put(&full, bytes.into()).await,
            }
        }
    }

    /// The size of a key, if known without a request for the key.
    fn known(&self, key: &str) -> Result<Option<u64>> {
        match self.kept(key) {
            Some(bytes) => Ok(Some(bytes.len() as u64)),
            None => self.listed(key),
        }
    }

    /// The size of another process's key, if keys can be listed.
    fn listed(&self, key: &str) -> Result<Option<u64>> {
        let Some(listed) = self.others.as_ref().and_then(|o| o.listed.as_ref()) else {
            return Ok(None);
        };
        if listed.get().is_none() {
            let mut all = ListedKeys::default();
            let ObjectPrefix { bucket, prefix, .. } = &self.place;
            wait(bucket.walk(prefix, &mut |keys| {
                for (key, size) in keys {
                    all.add(key.strip_prefix(prefix.as_str()).unwrap_or(&key), size);
                }
                Ok(())
            }))?;
            // Another thread may have listed the same keys.
            let _ = listed.set(all.whole());
        }
        let all = listed.get().and_then(Option::as_ref);
        Ok(all.and_then(|all| all.size(key)))
    }
}

/// Checks that an object has these bytes.
async fn same(bucket: &Bucket, full: &str, bytes: &[u8]) -> Result<()> {
    let there = bucket.get(full, Part::Whole(bytes.len() as u64), None);
    if there.await?.is_some_and(|there| there.bytes == bytes) {
        return Ok(());
    }
    let what = "the finished store has another value: another run replaced the store";
    Err(Error::new(ErrorKind::Changed, what).of(&bucket.address(full)))
}

impl Store for InProgress {
    fn name(&self) -> &Arc<str> {
        self.there.name()
    }

    fn latency(&self) -> bool {
        true
    }

    fn get(&self, key: &str) -> Result<Option<Vec<u8>>> {
        match self.kept(key) {
            Some(bytes) => Ok(Some(bytes)),
            None => self.settled()?.get(key),
        }
    }

    fn get_ranges(&self, key: &str, ranges: &[Range<u64>]) -> Result<KeyParts> {
        match self.kept(key) {
            Some(bytes) => ranges_of(&bytes, ranges).map(Some),
            None => self.settled()?.get_ranges(key, ranges),
        }
    }

    fn size(&self, key: &str) -> Result<Option<u64>> {
        match self.known(key)? {
            None => self.settled()?.size(key),
            size => Ok(size),
        }
    }

    fn sizes(&self, keys: &[String]) -> Vec<Result<Option<u64>>> {
        let known: Vec<_> = keys.iter().map(|key| self.known(key)).collect();
        let unknown = keys.iter().zip(&known);
        let unknown = unknown.filter(|(_, size)| matches!(size, Ok(None)));
        let unknown: Vec<String> = unknown.map(|(key, _)| key.clone()).collect();
        let asked: Vec<_> = match self.settled() {
            Ok(there) => there.sizes(&unknown),
            Err(e) => unknown.iter().map(|_| Err(e.again())).collect(),
        };
        let mut asked = asked.into_iter();
        let lacking = || Err(Error::internal("fewer sizes than keys"));
        let size = |known| match known {
            Ok(None) => asked.next().unwrap_or_else(lacking),
            known => known,
        };
        known.into_iter().map(size).collect()
    }

    fn children(&self, prefix: &str) -> Result<Vec<String>> {
        let mut names = self.settled()?.children(prefix)?;
        if prefix.is_empty() {
            names.retain(|name| name != claim::NAME);
            let held = self.held();
            names.extend(held.root.iter().map(|(name, _)| name.clone()));
            names.sort_unstable();
            names.dedup();
        }
        Ok(names)
    }

    fn walk(&self, prefix: &str, visit: VisitKey<'_>) -> Result<()> {
        let there = self.settled()?;
        let mut root = match prefix {
            "" => self.held().root.clone(),
            _ => vec![],
        };
        root.sort_unstable();
        let mut root = root.iter().peekable();
        there.walk(prefix, &mut |key, size| {
            while let Some((name, bytes)) = root.next_if(|(name, _)| &**name < key) {
                visit(name, bytes.len() as u64)?;
            }
            match key {
                claim::NAME => Ok(()),
                key => visit(key, size),
            }
        })?;
        root.try_for_each(|(name, bytes)| visit(name, bytes.len() as u64))
    }

    fn put(&self, key: &str, bytes: &[u8]) -> Result<()> {
        self.checked(key)?;
        if let Some(others) = &self.others {
            others.sums.note(key, bytes);
        }
        if MARKERS.contains(&key) {
            let mut held = self.held();
            held.root.push((key.to_owned(), bytes.to_vec()));
            return Ok(());
        }
        if let Some(lease) = self.lease() {
            lease.check()?;
        }
        let request = self.putting(key, bytes.to_vec());
        self.sending.send(bytes.len() as u64, request)
    }

    fn put_if_absent(&self, key: &str, bytes: &[u8]) -> Result<()> {
        self.checked(key)?;
        if !self.held().once.insert(key.to_owned()) {
            return Err(exists(self.there.name(), key));
        }
        self.put(key, bytes)
    }

    fn delete(&self, key: &str) -> Result<()> {
        self.checked(key)?;
        let mut held = self.held();
        held.once.remove(key);
        let before = held.root.len();
        held.root.retain(|(name, _)| name != key);
        let was_held = held.root.len() < before;
        drop(held);
        if was_held {
            return Ok(());
        }
        if self.others.is_some() {
            return Err(Error::internal("a key removed from a shared store"));
        }
        self.sending.finish()?;
        wait(self.place.bucket.delete(&self.place.full(key)))
    }
}
