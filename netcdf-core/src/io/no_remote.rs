//! Errors for remote datasets in builds without the cargo feature `remote`.

use std::sync::Arc;

use super::address::Address;
use super::lease::LeaseOwner;
use super::network::{Network, OutputRun};
use super::store::Hints;
use super::sums::RunningSums;
use super::{Container, Source, Store, StoreTarget, Target};
use crate::error::{Error, ErrorKind, Result};
use crate::notes::Notes;

/// Opens an object.
///
/// # Errors
/// [`ErrorKind::Unsupported`], always.
pub(crate) fn source(address: &Address, _: &Notes, _: &Arc<Network>) -> Result<Arc<dyn Source>> {
    Err(left_out(address))
}

/// Opens a store.
///
/// # Errors
/// [`ErrorKind::Unsupported`], always.
pub(crate) fn store(address: &Address, _: Hints, _: &Arc<Network>) -> Result<Arc<dyn Store>> {
    Err(left_out(address))
}

/// Opens an object or a store.
///
/// # Errors
/// [`ErrorKind::Unsupported`], always.
pub(crate) fn any(address: &Address, _: Hints, _: &Notes, _: &Arc<Network>) -> Result<Container> {
    Err(left_out(address))
}

/// Begins a file.
///
/// # Errors
/// [`ErrorKind::Unsupported`], always.
pub(crate) fn target(address: &Address, _: &OutputRun) -> Result<Box<dyn Target>> {
    Err(left_out(address))
}

/// Begins a store.
///
/// # Errors
/// [`ErrorKind::Unsupported`], always.
pub(crate) fn store_target(
    address: &Address,
    _: bool,
    _: &OutputRun,
) -> Result<Box<dyn StoreTarget>> {
    Err(left_out(address))
}

/// Checks whether an object or a store exists.
///
/// # Errors
/// [`ErrorKind::Unsupported`], always.
pub(crate) fn exists(address: &Address, _: bool, _: &Arc<Network>) -> Result<bool> {
    Err(left_out(address))
}

/// Begins a store that several processes write concurrently.
///
/// # Errors
/// [`ErrorKind::Unsupported`], always.
pub(crate) fn begin_claimed(address: &Address, _: (&str, bool), _: &OutputRun) -> Result<()> {
    Err(left_out(address))
}

/// Begins a part of a shared store.
///
/// # Errors
/// [`ErrorKind::Unsupported`], always.
pub(crate) fn part_of_claimed(
    address: &Address,
    _: &str,
    _: &OutputRun,
) -> Result<(Box<dyn StoreTarget>, RunningSums)> {
    Err(left_out(address))
}

/// Begins the last part of a shared store.
///
/// # Errors
/// [`ErrorKind::Unsupported`], always.
pub(crate) fn end_of_claimed(
    address: &Address,
    _: (&str, &LeaseOwner),
    _: &OutputRun,
) -> Result<Box<dyn StoreTarget>> {
    Err(left_out(address))
}

/// Removes a shared store.
///
/// # Errors
/// [`ErrorKind::Unsupported`], always.
pub(crate) fn remove_claimed(
    address: &Address,
    _: (&str, &LeaseOwner),
    _: &OutputRun,
) -> Result<bool> {
    Err(left_out(address))
}

fn left_out(address: &Address) -> Error {
    let what = "this build does not support remote data";
    let e = Error::new(ErrorKind::Unsupported, what).of(&address.short());
    e.with_remedy("use a local copy, or build with the cargo feature `remote`")
}
