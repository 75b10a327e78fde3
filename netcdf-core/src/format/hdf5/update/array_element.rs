//! The elements of chunk arrays: an address and, with filters, size and mask.

use super::array_blocks::{ADDRESS, UNDEFINED, repeated};
use super::changes::NewChunk;
use crate::arithmetic::exact;
use crate::bytes::ByteSink;
use crate::error::Result;

/// Bytes of a filter mask.
const MASK: u64 = 4;

/// The form of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ArrayElementForm {
    /// Bytes of the chunk size field, for filtered chunks.
    width: Option<u8>,
}

impl ArrayElementForm {
    /// Returns the form of elements in an array of a client: 0 without filters, 1 with filters. `None` for an unknown form.
    pub(super) fn of_client(client: u8, size: u8) -> Option<Self> {
        let rest = u64::from(size).checked_sub(ADDRESS)?;
        let width = match (client, rest) {
            (0, 0) => None,
            (1, 5..=12) => Some(u8::try_from(rest - MASK).ok()?),
            _ => return None,
        };
        Some(Self { width })
    }

    /// Returns the form for a new array. Layout version 4 computes the width of sizes from the bytes of an unfiltered chunk; later versions
    /// have sizes of 8 bytes.
    pub(super) fn of_new(is_filtered: bool, version: u8, chunk: u64) -> Self {
        let bits = chunk.checked_ilog2().unwrap_or(0);
        let width = match version {
            0..=4 => u8::try_from((1 + (bits + 8) / 8).min(8)).unwrap_or(8),
            _ => 8,
        };
        Self {
            width: is_filtered.then_some(width),
        }
    }

    /// Returns the number of the client: 0 without filters, 1 with filters.
    pub(super) fn client(self) -> u8 {
        u8::from(self.width.is_some())
    }

    /// Returns the bytes of an element.
    pub(super) fn size(self) -> u64 {
        ADDRESS + self.width.map_or(0, |width| u64::from(width) + MASK)
    }

    /// Returns the element of a chunk. `base` is the source offset of address 0.
    ///
    /// # Errors
    /// Returns [`crate::ErrorKind::Limit`] for a chunk that is too large for the size field.
    pub(super) fn element(self, base: u64, chunk: NewChunk) -> Result<Vec<u8>> {
        let mut out = ByteSink::default();
        out.u64((exact(chunk.place) - base).get()?);
        if let Some(width) = self.width {
            out.uint(chunk.size, width.into())?;
            out.u32(chunk.mask);
        }
        Ok(out.bytes)
    }

    /// Returns `count` elements without chunks.
    ///
    /// # Errors
    /// Returns [`crate::ErrorKind::Limit`] for more than 64 MiB.
    pub(super) fn empty(self, count: u64) -> Result<Vec<u8>> {
        let mut one = UNDEFINED.to_le_bytes().to_vec();
        one.resize(exact(self.size()).index()?, 0);
        repeated(&one, count)
    }
}
