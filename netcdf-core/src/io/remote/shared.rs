//! Stores below the key of an address that several processes write together.

use super::open::writable;
use super::writing::Shared;
use crate::error::Result;
use crate::io::address::Address;
use crate::io::lease::LeaseOwner;
use crate::io::network::Run;
use crate::io::sums::Sums;
use crate::io::target::StoreTarget;

/// Claims the place of a store with a tag; with `overwrite`, removes the store that is there.
///
/// # Errors
/// As [`Shared::begin`]; [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for web servers; those of connecting.
pub(crate) fn begin_claimed(
    address: &Address,
    (tag, overwrite): (&str, bool),
    run: &Run,
) -> Result<()> {
    shared(address, tag, run)?.begin(overwrite)
}

/// Begins a part of such a store, and gives the sums of what is put.
///
/// # Errors
/// As [`Shared::part`]; those of connecting.
pub(crate) fn part_of_claimed(
    address: &Address,
    tag: &str,
    run: &Run,
) -> Result<(Box<dyn StoreTarget>, Sums)> {
    shared(address, tag, run)?.part()
}

/// Begins its last part, as the process that finishes the store.
///
/// # Errors
/// As [`Shared::end`]; those of connecting.
pub(crate) fn end_of_claimed(
    address: &Address,
    (tag, owner): (&str, &LeaseOwner),
    run: &Run,
) -> Result<Box<dyn StoreTarget>> {
    shared(address, tag, run)?.end(owner)
}

/// Removes the keys of the store, then the claim. Without the claim, removes no key and returns false.
///
/// # Errors
/// Returns the errors of [`Shared::remove`], and connection errors.
pub(crate) fn remove_claimed(
    address: &Address,
    (tag, owner): (&str, &LeaseOwner),
    run: &Run,
) -> Result<bool> {
    shared(address, tag, run)?.remove(owner)
}

fn shared<'a>(address: &Address, tag: &'a str, run: &'a Run) -> Result<Shared<'a>> {
    let bucket = writable(address, &run.network)?;
    Ok(Shared::new(bucket, (&address.key, tag), run))
}
