//! The metadata cache image ("IV.A.2.y", and its block): metadata that a file was closed without
//! writing to its places. It counts instead of what stands there.

use std::collections::BTreeMap;

use super::fields::Fields;
use super::file::File;
use super::message;
use super::object_header::ObjectHeader;
use crate::error::Result;

/// Metadata by address.
#[derive(Debug, Default)]
pub struct CacheImage {
    entries: BTreeMap<u64, Vec<u8>>,
    /// Bytes of the longest entry.
    longest: u64,
}

impl CacheImage {
    /// The image of a file, if it has one: the superblock extension has a message about it.
    ///
    /// # Errors
    /// Those of reading the extension and the image.
    pub fn of(file: &File) -> Result<Option<Self>> {
        let Some(extension) = file.superblock().extension else {
            return Ok(None);
        };
        let header = ObjectHeader::read(file, extension)?;
        let Some(found) = header.find(message::CACHE_IMAGE) else {
            return Ok(None);
        };
        let body = header.raw(found);
        let mut c = body.fields(file);
        c.version(0..=0, "a metadata cache image message")?;
        match c.address()? {
            None => Ok(None),
            Some(address) => Self::read(file, address, c.length()?).map(Some),
        }
    }

    fn read(file: &File, address: u64, len: u64) -> Result<Self> {
        let bytes = file.read(address, len)?;
        bytes.verify(file, "the metadata cache image")?;
        let mut c = file.fields(&bytes);
        c.signature(b"MDCI")?;
        c.version(0..=0, "a metadata cache image")?;
        c.skip(1)?; // flags
        c.length()?; // of the image
        let count = c.u32_le()?;
        // Each takes some bytes, so that their number needs no limit.
        let entries = (0..count).map(|_| entry(&mut c)).collect::<Result<_>>()?;
        Ok(Self::new(entries))
    }

    fn new(entries: BTreeMap<u64, Vec<u8>>) -> Self {
        let longest = entries.values().map(|e| e.len() as u64).max().unwrap_or(0);
        Self { entries, longest }
    }

    /// Puts the image over `bytes` that were read at an address.
    pub fn cover(&self, address: u64, bytes: &mut [u8]) {
        let end = address.saturating_add(bytes.len() as u64);
        let first = address.saturating_sub(self.longest);
        for (&at, image) in self.entries.range(first..end) {
            let (skip, from) = (at.saturating_sub(address), address.saturating_sub(at));
            let to = bytes.iter_mut().skip(position(skip));
            let image = image.iter().skip(position(from));
            to.zip(image).for_each(|(to, from)| *to = *from);
        }
    }
}

fn position(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

/// An entry: where it belongs, and its bytes.
fn entry(c: &mut Fields) -> Result<(u64, Vec<u8>)> {
    c.skip(4 + 4)?; // type, flags, ring, age; numbers of children
    let parents = c.u16_le()?;
    c.skip(4)?; // rank in the cache
    let address = c.defined_address("cached metadata")?;
    let len = c.length()?;
    for _ in 0..parents {
        c.address()?;
    }
    let len = usize::try_from(len).map_err(|_| c.short(len))?;
    Ok((address, c.bytes(len)?.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn covers_what_it_overlaps() {
        let image = CacheImage::new([(4, vec![1, 2, 3, 4]), (20, vec![9])].into());
        let read = |address, len| {
            let mut bytes = vec![0; len];
            image.cover(address, &mut bytes);
            bytes
        };
        assert_eq!(read(0, 3), [0, 0, 0]);
        assert_eq!(read(2, 4), [0, 0, 1, 2]);
        assert_eq!(read(5, 2), [2, 3]);
        assert_eq!(read(6, 4), [3, 4, 0, 0]);
        assert_eq!(read(0, 22)[4..8], [1, 2, 3, 4]);
        assert_eq!(read(0, 22)[20], 9);
        assert_eq!(read(8, 4), [0, 0, 0, 0]);
    }
}
