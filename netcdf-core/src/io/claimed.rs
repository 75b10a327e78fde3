//! A store below an address that several processes write together, each its own keys, while a claim keeps others away.
//!
//! Objects cannot be renamed, so that keys are put in their places. The store is one once its root has metadata, which the last process
//! puts.

use super::address::Address;
use super::lease::LeaseOwner;
use super::locator::Destination;
use super::network::Run;
use super::sums::Sums;
use super::{Output, remote};
use crate::error::{OrInternal as _, Result};

/// A store that several processes write together.
#[derive(Debug, Clone, Copy)]
pub struct ClaimedStore<'a> {
    /// Where it is: at an address.
    pub to: &'a Destination,
    /// What tells its claim from that of any other run: a few letters and digits that nobody else has.
    pub tag: &'a str,
    /// The run of this process.
    pub run: &'a Run,
}

impl<'a> ClaimedStore<'a> {
    fn address(&self) -> Result<&'a Address> {
        let address = self.to.remote.as_ref();
        address.or_internal("a claim of a store on this machine")
    }

    /// Claims the place, and clears it where the output replaces what is there.
    ///
    /// # Errors
    /// [`ErrorKind::Exists`](crate::ErrorKind::Exists) if there is anything that is not replaced, or if another run writes there;
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for web servers; those of connecting.
    pub fn begin(&self) -> Result<()> {
        remote::begin_claimed(self.address()?, (self.tag, self.to.overwrite), self.run)
    }

    /// Starts a part of the store, and gives the sums of what is put. The keys are there on commit.
    ///
    /// # Errors
    /// [`ErrorKind::Changed`](crate::ErrorKind::Changed) without the claim, also on commit; those of connecting.
    pub fn part(&self) -> Result<(Output, Sums)> {
        let (target, sums) = remote::part_of_claimed(self.address()?, self.tag, self.run)?;
        Ok((Output::Store(target), sums))
    }

    /// Starts the last part: on commit, the store gets the metadata of its root, and the claim is removed. Where both is done already,
    /// what is put must be what is there. `owner` has the right to finish the store until the output is committed or dropped.
    ///
    /// # Errors
    /// As [`ClaimedStore::part`]; [`ErrorKind::Busy`](crate::ErrorKind::Busy) if another process finishes or removes the store, also on
    /// commit.
    pub fn end(&self, owner: &LeaseOwner) -> Result<Output> {
        let target = remote::end_of_claimed(self.address()?, (self.tag, owner), self.run)?;
        Ok(Output::Store(target))
    }

    /// Removes all that was put, and the claim, if it is there. Returns whether it was; if not, everything stays.
    ///
    /// # Errors
    /// [`ErrorKind::Busy`](crate::ErrorKind::Busy) if another process finishes or removes the store; those of connecting.
    pub fn remove(&self, owner: &LeaseOwner) -> Result<bool> {
        remote::remove_claimed(self.address()?, (self.tag, owner), self.run)
    }
}
