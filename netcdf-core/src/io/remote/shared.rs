//! Stores below an address that several processes write concurrently.

use super::open::writable;
use super::writing::SharedStore;
use crate::error::Result;
use crate::io::address::Address;
use crate::io::lease::LeaseOwner;
use crate::io::network::OutputRun;
use crate::io::sums::RunningSums;
use crate::io::target::StoreTarget;

/// Claims the prefix of a store with a tag. With `overwrite`, removes an existing store.
///
/// # Errors
/// Returns the errors of [`SharedStore::begin`], [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for web servers, and errors of
/// connecting.
pub(crate) fn begin_claimed(
    address: &Address,
    (tag, overwrite): (&str, bool),
    run: &OutputRun,
) -> Result<()> {
    shared(address, tag, run)?.begin(overwrite)
}

/// Begins a part of a shared store. Returns the store and the running digest of its keys.
///
/// # Errors
/// Returns the errors of [`SharedStore::part`] and of connecting.
pub(crate) fn part_of_claimed(
    address: &Address,
    tag: &str,
    run: &OutputRun,
) -> Result<(Box<dyn StoreTarget>, RunningSums)> {
    shared(address, tag, run)?.part()
}

/// Begins the last part. The process takes the right to finish the store.
///
/// # Errors
/// Returns the errors of [`SharedStore::end`] and of connecting.
pub(crate) fn end_of_claimed(
    address: &Address,
    (tag, owner): (&str, &LeaseOwner),
    run: &OutputRun,
) -> Result<Box<dyn StoreTarget>> {
    shared(address, tag, run)?.end(owner)
}

/// Removes the keys of the store, then the claim. Without the claim, removes no key and returns false.
///
/// # Errors
/// Returns the errors of [`SharedStore::remove`], and connection errors.
pub(crate) fn remove_claimed(
    address: &Address,
    (tag, owner): (&str, &LeaseOwner),
    run: &OutputRun,
) -> Result<bool> {
    shared(address, tag, run)?.remove(owner)
}

fn shared<'a>(address: &Address, tag: &'a str, run: &'a OutputRun) -> Result<SharedStore<'a>> {
    let bucket = writable(address, &run.network)?;
    Ok(SharedStore::new(bucket, (&address.key, tag), run))
}
