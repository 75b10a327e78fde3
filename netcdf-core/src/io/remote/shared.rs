//! Stores below the key of an address that several processes write together.

use super::open::writable;
use super::writing::SharedStore;
use crate::error::Result;
use crate::io::address::Address;
use crate::io::lease::LeaseOwner;
use crate::io::network::OutputRun;
use crate::io::sums::RunningSums;
use crate::io::target::StoreTarget;

/// Claims the place of a store with a tag; with `overwrite`, removes the store that is there.
///
/// # Errors
/// As [`SharedStore::begin`]; [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for web servers; those of connecting.
pub(crate) fn begin_claimed(
    address: &Address,
    (tag, overwrite): (&str, bool),
    run: &OutputRun,
) -> Result<()> {
    shared(address, tag, run)?.begin(overwrite)
}

/// Begins a part of such a store, and gives the sums of what is put.
///
/// # Errors
/// As [`SharedStore::part`]; those of connecting.
pub(crate) fn part_of_claimed(
    address: &Address,
    tag: &str,
    run: &OutputRun,
) -> Result<(Box<dyn StoreTarget>, RunningSums)> {
    shared(address, tag, run)?.part()
}

/// Begins its last part, as the process that finishes the store.
///
/// # Errors
/// As [`SharedStore::end`]; those of connecting.
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
