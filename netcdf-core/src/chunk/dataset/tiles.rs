//! The elements of a slab, ordered for the parts cut from it.
//!
//! If chunks are cut into parts of a different shape, a part needs a few elements of many rows of many chunks. A
//! pass through the slab for every part is slow, because it loads whole cache lines for a few bytes. So a chunk is
//! reordered for the parts directly after decoding, while it is in the processor cache: first the elements of the
//! first part in row-major order, then the elements of the second. After that, the elements that a part needs of a
//! chunk are contiguous. The same is true for a *block*: some consecutive chunks along a dimension.

use super::pieces::{BlockPieces, CutBlock, DimPiece, Ends, Stretch};
use super::rows::BoxRows;
use crate::arithmetic::Amount;
use crate::chunk::layout::Layout;
use crate::chunk::scatter::Block;
use crate::model::Region;
use crate::model::region::product;

/// The row length in bytes from which reordering does not pay off.
const LONG: u64 = 1024;
/// The maximum size of a chunk in a slab, in bytes: larger chunks have left the processor cache before they are
/// reordered.
const LARGE: u64 = 4 << 20;

/// A slab cut into parts of one shape.
pub(super) struct SlabTiles {
    /// The part length per dimension.
    tile: Vec<usize>,
    /// The start of the slab, and its stored length, per dimension.
    start: Vec<usize>,
    stored: Vec<usize>,
    /// The block length, and the number of blocks in the variable, per dimension.
    block: Vec<usize>,
    grid: Vec<usize>,
    /// The first block that intersects the slab, and the number of intersecting blocks, per dimension.
    first: Vec<usize>,
    blocks: Vec<usize>,
    /// The dimension along which chunks form blocks, and the chunk length along it.
    along: usize,
    chunk: usize,
    /// The element size in bytes.
    size: usize,
}

/// The elements of a box of the variable in row-major order.
pub(super) struct Decoded<'a> {
    /// The box, which contains the slab's part of the chunk.
    pub(super) around: &'a Block,
    pub(super) bytes: &'a [u8],
}

impl SlabTiles {
    /// Creates the tiles of a slab for parts of shape `tile`; `None` if reordering does not pay off.
    pub(super) fn new(
        slab: &Region,
        stored: &[u64],
        layout: &Layout,
        tile: &[u64],
    ) -> Option<Self> {
        let whole = |list: &[u64]| -> Option<Vec<usize>> {
            let numbers = list.iter().map(|&n| usize::try_from(n).ok());
            numbers.collect()
        };
        let plain = slab.stride.iter().all(|&stride| stride == 1);
        let known = product(&slab.count)?.checked_mul(layout.element.size)?;
        let largest: Vec<u64> = slab
            .count
            .iter()
            .zip(&layout.chunk)
            .map(|(n, c)| *c.min(n))
            .collect();
        let large = product(&largest)?.checked_mul(layout.element.size)? > LARGE;
        if !plain || tile.is_empty() || known == 0 || large || row(slab, layout, tile) >= LONG {
            return None;
        }
        let tile: Vec<usize> = whole(tile)?.into_iter().map(|n| n.max(1)).collect();
        let chunk: Vec<usize> = whole(&layout.chunk)?
            .into_iter()
            .map(|n| n.max(1))
            .collect();
        let (start, stored) = (whole(&slab.start)?, whole(stored)?);
        let mut tiles = Self {
            tile,
            start,
            stored,
            grid: whole(&layout.grid())?,
            first: vec![],
            blocks: vec![],
            along: 0,
            chunk: *chunk.first()?,
            block: chunk,
            size: usize::try_from(layout.element.size).ok()?,
        };
        tiles.count();
        Some(tiles)
    }

    /// Counts the blocks that intersect the slab.
    fn count(&mut self) {
        let dims = self.start.iter().zip(&self.stored).zip(&self.block);
        let ends = dims.map(|((&n, &len), &b)| (n / b, (n + len).div_ceil(b)));
        let counts = ends.map(|(first, end)| (first, end - first));
        (self.first, self.blocks) = counts.unzip();
    }

    /// Returns the number of blocks that intersect the slab; `None` for 2^64 and more.
    pub(super) fn len(&self) -> Option<u64> {
        let mut counts = self.blocks.iter().map(|&n| n as u64);
        counts.try_fold(1u64, u64::checked_mul)
    }

    /// Merges up to `most` chunks into a block, along the last dimension with several chunks, but no more chunks
    /// than a part contains. Returns the number of chunks per block.
    pub(super) fn merge(&mut self, most: usize) -> usize {
        let along = self.blocks.iter().rposition(|&n| n > 1).unwrap_or(0);
        let tile = self.tile.get(along).copied().unwrap_or(1);
        let (block, grid) = (self.block.get_mut(along), self.grid.get_mut(along));
        let (Some(block), Some(grid)) = (block, grid) else {
            return 1;
        };
        let times = (tile / *block).min(most).max(1);
        (self.along, self.chunk) = (along, *block);
        *block *= times;
        *grid = grid.div_ceil(times);
        self.count();
        times
    }

    /// Returns the block of a chunk, given by the slab's part of the chunk: its number in the grid, the slab's part
    /// of the block, and its number of chunks.
    pub(super) fn block(&self, cell: &Block) -> Option<(u64, Block, u64)> {
        let (mut number, mut block, mut chunks) = (0u64, cell.clone(), 1u64);
        let dims = cell.start.iter().zip(&self.start).zip(&self.stored);
        let dims = dims.zip(self.block.iter().zip(&self.grid)).enumerate();
        for (n, (((&at, &from), &stored), (&len, &grid))) in dims {
            let at = usize::try_from(at).ok()?.checked_add(from)?;
            number = number.checked_mul(grid as u64)?;
            number = number.checked_add((at / len) as u64)?;
            if n == self.along {
                let begin = (at / len).checked_mul(len)?;
                let end = begin.checked_add(len)?.min(from.checked_add(stored)?);
                let begin = begin.max(from);
                *block.start.get_mut(n)? = (begin - from) as u64;
                *block.count.get_mut(n)? = end.checked_sub(begin)? as u64;
                chunks = (end.div_ceil(self.chunk) - begin / self.chunk) as u64;
            }
        }
        Some((number, block, chunks))
    }

    /// Copies the slab's part of a chunk to the slab's part of its block, in the order of the parts; `None` if a
    /// buffer is too small.
    pub(super) fn order(
        &self,
        cell: &Block,
        block: &Block,
        decoded: &Decoded<'_>,
        out: &mut [u8],
    ) -> Option<()> {
        let mut lines = Vec::with_capacity(self.tile.len());
        for (n, (&tile, &slab)) in self.tile.iter().zip(&self.start).enumerate() {
            let of = |list: &[u64]| list.get(n).and_then(|&n| usize::try_from(n).ok());
            let stretch = |start, len| Stretch { start, len };
            let cell = stretch(of(&cell.start)?, of(&cell.count)?);
            let around = decoded.around;
            let before = slab.checked_add(cell.start)?;
            let before = before.checked_sub(of(&around.start)?)?;
            let array = stretch(before, of(&around.count)?);
            let block = stretch(of(&block.start)?, of(&block.count)?);
            lines.push(CutBlock::new(block, cell, array, tile)?);
        }
        let (mut rows, mut out) = (BoxRows::default(), out);
        let mut now: Vec<DimPiece> = lines.iter().map(CutBlock::first).collect();
        loop {
            let len = now.iter().try_fold(self.size, |n, d| n.checked_mul(d.part));
            let (place, rest) = out.split_at_mut_checked(len?)?;
            if now.iter().all(|d| d.count > 0) {
                rows.lay(now.iter().map(DimPiece::line), self.size);
                rows.copy(decoded.bytes, place)?;
            }
            out = rest;
            let moved = lines.iter().zip(&mut now).rev().any(|(line, now)| {
                let next = line.next(now);
                *now = next.unwrap_or_else(|| line.first());
                next.is_some()
            });
            if !moved {
                return Some(());
            }
        }
    }

    /// Visits the intersections of a part (relative to the slab) with the blocks, in row-major order.
    ///
    /// # Errors
    /// Returns errors from `visit`.
    pub(super) fn visit<E>(
        &self,
        part: &Region,
        mut visit: impl FnMut(&BlockPieces<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(mut dims) = self.dims(part) else {
            return Ok(());
        };
        let along = dims
            .iter()
            .rposition(|d| d.ends.first != d.ends.last)
            .unwrap_or(0);
        loop {
            let times = dims.get(along).map_or(1, |d| self.alike(along, d));
            visit(&self.pieces(&dims, along, times))?;
            if let Some(dim) = dims.get_mut(along) {
                dim.block += times - 1;
            }
            let mut lines = dims.iter_mut().enumerate().rev();
            let moved = lines.any(|(n, dim)| {
                if dim.ends.first == dim.ends.last {
                    return false;
                }
                let more = dim.block < dim.ends.last;
                let block = if more { dim.block + 1 } else { dim.ends.first };
                let part = Stretch {
                    start: dim.start,
                    len: dim.part,
                };
                *dim = self.dim(n, part, block, dim.ends);
                more
            });
            if !moved {
                return Ok(());
            }
        }
    }

    /// Returns the number of consecutive blocks that lie entirely in the part, from this block and along a
    /// dimension; 1 if this block does not.
    fn alike(&self, n: usize, dim: &DimPiece) -> usize {
        let of = |list: &[usize]| list.get(n).copied().unwrap_or_default();
        let (first, len, stored) = (of(&self.start), of(&self.block).max(1), of(&self.stored));
        let end = (dim.start + dim.part).min(stored);
        let whole = (first + end) / len;
        match dim.count == len {
            true => whole.saturating_sub(dim.block).max(1),
            false => 1,
        }
    }

    /// Returns the first piece of a part; `None` if no element of the part is stored.
    fn dims(&self, part: &Region) -> Option<Vec<DimPiece>> {
        let lines = part.start.iter().zip(&part.count).enumerate();
        let dims = lines.map(|(n, (&start, &count))| {
            let (start, count) = (usize::try_from(start).ok()?, usize::try_from(count).ok()?);
            let end = start.checked_add(count)?.min(*self.stored.get(n)?);
            let (first, block) = (*self.start.get(n)?, *self.block.get(n)?);
            let last = first.checked_add(end)?.checked_sub(1)?;
            let ends = Ends {
                first: first.checked_add(start)? / block,
                last: last / block,
            };
            let part = Stretch { start, len: count };
            (start < end).then(|| self.dim(n, part, ends.first, ends))
        });
        dims.collect()
    }

    /// Returns the intersection of a part with a block along a dimension.
    fn dim(&self, n: usize, part: Stretch, block: usize, ends: Ends) -> DimPiece {
        let Stretch { start, len: count } = part;
        let of = |list: &[usize]| list.get(n).copied().unwrap_or_default();
        let (first, len, stored) = (of(&self.start), of(&self.block), of(&self.stored));
        let begin = block * len;
        let all = begin.saturating_sub(first)..(begin + len).saturating_sub(first).min(stored);
        let from = all.start.max(start);
        let end = all.end.min(start + count);
        DimPiece {
            block,
            ends,
            all: all.len(),
            before: from - all.start,
            count: end.saturating_sub(from),
            start,
            part: count,
            at: from - start,
        }
    }

    fn pieces<'a>(&self, dims: &'a [DimPiece], along: usize, times: usize) -> BlockPieces<'a> {
        let (mut first, mut step) = ((0u64, 0u64), (1u64, 1u64));
        let lines = self.first.iter().zip(&self.blocks).zip(&self.grid);
        for (n, (dim, ((&from, &blocks), &grid))) in dims.iter().zip(lines).enumerate() {
            let block = dim.block as u64;
            let ordinal = block - from as u64;
            first.0 = first.0 * grid as u64 + block;
            first.1 = first.1 * blocks as u64 + ordinal;
            if n > along {
                step.0 *= grid as u64;
                step.1 *= blocks as u64;
            }
        }
        BlockPieces {
            times: times as u64,
            first,
            step,
            along,
            len: self.block.get(along).copied().unwrap_or(1),
            dims,
            size: self.size,
        }
    }
}

/// Returns the number of bytes that are contiguous both in a chunk and in a part.
fn row(slab: &Region, layout: &Layout, tile: &[u64]) -> u64 {
    let dims = slab.count.iter().zip(&layout.chunk).zip(tile);
    let mut bytes = Amount::of(layout.element.size);
    for ((&count, &chunk), &tile) in dims.rev() {
        let (cell, part) = (chunk.min(count), tile.min(count));
        bytes = bytes * cell.min(part);
        if cell != part {
            break;
        }
    }
    bytes.get()
}
