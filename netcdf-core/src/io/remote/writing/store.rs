//! A store that is written to objects below a prefix.
//!
//! Objects cannot be renamed, so they are written at their final keys. The root metadata completes the store and is sent last.

use std::sync::Arc;

use super::claim::{self, StoreClaim};
use super::in_progress::InProgress;
use super::place::ObjectPrefix;
use crate::error::{Error, ErrorKind, Result};
use crate::io::network::OutputRun;
use crate::io::remote::bucket::Bucket;
use crate::io::remote::wait::wait;
use crate::io::store::Store;
use crate::io::target::StoreTarget;
use crate::notes::Note;

/// A new store, which is complete on commit.
#[derive(Debug)]
pub(crate) struct BucketTarget {
    store: Arc<InProgress>,
    /// The store that [`StoreTarget::store`] returns.
    shared: Arc<dyn Store>,
    claim: StoreClaim,
    run: OutputRun,
    /// Whether the store is complete.
    done: bool,
}

impl BucketTarget {
    /// Begins a store of the objects below `key`. With `overwrite`, replaces an existing store.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Exists`] for objects that are not replaced or the claim of another run, and errors of the service.
    pub(crate) fn create(
        bucket: Bucket,
        key: &str,
        overwrite: bool,
        run: &OutputRun,
    ) -> Result<Self> {
        let place = ObjectPrefix::new(bucket, key);
        let claim = wait(place.begin(claim::text(), overwrite, run))?;
        let store = Arc::new(InProgress::new(place, None, run));
        Ok(Self {
            shared: Arc::clone(&store) as Arc<dyn Store>,
            store,
            claim,
            run: run.clone(),
            done: false,
        })
    }

    /// Removes all keys. The claim is removed last, so that no run mistakes the remaining keys for other data.
    async fn remove(&self) -> Result<()> {
        if !self.claim.is_ours().await? {
            return Ok(());
        }
        self.store.place.clear(&self.claim).await?;
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

impl StoreTarget for BucketTarget {
    fn store(&self) -> &Arc<dyn Store> {
        &self.shared
    }

    fn commit(mut self: Box<Self>) -> Result<()> {
        self.run.cancel.check()?;
        self.store.sending.finish()?;
        if !wait(self.claim.is_ours())? {
            let what = "another run took over this store and may have replaced its contents";
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
            let what = format!("the incomplete store could not be removed: {}", e.what());
            self.say(what, "replace it with --overwrite");
        }
    }
}
