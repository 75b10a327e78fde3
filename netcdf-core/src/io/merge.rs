//! Merges nearby ranges, so that one read serves several ranges.

use std::ops::Range;

/// The limits for merging ranges of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CoalesceLimits {
    /// The maximum gap in bytes between merged ranges. Gaps are read and discarded.
    pub max_gap: u64,
    /// The maximum number of bytes of a merged read.
    pub max_len: u64,
}

impl CoalesceLimits {
    /// The limits for remote data: in the time of a round trip, a network transfers about as many bytes as a gap has.
    pub const FAR: Self = Self {
        max_gap: 256 << 10,
        max_len: 8 << 20,
    };
}

impl Default for CoalesceLimits {
    /// Returns the limits for a local file.
    fn default() -> Self {
        Self {
            max_gap: 16 << 10,
            max_len: 4 << 20,
        }
    }
}

/// A read, and the ranges that it serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MergedRead {
    /// The range to read.
    pub range: Range<u64>,
    /// The indices of the served ranges.
    pub members: Range<usize>,
}

/// Merges `ranges` in their order. A range that starts closely after the previous range joins its read.
pub(crate) fn merge(
    ranges: &[Range<u64>],
    limits: CoalesceLimits,
) -> impl Iterator<Item = MergedRead> + '_ {
    let mut next = 0;
    std::iter::from_fn(move || {
        let first = ranges.get(next)?;
        let mut read = MergedRead {
            range: first.clone(),
            members: next..next + 1,
        };
        for range in ranges.get(next + 1..).unwrap_or_default() {
            let end = range.end.max(read.range.end);
            let near = range.start.saturating_sub(read.range.end) <= limits.max_gap;
            let ascends = range.start >= read.range.start && range.end >= range.start;
            if !near || !ascends || end.saturating_sub(read.range.start) > limits.max_len {
                break;
            }
            read.range.end = end;
            read.members.end += 1;
        }
        next = read.members.end;
        Some(read)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(ranges: &[Range<u64>]) -> Vec<(u64, u64, usize)> {
        let all = merge(ranges, CoalesceLimits::default())
            .map(|r| (r.range.start, r.range.end, r.members.len()));
        all.collect()
    }

    #[test]
    fn near_ascending_ranges_join() {
        assert_eq!(reads(&[]), []);
        assert_eq!(reads(&[0..4, 8..12, 12..16]), [(0, 16, 3)]);
        assert_eq!(reads(&[0..4, 2..3]), [(0, 4, 2)]);
    }

    #[test]
    fn far_descending_and_long_ones_do_not() {
        let CoalesceLimits {
            max_gap: gap,
            max_len: most,
        } = CoalesceLimits::default();
        let far = 4 + gap + 1;
        assert_eq!(reads(&[0..4, far..far + 1]), [(0, 4, 1), (far, far + 1, 1)]);
        assert_eq!(reads(&[8..12, 0..4]), [(8, 12, 1), (0, 4, 1)]);
        assert_eq!(
            reads(&[0..most, most..most + 1]),
            [(0, most, 1), (most, most + 1, 1)]
        );
    }
}
