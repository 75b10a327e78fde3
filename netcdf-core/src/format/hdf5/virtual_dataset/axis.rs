//! The selected elements of one dimension, numbered from 0.

use std::ops::Range;

use crate::format::hdf5::selection::HyperslabDim;

/// Blocks at a constant distance. The last block may be shorter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BlockAxis {
    pub start: u64,
    pub stride: u64,
    pub block: u64,
    /// Number of elements.
    pub len: u64,
    pub unlimited: bool,
}

impl BlockAxis {
    /// All elements of a dimension.
    pub(super) fn whole(extent: u64) -> Self {
        Self {
            start: 0,
            stride: extent.max(1),
            block: extent.max(1),
            len: extent,
            unlimited: false,
        }
    }

    /// The elements of a hyperslab dimension. `extent` ends an unlimited hyperslab.
    pub(super) fn of_hyperslab_dim(slab: &HyperslabDim, extent: u64) -> Self {
        let rest = extent.saturating_sub(slab.start);
        let block = slab.block.unwrap_or(rest).max(1);
        let mut axis = Self {
            start: slab.start,
            stride: slab.stride.max(block),
            block,
            len: u64::MAX,
            unlimited: slab.is_unlimited(),
        };
        axis.len = match (slab.count, slab.block) {
            (Some(count), Some(block)) => count.saturating_mul(block),
            (None, _) | (_, None) => axis.before(extent),
        };
        axis
    }

    /// Only block `number`.
    pub(super) fn block(&self, number: u64) -> Self {
        Self {
            start: self.position(number.saturating_mul(self.block)),
            stride: self.block,
            block: self.block,
            len: self.block,
            unlimited: false,
        }
    }

    /// The position of element `k`.
    pub(super) fn position(&self, k: u64) -> u64 {
        let blocks = (k / self.block).saturating_mul(self.stride);
        self.start
            .saturating_add(blocks)
            .saturating_add(k % self.block)
    }

    /// Number of elements before a position.
    pub(super) fn before(&self, place: u64) -> u64 {
        let Some(distance) = place.checked_sub(self.start) else {
            return 0;
        };
        let blocks = (distance / self.stride).saturating_mul(self.block);
        let more = (distance % self.stride).min(self.block);
        blocks.saturating_add(more).min(self.len)
    }

    /// The element numbers from one position up to another position.
    pub(super) fn within(&self, start: u64, end: u64) -> Range<u64> {
        self.before(start)..self.before(end)
    }

    /// The distance between adjacent elements, if constant.
    pub(super) fn step(&self) -> Option<u64> {
        if self.len <= self.block || self.stride == self.block {
            return Some(1);
        }
        (self.block == 1).then_some(self.stride)
    }

    /// Number of consecutive elements from `k` on.
    pub(super) fn neighbours(&self, k: u64) -> u64 {
        let left = self.len.saturating_sub(k);
        if self.stride == self.block {
            return left;
        }
        left.min(self.left_in_block(k))
    }

    /// Number of elements from `k` to the block end.
    pub(super) fn left_in_block(&self, k: u64) -> u64 {
        self.block - k % self.block
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_elements() {
        let slab = HyperslabDim {
            start: 2,
            stride: 5,
            count: Some(3),
            block: Some(2),
        };
        let axis = BlockAxis::of_hyperslab_dim(&slab, 0);
        let all: Vec<_> = (0..axis.len).map(|k| axis.position(k)).collect();
        assert_eq!(all, [2, 3, 7, 8, 12, 13]);
        for place in 0..20 {
            let before = all.iter().filter(|&&p| p < place).count() as u64;
            assert_eq!(axis.before(place), before, "{place}");
        }
    }

    #[test]
    fn unlimited_hyperslabs_end_with_the_extent() {
        let mut slab = HyperslabDim {
            start: 2,
            stride: 5,
            count: None,
            block: Some(2),
        };
        let lens = |slab: &HyperslabDim| {
            [0, 3, 7, 8, 9].map(|extent| BlockAxis::of_hyperslab_dim(slab, extent).len)
        };
        assert_eq!(lens(&slab), [0, 1, 2, 3, 4]);
        (slab.count, slab.block) = (Some(1), None);
        assert_eq!(lens(&slab), [0, 1, 5, 6, 7]);
    }
}
