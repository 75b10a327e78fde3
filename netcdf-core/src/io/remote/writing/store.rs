//! A store being written to the objects below a prefix.
//!
//! Objects cannot be renamed, so they are written in their places. What makes them a store, the metadata of the root, is sent last.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::claim::{self, Claim};
use super::sending::Sending;
use crate::error::{Error, ErrorKind, Result};
use crate::io::key;
use crate::io::network::Run;
use crate::io::remote::bucket::Bucket;
use crate::io::remote::store::Keys;
use crate::io::remote::wait::wait;
use crate::io::remote::{Objects as _, below};
use crate::io::store::{Hints, KeyParts, MARKERS, Store, VisitKey, exists, ranges_of};
use crate::io::target::StoreTarget;
use crate::notes::Note;

/// A store that becomes one on commit.
#[derive(Debug)]
pub struct BucketTarget {
    store: Arc<InProgress>,
    /// The store that [`StoreTarget::store`] returns.
    shared: Arc<dyn Store>,
    claim: Claim,
    run: Run,
    /// Whether the store is complete.
    done: bool,
}

/// What was put so far.
#[derive(Debug)]
struct InProgress {
    /// What the service has.
    there: Keys,
    bucket: Arc<Bucket>,
    /// Empty, or ends in `/`.
    prefix: String,
    sending: Sending,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    /// Metadata of the root, in the order in which it was put.
    root: Vec<(String, Vec<u8>)>,
    /// Keys that must not be put again.
    once: BTreeSet<String>,
}

impl BucketTarget {
    /// Begins a store of the objects below `key`; with `overwrite`, instead of the store that is there.
    ///
    /// # Errors
    /// [`ErrorKind::Exists`] if there is anything that is not replaced, or if another run writes there; those of the service.
    pub fn create(bucket: Bucket, key: &str, overwrite: bool, run: &Run) -> Result<Self> {
        let bucket = Arc::new(bucket);
        let prefix = below(key);
        let claim = wait(begin(&bucket, key, &prefix, overwrite, run))?;
        let objects = Arc::clone(&bucket) as Arc<dyn crate::io::remote::Objects>;
        let store = Arc::new(InProgress {
            there: Keys::new(objects, key, Hints::default()),
            bucket,
            prefix,
            sending: Sending::new(run),
            held: Mutex::default(),
        });
        Ok(Self {
            shared: Arc::clone(&store) as Arc<dyn Store>,
            store,
            claim,
            run: run.clone(),
            done: false,
        })
    }

    /// Removes all that was put. The claim goes last, so that nobody takes the rest for something else.
    async fn remove(&self) -> Result<()> {
        let InProgress { bucket, prefix, .. } = &*self.store;
        if !self.claim.is_ours().await? {
            return Ok(());
        }
        delete_root(bucket, prefix).await?;
        bucket.delete_below(prefix, self.claim.key()).await?;
        self.claim.release().await
    }

    fn say(&self, what: String, remedy: &str) {
        self.run.notes.say(Note {
            object: self.store.there.name().to_string(),
            what,
            remedy: Some(remedy.to_owned()),
        });
    }
}

/// Claims the place of a store, and clears it if so wanted.
async fn begin(
    bucket: &Arc<Bucket>,
    key: &str,
    prefix: &str,
    overwrite: bool,
    run: &Run,
) -> Result<Claim> {
    if !key.is_empty() && bucket.length(key).await?.is_some() {
        let what = "there is an object of this name, which a store would hide";
        let e = Error::new(ErrorKind::Exists, what).of(&bucket.address(key));
        return Err(e.with_remedy("remove it, or choose another key"));
    }
    check_place(bucket, key, overwrite).await?;
    let claim = Claim::take(bucket, prefix, overwrite, run).await?;
    let cleared = match overwrite {
        true => clear(bucket, prefix, &claim).await,
        // Another run may have ended between the look and the claim.
        false => check_place_of(bucket, key, Some(&claim)).await,
    };
    if let Err(e) = cleared {
        // The first error says more than one of this.
        let _ = claim.release().await;
        return Err(e);
    }
    Ok(claim)
}

/// Removes the store that is there.
async fn clear(bucket: &Bucket, prefix: &str, claim: &Claim) -> Result<()> {
    delete_root(bucket, prefix).await?;
    bucket.delete_below(prefix, claim.key()).await
}

/// Removes the metadata of the root: what is left is no store.
async fn delete_root(bucket: &Bucket, prefix: &str) -> Result<()> {
    for name in MARKERS {
        bucket.delete(&format!("{prefix}{name}")).await?;
    }
    Ok(())
}

/// Checks that a store may be begun here.
async fn check_place(bucket: &Bucket, key: &str, overwrite: bool) -> Result<()> {
    if !overwrite {
        return check_place_of(bucket, key, None).await;
    }
    let prefix = below(key);
    if bucket.first_below(key, "").await?.is_none() {
        return Ok(());
    }
    for name in MARKERS.iter().chain(&[claim::NAME]) {
        if bucket.length(&format!("{prefix}{name}")).await?.is_some() {
            return Ok(());
        }
    }
    let what = "there are objects below this key, but no Zarr store";
    let e = Error::new(ErrorKind::Exists, what).of(&bucket.address(key));
    Err(e.with_remedy("--overwrite replaces Zarr stores only; choose another key"))
}

/// Checks that there is nothing below a key, apart from our own claim.
async fn check_place_of(bucket: &Bucket, key: &str, claim: Option<&Claim>) -> Result<()> {
    let own = claim.map_or("", Claim::key);
    let Some(first) = bucket.first_below(key, own).await? else {
        return Ok(());
    };
    let prefix = below(key);
    if own.is_empty() && bucket.length(&claim::key(&prefix)).await?.is_some() {
        return Err(claim::refused(bucket, &prefix).await?);
    }
    let what = format!("there are objects below this key already, such as {first}");
    let e = Error::new(ErrorKind::Exists, what).of(&bucket.address(key));
    Err(e.with_remedy(
        "choose another key, or replace a Zarr store with --overwrite, which removes the old one before the new one is complete",
    ))
}

impl InProgress {
    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The bytes of a key that was not sent yet.
    fn kept(&self, key: &str) -> Option<Vec<u8>> {
        let held = self.held();
        let found = held.root.iter().find(|(name, _)| name == key);
        found.map(|(_, bytes)| bytes.clone())
    }

    /// What the service has, once all is there.
    fn settled(&self) -> Result<&Keys> {
        self.sending.finish()?;
        Ok(&self.there)
    }

    fn checked(&self, key: &str) -> Result<()> {
        key::check(key).map_err(|e| e.of(self.there.name()).in_object(key))
    }

    /// Sends the metadata of the root; what a reader looks for comes last.
    async fn send_root(&self) -> Result<()> {
        let mut root = std::mem::take(&mut self.held().root);
        root.sort_by_key(|(name, _)| matches!(&**name, ".zgroup" | ".zarray" | ".nczarr"));
        for (name, bytes) in root {
            let key = format!("{}{name}", self.prefix);
            self.bucket.put(&key, bytes.into()).await?;
        }
        Ok(())
    }
}

impl StoreTarget for BucketTarget {
    fn store(&self) -> &Arc<dyn Store> {
        &self.shared
    }

    fn commit(mut self: Box<Self>) -> Result<()> {
        self.run.cancel.check()?;
        self.store.sending.finish()?;
        if !wait(self.claim.is_ours())? {
            let what = "another run took this store over; what is there is not what was written";
            return Err(Error::new(ErrorKind::Changed, what).of(self.store.there.name()));
        }
        wait(self.store.send_root())?;
        self.done = true;
        if let Err(e) = wait(self.claim.release()) {
            let what = format!("the store is complete, but its claim remains: {}", e.what());
            self.say(what, "remove the object .netcdf-tools-writing");
        }
        Ok(())
    }
}

impl Drop for BucketTarget {
    fn drop(&mut self) {
        if self.done {
            return;
        }
        self.store.sending.give_up();
        if let Err(e) = wait(self.remove()) {
            let what = format!(
                "what was written of the store could not be removed: {}",
                e.what()
            );
            self.say(what, "replace it with --overwrite");
        }
    }
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
        match self.kept(key) {
            Some(bytes) => Ok(Some(bytes.len() as u64)),
            None => self.settled()?.size(key),
        }
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
        if MARKERS.contains(&key) {
            let mut held = self.held();
            held.root.push((key.to_owned(), bytes.to_vec()));
            return Ok(());
        }
        let full = format!("{}{key}", self.prefix);
        let (bucket, bytes) = (Arc::clone(&self.bucket), bytes.to_vec());
        self.sending.send(bytes.len() as u64, async move {
            bucket.put(&full, bytes.into()).await
        })
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
        self.sending.finish()?;
        wait(self.bucket.delete(&format!("{}{key}", self.prefix)))
    }
}
