//! Changed messages of an object header ("IV.A. Disk Format: Level 2A - Data Object Headers").

use super::layout_message::LayoutMessage;
use crate::arithmetic::exact;
use crate::bytes::sums::lookup3;
use crate::error::{ErrorKind, OrInternal as _, Result};
use crate::format::hdf5::chunk_index::extensible_blocks::ExtensibleSettings;
use crate::format::hdf5::file::Hdf5File;
use crate::format::hdf5::message;
use crate::format::hdf5::object_header::ObjectHeader;
use crate::io::patched::PatchedFile;
use crate::io::source::read_range;

/// An object header that is changed.
#[derive(Clone, Copy)]
pub(super) struct HeaderChange<'a> {
    pub(super) file: &'a PatchedFile,
    pub(super) hdf5: &'a Hdf5File,
    pub(super) header: &'a ObjectHeader,
}

impl HeaderChange<'_> {
    /// Writes the current lengths of the dataspace.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`] for a shared message, and I/O errors.
    pub(super) fn set_dims(self, dims: &[u64]) -> Result<()> {
        // Version 1 has five more reserved bytes, version 2 one byte for the class.
        let version = self.body(message::DATASPACE)?.first().copied();
        let start = match version {
            Some(1) => 8,
            _ => 4,
        };
        let lengths: Vec<u8> = dims.iter().flat_map(|len| len.to_le_bytes()).collect();
        self.write(message::DATASPACE, start, &lengths)
    }

    /// Writes the address of the chunk index.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`] for a layout message of an unknown version, and I/O errors.
    pub(super) fn set_index(self, address: u64) -> Result<()> {
        let start = self.layout(|message| message.address())?;
        self.write(message::LAYOUT, start, &address.to_le_bytes())
    }

    /// Writes the address of the only chunk. Returns whether the message also has the size in bytes and the filter mask.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`] for a layout message of an unknown version, and I/O errors.
    pub(super) fn set_only_chunk(self, address: u64, stored: (u64, u32)) -> Result<bool> {
        let (start, bytes) = self.layout(|message| message.only_chunk(address, stored))?;
        self.write(message::LAYOUT, start, &bytes)?;
        self.layout(|message| Some(message.has_filtered_chunk()))
    }

    /// Returns the version of the layout message.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`] for a shared message.
    pub(super) fn layout_version(self) -> Result<u8> {
        self.layout(|message| Some(message.version()))
    }

    /// Returns the settings of an extensible array in the layout message.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`] for another layout message.
    pub(super) fn extensible_settings(self) -> Result<ExtensibleSettings> {
        self.layout(|message| message.extensible())
    }

    /// Returns the bits of the number of elements per page of a fixed array in the layout message.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`] for another layout message.
    pub(super) fn page_bits(self) -> Result<u8> {
        self.layout(|message| message.page_bits())
    }

    /// Returns a field of the layout message.
    fn layout<T>(self, field: impl Fn(LayoutMessage<'_>) -> Option<T>) -> Result<T> {
        let body = self.body(message::LAYOUT)?;
        let found = field(LayoutMessage::new(&body));
        found.ok_or_else(|| self.unsupported("a data layout of this version"))
    }

    fn unsupported(self, what: &'static str) -> crate::Error {
        let address = self.header.address;
        self.hdf5.error(ErrorKind::Unsupported, address, what)
    }

    fn body(self, kind: u16) -> Result<Vec<u8>> {
        let found = self.header.find(kind).or_internal("a header message")?;
        if found.flags & message::SHARED != 0 {
            return Err(self.unsupported("a shared message that would change"));
        }
        Ok(self.header.raw(found).data.into_owned())
    }

    /// Writes bytes of a message, and the checksum of the block.
    fn write(self, kind: u16, start: usize, bytes: &[u8]) -> Result<()> {
        let found = self.header.find(kind).or_internal("a header message")?;
        let block = self.header.block_of(found).or_internal("a header block")?;
        let place = self.hdf5.place(block.address)?;
        let end = place.saturating_add(block.len as u64);
        let old = read_range(self.file, &(place..end))?;
        let mut all = old.clone();
        let at = (exact(block.start as u64) + start).index()?;
        let slot = all.get_mut(at..at.saturating_add(bytes.len()));
        slot.or_internal("a header message")?.copy_from_slice(bytes);
        if self.header.version > 1 {
            let summed = all.len().saturating_sub(4);
            let sum = lookup3(all.get(..summed).unwrap_or_default());
            let slot = all.get_mut(summed..).or_internal("a checksum")?;
            slot.copy_from_slice(&sum.to_le_bytes());
        }
        self.file.replace_known(place, &old, &all)
    }
}
