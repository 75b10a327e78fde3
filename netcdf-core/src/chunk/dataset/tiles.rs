//! The elements of a slab, ordered by the parts that are cut from it.
//!
//! Where chunks of one shape are cut into parts of another, a part needs a few elements in each of many rows of each of many
//! chunks. To walk through a slab in this way for every part is slow: memory is fetched again and again for a few bytes.
//! So a chunk is put in the order of the parts as soon as it is decoded, while it is in the cache: first what lies in the
//! first part, row-major, then what lies in the second. What a part needs of a chunk then stands together.

use std::ops::Range;

use crate::chunk::layout::Layout;
use crate::chunk::scatter::Block;
use crate::model::Region;
use crate::model::region::product;

/// Bytes of rows from which on nothing is gained.
const LONG: u64 = 1024;
/// Bytes that a slab may have of a chunk: more are not in the cache any more when they are ordered.
const LARGE: u64 = 4 << 20;
/// Parts along a dimension that a chunk may be cut into.
const MANY: u64 = 1 << 12;

/// A slab that is cut into parts of one shape.
pub(super) struct Tiles {
    /// Elements of a part per dimension.
    tile: Vec<usize>,
    /// Where the slab starts, and how many elements of it are stored.
    start: Vec<usize>,
    stored: Vec<usize>,
    /// Elements of a chunk per dimension, and chunks of the variable.
    chunk: Vec<usize>,
    grid: Vec<usize>,
    /// The first chunk per dimension of which the slab has elements, and how many there are.
    first: Vec<usize>,
    cells: Vec<usize>,
    /// Bytes of an element.
    size: usize,
}

/// What a part has of a chunk.
pub(super) struct Piece<'a> {
    /// Number of the chunk in the grid, and among those of the slab.
    pub(super) index: u64,
    pub(super) ordinal: u64,
    dims: &'a [Dim],
    size: usize,
}

/// A piece along one dimension, in elements.
#[derive(Debug, Clone, Copy, Default)]
struct Dim {
    /// Which chunk, and the first and the last one that count.
    chunk: usize,
    ends: (usize, usize),
    /// Elements that the slab has of the chunk, and of these those before the piece.
    cell: usize,
    before: usize,
    /// Elements of the piece.
    count: usize,
    /// Where the part starts in the slab, its elements, and of these those before the piece.
    start: usize,
    part: usize,
    at: usize,
}

impl Tiles {
    /// The parts of `tile` elements of a slab; `None` where their order is not worth the work.
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
        let cells: Vec<u64> = slab
            .count
            .iter()
            .zip(&layout.chunk)
            .map(|(n, c)| *c.min(n))
            .collect();
        let large = product(&cells)?.checked_mul(layout.element.size)? > LARGE;
        let many = |(cell, tile): (&u64, &u64)| cell / (*tile).max(1) >= MANY;
        if !plain || tile.is_empty() || known == 0 || large || row(slab, layout, tile) >= LONG {
            return None;
        }
        if cells.iter().zip(tile).any(many) {
            return None;
        }
        let tile: Vec<usize> = whole(tile)?.into_iter().map(|n| n.max(1)).collect();
        let chunk: Vec<usize> = whole(&layout.chunk)?
            .into_iter()
            .map(|n| n.max(1))
            .collect();
        let (start, stored) = (whole(&slab.start)?, whole(stored)?);
        let first: Vec<usize> = start.iter().zip(&chunk).map(|(n, c)| n / c).collect();
        let ends = start.iter().zip(&stored).zip(&chunk);
        let ends = ends.map(|((n, len), c)| n.saturating_add(*len).div_ceil(*c));
        let cells = ends
            .zip(&first)
            .map(|(end, first)| end.saturating_sub(*first));
        Some(Self {
            tile,
            cells: cells.collect(),
            first,
            start,
            stored,
            chunk,
            grid: whole(&layout.grid())?,
            size: usize::try_from(layout.element.size).ok()?,
        })
    }

    /// Appends what the slab has of a chunk, given row-major; as it is if it lies in one part, or has not as many bytes as
    /// it should have.
    pub(super) fn order(&self, cell: &Block, bytes: &[u8], out: &mut Vec<u8>) {
        let dims = cell.start.iter().zip(&cell.count).zip(&self.tile);
        let dims = dims.map(|((&start, &count), &tile)| pieces(start, count, tile));
        let dims: Option<Vec<Vec<Dim>>> = dims.collect();
        let whole = product(&cell.count) == self.elements(bytes.len());
        let cut = |dims: &Vec<Vec<Dim>>| dims.iter().any(|d| d.len() > 1);
        let Some(dims) = dims.filter(cut).filter(|_| whole) else {
            return out.extend_from_slice(bytes);
        };
        let (mut at, mut rows) = (vec![0usize; dims.len()], Rows::default());
        let mut now: Vec<Dim> = dims.iter().filter_map(|d| d.first().copied()).collect();
        loop {
            rows.lay(now.iter().map(|d| (d.before, d.count, d.cell)), self.size);
            rows.each(|row| out.extend_from_slice(bytes.get(row).unwrap_or_default()));
            let lines = dims.iter().zip(&mut at).zip(&mut now).rev();
            let moved = lines.into_iter().any(|((line, at), now)| {
                *at = if *at + 1 < line.len() { *at + 1 } else { 0 };
                *now = line.get(*at).copied().unwrap_or_default();
                *at > 0
            });
            if !moved {
                return;
            }
        }
    }

    fn elements(&self, bytes: usize) -> Option<u64> {
        (bytes.is_multiple_of(self.size)).then_some((bytes / self.size) as u64)
    }

    /// Visits what a part of the slab (counted from its start) has of each chunk, in row-major order.
    ///
    /// # Errors
    /// Those of `visit`.
    pub(super) fn visit<E>(
        &self,
        part: &Region,
        mut visit: impl FnMut(Piece<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(mut dims) = self.dims(part) else {
            return Ok(());
        };
        loop {
            visit(self.piece(&dims))?;
            let mut lines = dims.iter_mut().enumerate().rev();
            let moved = lines.any(|(n, dim)| {
                if dim.ends.0 == dim.ends.1 {
                    return false;
                }
                let more = dim.chunk < dim.ends.1;
                let chunk = if more { dim.chunk + 1 } else { dim.ends.0 };
                *dim = self.dim(n, (dim.start, dim.part), (chunk, dim.ends));
                more
            });
            if !moved {
                return Ok(());
            }
        }
    }

    /// The first piece of a part; `None` if nothing of it is stored.
    fn dims(&self, part: &Region) -> Option<Vec<Dim>> {
        let lines = part.start.iter().zip(&part.count).enumerate();
        let dims = lines.map(|(n, (&start, &count))| {
            let (start, count) = (usize::try_from(start).ok()?, usize::try_from(count).ok()?);
            let end = start.checked_add(count)?.min(*self.stored.get(n)?);
            let (first, chunk) = (*self.start.get(n)?, *self.chunk.get(n)?);
            let last = first.checked_add(end)?.checked_sub(1)?;
            let ends = (first.checked_add(start)? / chunk, last / chunk);
            (start < end).then(|| self.dim(n, (start, count), (ends.0, ends)))
        });
        dims.collect()
    }

    /// What a part has of a chunk, along a dimension.
    fn dim(
        &self,
        n: usize,
        (start, count): (usize, usize),
        (chunk, ends): (usize, (usize, usize)),
    ) -> Dim {
        let of = |list: &[usize]| list.get(n).copied().unwrap_or_default();
        let (first, len, stored) = (of(&self.start), of(&self.chunk), of(&self.stored));
        let begin = chunk.saturating_mul(len);
        let cell = begin.saturating_sub(first)
            ..begin.saturating_add(len).saturating_sub(first).min(stored);
        let from = cell.start.max(start);
        let end = cell.end.min(start.saturating_add(count));
        Dim {
            chunk,
            ends,
            cell: cell.len(),
            before: from.saturating_sub(cell.start),
            count: end.saturating_sub(from),
            start,
            part: count,
            at: from.saturating_sub(start),
        }
    }

    fn piece<'a>(&self, dims: &'a [Dim]) -> Piece<'a> {
        let (mut index, mut ordinal) = (0usize, 0usize);
        let lines = self.first.iter().zip(&self.cells).zip(&self.grid);
        for (dim, ((&first, &cells), &grid)) in dims.iter().zip(lines) {
            index = index.saturating_mul(grid).saturating_add(dim.chunk);
            ordinal = ordinal
                .saturating_mul(cells)
                .saturating_add(dim.chunk.saturating_sub(first));
        }
        Piece {
            index: index as u64,
            ordinal: ordinal as u64,
            dims,
            size: self.size,
        }
    }
}

impl Piece<'_> {
    /// Puts the piece into its place of the part; `None` if the chunk, as [`Tiles::order`] has it, has too few bytes.
    pub(super) fn put(&self, chunk: &[u8], part: &mut [u8], rows: &mut Rows) -> Option<()> {
        let mut from = chunk.get(self.range(chunk.len())?)?;
        rows.lay(self.dims.iter().map(|d| (d.at, d.count, d.part)), self.size);
        let mut whole = true;
        rows.each(|row| {
            let parts = from.split_at_checked(row.len());
            match (part.get_mut(row), parts) {
                (Some(place), Some((bytes, rest))) => {
                    place.copy_from_slice(bytes);
                    from = rest;
                }
                _ => whole = false,
            }
        });
        whole.then_some(())
    }

    /// Where it stands among the bytes that the slab has of the chunk.
    fn range(&self, len: usize) -> Option<Range<usize>> {
        let mut behind = self
            .dims
            .iter()
            .try_fold(self.size, |n, d| n.checked_mul(d.cell))?;
        if behind > len {
            return None;
        }
        let (mut start, mut above) = (0usize, 1usize);
        for dim in self.dims {
            behind /= dim.cell.max(1);
            start += above * dim.before * behind;
            above *= dim.count;
        }
        Some(start..start.checked_add(above.checked_mul(self.size)?)?)
    }

    /// Its place in the part.
    pub(super) fn place(&self) -> Block {
        let dims = self.dims.iter().map(|d| (d.at as u64, d.count as u64));
        let (start, count) = dims.unzip();
        Block { start, count }
    }
}

/// The pieces into which a chunk is cut along a dimension.
fn pieces(start: u64, count: u64, tile: usize) -> Option<Vec<Dim>> {
    let (start, count) = (usize::try_from(start).ok()?, usize::try_from(count).ok()?);
    let end = start.checked_add(count)?;
    let mut list = Vec::new();
    let mut at = start;
    while at < end {
        let next = (at / tile).checked_add(1)?.saturating_mul(tile).min(end);
        list.push(Dim {
            cell: count,
            before: at - start,
            count: next - at,
            ..Dim::default()
        });
        at = next;
    }
    (!list.is_empty()).then_some(list)
}

/// Bytes that stand together in a chunk and in a part.
fn row(slab: &Region, layout: &Layout, tile: &[u64]) -> u64 {
    let dims = slab.count.iter().zip(&layout.chunk).zip(tile);
    let mut bytes = layout.element.size;
    for ((&count, &chunk), &tile) in dims.rev() {
        let (cell, part) = (chunk.min(count), tile.min(count));
        bytes = bytes.saturating_mul(cell.min(part));
        if cell != part {
            break;
        }
    }
    bytes
}

/// The rows of a box in a row-major array: its elements that stand together, in bytes.
#[derive(Default)]
pub(super) struct Rows {
    /// From the innermost dimension that is gone through to the outermost.
    loops: Vec<Loop>,
    first: usize,
    len: usize,
}

struct Loop {
    count: usize,
    step: usize,
    left: usize,
}

impl Rows {
    /// A box by its first element, number of elements and those of the array, per dimension. The array is one in memory.
    fn lay(&mut self, dims: impl DoubleEndedIterator<Item = (usize, usize, usize)>, size: usize) {
        self.loops.clear();
        (self.first, self.len) = (0, size);
        let (mut step, mut whole) = (size, true);
        for (first, count, of) in dims.rev() {
            self.first = self.first.saturating_add(first.saturating_mul(step));
            if whole {
                self.len = step.saturating_mul(count);
                whole = count == of;
            } else if count != 1 {
                let left = count.saturating_sub(1);
                self.loops.push(Loop { count, step, left });
            }
            step = step.saturating_mul(of);
        }
    }

    /// Visits the rows in row-major order.
    fn each(&mut self, mut visit: impl FnMut(Range<usize>)) {
        let len = self.len;
        let mut at = self.first;
        let Some((inner, outer)) = self.loops.split_first_mut() else {
            visit(at..at.saturating_add(len));
            return;
        };
        loop {
            let mut row = at;
            for _ in 0..inner.count {
                visit(row..row.saturating_add(len));
                row = row.saturating_add(inner.step);
            }
            let moved = outer.iter_mut().any(|l| {
                if l.left > 0 {
                    l.left -= 1;
                    at = at.saturating_add(l.step);
                    return true;
                }
                l.left = l.count.saturating_sub(1);
                at = at.saturating_sub(l.left.saturating_mul(l.step));
                false
            });
            if !moved {
                return;
            }
        }
    }
}
