//! The chunks of a variable that is written, as boxes of its elements.

use super::layout::Layout;
use super::plan::Bands;
use super::scatter::{Block, place};
use crate::arithmetic::Amount;
use crate::model::Region;

/// A chunk grid over the elements of a variable. Boxes of chunks do not extend beyond the variable: they are
/// smaller at its ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkGrid {
    /// The length per dimension.
    shape: Vec<u64>,
    /// The chunk length per dimension.
    chunk: Vec<u64>,
    /// The number of chunks with elements, per dimension.
    counts: Vec<u64>,
    /// The number of numbered chunks per dimension. The extent may have more chunks than the shape.
    numbered: Vec<u64>,
}

impl ChunkGrid {
    /// Creates the grid of `layout` for a variable of `shape`, which may be shorter than the extent.
    #[must_use]
    pub fn new(layout: &Layout, shape: &[u64]) -> Self {
        let chunk = layout.chunk.iter().map(|&n| n.max(1)).collect();
        let grid = Self::of(shape.to_vec(), chunk);
        let numbered = layout.grid().into_iter().zip(&grid.counts);
        Self {
            numbered: numbered.map(|(n, m)| n.max(*m)).collect(),
            ..grid
        }
    }

    /// Returns the number of chunks per dimension.
    #[must_use]
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Returns the chunk length per dimension.
    #[must_use]
    pub fn chunk(&self) -> &[u64] {
        &self.chunk
    }

    /// Returns the number of chunks.
    #[must_use]
    pub fn len(&self) -> u64 {
        Amount::product(&self.counts).get()
    }

    /// Returns true if there are no chunks.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the chunk length per dimension, limited to the variable's shape.
    #[must_use]
    pub fn largest(&self) -> Vec<u64> {
        let lengths = self.chunk.iter().zip(&self.shape);
        lengths.map(|(c, n)| *c.min(n)).collect()
    }

    /// Returns boxes of at most `most` consecutive chunks in row-major order.
    pub fn boxes(&self, most: u64) -> impl Iterator<Item = Region> + use<> {
        self.cut(Region::whole(&self.counts), most)
    }

    /// Like [`ChunkGrid::boxes`], for the chunks that intersect a box of elements.
    pub fn boxes_in(&self, part: &Region, most: u64) -> impl Iterator<Item = Region> + use<> {
        self.cut(self.touched(part), most)
    }

    /// Splits a box of chunks into boxes of at most `most` chunks.
    fn cut(&self, chunks: Region, most: u64) -> impl Iterator<Item = Region> + use<> {
        let grid = self.clone();
        Bands::new(chunks, &[], most.max(1)).map(move |b| grid.elements(&b))
    }

    /// Returns the chunks of a box of whole chunks, in row-major order, relative to its start.
    pub fn chunks(&self, part: &Region) -> impl Iterator<Item = Region> + use<> {
        self.inside(part).boxes(1)
    }

    /// Returns the grid of a box of whole chunks, relative to its start.
    #[must_use]
    pub fn inside(&self, part: &Region) -> Self {
        Self::of(part.count.clone(), self.chunk.clone())
    }

    /// Creates a grid with this chunk shape.
    #[must_use]
    pub fn of(shape: Vec<u64>, chunk: Vec<u64>) -> Self {
        let cells = shape
            .iter()
            .zip(&chunk)
            .map(|(n, c)| n.div_ceil((*c).max(1)));
        let counts: Vec<u64> = cells.collect();
        Self {
            shape,
            chunk,
            numbered: counts.clone(),
            counts,
        }
    }

    /// Returns the elements of the chunk that contains an element.
    #[must_use]
    pub fn around(&self, element: &[u64]) -> Region {
        let place = element.iter().zip(&self.chunk);
        let start = place.map(|(at, chunk)| at / (*chunk).max(1)).collect();
        let count = vec![1; element.len()];
        self.elements(&Region::boxed(start, count))
    }

    /// Returns the intersections of a box with the chunks, relative to its start, in row-major order.
    pub fn cells(&self, part: &Region) -> impl Iterator<Item = Block> + use<> {
        let axis = |((&start, &count), &chunk): ((&u64, &u64), &u64)| {
            let chunk = chunk.max(1);
            let end = start + count;
            (start, end, chunk, start / chunk, end.div_ceil(chunk))
        };
        let axes = part
            .start
            .iter()
            .zip(&part.count)
            .zip(&self.chunk)
            .map(axis);
        let axes: Vec<_> = axes.collect();
        let counts: Vec<u64> = axes.iter().map(|a| a.4 - a.3).collect();
        Bands::new(Region::whole(&counts), &[], 1).map(move |at| {
            let spans = at.start.iter().zip(&axes);
            let spans = spans.map(|(n, &(start, end, chunk, first, _))| {
                let place = (n + first) * chunk;
                let (from, to) = (place.max(start), (place + chunk).min(end));
                (from - start, to - from)
            });
            let (start, count) = spans.unzip();
            Block { start, count }
        })
    }

    /// Returns the region of all elements.
    #[must_use]
    pub fn whole(&self) -> Region {
        Region::whole(&self.shape)
    }

    /// Returns the row-major number of the chunk in which a box starts.
    #[must_use]
    pub fn index(&self, part: &Region) -> u64 {
        let place = part.start.iter().zip(&self.chunk).zip(&self.numbered);
        place.fold(0, |n, ((at, chunk), cells)| n * cells + at / chunk)
    }

    /// Returns the box of chunks that intersect a box of elements.
    #[must_use]
    pub fn touched(&self, part: &Region) -> Region {
        let (mut start, mut count) = (Vec::new(), Vec::new());
        let dims = part.start.iter().zip(&part.count).zip(&self.chunk);
        for ((&from, &n), &chunk) in dims {
            let chunk = chunk.max(1);
            let end = (from + n).div_ceil(chunk);
            start.push(from / chunk);
            count.push(match n {
                0 => 0,
                _ => end - from / chunk,
            });
        }
        Region::boxed(start, count)
    }

    /// Returns the row-major numbers of a box of chunks, ascending.
    pub fn numbers(&self, chunks: &Region) -> impl Iterator<Item = u64> + use<'_> {
        Bands::new(chunks.clone(), &[], 1).map(|chunk| {
            let place = chunk.start.iter().zip(&self.numbered);
            place.fold(0, |n, (at, cells)| n * cells + at)
        })
    }

    /// Returns the elements of the chunk with this row-major number.
    #[must_use]
    pub fn numbered(&self, number: u64) -> Region {
        let start = place(number, &self.numbered);
        let count = vec![1; start.len()];
        self.elements(&Region::boxed(start, count))
    }

    /// Returns the elements of a box of chunks.
    fn elements(&self, chunks: &Region) -> Region {
        let (mut start, mut count) = (Vec::new(), Vec::new());
        let boxes = chunks.start.iter().zip(&chunks.count);
        for ((&first, &n), (&chunk, &len)) in boxes.zip(self.chunk.iter().zip(&self.shape)) {
            let from = first * chunk;
            let end = ((first + n) * chunk).min(len);
            start.push(from);
            count.push(end.saturating_sub(from));
        }
        Region::boxed(start, count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::layout::tests::layout;

    #[test]
    fn chunks_are_numbered_in_the_extent() {
        let grid = ChunkGrid::new(&layout(&[9, 7], &[2, 3]), &[5, 7]);
        assert_eq!((grid.counts(), grid.len()), (&[3, 3][..], 9));
        let all: Vec<Region> = grid.boxes(1).collect();
        let last = Region::boxed(vec![4, 6], vec![1, 1]);
        assert_eq!(all.last(), Some(&last));
        assert!(all.iter().map(|b| grid.index(b)).eq(0..9));
        // A wider extent has more chunks in a row.
        let wide = ChunkGrid::new(&layout(&[5, 12], &[2, 3]), &[5, 7]);
        assert_eq!(wide.index(&last), 10);
    }

    #[test]
    fn boxes_are_made_of_consecutive_chunks() {
        let shape = [3, 5, 7];
        let grid = ChunkGrid::new(&layout(&shape, &[2, 2, 3]), &shape);
        for most in [1, 2, 3, 4, 7, 9, 100] {
            let mut seen = vec![];
            for part in grid.boxes(most) {
                let inside: Vec<Region> = grid.chunks(&part).collect();
                assert!(inside.len() as u64 <= most);
                for chunk in inside {
                    let start = part.start.iter().zip(&chunk.start).map(|(a, b)| a + b);
                    let whole = Region::boxed(start.collect(), chunk.count);
                    seen.push((grid.index(&whole), whole));
                }
            }
            let each = grid.boxes(1).map(|b| (grid.index(&b), b));
            assert_eq!(seen, each.collect::<Vec<_>>(), "{most}");
        }
    }

    #[test]
    fn nothing_and_scalars() {
        let none = ChunkGrid::new(&layout(&[0, 3], &[2, 3]), &[0, 3]);
        assert_eq!((none.is_empty(), none.boxes(5).count()), (true, 0));
        let scalar = ChunkGrid::new(&layout(&[], &[]), &[]);
        assert_eq!((scalar.len(), scalar.boxes(5).count()), (1, 1));
    }
}
