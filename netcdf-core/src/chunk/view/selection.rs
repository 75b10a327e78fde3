//! The selected indices of a dimension.

use crate::error::{Error, ErrorKind, Result};
use crate::model::region::LONGEST;

/// Equally spaced indices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexRun {
    /// The first index.
    pub start: u64,
    /// The number of indices.
    pub count: u64,
    /// The distance between indices, at least 1.
    pub stride: u64,
}

/// The selected indices of a dimension, in the order of the output: run by run. A longitude range across the end of the dimension has two
/// runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DimSelection {
    runs: Vec<IndexRun>,
    /// The dimension length.
    of: u64,
}

/// The intersection of a run with a range of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RunPart {
    /// The start within the range.
    pub(super) at: u64,
    /// The indices of the dimension.
    pub(super) run: IndexRun,
}

impl DimSelection {
    /// Creates a selection of runs in a dimension of length `of`.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Argument`] for indices outside the dimension, and for a stride of 0. Returns [`ErrorKind::Limit`] for 2^63
    /// indices or more.
    pub fn new(runs: impl IntoIterator<Item = IndexRun>, of: u64) -> Result<Self> {
        let runs: Vec<IndexRun> = runs.into_iter().filter(|run| run.count > 0).collect();
        let mut all = 0u64;
        for run in &runs {
            let last = (run.count - 1).checked_mul(run.stride);
            let last = last.and_then(|n| n.checked_add(run.start));
            if run.stride == 0 || last.is_none_or(|last| last >= of) {
                let what = format!("indices outside a dimension of length {of}");
                return Err(Error::new(ErrorKind::Argument, what));
            }
            let sum = all.checked_add(run.count).filter(|n| *n <= LONGEST);
            all = sum.ok_or_else(|| Error::new(ErrorKind::Limit, "2^63 indices or more"))?;
        }
        Ok(Self { runs, of })
    }

    /// Returns the runs of indices, in order.
    #[must_use]
    pub fn runs(&self) -> &[IndexRun] {
        &self.runs
    }

    /// Returns the number of indices.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.runs.iter().map(|run| run.count).sum()
    }

    /// Returns true if no index is selected.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Returns the first index if the selection consists of whole chunks of length `len`, from this index to the end of a chunk or of the
    /// dimension.
    pub(super) fn whole_chunks(&self, len: u64) -> Option<u64> {
        let [
            IndexRun {
                start,
                count,
                stride,
            },
        ] = *self.runs.as_slice()
        else {
            return None;
        };
        let end = start + count;
        let whole = start.is_multiple_of(len) && (end == self.of || end.is_multiple_of(len));
        (whole && (stride == 1 || count == 1)).then_some(start)
    }

    /// Returns the maximum stride of the runs.
    pub(super) fn stride(&self) -> u64 {
        self.runs.iter().map(|run| run.stride).max().unwrap_or(1)
    }

    /// Returns the intersections of the runs with `count` indices of the output from `start`.
    pub(super) fn pieces(&self, start: u64, count: u64) -> Vec<RunPart> {
        let (mut before, end) = (0, start + count);
        let mut found = vec![];
        for run in &self.runs {
            let (first, last) = (start.max(before), end.min(before + run.count));
            if first < last {
                let skip = first - before;
                found.push(RunPart {
                    at: first - start,
                    run: IndexRun {
                        start: run.start + skip * run.stride,
                        count: last - first,
                        ..*run
                    },
                });
            }
            before += run.count;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(start: u64, count: u64, stride: u64) -> IndexRun {
        IndexRun {
            start,
            count,
            stride,
        }
    }

    /// Returns the indices in a range of the output.
    fn indices(selected: &DimSelection, start: u64, count: u64) -> Vec<u64> {
        let mut all = vec![];
        for piece in selected.pieces(start, count) {
            assert_eq!(piece.at, all.len() as u64);
            all.extend((0..piece.run.count).map(|n| piece.run.start + n * piece.run.stride));
        }
        all
    }

    #[test]
    fn ranges_of_several_runs() {
        let selected = DimSelection::new([run(7, 3, 1), run(4, 0, 1), run(0, 3, 2)], 10).unwrap();
        assert_eq!(
            (selected.len(), selected.is_empty(), selected.stride()),
            (6, false, 2)
        );
        let all = [7, 8, 9, 0, 2, 4];
        for start in 0..6 {
            for count in 0..=6 - start {
                let want = &all[start as usize..(start + count) as usize];
                assert_eq!(indices(&selected, start, count), want);
            }
        }
    }

    #[test]
    fn what_a_dimension_does_not_have_is_refused() {
        for wrong in [
            run(10, 1, 1),
            run(0, 11, 1),
            run(1, 4, 3),
            run(0, 1, 0),
            run(u64::MAX, 2, 1),
        ] {
            let e = DimSelection::new([wrong], 10).unwrap_err();
            assert_eq!(e.kind(), ErrorKind::Argument, "{wrong:?}");
        }
        assert!(DimSelection::new([run(10, 0, 0)], 10).unwrap().is_empty());
        let most = run(0, LONGEST, 1);
        let e = DimSelection::new([most, run(0, 1, 1)], LONGEST).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Limit);
    }

    #[test]
    fn whole_chunks_are_known() {
        let cases = [
            (run(4, 4, 1), Some(4)),
            (run(0, 10, 1), Some(0)),
            (run(8, 2, 1), Some(8)),
            (run(8, 1, 5), None),
            (run(4, 3, 1), None),
            (run(3, 5, 1), None),
            (run(0, 4, 2), None),
        ];
        for (one, want) in cases {
            let selected = DimSelection::new([one], 10).unwrap();
            assert_eq!(selected.whole_chunks(4), want, "{one:?}");
        }
        let two = DimSelection::new([run(0, 4, 1), run(4, 4, 1)], 10).unwrap();
        assert_eq!((two.whole_chunks(4), two.whole_chunks(1)), (None, None));
    }
}
