//! A store below a prefix that several processes write concurrently. Each process writes distinct keys.
//!
//! The claim belongs to the plan and outlives each process. A process checks the claim before and after it puts keys. A process never removes
//! a key, because another process may have put the same key. The last process puts the root metadata and removes the claim.

use std::sync::{Arc, OnceLock};

use super::claim::{self, StoreClaim};
use super::finisher::{self, FinishTurn};
use super::in_progress::{ForeignWriters, InProgress};
use super::place::ObjectPrefix;
use crate::error::{Error, ErrorKind, OrInternal as _, Result};
use crate::io::lease::LeaseOwner;
use crate::io::network::OutputRun;
use crate::io::remote::Objects as _;
use crate::io::remote::bucket::Bucket;
use crate::io::remote::wait::wait;
use crate::io::store::Store;
use crate::io::sums::RunningSums;
use crate::io::target::StoreTarget;
use crate::notes::Note;

/// An object-store prefix that several processes write concurrently.
#[derive(Debug)]
pub(crate) struct SharedStore<'a> {
    place: ObjectPrefix,
    tag: &'a str,
    run: &'a OutputRun,
}

/// The keys that one process adds to the store.
#[derive(Debug)]
struct SharedObjectTarget {
    store: Arc<InProgress>,
    /// The store that [`StoreTarget::store`] returns.
    shared: Arc<dyn Store>,
    claim: StoreClaim,
    turn: WriterRole,
    run: OutputRun,
}

/// The role of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WriterRole {
    /// The process writes a part.
    Part,
    /// The process finishes the store.
    Last,
    /// The process finishes the store again: an earlier process removed the claim, and may have failed afterwards.
    Again,
}

impl<'a> SharedStore<'a> {
    /// Creates the store below `key` with the tag of its claim.
    pub(crate) fn new(bucket: Bucket, (key, tag): (&str, &'a str), run: &'a OutputRun) -> Self {
        Self {
            place: ObjectPrefix::new(bucket, key),
            tag,
            run,
        }
    }

    /// Claims the prefix. With `overwrite`, removes an existing store.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Exists`] for objects that are not replaced or the claim of another run, and errors of the service.
    pub(crate) fn begin(&self, overwrite: bool) -> Result<()> {
        let text = claim::text_of(self.tag);
        let begun = wait(self.place.begin(text, overwrite, self.run)).map(drop);
        if let Err(e) = &begun
            && e.kind() != ErrorKind::Exists
            && !overwrite
        {
            // The service may have stored the claim although its answer was lost. The first error is more useful than an error of the
            // release.
            let _ = wait(self.release_own());
        }
        begun
    }

    /// Removes the claim of this plan.
    async fn release_own(&self) -> Result<()> {
        self.claim().give_back().await
    }

    /// Starts a part. Returns the store and the running digest of its keys.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Changed`] without the claim, and errors of the service.
    pub(crate) fn part(self) -> Result<(Box<dyn StoreTarget>, RunningSums)> {
        let claim = self.claim();
        if !wait(claim.is_ours())? {
            return Err(lost(&self.place));
        }
        let others = ForeignWriters::default();
        let sums = others.sums.clone();
        Ok((self.target(claim, WriterRole::Part, others), sums))
    }

    /// Starts the last part, and takes the right to finish the store.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Changed`] without the claim unless the store is complete, [`ErrorKind::Busy`] if another process finishes or
    /// removes the store, and errors of the service.
    pub(crate) fn end(self, owner: &LeaseOwner) -> Result<Box<dyn StoreTarget>> {
        let claim = self.claim();
        let (turn, lease) = match finisher::take(&claim, owner, self.run)? {
            FinishTurn::Own(lease) => (WriterRole::Last, Some(Arc::new(lease))),
            FinishTurn::Nobody if wait(self.place.has_root())? => (WriterRole::Again, None),
            FinishTurn::Nobody | FinishTurn::Other => return Err(lost(&self.place)),
        };
        let others = ForeignWriters {
            complete: turn == WriterRole::Again,
            listed: Some(OnceLock::new()),
            lease,
            ..ForeignWriters::default()
        };
        Ok(self.target(claim, turn, others))
    }

    /// Removes the keys of the store, then the claim. Without the claim, removes no key and returns false. A store with root metadata
    /// stays: it is finished, or a store that the plan replaces.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Busy`] if another process finishes or removes the store, and errors of the service.
    pub(crate) fn remove(&self, owner: &LeaseOwner) -> Result<bool> {
        let claim = self.claim();
        let lease = match finisher::take(&claim, owner, self.run)? {
            FinishTurn::Own(lease) => lease,
            FinishTurn::Nobody | FinishTurn::Other => return Ok(false),
        };
        wait(async {
            if !self.place.has_root().await? {
                self.place.clear(&claim).await?;
            }
            Ok(())
        })?;
        lease.renew()?;
        lease.forget();
        wait(claim.release()).map(|()| true)
    }

    fn claim(&self) -> StoreClaim {
        let ObjectPrefix { bucket, prefix, .. } = &self.place;
        StoreClaim::new(bucket, prefix, claim::text_of(self.tag))
    }

    fn target(
        self,
        claim: StoreClaim,
        turn: WriterRole,
        others: ForeignWriters,
    ) -> Box<dyn StoreTarget> {
        let store = Arc::new(InProgress::new(self.place, Some(others), self.run));
        Box::new(SharedObjectTarget {
            shared: Arc::clone(&store) as Arc<dyn Store>,
            store,
            claim,
            turn,
            run: self.run.clone(),
        })
    }
}

/// The error for a missing or replaced claim.
fn lost(place: &ObjectPrefix) -> Error {
    let what = "the claim of the plan is not there any more: the store was finished or removed, or another run took it over";
    let e = Error::new(ErrorKind::Changed, what).of(&place.bucket.address(&place.key));
    e.with_remedy("create the plan again: nccopy --clean FOLDER, then nccopy --plan FOLDER …")
}

impl SharedObjectTarget {
    /// Removes the claim of a complete store.
    fn release(&self) {
        if let Err(e) = wait(self.claim.release()) {
            self.run.notes.say(Note {
                object: self.store.there.name().to_string(),
                what: format!("the store is complete, but its claim remains: {}", e.what()),
                remedy: Some("remove the object .netcdf-tools-writing".to_owned()),
            });
        }
    }
}

impl StoreTarget for SharedObjectTarget {
    fn store(&self) -> &Arc<dyn Store> {
        &self.shared
    }

    fn commit(self: Box<Self>) -> Result<()> {
        self.run.cancel.check()?;
        self.store.sending.finish()?;
        match self.turn {
            WriterRole::Part if wait(self.claim.is_ours())? => Ok(()),
            WriterRole::Part => Err(lost(&self.store.place)),
            WriterRole::Again => wait(self.store.send_root()),
            WriterRole::Last => {
                let lease = self.store.lease();
                let lease = lease.or_internal("the lease of the last part")?;
                lease.renew()?;
                wait(self.store.send_root())?;
                // A renewal must not put the claim again after its removal.
                lease.forget();
                self.release();
                Ok(())
            }
        }
    }
}

impl Drop for SharedObjectTarget {
    /// Keeps the keys of this process, and stops its requests.
    fn drop(&mut self) {
        self.store.sending.give_up();
    }
}
