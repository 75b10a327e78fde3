//! Sets of ranges, for the written bytes of a variable.

use std::ops::Range;

/// Disjoint ranges, sorted. Adjacent ranges are merged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Spans(Vec<Range<u64>>);

impl Spans {
    /// Adds a range.
    pub(crate) fn add(&mut self, range: Range<u64>) {
        if range.is_empty() {
            return;
        }
        if let Some(last) = self.0.last_mut().filter(|l| l.start <= range.start) {
            if range.start <= last.end {
                last.end = last.end.max(range.end);
            } else {
                self.0.push(range);
            }
            return;
        }
        let from = self.0.partition_point(|r| r.end < range.start);
        let to = self.0.partition_point(|r| r.start <= range.end);
        let merged = self.0.drain(from..to);
        let joined = merged.fold(range, |a, b| a.start.min(b.start)..a.end.max(b.end));
        self.0.insert(from, joined);
    }

    /// Removes all ranges.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// The ranges in `0..end` that are missing.
    pub(crate) fn gaps(&self, end: u64) -> impl Iterator<Item = Range<u64>> + '_ {
        let starts = std::iter::once(0).chain(self.0.iter().map(|r| r.end));
        let ends = self.0.iter().map(|r| r.start).chain([end]);
        starts
            .zip(ends)
            .map(move |(a, b)| a..b.min(end))
            .filter(|r| r.start < r.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_a_bit_a_number() {
        let mut seed = 7u64;
        for _ in 0..200 {
            let (mut spans, mut bits) = (Spans::default(), [false; 64]);
            for _ in 0..12 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let (a, n) = ((seed >> 33) % 60, (seed >> 50) % 5);
                spans.add(a..a + n);
                (a..a + n).for_each(|i| bits[i as usize] = true);
            }
            let gaps: Vec<u64> = spans.gaps(64).flatten().collect();
            let want: Vec<u64> = (0..64).filter(|&i| !bits[i as usize]).collect();
            assert_eq!(gaps, want);
        }
    }
}
