//! The chunk grid of a dataset, and blocks of the grid.

use std::ops::Range;

pub use crate::chunk::scatter::Block;
use crate::error::{Error, ErrorKind, Result};
use crate::format::hdf5::file::Hdf5File;
use crate::format::hdf5::message::layout::ChunkedLayout;
use crate::model::region::product;

/// The current and the maximum shape of a dataset.
#[derive(Debug, Clone, Copy)]
pub struct DatasetExtent<'a> {
    /// Length in elements per dimension.
    pub dims: &'a [u64],
    /// Maximum length in elements per dimension; `None` for unlimited.
    pub max: &'a [Option<u64>],
}

/// A grid box, in chunks.
impl Block {
    /// Moves to the next chunk in row-major order. After the last chunk, returns false and restarts at the first chunk.
    pub(super) fn advance(&self, at: &mut [u64]) -> bool {
        for (x, range) in at.iter_mut().zip(self.ranges()).rev() {
            *x = x.saturating_add(1);
            if *x < range.end {
                return true;
            }
            *x = range.start;
        }
        false
    }

    /// The part of the block within the first `len` elements of an array with these strides.
    pub(super) fn within_array(&self, steps: &[u64], len: u64) -> Self {
        let ends = steps.iter().map(|&step| len.div_ceil(step.max(1)));
        let ranges = self.ranges().zip(ends);
        let count = ranges.map(|(r, end)| r.end.min(end).saturating_sub(r.start));
        Self {
            start: self.start.clone(),
            count: count.collect(),
        }
    }

    /// The last chunk in row-major order; `None` for an empty block.
    pub(super) fn last(&self) -> Option<Vec<u64>> {
        self.ranges()
            .map(|range| range.end.checked_sub(1).filter(|last| range.contains(last)))
            .collect()
    }

    /// The first chunk in row-major order that is not before `at`.
    pub(super) fn not_before(&self, at: &[u64]) -> Option<Vec<u64>> {
        let mut found = at.to_vec();
        let outside = |(x, range): (&u64, Range<u64>)| !range.contains(x);
        let Some(dim) = at.iter().zip(self.ranges()).position(outside) else {
            return Some(found);
        };
        let (head, tail) = found.split_at_mut_checked(dim)?;
        let above = *tail.first()? >= self.ranges().nth(dim)?.end;
        tail.copy_from_slice(self.start.get(dim..)?);
        if !above {
            return Some(found);
        }
        self.advance(head).then_some(found)
    }
}

/// The chunk grid of a dataset.
#[derive(Debug)]
pub(super) struct IndexGrid {
    /// Chunk length in elements per dimension.
    pub chunk: Vec<u64>,
    /// Bytes of an unfiltered chunk.
    pub bytes: u64,
    /// Number of chunks per dimension.
    counts: Vec<u64>,
    /// Number of chunks in the maximum extent per dimension; `None` for unlimited.
    most: Vec<Option<u64>>,
    /// Strides in row-major order.
    steps: Vec<u64>,
    /// The first partial chunk per dimension, if partial chunks are stored without filters.
    edges: Option<Vec<u64>>,
}

impl IndexGrid {
    pub(super) fn new(
        file: &Hdf5File,
        chunked: &ChunkedLayout,
        extent: &DatasetExtent,
    ) -> Result<Self> {
        let (chunk, dims) = (&chunked.dims, extent.dims);
        if chunk.len() != dims.len() || dims.len() != extent.max.len() {
            let (chunk, rank) = (chunk.len(), dims.len());
            let what = format!("chunks of {chunk} dimensions in a dataset of {rank}");
            return Err(Error::new(ErrorKind::Corrupt, what).of(file.name()));
        }
        let count = |(&n, &c): (&u64, &u64)| n.div_ceil(c.max(1));
        let counts: Vec<u64> = dims.iter().zip(chunk).map(count).collect();
        let most = extent.max.iter().zip(chunk);
        let most = most.map(|(m, &c)| m.map(|m| m.div_ceil(c.max(1))));
        let elements = product(chunk).and_then(|n| n.checked_mul(chunked.element_size));
        let (Some(bytes), Some(_)) = (elements, product(&counts)) else {
            let what = "chunks, or a number of chunks, beyond 2^64";
            return Err(Error::new(ErrorKind::Limit, what).of(file.name()));
        };
        let edge = |(&n, &c): (&u64, &u64)| n / c.max(1);
        let edges = dims.iter().zip(chunk).map(edge).collect();
        Ok(Self {
            chunk: chunk.clone(),
            bytes,
            steps: steps(&counts),
            counts,
            most: most.collect(),
            edges: chunked.edges_unfiltered.then_some(edges),
        })
    }

    /// Number of chunks per dimension.
    pub(super) fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// The part of a block within the grid.
    pub(super) fn clip(&self, block: &Block) -> Block {
        let dims = block.start.iter().zip(&block.count);
        let clipped = dims
            .chain(std::iter::repeat((&0, &u64::MAX)))
            .zip(&self.counts)
            .map(|((&start, &count), &n)| (start, count.min(n.saturating_sub(start))));
        let (start, count) = clipped.unzip();
        Block { start, count }
    }

    /// The whole grid.
    pub(super) fn all(&self) -> Block {
        Block::whole(&self.counts)
    }

    /// The row-major number of a chunk.
    pub(super) fn number(&self, at: &[u64]) -> u64 {
        dot(at, &self.steps)
    }

    /// Whether a chunk is stored without filters because it extends beyond the extent.
    pub(super) fn without_filters(&self, at: &[u64]) -> bool {
        let edges = self.edges.as_deref().unwrap_or_default();
        at.iter().zip(edges).any(|(x, edge)| x >= edge)
    }

    /// Strides in an array of the chunks of the maximum extent, with dimension `first` varying slowest. All further dimensions must have a
    /// maximum.
    pub(super) fn array_steps(&self, first: usize) -> Vec<u64> {
        let mut order: Vec<usize> = (0..self.most.len()).filter(|&d| d != first).collect();
        order.insert(0, first);
        let most = |&d: &usize| self.most.get(d).copied().flatten().unwrap_or(u64::MAX);
        let in_order = steps(&order.iter().map(most).collect::<Vec<_>>());
        let mut all = vec![0; order.len()];
        for (&dim, step) in order.iter().zip(in_order) {
            if let Some(to) = all.get_mut(dim) {
                *to = step;
            }
        }
        all
    }

    /// The first trailing dimension along which at most `most` unwanted chunks separate the chunks of a block.
    pub(super) fn near(&self, block: &Block, most: u64) -> usize {
        let mut near = self.steps.len();
        // The distance from the first to the last chunk of the block, in dimensions from `near` on.
        let mut span = 1u64;
        for (&step, &count) in self.steps.iter().zip(&block.count).rev() {
            if count > 1 && step.saturating_sub(span) > most {
                break;
            }
            near -= 1;
            span = span.saturating_add(step.saturating_mul(count.saturating_sub(1)));
        }
        near
    }

    /// The unlimited dimension; `None` if there is not exactly one.
    pub(super) fn unlimited(&self) -> Option<usize> {
        let mut all = (0..).zip(&self.most).filter(|(_, most)| most.is_none());
        let (dim, _) = all.next()?;
        all.next().is_none().then_some(dim)
    }
}

/// The row-major strides of a grid.
fn steps(counts: &[u64]) -> Vec<u64> {
    let mut steps = vec![1u64; counts.len()];
    let mut step = 1u64;
    for (to, &count) in steps.iter_mut().zip(counts).rev() {
        *to = step;
        step = step.saturating_mul(count);
    }
    steps
}

/// The array index of coordinates, capped at 2^64 - 1.
pub(super) fn dot(at: &[u64], steps: &[u64]) -> u64 {
    let terms = at.iter().zip(steps).map(|(&x, &s)| x.saturating_mul(s));
    terms.fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_next_of_a_block() {
        let block = Block {
            start: vec![1, 2],
            count: vec![2, 2],
        };
        let next = |at: [u64; 2]| block.not_before(&at);
        assert_eq!(next([0, 9]), Some(vec![1, 2]));
        assert_eq!(next([1, 0]), Some(vec![1, 2]));
        assert_eq!(next([1, 3]), Some(vec![1, 3]));
        assert_eq!(next([1, 4]), Some(vec![2, 2]));
        assert_eq!(next([2, 3]), Some(vec![2, 3]));
        assert_eq!(next([2, 4]), None);
        assert_eq!(next([3, 0]), None);
    }

    #[test]
    fn an_array_has_a_part_of_a_block() {
        let block = Block {
            start: vec![1, 2],
            count: vec![1 << 40, 5],
        };
        let within = |len| block.within_array(&[10, 1], len).count;
        assert_eq!(within(u64::MAX), [1 << 40, 5]);
        assert_eq!(within(31), [3, 5]);
        assert_eq!(within(30), [2, 5]);
        assert_eq!(within(4), [0, 2]);
        assert_eq!(within(0), [0, 0]);
        assert_eq!(block.last(), Some(vec![1 << 40, 6]));
        assert_eq!(block.within_array(&[10, 1], 4).last(), None);
    }

    #[test]
    fn adjacent_rows_are_near() {
        let grid = IndexGrid {
            chunk: vec![1; 3],
            bytes: 1,
            counts: vec![10, 2000, 3000],
            most: vec![None; 3],
            steps: steps(&[10, 2000, 3000]),
            edges: None,
        };
        let near = |count: [u64; 3]| {
            let start = vec![0; 3];
            let count = count.to_vec();
            grid.near(&Block { start, count }, 512)
        };
        assert_eq!(near([10, 2000, 3000]), 0);
        assert_eq!(near([10, 2000, 2488]), 0);
        assert_eq!(near([10, 2000, 2487]), 2);
        assert_eq!(near([10, 1000, 3000]), 1);
        assert_eq!(near([1, 1000, 3000]), 0);
        assert_eq!(near([1, 1, 1]), 0);
        assert_eq!(near([10, 1, 1]), 1);
    }

    #[test]
    fn walks_in_row_major_order() {
        let block = Block {
            start: vec![1, 2],
            count: vec![2, 2],
        };
        let (mut at, mut seen) = (block.start.clone(), vec![]);
        loop {
            seen.push((at[0], at[1]));
            if !block.advance(&mut at) {
                break;
            }
        }
        assert_eq!(seen, [(1, 2), (1, 3), (2, 2), (2, 3)]);
        assert_eq!(at, block.start);
    }
}
