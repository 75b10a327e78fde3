//! The blocks of a chunk array that change: header, index block, super blocks, data blocks and pages. Each ends with its checksum.

use std::collections::BTreeMap;

use crate::arithmetic::{Amount, exact, indices, span};
use crate::bytes::sums::lookup3;
use crate::error::{Error, ErrorKind, OrInternal as _, Result};
use crate::io::Source as _;
use crate::io::patched::PatchedFile;
use crate::io::source::read_range;

/// The undefined address.
pub(super) const UNDEFINED: u64 = u64::MAX;
/// Bytes of a checksum.
pub(super) const CHECKSUM: u64 = 4;
/// Bytes of an address.
pub(super) const ADDRESS: u64 = 8;
/// Bytes at the start of blocks other than the header: signature, version, client, header address.
pub(super) const PREFIX: u64 = 6 + ADDRESS;
/// The maximum length of a block in bytes. Arrays of 2^32 chunks have smaller blocks.
const LONGEST: u64 = 64 << 20;

/// The blocks in memory, by address.
pub(super) struct ArrayBlocks<'a> {
    pub(super) file: &'a PatchedFile,
    /// The source offset of address 0.
    pub(super) base: u64,
    blocks: BTreeMap<u64, ArrayBlock>,
}

/// A block without its checksum.
struct ArrayBlock {
    bytes: Vec<u8>,
    is_changed: bool,
}

/// The kind of an array, for the checks of its blocks.
#[derive(Debug, Clone, Copy)]
pub(super) struct ArrayOwner {
    /// The header address.
    pub(super) header: u64,
    /// 1 for filtered chunks, else 0.
    pub(super) client: u8,
}

impl ArrayOwner {
    /// Returns the start of a new block.
    pub(super) fn prefix(self, signature: [u8; 4]) -> Vec<u8> {
        let mut bytes = signature.to_vec();
        bytes.extend([0, self.client]);
        bytes.extend(self.header.to_le_bytes());
        bytes
    }
}

impl<'a> ArrayBlocks<'a> {
    pub(super) fn new(file: &'a PatchedFile, base: u64) -> Self {
        Self {
            file,
            base,
            blocks: BTreeMap::new(),
        }
    }

    /// Reads the block at an address the first time, and checks that it begins with `start`. `len` includes the checksum.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Checksum`] and [`ErrorKind::Corrupt`] for a damaged block, [`ErrorKind::Limit`] for a block of more than 64 MiB,
    /// and read errors.
    pub(super) fn load(&mut self, address: u64, len: u64, start: &[u8]) -> Result<()> {
        if self.blocks.contains_key(&address) {
            return Ok(());
        }
        check_length(len)?;
        let place = self.base.saturating_add(address);
        let mut bytes = read_range(self.file, &(place..place.saturating_add(len)))?;
        let damaged = |kind, what| Err(Error::new(kind, what).at(self.file.name(), place));
        let sum = bytes.split_off(bytes.len().saturating_sub(4));
        if lookup3(&bytes).to_le_bytes() != *sum {
            return damaged(ErrorKind::Checksum, "a damaged block of a chunk index");
        }
        if !bytes.starts_with(start) {
            return damaged(
                ErrorKind::Corrupt,
                "another block than that of a chunk index",
            );
        }
        let is_changed = false;
        self.blocks
            .insert(address, ArrayBlock { bytes, is_changed });
        Ok(())
    }

    /// Reserves space at the end of the file, and returns its address.
    ///
    /// # Errors
    /// Returns I/O errors.
    pub(super) fn reserve(&self, len: u64) -> Result<u64> {
        let place = self.file.len();
        self.file.extend((exact(place) + len).get()?)?;
        (exact(place) - self.base).get()
    }

    /// Adds a block in reserved space. `bytes` does not include the checksum.
    pub(super) fn add(&mut self, address: u64, bytes: Vec<u8>) {
        let is_changed = true;
        self.blocks
            .insert(address, ArrayBlock { bytes, is_changed });
    }

    /// Returns bytes of a loaded block.
    ///
    /// # Errors
    /// Returns an internal error for bytes outside the block.
    pub(super) fn part(&self, address: u64, start: u64, len: u64) -> Result<&[u8]> {
        let block = self.blocks.get(&address).or_internal("a loaded block")?;
        let part = block.bytes.get(indices(start, len)?);
        part.or_internal("a part of a block")
    }

    /// Returns the address in a loaded block; `None` for an undefined one.
    ///
    /// # Errors
    /// Returns an internal error for bytes outside the block.
    pub(super) fn address(&self, of: u64, start: u64) -> Result<Option<u64>> {
        let bytes = self.part(of, start, ADDRESS)?.try_into();
        let address = u64::from_le_bytes(bytes.ok().or_internal("an address")?);
        Ok((address != UNDEFINED).then_some(address))
    }

    /// Changes bytes of a loaded block.
    ///
    /// # Errors
    /// Returns an internal error for bytes outside the block.
    pub(super) fn put(&mut self, address: u64, start: u64, bytes: &[u8]) -> Result<()> {
        let range = indices(start, bytes.len())?;
        let block = self.blocks.get_mut(&address).or_internal("a block")?;
        let part = block
            .bytes
            .get_mut(range)
            .or_internal("a part of a block")?;
        part.copy_from_slice(bytes);
        block.is_changed = true;
        Ok(())
    }

    /// Writes all changed blocks with their checksums.
    ///
    /// # Errors
    /// Returns I/O errors.
    pub(super) fn write(&self) -> Result<()> {
        for (address, block) in self.blocks.iter().filter(|(_, block)| block.is_changed) {
            let mut bytes = block.bytes.clone();
            bytes.extend(lookup3(&bytes).to_le_bytes());
            let place = span(self.base, *address)?.end;
            self.file.replace(place, &bytes)?;
        }
        Ok(())
    }
}

/// Returns `count` copies of `one`, for a new block.
///
/// # Errors
/// Returns [`ErrorKind::Limit`] for more than 64 MiB.
pub(super) fn repeated(one: &[u8], count: u64) -> Result<Vec<u8>> {
    check_length((Amount::of(count) * one.len()).get())?;
    Ok(one.repeat(exact(count).index()?))
}

/// Returns undefined addresses.
///
/// # Errors
/// Returns [`ErrorKind::Limit`] for more than 64 MiB.
pub(super) fn undefined(count: u64) -> Result<Vec<u8>> {
    repeated(&UNDEFINED.to_le_bytes(), count)
}

fn check_length(len: u64) -> Result<()> {
    match len <= LONGEST {
        true => Ok(()),
        false => {
            let what = "a block of a chunk index of more than 64 MiB";
            Err(Error::new(ErrorKind::Limit, what))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::patched::recorded_file::RecordedFile;
    use crate::notes::Notes;

    #[test]
    fn damaged_blocks_are_errors() {
        let mut bytes = b"prefix EADB contents".to_vec();
        bytes.extend(lookup3(&bytes[7..]).to_le_bytes());
        let len = bytes.len() as u64 - 7;
        let load = |bytes: &[u8], len: u64, start: &[u8]| {
            let raw = RecordedFile::new(bytes);
            let file = PatchedFile::open(Box::new(raw), &Notes::default()).unwrap();
            let loaded = ArrayBlocks::new(&file, 3).load(4, len, start);
            loaded.map_err(|e| e.kind())
        };
        assert_eq!(load(&bytes, len, b"EADB"), Ok(()));
        assert_eq!(load(&bytes, len, b"EASB"), Err(ErrorKind::Corrupt));
        assert_eq!(load(&bytes, len + 1, b"EADB"), Err(ErrorKind::Truncated));
        assert_eq!(load(&bytes, 1 << 40, b"EADB"), Err(ErrorKind::Limit));
        assert_eq!(load(&bytes, u64::MAX, b"EADB"), Err(ErrorKind::Limit));
        bytes[12] ^= 1;
        assert_eq!(load(&bytes, len, b"EADB"), Err(ErrorKind::Checksum));
    }
}
