//! A cache of verified chunk index blocks.

use std::sync::Arc;

use crate::error::{ErrorKind, Result};
use crate::format::hdf5::fields::Fields;
use crate::format::hdf5::file::Hdf5File;
use crate::format::hdf5::file_bytes::StructureBytes;
use crate::format::recent::{CacheLimits, Recent};

/// Cache limits for index blocks or nodes.
pub(super) const CACHE_LIMITS: CacheLimits = CacheLimits {
    count: 256,
    bytes: 8 << 20,
};

/// A cache of verified blocks by address.
#[derive(Debug)]
pub(super) struct IndexPages(Recent<u64, Arc<StructureBytes>>);

impl Default for IndexPages {
    fn default() -> Self {
        Self(Recent::new(CACHE_LIMITS))
    }
}

impl IndexPages {
    /// Returns `len` bytes at an address. The last four bytes are the checksum.
    pub(super) fn get(
        &self,
        file: &Hdf5File,
        address: u64,
        len: u64,
        what: &str,
    ) -> Result<Arc<StructureBytes>> {
        let kept = self.0.get(&address);
        if let Some(page) = kept.filter(|page| page.data.len() as u64 == len) {
            return Ok(page);
        }
        let page = read_verified(file, address, len, what)?;
        let size = page.data.len();
        Ok(self.0.put(address, Arc::new(page), size))
    }
}

/// Reads a block and verifies its checksum.
pub(super) fn read_verified(
    file: &Hdf5File,
    address: u64,
    len: u64,
    what: &str,
) -> Result<StructureBytes> {
    let bytes = file.read(address, len)?;
    bytes.verify(file, what)?;
    Ok(bytes)
}

/// The array that owns a block: the header address and the client.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlockOwner {
    pub header: u64,
    pub client: u8,
}

impl BlockOwner {
    /// Reads the start of a block: signature, version, client and header address.
    pub(super) fn verify(self, c: &mut Fields, signature: [u8; 4]) -> Result<()> {
        c.signature(&signature)?;
        c.version(0..=0, "a block of a chunk index")?;
        let client = c.u8()?;
        let header = c.defined_address("the header of a chunk index")?;
        if (header, client) == (self.header, self.client) {
            return Ok(());
        }
        let what = format!(
            "a block of the index at {header} with client {client}, expected the index at {} with client {}",
            self.header, self.client
        );
        Err(c.error(ErrorKind::Corrupt, what))
    }
}

/// Skips `n` items of `size` bytes.
pub(super) fn pass(c: &mut Fields, n: u64, size: u64) -> Result<()> {
    let bytes = n.checked_mul(size).and_then(|n| usize::try_from(n).ok());
    c.skip(bytes.unwrap_or(usize::MAX))
}

/// Adds a distance to an address. Returns an error beyond 2^64.
pub(super) fn beside(file: &Hdf5File, address: u64, distance: Option<u64>) -> Result<u64> {
    let place = distance.and_then(|d| address.checked_add(d));
    place.ok_or_else(|| file.error(ErrorKind::Corrupt, address, "a chunk index beyond 2^64"))
}

/// Whether a bit is set, counted from the most significant bit of the first byte.
pub(super) fn bit(map: &[u8], number: u64) -> bool {
    let byte = usize::try_from(number / 8).ok().and_then(|n| map.get(n));
    byte.is_some_and(|b| b & (0x80 >> (number % 8)) != 0)
}
