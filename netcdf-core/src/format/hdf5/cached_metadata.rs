//! Reads the metadata cache image of a file ("IV.A.2.y", and its block).

use super::cache_image::CacheImage;
use super::fields::Fields;
use super::file_bytes::FileBytes;
use super::message;
use super::object_header::ObjectHeader;
use crate::error::{ErrorKind, Result};

impl CacheImage {
    /// Reads the image of a file. Returns `None` if the superblock extension has no image message.
    ///
    /// # Errors
    /// Returns errors from reading the image.
    pub(crate) fn of(file: &FileBytes, header: &ObjectHeader) -> Result<Option<Self>> {
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

    fn read(file: &FileBytes, address: u64, len: u64) -> Result<Self> {
        let bytes = file.read(address, len)?;
        bytes.verify(file, "the metadata cache image")?;
        let mut c = file.fields(&bytes);
        c.signature(b"MDCI")?;
        c.version(0..=0, "a metadata cache image")?;
        c.skip(1)?; // flags
        c.length()?; // image length
        let count = c.u32_le()?;
        // Each entry takes some bytes, so the entry count needs no limit.
        let entries = (0..count).map(|_| entry(&mut c)).collect::<Result<_>>()?;
        Self::new(entries).map_err(|at| {
            let what = "entries of the metadata cache image overlap";
            file.error(ErrorKind::Corrupt, at, what)
        })
    }
}

/// Reads an entry: its address and bytes.
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
