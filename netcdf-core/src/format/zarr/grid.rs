//! Blocks in grids of chunks, shards and keys.

use crate::chunk::scatter::Block;
pub(super) use crate::chunk::scatter::place;

/// Returns the row-major index of a grid position.
#[must_use]
pub(super) fn number(place: &[u64], grid: &[u64]) -> Option<u64> {
    let mut all = place.iter().zip(grid);
    all.try_fold(0u64, |sum, (&at, &cells)| {
        sum.checked_mul(cells)?.checked_add(at)
    })
}

/// Divides lengths per dimension, rounding down: the number of cells of length `each` in `all`.
#[must_use]
pub(super) fn cells(all: &[u64], each: &[u64]) -> Vec<u64> {
    let pairs = all.iter().zip(each);
    pairs.map(|(all, each)| all / each.max(&1)).collect()
}

/// Checks whether a position is in a block.
#[must_use]
pub(super) fn in_block(place: &[u64], block: &Block) -> bool {
    let mut all = place.iter().zip(block.start.iter().zip(&block.count));
    all.all(|(at, (start, count))| at >= start && at - start < *count)
}

/// Returns the intersection of two blocks.
#[must_use]
pub(super) fn common(a: &Block, b: &Block) -> Block {
    let dims = a.ranges().zip(b.ranges()).map(|(a, b)| {
        let start = a.start.max(b.start);
        (start, a.end.min(b.end).saturating_sub(start))
    });
    let (start, count) = dims.unzip();
    Block { start, count }
}

/// Returns the cells of a grid that a block of smaller cells intersects. `ratio` is the number of smaller cells per cell, per dimension.
#[must_use]
pub(super) fn coarse(wanted: &Block, ratio: &[u64]) -> Block {
    let dims = wanted.ranges().zip(ratio).map(|(range, ratio)| {
        let (first, end) = (
            range.start / ratio.max(&1),
            range.end.div_ceil(*ratio.max(&1)),
        );
        (first, if range.is_empty() { 0 } else { end - first })
    });
    let (start, count) = dims.unzip();
    Block { start, count }
}

/// Returns the position at an offset from a corner.
#[must_use]
pub(super) fn sum(at: &[u64], corner: &[u64]) -> Vec<u64> {
    let all = at.iter().zip(corner);
    all.map(|(a, c)| a.saturating_add(*c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(start: &[u64], count: &[u64]) -> Block {
        Block {
            start: start.to_vec(),
            count: count.to_vec(),
        }
    }

    #[test]
    fn numbers_lead_back() {
        assert_eq!(place(35, &[3, 12]), [2, 11]);
        assert_eq!(number(&[2, 11], &[3, 12]), Some(35));
        assert_eq!(number(&[u64::MAX, 1], &[2, 3]), None);
    }

    #[test]
    fn boxes() {
        let a = block(&[1, 0], &[3, 2]);
        assert_eq!(
            common(&a, &block(&[2, 1], &[9, 9])),
            block(&[2, 1], &[2, 1])
        );
        assert!(common(&a, &block(&[0, 2], &[9, 9])).count.contains(&0));
        assert_eq!(
            coarse(&block(&[1, 4], &[4, 0]), &[2, 4]),
            block(&[0, 1], &[3, 0])
        );
        assert!(in_block(&[3, 1], &a) && !in_block(&[4, 1], &a));
    }
}
