//! The sections of a chunk grid: boxes of consecutive chunks, in row-major order.
//!
//! The grid is split along the slowest-varying dimension whose rows fit the section limit. All sections have about the same number of rows.
//! A section has one index along slower dimensions, and the whole length of faster dimensions.

use std::ops::RangeInclusive;

use crate::chunk::scatter::{Block, place};
use crate::model::region::product;

/// The sections of a grid.
#[derive(Debug)]
pub(super) struct Sections {
    /// The number of chunks per dimension.
    grid: Vec<u64>,
    /// The dimension along which the grid is split.
    dim: usize,
    /// The number of rows in the grid and in a section along that dimension, and the number of chunks per row.
    len: u64,
    rows: u64,
    row: u64,
    /// The number of sections along that dimension.
    along: u64,
}

impl Sections {
    /// Creates sections of at most `most` chunks; `None` for a grid without chunks or with 2^64 chunks.
    pub(super) fn new(grid: Vec<u64>, most: u64) -> Option<Self> {
        product(&grid).filter(|&n| n > 0 && most > 0)?;
        let few = |dim: &usize| {
            let row = grid.get(dim + 1..).and_then(product);
            row.is_some_and(|row| row <= most)
        };
        let dim = (0..grid.len()).find(few).unwrap_or(0);
        let row = grid.get(dim + 1..).and_then(product).unwrap_or(1);
        let len = grid.get(dim).copied().unwrap_or(1);
        let along = len.div_ceil((most / row).max(1));
        let rows = len.div_ceil(along);
        Some(Self {
            grid,
            dim,
            len,
            rows,
            row,
            along: len.div_ceil(rows),
        })
    }

    /// Returns the number of chunks per dimension.
    pub(super) fn grid(&self) -> &[u64] {
        &self.grid
    }

    /// Returns the section of the chunk with this number.
    pub(super) fn of(&self, number: u64) -> u64 {
        let row = number / self.row;
        row / self.len * self.along + row % self.len / self.rows
    }

    /// Returns the number of the first chunk of a section.
    pub(super) fn first(&self, section: u64) -> u64 {
        let before = section / self.along * self.len;
        (before + section % self.along * self.rows) * self.row
    }

    /// Returns the number of sections.
    pub(super) fn count(&self) -> u64 {
        let outer = self.grid.get(..self.dim).and_then(product).unwrap_or(1);
        outer * self.along
    }

    /// Returns the chunks of a section.
    pub(super) fn block(&self, section: u64) -> Block {
        let mut whole = Block::whole(&self.grid);
        let outer = self.grid.get(..self.dim).unwrap_or_default();
        let first = section % self.along * self.rows;
        let position = place(section / self.along, outer);
        let lines = position.into_iter().map(|at| (at, 1));
        let rows = (first, self.rows.min(self.len - first));
        let dims = whole.start.iter_mut().zip(&mut whole.count);
        for ((start, count), line) in dims.zip(lines.chain([rows])) {
            (*start, *count) = line;
        }
        whole
    }

    /// Returns the intersection of a box with the grid; `None` if it is empty.
    pub(super) fn within(&self, chunks: &Block) -> Option<Block> {
        let whole = Block::whole(&self.grid);
        (chunks.start.len() == self.grid.len()).then(|| common(chunks, &whole))?
    }

    /// Returns the sections from the first to the last chunk of a box, which must lie in the grid and must not be empty.
    pub(super) fn around(&self, chunks: &Block) -> RangeInclusive<u64> {
        let number = |at: &mut dyn Iterator<Item = u64>| {
            let steps = at.zip(&self.grid);
            steps.fold(0, |n, (at, cells)| n * cells + at)
        };
        let first = number(&mut chunks.start.iter().copied());
        let last = number(&mut chunks.ranges().map(|range| range.end - 1));
        self.of(first)..=self.of(last)
    }

    /// Returns the intersection of a section and a box; `None` if it is empty.
    pub(super) fn part(&self, section: u64, chunks: &Block) -> Option<Block> {
        common(chunks, &self.block(section))
    }
}

/// Returns the intersection of two boxes; `None` if it is empty.
fn common(one: &Block, other: &Block) -> Option<Block> {
    let ends = |block: &Block| {
        let lines = block.start.iter().zip(&block.count);
        let ends = lines.map(|(&start, &n)| Some((start, start.checked_add(n)?)));
        ends.collect::<Option<Vec<_>>>()
    };
    let lines = ends(one)?.into_iter().zip(ends(other)?);
    let both = lines.map(|((a, b), (c, d))| {
        let start = a.max(c);
        let count = b.min(d).checked_sub(start).filter(|&n| n > 0)?;
        Some((start, count))
    });
    let (start, count) = both.collect::<Option<Vec<_>>>()?.into_iter().unzip();
    Some(Block { start, count })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sections_are_of_about_the_same_size() {
        let sections = |grid: &[u64]| Sections::new(grid.to_vec(), 100);
        let sizes = |grid: &[u64]| {
            let sections = sections(grid).unwrap();
            let sizes = (0..sections.count()).map(|n| product(&sections.block(n).count).unwrap());
            sizes.collect::<Vec<_>>()
        };
        assert_eq!(sizes(&[100]), [100]);
        assert_eq!(sizes(&[101]), [51, 50]);
        assert_eq!(sizes(&[2, 101]), [51, 50, 51, 50]);
        assert_eq!(sizes(&[7, 30]), [90, 90, 30]);
        assert_eq!(sizes(&[]), [1]);
        assert_eq!(sizes(&[1, 2, 101, 1]), [51, 50, 51, 50]);
        assert!(sections(&[3, 0]).is_none() && sections(&[1 << 63, 2]).is_none());
        let most = sections(&[1 << 31, (1 << 32) - 1]).unwrap();
        assert_eq!(most.around(&Block::whole(&most.grid)), 0..=most.count() - 1);
    }

    proptest! {
        #[test]
        fn sections_follow_each_other(
            grid in prop::collection::vec(1u64..7, 0..5),
            most in 1u64..40,
        ) {
            let sections = Sections::new(grid.clone(), most).unwrap();
            let mut numbers = vec![];
            for section in 0..sections.count() {
                let block = sections.block(section);
                prop_assert!(product(&block.count).unwrap() <= most);
                prop_assert_eq!(sections.around(&block), section..=section);
                let first = numbers.len() as u64;
                prop_assert_eq!(sections.first(section), first);
                let inside = |n: &u64| {
                    let one = Block { start: place(*n, &grid), count: vec![1; grid.len()] };
                    common(&one, &block).is_some()
                };
                let all = 0..product(&grid).unwrap();
                numbers.extend(all.filter(inside).inspect(|n| assert_eq!(sections.of(*n), section)));
            }
            prop_assert_eq!(numbers, (0..product(&grid).unwrap()).collect::<Vec<_>>());
        }
    }
}
