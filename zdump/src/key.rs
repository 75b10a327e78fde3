//! Keys of a store, and their bytes.

use std::ops::Range;
use std::sync::Arc;

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::io::Store;

/// Returns the size of a key in bytes, or `None` if the key is missing or only a prefix.
///
/// # Errors
/// Returns errors of the store.
pub(crate) fn size(store: &Arc<dyn Store>, key: &str) -> Result<Option<u64>> {
    match store.size(key) {
        Err(e) if e.kind() == ErrorKind::NoContent => Ok(None),
        other => other,
    }
}

/// Returns the bytes of a listed key.
///
/// # Errors
/// Returns errors of the store, and [`ErrorKind::NotFound`] if the key has disappeared.
pub(crate) fn bytes(store: &Arc<dyn Store>, key: &str) -> Result<Vec<u8>> {
    store.get(key)?.ok_or_else(|| gone(store, key))
}

/// Returns a range of the bytes of a listed key.
///
/// # Errors
/// Returns the errors of [`bytes`].
pub(crate) fn range(store: &Arc<dyn Store>, key: &str, range: Range<u64>) -> Result<Vec<u8>> {
    let parts = store.get_ranges(key, &[range])?;
    let part = parts.and_then(|mut parts| parts.pop());
    part.ok_or_else(|| gone(store, key))
}

fn gone(store: &Arc<dyn Store>, key: &str) -> Error {
    let e = Error::new(ErrorKind::NotFound, "the key no longer exists");
    e.in_object(key).of(store.name())
}
