//! Where the cargo feature `remote` is off: nothing on other machines is opened.

use std::sync::Arc;

use super::address::Address;
use super::store::Hints;
use super::{Container, Source, Store};
use crate::error::{Error, ErrorKind, Result};
use crate::notes::Notes;

/// Opens an object.
///
/// # Errors
/// [`ErrorKind::Unsupported`], always.
pub fn source(address: &Address, _: &Notes) -> Result<Arc<dyn Source>> {
    Err(left_out(address))
}

/// Opens a store.
///
/// # Errors
/// [`ErrorKind::Unsupported`], always.
pub fn store(address: &Address, _: Hints) -> Result<Arc<dyn Store>> {
    Err(left_out(address))
}

/// Opens what is there.
///
/// # Errors
/// [`ErrorKind::Unsupported`], always.
pub fn any(address: &Address, _: Hints, _: &Notes) -> Result<Container> {
    Err(left_out(address))
}

fn left_out(address: &Address) -> Error {
    let what = "this build reads nothing on other machines";
    let e = Error::new(ErrorKind::Unsupported, what).of(&address.short());
    e.with_remedy("download it, or build with the cargo feature `remote`")
}
