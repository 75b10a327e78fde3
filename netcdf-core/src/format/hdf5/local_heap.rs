//! Local heaps: link names of an old group ("III.D. Disk Format: Level 1D").

use super::file::Hdf5File;
use super::file_bytes::StructureBytes;
use crate::error::{ErrorKind, Result};

/// A complete local heap.
#[derive(Debug, Clone)]
pub struct LocalHeap {
    address: u64,
    segment: StructureBytes,
}

impl LocalHeap {
    /// Reads the heap at an address.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Truncated`], [`ErrorKind::Corrupt`], [`ErrorKind::Unknown`] and [`ErrorKind::Limit`].
    pub fn read(file: &Hdf5File, address: u64) -> Result<Self> {
        let sizes = file.sizes();
        let len = 8 + 2 * u64::from(sizes.length) + u64::from(sizes.offset);
        let head = file.read(address, len)?;
        let mut c = file.fields(&head);
        c.signature(b"HEAP")?;
        c.version(0..=0, "a local heap")?;
        c.skip(3)?;
        let size = c.length()?;
        c.length()?; // free list head
        let segment = match size {
            0 => StructureBytes::default(),
            _ => file.read(c.defined_address("a local heap's data")?, size)?,
        };
        Ok(Self { address, segment })
    }

    /// Like [`LocalHeap::name_at`], but returns a copy and subtracts its length from the byte limit: any number of entries may share one
    /// long name.
    ///
    /// # Errors
    /// Returns errors from [`LocalHeap::name_at`], and [`ErrorKind::Limit`] if the total is too large for the file length.
    pub fn counted_name_at(&self, file: &Hdf5File, offset: u64) -> Result<Vec<u8>> {
        let name = self.name_at(file, offset)?;
        file.take(name.len() as u64, self.address)?;
        Ok(name.to_vec())
    }

    /// Returns the bytes from an offset up to the next zero byte.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Corrupt`] if the offset is beyond the heap or has no following zero byte.
    pub fn name_at(&self, file: &Hdf5File, offset: u64) -> Result<&[u8]> {
        let start = usize::try_from(offset).ok();
        let rest = start.and_then(|s| self.segment.data.get(s..));
        let end = rest.and_then(|r| r.iter().position(|&b| b == 0));
        match rest.zip(end).and_then(|(r, e)| r.get(..e)) {
            Some(name) => Ok(name),
            None => {
                let size = self.segment.data.len();
                let what = format!(
                    "no name ending in zero at offset {offset} of the {size} bytes of a local heap"
                );
                Err(file.error(ErrorKind::Corrupt, self.address, what))
            }
        }
    }
}
