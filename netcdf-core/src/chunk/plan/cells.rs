//! Cells: the intersections of chunks with a region.

use std::ops::Range;

use crate::arithmetic::Amount;
use crate::chunk::layout::Layout;
use crate::chunk::scatter::{Block, advance, within};
use crate::model::Region;

/// The chunks that intersect a region. Positions are in elements of the region, relative to its start.
#[derive(Debug, Clone)]
pub struct PlanCells {
    /// The chunks along each dimension.
    lines: Vec<ChunkLine>,
    /// The number of the variable's chunks per dimension.
    grid: Vec<u64>,
    /// The number of the region's elements per dimension that lie within the stored extent.
    pub stored: Vec<u64>,
}

/// The chunks that intersect a region along one dimension. They are computed on demand: a damaged file may claim
/// more chunks than memory holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ChunkLine {
    /// The stored part of the region: first element, number of elements, stride.
    start: u64,
    count: u64,
    stride: u64,
    /// The chunk length.
    chunk: u64,
}

/// The intersection of a chunk with a region, along one dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ChunkSpan {
    /// The chunk index.
    chunk: u64,
    /// The first element within the region.
    first: u64,
    /// The number of elements.
    count: u64,
}

/// A chunk that intersects a region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanCell {
    /// The row-major number of the chunk in the grid.
    pub index: u64,
    /// The box in the region.
    pub place: Block,
}

impl PlanCell {
    /// Returns a cell of all elements of a region of this shape.
    #[must_use]
    pub fn whole(shape: &[u64]) -> Self {
        let place = Block::whole(shape);
        Self { index: 0, place }
    }
}

impl PlanCells {
    /// Creates the cells of `region`.
    #[must_use]
    pub fn new(region: &Region, layout: &Layout) -> Self {
        let lines = region.start.iter().zip(&region.count).zip(&region.stride);
        let dims = lines.zip(layout.extent.iter().zip(&layout.chunk));
        let (mut lines, mut stored) = (Vec::new(), Vec::new());
        for (((&start, &count), &stride), (&extent, &chunk)) in dims {
            let count = within((start, count, stride), 0, extent).1;
            stored.push(count);
            lines.push(ChunkLine {
                start,
                count,
                stride: stride.max(1),
                chunk: chunk.max(1),
            });
        }
        Self {
            lines,
            grid: layout.grid(),
            stored,
        }
    }

    /// Returns the number of chunks.
    #[must_use]
    pub fn len(&self) -> u64 {
        let lengths: Vec<u64> = self.lines.iter().map(ChunkLine::len).collect();
        Amount::product(&lengths).get()
    }

    /// Returns true if no chunk intersects the region.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines.iter().any(|line| line.count == 0)
    }

    /// Returns the bounding box of all cells in the chunk grid, in chunks.
    #[must_use]
    pub fn grid_box(&self) -> Block {
        let ends = self.lines.iter().map(|line| match line.count {
            0 => (1, 0),
            count => (line.chunk_of(0), line.chunk_of(count - 1)),
        });
        let (start, count) = ends.map(|(first, last)| (first, last + 1 - first)).unzip();
        Block { start, count }
    }

    /// Returns the cell of the chunk with this number, if the chunk intersects the region.
    #[must_use]
    pub fn cell(&self, index: u64) -> Option<PlanCell> {
        let mut rest = index;
        let (mut start, mut count) = (Vec::new(), Vec::new());
        for (line, &cells) in self.lines.iter().zip(&self.grid).rev() {
            let found = line.find(rest % cells.max(1))?;
            rest /= cells.max(1);
            start.push(found.first);
            count.push(found.count);
        }
        start.reverse();
        count.reverse();
        let place = Block { start, count };
        (rest == 0).then_some(PlanCell { index, place })
    }

    /// Returns the cells that intersect a box of the region, in row-major order. The positions are relative to the whole region.
    pub fn within<'a>(&'a self, part: &Block) -> impl Iterator<Item = PlanCell> + use<'a> {
        let ends = part.start.iter().zip(&part.count);
        let slices = self.lines.iter().zip(ends);
        let slices: Vec<(ChunkLine, Range<u64>)> = slices
            .map(|(line, (&start, &count))| (*line, line.within(start, count)))
            .collect();
        let lengths: Vec<u64> = slices.iter().map(|(_, r)| r.end - r.start).collect();
        let mut at = (!lengths.contains(&0)).then(|| vec![0; lengths.len()]);
        std::iter::from_fn(move || {
            let mut now = at.take()?;
            let cell = cell(&slices, &now, &self.grid);
            if advance(&mut now, &lengths) {
                at = Some(now);
            }
            Some(cell)
        })
    }

    /// Returns the number of cells that intersect a box of the region.
    #[must_use]
    pub fn count_within(&self, part: &Block) -> u64 {
        let ends = part.start.iter().zip(&part.count);
        let counts = self.lines.iter().zip(ends).map(|(line, (&start, &count))| {
            let range = line.within(start, count);
            range.end - range.start
        });
        Amount::product(&counts.collect::<Vec<_>>()).get()
    }

    /// Returns all cells in row-major order.
    pub fn iter(&self) -> impl Iterator<Item = PlanCell> + use<'_> {
        self.within(&Block::whole(&self.stored))
    }
}

/// Returns the cell at these indices along the dimensions, relative to the start of each range.
fn cell(slices: &[(ChunkLine, Range<u64>)], at: &[u64], grid: &[u64]) -> PlanCell {
    let mut index = 0u64;
    let (mut start, mut count) = (Vec::new(), Vec::new());
    for (((line, range), &n), &cells) in slices.iter().zip(at).zip(grid) {
        let span = line.span(range.start + n);
        index = index * cells + span.chunk;
        start.push(span.first);
        count.push(span.count);
    }
    let place = Block { start, count };
    PlanCell { index, place }
}

impl ChunkLine {
    /// Returns the chunk of an element of the region.
    fn chunk_of(&self, element: u64) -> u64 {
        (self.start + element * self.stride) / self.chunk
    }

    /// Returns true if the chunks are consecutive.
    fn is_dense(&self) -> bool {
        self.stride <= self.chunk
    }

    /// Returns the number of chunks.
    fn len(&self) -> u64 {
        match self.count {
            0 => 0,
            count if self.is_dense() => self.chunk_of(count - 1) - self.chunk_of(0) + 1,
            count => count,
        }
    }

    /// Returns the `n`th chunk.
    fn span(&self, n: u64) -> ChunkSpan {
        if !self.is_dense() {
            // Each element is in a different chunk.
            return ChunkSpan {
                chunk: self.chunk_of(n),
                first: n,
                count: 1,
            };
        }
        let chunk = self.chunk_of(0) + n;
        let line = (self.start, self.count, self.stride);
        let before = |chunk: u64| within(line, 0, chunk * self.chunk).1;
        let first = before(chunk);
        ChunkSpan {
            chunk,
            first,
            count: before(chunk + 1) - first,
        }
    }

    /// Returns the chunk with this index in the grid, if it has elements.
    fn find(&self, chunk: u64) -> Option<ChunkSpan> {
        if self.count == 0 {
            return None;
        }
        if self.is_dense() {
            let n = chunk.checked_sub(self.chunk_of(0))?;
            return (n < self.len()).then(|| self.span(n));
        }
        let from = (chunk * self.chunk).max(self.start);
        let n = (from - self.start).div_ceil(self.stride);
        (n < self.count && self.chunk_of(n) == chunk).then(|| self.span(n))
    }

    /// Returns the range of chunks that contain these elements of the region.
    fn within(&self, start: u64, count: u64) -> Range<u64> {
        let end = (start + count).min(self.count);
        if start >= end {
            return 0..0;
        }
        if !self.is_dense() {
            return start..end;
        }
        let first = self.chunk_of(0);
        self.chunk_of(start) - first..self.chunk_of(end - 1) - first + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::layout::tests::layout;

    #[test]
    fn every_stored_element_is_in_the_cell_of_its_chunk() {
        let layout = layout(&[7, 11], &[3, 4]);
        for (start, count, stride) in [
            ([0, 0], [7, 11], [1, 1]),
            ([1, 2], [3, 4], [2, 2]),
            ([6, 10], [2, 9], [1, 3]),
            ([0, 0], [2, 2], [6, 9]),
            ([7, 0], [1, 1], [1, 1]),
        ] {
            let region = Region {
                start: start.to_vec(),
                count: count.to_vec(),
                stride: stride.to_vec(),
            };
            let cells = PlanCells::new(&region, &layout);
            let mut seen = vec![];
            for cell in cells.iter() {
                assert_eq!(cells.cell(cell.index), Some(cell.clone()));
                let (s, c) = (&cell.place.start, &cell.place.count);
                for i in s[0]..s[0] + c[0] {
                    for j in s[1]..s[1] + c[1] {
                        let (y, x) = (start[0] + i * stride[0], start[1] + j * stride[1]);
                        assert_eq!(cell.index, y / 3 * 3 + x / 4);
                        seen.push((i, j));
                    }
                }
            }
            seen.sort_unstable();
            let all = (0..count[0]).flat_map(|i| (0..count[1]).map(move |j| (i, j)));
            let stored =
                all.filter(|&(i, j)| start[0] + i * stride[0] < 7 && start[1] + j * stride[1] < 11);
            assert_eq!(seen, stored.collect::<Vec<_>>(), "{region:?}");
            assert_eq!(cells.len(), cells.iter().count() as u64);
        }
    }

    #[test]
    fn only_the_chunks_of_a_box_are_visited() {
        let layout = layout(&[10, 10], &[3, 3]);
        let cells = PlanCells::new(&Region::boxed(vec![1, 1], vec![9, 9]), &layout);
        let part = Block {
            start: vec![2, 5],
            count: vec![2, 1],
        };
        let got: Vec<_> = cells.within(&part).map(|c| c.index).collect();
        assert_eq!(got, [4 + 2]);
        let part = Block {
            start: vec![1, 4],
            count: vec![2, 2],
        };
        let got: Vec<_> = cells.within(&part).map(|c| c.index).collect();
        assert_eq!(got, [1, 2, 5, 6]);
    }

    #[test]
    fn a_scalar_is_one_cell() {
        let cells = PlanCells::new(&Region::whole(&[]), &layout(&[], &[]));
        let all: Vec<_> = cells.iter().collect();
        assert_eq!((cells.len(), all.len(), all[0].index), (1, 1, 0));
    }
}
