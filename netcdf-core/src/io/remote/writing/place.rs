//! The prefix of a store: all its objects are below the prefix.

use std::sync::Arc;

use super::claim::{self, StoreClaim};
use crate::error::{Error, ErrorKind, Result};
use crate::io::network::OutputRun;
use crate::io::remote::bucket::Bucket;
use crate::io::remote::{Objects as _, below};
use crate::io::store::MARKERS;

/// The prefix of a store.
#[derive(Debug, Clone)]
pub(super) struct ObjectPrefix {
    pub bucket: Arc<Bucket>,
    /// The key of the store.
    pub key: String,
    /// The prefix of the store's keys: empty, or ends in `/`.
    pub prefix: String,
}

impl ObjectPrefix {
    pub(super) fn new(bucket: Bucket, key: &str) -> Self {
        Self {
            bucket: Arc::new(bucket),
            key: key.to_owned(),
            prefix: below(key),
        }
    }

    /// Claims the prefix with a unique text. With `overwrite`, removes an existing store.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Exists`] for objects that are not replaced or the claim of another run, and errors of the service.
    pub(super) async fn begin(
        &self,
        text: String,
        overwrite: bool,
        run: &OutputRun,
    ) -> Result<StoreClaim> {
        let Self { bucket, key, .. } = self;
        if !key.is_empty() && bucket.length(key).await?.is_some() {
            let what = "an object with this name exists, and a store would hide it";
            let e = Error::new(ErrorKind::Exists, what).of(&bucket.address(key));
            return Err(e.with_remedy("remove it, or choose another key"));
        }
        self.check(overwrite).await?;
        let claim = StoreClaim::new(bucket, &self.prefix, text);
        if let Err(e) = self.taken(&claim, overwrite, run).await {
            // Return the first error, which is more useful.
            let _ = self.give_back(&claim, overwrite).await;
            return Err(e);
        }
        Ok(claim)
    }

    /// Removes the claim after an error. The claim stays if the old store is partly removed: the next run with `--overwrite` only replaces
    /// objects without root metadata if a claim exists.
    pub(super) async fn give_back(&self, claim: &StoreClaim, overwrite: bool) -> Result<()> {
        let Self { bucket, key, .. } = self;
        let is_store = !overwrite || self.has_root().await?;
        match is_store || bucket.first_below(key, claim.key()).await?.is_none() {
            true => claim.give_back().await,
            false => Ok(()),
        }
    }

    /// Takes a claim. With `overwrite`, removes an existing store.
    async fn taken(&self, claim: &StoreClaim, overwrite: bool, run: &OutputRun) -> Result<()> {
        claim.take(overwrite, run).await?;
        match overwrite {
            true => self.clear(claim).await,
            // Another run may have finished between the first check and the claim.
            false => self.check_empty(Some(claim)).await,
        }
    }

    /// Removes all objects except the claim. The root metadata is removed first, so that the remaining objects are not a store.
    pub(super) async fn clear(&self, claim: &StoreClaim) -> Result<()> {
        for name in MARKERS {
            self.bucket.delete(&self.full(name)).await?;
        }
        self.bucket.delete_below(&self.prefix, claim.key()).await
    }

    /// Whether the root has metadata, which means that a store exists.
    pub(super) async fn has_root(&self) -> Result<bool> {
        for name in MARKERS {
            if self.bucket.length(&self.full(name)).await?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The service's key for a key of the store.
    pub(super) fn full(&self, key: &str) -> String {
        format!("{}{key}", self.prefix)
    }

    /// Checks that a store may begin at the prefix.
    async fn check(&self, overwrite: bool) -> Result<()> {
        let Self { bucket, key, .. } = self;
        if !overwrite {
            return self.check_empty(None).await;
        }
        let nothing = bucket.first_below(key, "").await?.is_none();
        let claim = claim::key(&self.prefix);
        if nothing || self.has_root().await? || bucket.length(&claim).await?.is_some() {
            return Ok(());
        }
        let what = "there are objects below this key, but no Zarr store";
        let e = Error::new(ErrorKind::Exists, what).of(&bucket.address(key));
        Err(e.with_remedy("--overwrite replaces Zarr stores only; choose another key"))
    }

    /// Checks that no object except this run's claim exists.
    async fn check_empty(&self, claim: Option<&StoreClaim>) -> Result<()> {
        let Self { bucket, key, .. } = self;
        let own = claim.map_or("", StoreClaim::key);
        let Some(first) = bucket.first_below(key, own).await? else {
            return Ok(());
        };
        if own.is_empty() && bucket.length(&claim::key(&self.prefix)).await?.is_some() {
            return Err(claim::refused(bucket, &self.prefix).await?);
        }
        let what = format!("there are objects below this key already, such as {first}");
        let e = Error::new(ErrorKind::Exists, what).of(&bucket.address(key));
        Err(e.with_remedy(
            "choose another key, or replace a Zarr store with --overwrite, which removes the old one before the new one is complete",
        ))
    }
}
