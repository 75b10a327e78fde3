//! Segments: the data that one part of a copy stores, with the output location of each fragment.
//!
//! All numbers are little-endian.
//!
//! | bytes | contents |
//! |---|---|
//! | 8 | `NCPART01` |
//! | | the fragments, grouped by variable: a header of 32 bytes, then the bytes of the fragment |
//! | | the table: 24 bytes for each variable with fragments |
//! | 48 | the end: the offset of the table (8), its length in bytes (8), BLAKE3 of all bytes before this digest (32) |
//!
//! Fragment header: variable (4), kind (4: 0 a run of elements, 1 a chunk, 2 a moved chunk), number of the first element or of the chunk
//! (8), the chunk's filter mask (4), number of zeros before the bytes (4), length in bytes (8). A moved chunk has the same offset within a
//! page as in the input, because its output location depends on this offset. Table entry: variable (4), zero (4), offset of the first
//! fragment (8), offset after the last fragment (8).

mod read;
mod write;

pub use read::Segment;
pub use write::{SegmentContent, SegmentWriter};

use crate::model::VarId;

const MAGIC: &[u8; 8] = b"NCPART01";
/// Bytes of a fragment header, of a table entry, and of the segment's end.
const HEAD: u64 = 32;
const ENTRY: u64 = 24;
const END: u64 = 48;

/// A fragment of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SegmentPiece {
    /// The variable.
    pub var: VarId,
    /// The kind and location of the fragment.
    pub kind: SegmentPieceKind,
}

/// The kind and location of a fragment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SegmentPieceKind {
    /// A run of elements.
    Run {
        /// The row-major number of the first element.
        element: u64,
    },
    /// An encoded chunk.
    Chunk {
        /// The row-major number in the chunk grid.
        index: u64,
        /// The filters that were not applied.
        mask: u32,
        /// Whether the chunk is moved from the input.
        moved: bool,
    },
}

#[cfg(test)]
mod tests;
