//! An object-store prefix that several processes write concurrently. Each process writes distinct keys; a claim object locks out other runs.
//!
//! Objects cannot be renamed, so processes put keys at their final names. The last process puts the root metadata, which completes the store.

use super::address::Address;
use super::lease::LeaseOwner;
use super::locator::Destination;
use super::network::OutputRun;
use super::sums::RunningSums;
use super::{Output, remote};
use crate::error::{OrInternal as _, Result};

/// An object-store prefix that several processes write concurrently.
#[derive(Debug, Clone, Copy)]
pub struct ClaimedStore<'a> {
    /// The address of the store.
    pub to: &'a Destination,
    /// Letters and digits that identify the claim. Every run has another tag.
    pub tag: &'a str,
    /// The run of this process.
    pub run: &'a OutputRun,
}

impl<'a> ClaimedStore<'a> {
    fn address(&self) -> Result<&'a Address> {
        let address = self.to.remote.as_ref();
        address.or_internal("a claim of a store on this machine")
    }

    /// Claims the prefix, and removes the objects that the output replaces.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Exists`](crate::ErrorKind::Exists) for objects that are not replaced and for the claim of another run,
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for web servers, and connection errors.
    pub fn begin(&self) -> Result<()> {
        remote::begin_claimed(self.address()?, (self.tag, self.to.overwrite), self.run)
    }

    /// Starts a part of the store, and returns the sums of the stored bytes. Commit puts the last keys.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Changed`](crate::ErrorKind::Changed) without the claim, also on commit, and connection errors.
    pub fn part(&self) -> Result<(Output, RunningSums)> {
        let (target, sums) = remote::part_of_claimed(self.address()?, self.tag, self.run)?;
        Ok((Output::Store(target), sums))
    }

    /// Starts the last part. Commit puts the root metadata and removes the claim. For a store that is already finished, commit compares
    /// the new keys with the stored keys. `owner` has the right to finish the store until the output is committed or dropped.
    ///
    /// # Errors
    /// Returns the errors of [`ClaimedStore::part`], and [`ErrorKind::Busy`](crate::ErrorKind::Busy) if another process finishes or removes
    /// the store, also on commit.
    pub fn end(&self, owner: &LeaseOwner) -> Result<Output> {
        let target = remote::end_of_claimed(self.address()?, (self.tag, owner), self.run)?;
        Ok(Output::Store(target))
    }

    /// Removes the keys of the store and the claim. Without the claim, removes no key and returns false.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Busy`](crate::ErrorKind::Busy) if another process finishes or removes the store, and connection errors.
    pub fn remove(&self, owner: &LeaseOwner) -> Result<bool> {
        remote::remove_claimed(self.address()?, (self.tag, owner), self.run)
    }
}
