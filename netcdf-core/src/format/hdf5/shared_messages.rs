//! Messages shared by many object headers ("III.I. Disk Format: Level 1I - Shared Object Header Message Table").

use std::sync::OnceLock;

use super::fields::Fields;
use super::file_bytes::{FileBytes, StructureBytes};
use super::fractal_heap::FractalHeap;
use super::message;
use super::object_header::ObjectHeader;
use crate::error::{ErrorKind, Result};
use crate::format::recent::once;

/// The table of shared message indexes.
#[derive(Debug)]
pub(crate) struct SharedMessages {
    address: u64,
    indexes: Vec<MessageIndex>,
}

/// An index: the heap for messages of some types.
#[derive(Debug)]
struct MessageIndex {
    /// A bit per message type.
    types: u16,
    heap: Option<u64>,
    open: OnceLock<FractalHeap>,
}

impl SharedMessages {
    /// Reads the table of a file. Returns `None` if the superblock extension has no table message.
    ///
    /// # Errors
    /// Returns errors from reading the extension and the table.
    pub(crate) fn of(file: &FileBytes) -> Result<Option<Self>> {
        let Some(extension) = file.superblock().extension else {
            return Ok(None);
        };
        let header = ObjectHeader::read(file, extension)?;
        let Some(found) = header.find(message::SHARED_TABLE) else {
            return Ok(None);
        };
        // A shared table message is not resolved: the lookup would need the table itself.
        let body = header.raw(found);
        let mut c = body.fields(file);
        c.version(0..=0, "a shared message table")?;
        let table = c.defined_address("the shared message table")?;
        Self::open(file, table, c.u8()?).map(Some)
    }

    /// Reads a table of `count` indexes at an address.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Truncated`], [`ErrorKind::Corrupt`], [`ErrorKind::Checksum`] and [`ErrorKind::Unknown`].
    pub(crate) fn open(file: &FileBytes, address: u64, count: u8) -> Result<Self> {
        let index = 14 + 2 * u64::from(file.sizes().offset);
        let bytes = file.read(address, 8 + u64::from(count) * index)?;
        let mut c = file.fields(&bytes);
        c.signature(b"SMTB")?;
        bytes.verify(file, "the shared message table")?;
        let indexes = (0..count).map(|_| MessageIndex::parse(&mut c));
        Ok(Self {
            address,
            indexes: indexes.collect::<Result<_>>()?,
        })
    }

    /// Returns the message of a type with a heap id.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Corrupt`] if messages of this type are not shared, and errors from the heap.
    pub(crate) fn message(
        &self,
        file: &FileBytes,
        kind: u16,
        id: &[u8; 8],
    ) -> Result<StructureBytes> {
        // Fill values of both versions share one index.
        let kind = if kind == message::FILL_OLD {
            message::FILL
        } else {
            kind
        };
        let bit = 1u16.checked_shl(kind.into()).unwrap_or(0);
        let index = self.indexes.iter().find(|i| i.types & bit != 0);
        match index.and_then(|i| Some((i, i.heap?))) {
            Some((index, heap)) => {
                let heap = once(&index.open, || FractalHeap::open(file, heap))?;
                Ok(heap.object(file, id)?.to_bytes())
            }
            None => {
                let what = format!("no index of shared messages of type {kind:#06x}");
                Err(file.error(ErrorKind::Corrupt, self.address, what))
            }
        }
    }
}

impl MessageIndex {
    fn parse(c: &mut Fields) -> Result<Self> {
        c.version(0..=0, "an index of shared messages")?;
        c.skip(1)?; // whether it is a list or a B-tree
        let types = c.u16_le()?;
        c.skip(4 + 2 + 2 + 2)?; // smallest message; when a list becomes a B-tree, and back; number
        c.address()?; // the list or B-tree, for finding messages by content
        Ok(Self {
            types,
            heap: c.address()?,
            open: OnceLock::new(),
        })
    }
}
