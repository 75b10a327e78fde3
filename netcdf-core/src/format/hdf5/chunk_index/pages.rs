//! Verified blocks of an index that were used last.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{ErrorKind, Result};
use crate::format::hdf5::file::{Bytes, File};

/// The most bytes that are kept.
const MOST: usize = 8 << 20;

/// A cache of verified blocks by their address.
#[derive(Debug, Default)]
pub(super) struct Pages(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    pages: HashMap<u64, Arc<Bytes>, foldhash::fast::RandomState>,
    order: VecDeque<u64>,
    held: usize,
}

impl Pages {
    /// The `len` bytes at an address, of which the last four are the checksum of the others.
    pub fn get(&self, file: &File, address: u64, len: u64, what: &str) -> Result<Arc<Bytes>> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(page) = lock().pages.get(&address)
            && page.data.len() as u64 == len
        {
            return Ok(Arc::clone(page));
        }
        let page = Arc::new(read_verified(file, address, len, what)?);
        lock().put(address, Arc::clone(&page));
        Ok(page)
    }
}

impl Inner {
    fn put(&mut self, address: u64, page: Arc<Bytes>) {
        self.held += page.data.len();
        if let Some(old) = self.pages.insert(address, page) {
            self.held -= old.data.len();
            return;
        }
        self.order.push_back(address);
        while self.held > MOST && self.order.len() > 1 {
            let oldest = self.order.pop_front().and_then(|a| self.pages.remove(&a));
            self.held -= oldest.map_or(0, |p| p.data.len());
        }
    }
}

/// Reads a block and verifies its checksum.
pub(super) fn read_verified(file: &File, address: u64, len: u64, what: &str) -> Result<Bytes> {
    let bytes = file.read(address, len)?;
    bytes.verify(file, what)?;
    Ok(bytes)
}

/// An address, a number of bytes further; or the error that there is none.
pub(super) fn beside(file: &File, address: u64, distance: Option<u64>) -> Result<u64> {
    let place = distance.and_then(|d| address.checked_add(d));
    place.ok_or_else(|| file.error(ErrorKind::Corrupt, address, "a chunk index beyond 2^64"))
}

/// Whether a bit is set, counted from the most significant bit of the first byte.
pub(super) fn bit(map: &[u8], number: u64) -> bool {
    let byte = usize::try_from(number / 8).ok().and_then(|n| map.get(n));
    byte.is_some_and(|b| b & (0x80 >> (number % 8)) != 0)
}
