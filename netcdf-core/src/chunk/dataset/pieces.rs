//! Pieces: intersections of parts with blocks of chunks, and of blocks with chunks.

use std::ops::Range;

use super::rows::{BoxLine, BoxRows};
use crate::chunk::scatter::Block;

/// The intersections of a part with consecutive blocks along a dimension. All blocks contribute the same elements.
pub(super) struct BlockPieces<'a> {
    /// The number of blocks.
    pub(super) times: u64,
    /// The number of the first block in the grid and in the slab, and the steps of both numbers from block to
    /// block.
    pub(super) first: (u64, u64),
    pub(super) step: (u64, u64),
    /// The dimension along which the blocks are consecutive, and the block length along it.
    pub(super) along: usize,
    pub(super) len: usize,
    /// The first piece, and the element size in bytes.
    pub(super) dims: &'a [DimPiece],
    pub(super) size: usize,
}

/// The first and last index of a range.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Ends {
    pub(super) first: usize,
    pub(super) last: usize,
}

/// A piece along one dimension, in elements.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct DimPiece {
    /// The block index, and the first and last index in use.
    pub(super) block: usize,
    pub(super) ends: Ends,
    /// The length of the source array, and the offset of the piece in it.
    pub(super) all: usize,
    pub(super) before: usize,
    /// The length of the piece.
    pub(super) count: usize,
    /// The start of the part in the slab, the length of the part, and the offset of the piece in the part.
    pub(super) start: usize,
    pub(super) part: usize,
    pub(super) at: usize,
}

impl DimPiece {
    /// Returns the copy of the piece from the source array to the part along this dimension.
    pub(super) fn line(&self) -> BoxLine {
        BoxLine {
            count: self.count,
            from: (self.before, self.all),
            to: (self.at, self.part),
        }
    }
}

impl BlockPieces<'_> {
    /// Returns the number of the `n`th block in the grid and in the slab.
    pub(super) fn block(&self, n: u64) -> (u64, u64) {
        let of = |first: u64, step: u64| first + step * n;
        (of(self.first.0, self.step.0), of(self.first.1, self.step.1))
    }

    /// Returns the byte range of a piece within the slab's data of a block, in the order of
    /// [`SlabTiles::order`](super::tiles::SlabTiles::order). `rows` becomes the rows of the first piece in the part.
    pub(super) fn lay(&self, rows: &mut BoxRows) -> Option<Range<usize>> {
        let alone = |d: &DimPiece| BoxLine {
            from: (0, d.count),
            ..d.line()
        };
        rows.lay(self.dims.iter().map(alone), self.size);
        // Along each dimension, whole pieces precede this piece; within these, the pieces of the following
        // dimensions.
        let (mut start, mut len, mut behind) = (0usize, self.size, self.size);
        for dim in self.dims.iter().rev() {
            let before = dim.before.checked_mul(behind)?;
            start = start.checked_mul(dim.count)?.checked_add(before)?;
            len = len.checked_mul(dim.count)?;
            behind = behind.checked_mul(dim.all)?;
        }
        Some(start..start.checked_add(len)?)
    }

    /// Returns true if the pieces intersect `cell`, the slab's part of a chunk in `block`.
    pub(super) fn touch(&self, cell: &Block, block: &Block) -> bool {
        let starts = cell.start.iter().zip(&block.start);
        let mut lines = starts.zip(&cell.count).zip(self.dims);
        lines.all(|(((start, block), &count), dim)| {
            let from = start.saturating_sub(*block);
            let end = (dim.before + dim.count) as u64;
            from < end && from + count > dim.before as u64
        })
    }

    /// Returns the distance of consecutive pieces in the part, in bytes.
    pub(super) fn apart(&self) -> Option<usize> {
        let behind = self.dims.iter().skip(self.along.checked_add(1)?);
        let step = self.len.checked_mul(self.size)?;
        behind.map(|d| d.part).try_fold(step, usize::checked_mul)
    }

    /// Returns the box of the `n`th piece in the part.
    pub(super) fn place(&self, n: u64) -> Block {
        let dims = self.dims.iter().map(|d| (d.at as u64, d.count as u64));
        let (mut start, count): (Vec<u64>, _) = dims.unzip();
        if let Some(at) = start.get_mut(self.along) {
            *at += n * self.len as u64;
        }
        Block { start, count }
    }
}

/// A range along a dimension, in elements.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stretch {
    pub(super) start: usize,
    pub(super) len: usize,
}

/// A block along one dimension, to be cut into pieces, and the range of a chunk in the block. The ranges are in slab coordinates. The
/// chunk's elements are in an array of `array.len` elements, from `array.start`.
pub(super) struct CutBlock {
    block: Stretch,
    cell: Stretch,
    array: Stretch,
    /// The length of a part.
    tile: usize,
}

impl CutBlock {
    /// Creates the block; `None` if it is empty, or if the array has too few elements.
    pub(super) fn new(block: Stretch, cell: Stretch, array: Stretch, tile: usize) -> Option<Self> {
        block.start.checked_add(block.len)?.checked_add(tile)?;
        cell.start.checked_add(cell.len)?;
        let fits = array.start.checked_add(cell.len)? <= array.len;
        (fits && block.len > 0 && tile > 0).then_some(Self {
            block,
            cell,
            array,
            tile,
        })
    }

    /// Returns the first piece with its intersection with the chunk.
    pub(super) fn first(&self) -> DimPiece {
        self.piece(self.block.start)
    }

    /// Returns the piece after this one.
    pub(super) fn next(&self, piece: &DimPiece) -> Option<DimPiece> {
        let at = piece.start + piece.part;
        (at < self.block.start + self.block.len).then(|| self.piece(at))
    }

    fn piece(&self, at: usize) -> DimPiece {
        let Self {
            block, cell, array, ..
        } = self;
        let next = (at - at % self.tile + self.tile).min(block.start + block.len);
        // The chunk may end before the piece or begin after it.
        let from = at.max(cell.start).min(next);
        DimPiece {
            all: array.len,
            before: array.start + from.saturating_sub(cell.start),
            count: next.min(cell.start + cell.len).saturating_sub(from),
            start: at,
            part: next - at,
            at: from - at,
            ..DimPiece::default()
        }
    }
}
