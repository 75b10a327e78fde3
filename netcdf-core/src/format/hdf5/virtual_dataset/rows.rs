//! Row-wise traversal of irregular selections, and of grids with different shapes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::axis::BlockAxis;
use crate::error::{Error, ErrorKind, Result};
use crate::format::hdf5::selection::{SelectedBlock, Selection};
use crate::model::region::product;

/// Adjacent elements along the last dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ElementRow {
    /// The first element.
    pub at: Vec<u64>,
    /// The number of elements.
    pub len: u64,
}

impl ElementRow {
    /// The part of the row after the first `n` elements.
    pub(super) fn after(mut self, n: u64) -> Self {
        self.len = self.len.saturating_sub(n);
        if let Some(x) = self.at.last_mut() {
            *x = x.saturating_add(n);
        }
        self
    }
}

/// The elements of a selection in order, numbered from 0. Memory use never exceeds the selection itself.
pub(super) enum SelectionElements<'a> {
    /// A grid, which finds any element number directly.
    Grid(AxisProduct<'a>),
    /// A list, which is traversed row by row.
    List(RowList<'a>),
}

impl SelectionElements<'_> {
    /// Returns the row from element `number` on; `None` after the last element. Numbers must not decrease between calls.
    pub(super) fn row(&mut self, number: u64) -> Option<ElementRow> {
        match self {
            Self::Grid(grid) => grid.row(number),
            Self::List(list) => list.row(number),
        }
    }
}

/// All combinations of elements in several dimensions.
pub(super) struct AxisProduct<'a> {
    axes: &'a [BlockAxis],
    /// Number of elements.
    len: u64,
}

impl<'a> AxisProduct<'a> {
    /// # Errors
    /// Returns [`ErrorKind::Limit`] for more than 2^64 elements.
    pub(super) fn new(axes: &'a [BlockAxis]) -> Result<Self> {
        let lens: Vec<u64> = axes.iter().map(|a| a.len).collect();
        let what = "a selection of a virtual dataset has more than 2^64 elements";
        match product(&lens) {
            Some(len) => Ok(Self { axes, len }),
            None => Err(Error::new(ErrorKind::Limit, what)),
        }
    }

    fn row(&self, number: u64) -> Option<ElementRow> {
        if number >= self.len {
            return None;
        }
        let (mut rest, mut at, mut len) = (number, vec![], None);
        for axis in self.axes.iter().rev() {
            let k = rest % axis.len.max(1);
            rest /= axis.len.max(1);
            at.push(axis.position(k));
            len.get_or_insert_with(|| axis.neighbours(k));
        }
        at.reverse();
        let len = len.unwrap_or(1);
        Some(ElementRow { at, len })
    }

    /// Returns the rows in a box from `start` up to `end`, each with the number of its first element.
    pub(super) fn within(&self, start: &[u64], end: &[u64]) -> Within<'a> {
        let bounds = start.iter().zip(end);
        let axes = self.axes.iter().zip(bounds);
        let ranges: Vec<_> = axes.map(|(a, (&s, &e))| a.within(s, e)).collect();
        let empty = ranges.len() < self.axes.len() || ranges.iter().any(|r| r.is_empty());
        Within {
            axes: self.axes,
            next: (!empty).then(|| ranges.iter().map(|r| r.start).collect()),
            ranges,
        }
    }
}

/// Iterator of [`AxisProduct::within`].
pub(super) struct Within<'a> {
    axes: &'a [BlockAxis],
    /// Element numbers per dimension.
    ranges: Vec<std::ops::Range<u64>>,
    /// Element numbers of the next row.
    next: Option<Vec<u64>>,
}

impl Iterator for Within<'_> {
    type Item = (u64, ElementRow);

    fn next(&mut self) -> Option<(u64, ElementRow)> {
        let mut place = self.next.take()?;
        let axes = || self.axes.iter().zip(&place);
        let number = axes().fold(0u64, |n, (axis, k)| n.saturating_mul(axis.len) + k);
        let at = axes().map(|(axis, &k)| axis.position(k)).collect();
        let mut len = 1;
        let last = self.axes.last().zip(self.ranges.last());
        if let (Some((axis, range)), Some(k)) = (last, place.last_mut()) {
            len = axis.neighbours(*k).min(range.end.saturating_sub(*k));
            *k = k.saturating_add(len - 1);
        }
        for (k, range) in place.iter_mut().zip(&self.ranges).rev() {
            *k = k.saturating_add(1);
            if *k < range.end {
                self.next = Some(place);
                break;
            }
            *k = range.start;
        }
        Some((number, ElementRow { at, len }))
    }
}

/// Rows in order, and the number of the current row's first element.
pub(super) struct RowList<'a> {
    rows: Box<dyn Iterator<Item = ElementRow> + 'a>,
    present: Option<ElementRow>,
    number: u64,
}

impl<'a> RowList<'a> {
    /// The rows of a selection that is not a grid.
    pub(super) fn of(selection: &'a Selection) -> Self {
        let mut rows: Box<dyn Iterator<Item = ElementRow> + 'a> = match selection {
            Selection::Points(points) => Box::new(points.iter().map(|at| ElementRow {
                at: at.clone(),
                len: 1,
            })),
            Selection::Blocks(blocks) => Box::new(BlockRows::of(blocks)),
            Selection::None | Selection::All | Selection::Regular(_) => {
                Box::new(std::iter::empty())
            }
        };
        Self {
            present: rows.next(),
            rows,
            number: 0,
        }
    }

    fn row(&mut self, number: u64) -> Option<ElementRow> {
        loop {
            let row = self.present.as_ref()?;
            let skip = number.saturating_sub(self.number);
            if skip < row.len {
                return Some(row.clone().after(skip));
            }
            self.advance();
        }
    }

    fn advance(&mut self) -> Option<(u64, ElementRow)> {
        let row = self.present.take()?;
        let number = self.number;
        self.number = number.saturating_add(row.len);
        self.present = self.rows.next();
        Some((number, row))
    }
}

impl Iterator for RowList<'_> {
    type Item = (u64, ElementRow);

    fn next(&mut self) -> Option<(u64, ElementRow)> {
        self.advance()
    }
}

/// The next row of each block. The first of these rows is on top.
struct BlockRows<'a>(BinaryHeap<Reverse<(Vec<u64>, &'a SelectedBlock)>>);

impl<'a> BlockRows<'a> {
    fn of(blocks: &'a [SelectedBlock]) -> Self {
        let rows = blocks.iter().map(|b| Reverse((b.start.clone(), b)));
        Self(rows.collect())
    }
}

impl Iterator for BlockRows<'_> {
    type Item = ElementRow;

    fn next(&mut self) -> Option<ElementRow> {
        let Reverse((at, block)) = self.0.pop()?;
        let (start, last) = (block.start.last()?, block.last.last()?);
        let len = (last - start).saturating_add(1);
        if let Some(next) = next_row(&at, block) {
            self.0.push(Reverse((next, block)));
        }
        Some(ElementRow { at, len })
    }
}

/// The start of the next row in a block.
fn next_row(at: &[u64], block: &SelectedBlock) -> Option<Vec<u64>> {
    let mut next = at.to_vec();
    let (_, outer) = next.split_last_mut()?;
    for (x, (start, last)) in outer
        .iter_mut()
        .zip(block.start.iter().zip(&block.last))
        .rev()
    {
        if *x < *last {
            *x += 1;
            return Some(next);
        }
        *x = *start;
    }
    None
}

/// Number of rows that must be visited one by one; `None` beyond 2^64.
pub(super) fn count(selection: &Selection) -> Option<u64> {
    let Selection::Blocks(blocks) = selection else {
        return Some(0);
    };
    blocks.iter().try_fold(0u64, |sum, block| {
        let ends = block.start.iter().zip(&block.last);
        let lens: Vec<u64> = ends.map(|(s, l)| (l - s).saturating_add(1)).collect();
        sum.checked_add(product(lens.split_last()?.1)?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(start: u64, stride: u64, block: u64, len: u64) -> BlockAxis {
        BlockAxis {
            start,
            stride,
            block,
            len,
            unlimited: false,
        }
    }

    /// All elements of a row.
    fn elements(row: &ElementRow) -> Vec<Vec<u64>> {
        (0..row.len).map(|n| row.clone().after(n).at).collect()
    }

    #[test]
    fn a_grid_has_its_elements_by_number_and_by_place() {
        let axes = [axis(1, 3, 2, 5), axis(0, 2, 1, 3), axis(2, 4, 3, 7)];
        let grid = AxisProduct::new(&axes).unwrap();
        let all: Vec<_> = (0..5 * 3 * 7).map(|n| grid.row(n).unwrap().at).collect();
        assert!(all.is_sorted() && grid.row(5 * 3 * 7).is_none());
        for (start, end) in [([0, 0, 0], [99, 99, 99]), ([2, 1, 3], [6, 5, 8])] {
            let inside = |at: &&Vec<u64>| (0..3).all(|d| (start[d]..end[d]).contains(&at[d]));
            let expected: Vec<_> = all.iter().filter(inside).cloned().collect();
            assert!(expected.len() > 5);
            let mut found = vec![];
            for (number, row) in grid.within(&start, &end) {
                assert_eq!(grid.row(number).unwrap().at, row.at);
                found.extend(elements(&row));
            }
            assert_eq!(found, expected);
        }
        assert_eq!(grid.within(&[0, 1, 0], &[99, 2, 99]).next(), None);
    }

    #[test]
    fn rows_of_blocks_come_in_order() {
        let block = |start: [u64; 3], last: [u64; 3]| SelectedBlock {
            start: start.to_vec(),
            last: last.to_vec(),
        };
        let blocks = [
            block([0, 0, 4], [1, 1, 6]),
            block([0, 0, 0], [0, 1, 1]),
            block([1, 0, 1], [1, 0, 2]),
        ];
        let selection = Selection::Blocks(blocks.to_vec());
        assert_eq!(count(&selection), Some(7));
        let rows: Vec<_> = RowList::of(&selection).collect();
        let starts: Vec<_> = rows.iter().map(|(n, row)| (*n, row.at.clone())).collect();
        let expected = [
            (0, [0, 0, 0]),
            (2, [0, 0, 4]),
            (5, [0, 1, 0]),
            (7, [0, 1, 4]),
            (10, [1, 0, 1]),
            (12, [1, 0, 4]),
            (15, [1, 1, 4]),
        ];
        assert_eq!(starts, expected.map(|(n, at)| (n, at.to_vec())));
        let mut list = SelectionElements::List(RowList::of(&selection));
        assert_eq!(list.row(3).unwrap().at, [0, 0, 5]);
        assert_eq!(list.row(13).unwrap().len, 2);
        assert_eq!(list.row(18), None);
    }
}
