//! Records the byte ranges read from a file.

use std::collections::BTreeMap;
use std::ops::Range;

/// Maximum number of recorded ranges. Beyond it, only the limits are known.
const MAX_RANGES: usize = 1 << 18;

/// A set of byte ranges. Adjacent ranges are joined.
#[derive(Debug, Default)]
pub(super) struct Extents {
    /// The end of each range, by its start.
    ranges: BTreeMap<u64, u64>,
    /// Whether the number of ranges exceeded the limit.
    full: bool,
    /// The start of the last range.
    last: u64,
    /// The end of the last range.
    end: u64,
}

impl Extents {
    /// Adds a range.
    pub(super) fn add(&mut self, range: Range<u64>) {
        if range.is_empty() {
            return;
        }
        self.last = self.last.max(range.start);
        self.end = self.end.max(range.end);
        if self.full {
            return;
        }
        let (mut start, mut end) = (range.start, range.end);
        while let Some((&from, &to)) = self.ranges.range(..=end).next_back() {
            if to < start {
                break;
            }
            self.ranges.remove(&from);
            (start, end) = (start.min(from), end.max(to));
        }
        self.ranges.insert(start, end);
        if self.ranges.len() > MAX_RANGES {
            self.full = true;
            self.ranges.clear();
        }
    }

    /// The ranges in ascending order. Returns `None` if there were too many ranges.
    pub(super) fn ranges(&self) -> Option<Vec<Range<u64>>> {
        let all = self.ranges.iter().map(|(&start, &end)| start..end);
        (!self.full).then(|| all.collect())
    }

    /// Total length of the ranges. Returns `None` if there were too many ranges.
    pub(super) fn bytes(&self) -> Option<u64> {
        // Ranges do not overlap, so the sum counts each byte once.
        let bytes = self.ranges.iter().map(|(start, end)| end - start).sum();
        (!self.full).then_some(bytes)
    }

    /// Total length of `heaps` outside these ranges. Returns `None` if there were too many ranges.
    pub(super) fn bytes_beside(&self, heaps: &Self) -> Option<u64> {
        let mut all = Self {
            ranges: self.ranges.clone(),
            full: self.full,
            ..Self::default()
        };
        heaps.ranges()?.into_iter().for_each(|range| all.add(range));
        all.bytes()?.checked_sub(self.bytes()?)
    }

    /// The start of the last range, and the end of all ranges.
    pub(super) fn limits(&self) -> (u64, u64) {
        (self.last, self.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_joined() {
        let mut extents = Extents::default();
        for range in [10..20, 30..40, 5..5, 20..22, 35..50, 60..61, 0..1] {
            extents.add(range);
        }
        assert_eq!(extents.ranges(), Some(vec![0..1, 10..22, 30..50, 60..61]));
        assert_eq!((extents.bytes(), extents.limits()), (Some(34), (60, 61)));
        extents.add(9..60);
        assert_eq!(extents.ranges(), Some(vec![0..1, 9..61]));
        extents.add(12..13);
        assert_eq!((extents.bytes(), extents.limits()), (Some(53), (60, 61)));
        let mut others = Extents::default();
        [5..10, 20..30, 60..70]
            .into_iter()
            .for_each(|range| others.add(range));
        assert_eq!(extents.bytes_beside(&others), Some(4 + 9));
        assert_eq!(others.bytes_beside(&extents), Some(1 + 40));
    }

    #[test]
    fn the_number_of_ranges_is_limited() {
        let mut extents = Extents::default();
        (0..=MAX_RANGES as u64).for_each(|n| extents.add(3 * n..3 * n + 1));
        assert_eq!((extents.ranges(), extents.bytes()), (None, None));
        let last = 3 * MAX_RANGES as u64;
        assert_eq!(extents.limits(), (last, last + 1));
    }
}
