//! Fields of a data layout message that a change needs ("IV.A.2.i. The Data Layout Message").

use crate::bytes::ByteSink;
use crate::format::hdf5::chunk_index::extensible_blocks::ExtensibleSettings;

/// The position of fields after the chunk lengths, in version 4 and later.
#[derive(Debug, Clone, Copy)]
pub(super) struct LayoutMessage<'a> {
    body: &'a [u8],
}

/// The size and the mask of the only chunk, in bytes.
const SIZE_AND_MASK: usize = 12;

impl<'a> LayoutMessage<'a> {
    pub(super) fn new(body: &'a [u8]) -> Self {
        Self { body }
    }

    /// Returns the message version, which is 0 for an empty message.
    pub(super) fn version(self) -> u8 {
        self.body.first().copied().unwrap_or(0)
    }

    /// Returns the offset after the type of the chunk index.
    fn settings(self) -> Option<usize> {
        // Version, class, flags, number of lengths, width of a length; the lengths; the type of the chunk index.
        let (rank, width) = (*self.body.get(3)?, *self.body.get(4)?);
        Some(6 + usize::from(rank) * usize::from(width))
    }

    /// Returns the offset of the address of the chunk index.
    pub(super) fn address(self) -> Option<usize> {
        match self.version() {
            // Version, rank, class, five reserved bytes.
            1 | 2 => Some(8),
            // Version, class, rank.
            3 => Some(3),
            4 | 5 => {
                let at = self.settings()?;
                let kind = *self.body.get(at.checked_sub(1)?)?;
                Some(at + self.settings_of(kind)?)
            }
            _ => None,
        }
    }

    /// Returns the bytes of the settings of an index type.
    fn settings_of(self, kind: u8) -> Option<usize> {
        match kind {
            1 if self.has_filtered_chunk() => Some(SIZE_AND_MASK),
            1 | 2 => Some(0),
            3 => Some(1),
            4 => Some(5),
            5 => Some(6),
            _ => None,
        }
    }

    /// Returns whether the message has the size and the mask of the only chunk.
    pub(super) fn has_filtered_chunk(self) -> bool {
        self.body.get(2).is_some_and(|flags| flags & 2 != 0)
    }

    /// Returns the offset and the bytes of the fields of the only chunk.
    pub(super) fn only_chunk(
        self,
        address: u64,
        (size, mask): (u64, u32),
    ) -> Option<(usize, Vec<u8>)> {
        let mut out = ByteSink::default();
        if self.has_filtered_chunk() {
            out.u64(size);
            out.u32(mask);
        }
        out.u64(address);
        Some((self.settings()?, out.bytes))
    }

    /// Returns the bits of the number of elements per page of a fixed array.
    pub(super) fn page_bits(self) -> Option<u8> {
        self.body.get(self.settings()?).copied()
    }

    /// Returns the settings of an extensible array.
    pub(super) fn extensible(self) -> Option<ExtensibleSettings> {
        let at = self.settings()?;
        let &[bits, direct, pointers, smallest, page_bits] = self.body.get(at..at + 5)? else {
            return None;
        };
        Some(ExtensibleSettings {
            bits,
            direct,
            smallest,
            pointers,
            page_bits,
        })
    }
}
