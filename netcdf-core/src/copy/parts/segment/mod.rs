//! Segments: what a part of a copy stores, piece by piece, with the place of each in the output.
//!
//! All numbers are little-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `NCPART01` |
//! | | the pieces, those of a variable side by side: 32 bytes about the piece, then its bytes |
//! | | the table: 24 bytes for each variable with pieces |
//! | 48 | the end: the offset of the table (8), its length in bytes (8), BLAKE3 of all bytes before this digest (32) |
//!
//! About a piece: variable (4), what it is (4: 0 a run of elements, 1 a chunk, 2 a chunk that is moved), number of its first element or of
//! the chunk (8), the chunk's filter mask (4), number of zeros before its bytes (4), length in bytes (8). The bytes of a moved chunk lie
//! at the same place of a page as in the input: where they go in the output depends on this. In the table: variable (4), zero (4), offset of its first piece (8), and the
//! offset behind its last (8).

mod read;
mod write;

pub use read::Segment;
pub use write::{SegmentContent, SegmentWriter};

use crate::model::VarId;

const MAGIC: &[u8; 8] = b"NCPART01";
/// Bytes about a piece, of an entry of the table, and of the end.
const HEAD: u64 = 32;
const ENTRY: u64 = 24;
const END: u64 = 48;

/// A piece of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SegmentPiece {
    /// The variable.
    pub var: VarId,
    /// What it is, and its place.
    pub kind: SegmentPieceKind,
}

/// What a piece is, and its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SegmentPieceKind {
    /// Elements from a row-major number on.
    Run {
        /// The number of the first one.
        element: u64,
    },
    /// An encoded chunk.
    Chunk {
        /// Its row-major number in the grid.
        index: u64,
        /// The filters that were not applied.
        mask: u32,
        /// Whether it is moved from the input ([`Writer::move_chunk`](crate::chunk::Writer::move_chunk)).
        moved: bool,
    },
}

#[cfg(test)]
mod tests;
