//! The parts of a multipart upload, and their written bytes.
//!
//! Services accept at most 10,000 parts of at least 5 MiB (except the last part), and objects of at most 5 TiB. Part sizes therefore grow.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::arithmetic::Amount;

/// The size of the first part, and the growth step.
const STEP: u64 = 8 << 20;

/// The number of parts with the same size.
const SAME: u64 = 64;

/// The maximum number of parts of an object.
pub(super) const MOST: u64 = 10_000;

/// The maximum number of separate written runs. With more runs, parts are only sent at the end.
const MOST_RUNS: usize = 1 << 16;

/// The byte range of a part.
pub(super) fn span(part: u64) -> Range<u64> {
    start(part)..start(part + 1)
}

/// The offset of a part. Part `n` has `STEP * (1 + n / SAME)` bytes.
fn start(part: u64) -> u64 {
    let (rows, rest) = (part / SAME, part % SAME);
    let whole = Amount::of(SAME) * (rows * (rows + 1) / 2);
    ((whole + Amount::of(rest) * (rows + 1)) * STEP).get()
}

/// The part that contains an offset.
pub(super) fn of(offset: u64) -> u64 {
    let (mut low, mut high) = (0, MOST + 1);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        match start(middle) <= offset {
            true => low = middle,
            false => high = middle,
        }
    }
    low
}

/// The number of parts of a file with `len` bytes.
pub(super) fn count(len: u64) -> u64 {
    len.checked_sub(1).map_or(0, |last| of(last) + 1)
}

/// The written ranges of a file, to find complete parts.
#[derive(Debug, Default)]
pub(super) struct WrittenParts {
    /// Ends of written runs by start. No two runs touch.
    runs: BTreeMap<u64, u64>,
    /// Whether the number of runs exceeded the limit.
    lost: bool,
}

impl WrittenParts {
    /// Records a written range. Returns the parts that it completes.
    pub(super) fn note(&mut self, range: &Range<u64>) -> Vec<u64> {
        if range.is_empty() || self.lost {
            return vec![];
        }
        let run = self.join(range);
        if self.runs.len() > MOST_RUNS {
            self.runs.clear();
            self.lost = true;
        }
        let parts = of(range.start)..=of(range.end - 1);
        let whole = |part: &u64| {
            let span = span(*part);
            run.start <= span.start && span.end <= run.end
        };
        parts.filter(whole).collect()
    }

    /// Joins a range with the runs that touch it.
    fn join(&mut self, range: &Range<u64>) -> Range<u64> {
        let (mut start, mut end) = (range.start, range.end);
        if let Some((&before, &until)) = self.runs.range(..=start).next_back()
            && until >= start
        {
            start = before;
            end = end.max(until);
        }
        let touched = |runs: &BTreeMap<u64, u64>, end| {
            let next = runs.range(start..=end).next();
            next.map(|(&from, &until)| (from, until))
        };
        while let Some((from, until)) = touched(&self.runs, end) {
            self.runs.remove(&from);
            end = end.max(until);
        }
        self.runs.insert(start, end);
        start..end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_thousand_parts_are_enough_for_the_largest_object() {
        let tebibyte = 1u64 << 40;
        assert!(start(MOST) >= 5 * tebibyte, "{}", start(MOST));
        assert!(span(MOST - 1).end - span(MOST - 1).start < 5 << 30);
        for part in 0..MOST {
            let span = span(part);
            assert!(span.end - span.start >= 5 << 20);
            assert_eq!(of(span.start), part);
            assert_eq!(of(span.end - 1), part);
        }
    }

    #[test]
    fn parts_are_counted() {
        for (len, want) in [
            (0, 0),
            (1, 1),
            (STEP, 1),
            (STEP + 1, 2),
            (64 * STEP + 1, 65),
        ] {
            assert_eq!(count(len), want, "{len}");
        }
        assert_eq!(span(64), 64 * STEP..66 * STEP);
    }

    #[test]
    fn parts_are_whole_once_all_is_written() {
        let mut written = WrittenParts::default();
        assert!(written.note(&(0..STEP - 1)).is_empty());
        assert_eq!(written.note(&(STEP..3 * STEP + 5)), [1, 2]);
        assert_eq!(written.note(&(STEP - 1..STEP)), [0]);
        assert_eq!(written.runs.len(), 1);
        assert_eq!(written.note(&(3 * STEP + 5..4 * STEP)), [3]);
        assert!(written.note(&(9 * STEP..9 * STEP)).is_empty());
    }

    #[test]
    fn too_many_runs_are_not_kept() {
        let mut written = WrittenParts::default();
        for n in 0..=MOST_RUNS as u64 {
            written.note(&(2 * n..2 * n + 1));
        }
        assert!(written.lost && written.runs.is_empty());
        assert!(written.note(&(0..STEP)).is_empty());
    }

    #[test]
    fn runs_are_joined_in_any_order() {
        let mut written = WrittenParts::default();
        for start in [40, 0, 20, 60, 10, 30, 50] {
            written.note(&(start..start + 10));
        }
        assert_eq!(written.runs.into_iter().collect::<Vec<_>>(), [(0, 70)]);
    }
}
