//! The entries of chunk arrays and trees: an address and, with filters, size and mask.

use super::grid::IndexGrid;
use super::pages::pass;
use crate::error::{ErrorKind, Result};
use crate::format::hdf5::fields::Fields;

/// The location of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ChunkEntry {
    pub address: u64,
    pub size: u64,
    pub mask: u32,
}

/// An array element.
#[derive(Debug, Clone, Copy)]
pub(super) enum IndexElement {
    Chunk(ChunkEntry),
    /// A missing chunk.
    Empty,
    /// No chunk from this index up to, but excluding, the given index.
    EmptyUntil(u64),
}

/// The encoding of an entry.
#[derive(Debug, Clone, Copy)]
pub(super) struct EntryForm {
    /// Bytes per entry.
    pub size: u64,
    /// Bytes of the chunk size field, for filtered chunks.
    width: Option<usize>,
    /// Bytes of an unfiltered chunk.
    chunk: u64,
}

impl EntryForm {
    /// The form of `size`-byte entries. The width of the chunk size field is the remainder after the other fields. This width depends
    /// on the chunk size in layout version 4, and on the superblock in version 5.
    pub(super) fn new(c: &Fields, filtered: bool, size: u64, grid: &IndexGrid) -> Result<Self> {
        let address = u64::from(c.sizes().offset);
        let width = match filtered {
            true => size
                .checked_sub(address + 4)
                .filter(|w| (1..=8).contains(w)),
            false => size.checked_sub(address).filter(|&rest| rest == 0),
        };
        let Some(width) = width.and_then(|w| usize::try_from(w).ok()) else {
            let what = format!("elements of a chunk index of {size} bytes");
            return Err(c.error(ErrorKind::Corrupt, what));
        };
        Ok(Self {
            size,
            width: filtered.then_some(width),
            chunk: grid.bytes,
        })
    }

    /// The form for an array client: 0 without filters, 1 with filters.
    pub(super) fn of_client(c: &Fields, client: u8, size: u8, grid: &IndexGrid) -> Result<Self> {
        if client > 1 {
            let what = format!("client {client} of an array, expected 0 or 1");
            return Err(c.error(ErrorKind::Unknown, what));
        }
        Self::new(c, client == 1, size.into(), grid)
    }

    /// Reads element `number`, counted from the cursor.
    pub(super) fn slot(&self, c: &mut Fields, number: u64) -> Result<IndexElement> {
        pass(c, number, self.size)?;
        Ok(self
            .read(c)?
            .map_or(IndexElement::Empty, IndexElement::Chunk))
    }

    /// Reads the next element. Returns `None` for a missing chunk.
    pub(super) fn read(&self, c: &mut Fields) -> Result<Option<ChunkEntry>> {
        let address = c.address()?;
        let (size, mask) = match self.width {
            Some(width) => (c.uint_le(width)?, c.u32_le()?),
            None => (self.chunk, 0),
        };
        Ok(address.map(|address| ChunkEntry {
            address,
            size,
            mask,
        }))
    }
}
