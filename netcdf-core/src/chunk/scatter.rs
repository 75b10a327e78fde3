//! Runs of neighbouring elements that a chunk and a region have in common.

use crate::error::{Error, ErrorKind, Result};
use crate::model::region::product;

/// A box: per dimension, in elements of the variable, start and length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// First index per dimension.
    pub start: Vec<u64>,
    /// Number of elements per dimension.
    pub count: Vec<u64>,
}

/// A run of elements: where it is in the chunk, where in the region, and how long it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// First element, row-major within the chunk.
    pub from: u64,
    /// First element, row-major within the region.
    pub to: u64,
    /// Number of elements.
    pub len: u64,
}

/// What two boxes have in common; `None` if nothing. A scalar's box has no dimensions.
#[must_use]
pub fn intersection(a: &Block, b: &Block) -> Option<Block> {
    let (mut start, mut count) = (Vec::new(), Vec::new());
    for (((&a0, &an), &b0), &bn) in a.start.iter().zip(&a.count).zip(&b.start).zip(&b.count) {
        let first = a0.max(b0);
        let end = a0.saturating_add(an).min(b0.saturating_add(bn));
        if first >= end {
            return None;
        }
        start.push(first);
        count.push(end - first);
    }
    Some(Block { start, count })
}

/// Visits the runs that `chunk` and `region` have in common, in the order of the region.
///
/// # Errors
/// [`ErrorKind::Limit`] where a box has 2^64 elements or more; those of `visit`.
pub fn runs(chunk: &Block, region: &Block, mut visit: impl FnMut(Run) -> Result<()>) -> Result<()> {
    let Some(common) = intersection(chunk, region) else {
        return Ok(());
    };
    let (from_steps, to_steps) = (steps(&chunk.count)?, steps(&region.count)?);
    let whole = whole_tail(&common, chunk, region);
    let outer = common.count.len().saturating_sub(whole);
    let len = product(common.count.get(outer..).unwrap_or_default()).unwrap_or(0);
    let lengths = common.count.get(..outer).unwrap_or_default();
    let mut index = vec![0u64; outer];
    loop {
        let at = |origin: &[u64], steps: &[u64]| place(&common.start, &index, origin, steps);
        let run = Run {
            from: at(&chunk.start, &from_steps),
            to: at(&region.start, &to_steps),
            len,
        };
        visit(run)?;
        if !advance(&mut index, lengths) {
            return Ok(());
        }
    }
}

/// Number of trailing dimensions that form one run: the last, and those before it as long as all
/// dimensions after them are whole in both boxes.
fn whole_tail(common: &Block, chunk: &Block, region: &Block) -> usize {
    let dims = common
        .count
        .iter()
        .zip(&chunk.count)
        .zip(&region.count)
        .rev();
    let whole = dims.take_while(|((n, c), r)| n == c && n == r).count();
    (whole + 1).min(common.count.len())
}

/// Row-major steps of a box, in elements.
fn steps(count: &[u64]) -> Result<Vec<u64>> {
    let mut steps = vec![1u64; count.len()];
    let mut step = 1u64;
    for (s, &n) in steps.iter_mut().zip(count).rev() {
        *s = step;
        let next = step.checked_mul(n.max(1));
        step = next.ok_or_else(|| Error::new(ErrorKind::Limit, "a region of 2^64 elements"))?;
    }
    Ok(steps)
}

/// Row-major place of `start + index` within a box that starts at `origin`.
fn place(start: &[u64], index: &[u64], origin: &[u64], steps: &[u64]) -> u64 {
    let dims = start.iter().zip(origin).zip(steps).enumerate();
    dims.map(|(d, ((&s, &o), &step))| (s - o + index.get(d).copied().unwrap_or(0)) * step)
        .sum()
}

/// Advances a row-major index; false after the last.
#[must_use]
pub fn advance(index: &mut [u64], lengths: &[u64]) -> bool {
    for (i, &n) in index.iter_mut().zip(lengths).rev() {
        *i += 1;
        if *i < n {
            return true;
        }
        *i = 0;
    }
    false
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

    fn collect(a: &Block, b: &Block) -> Vec<(u64, u64, u64)> {
        let mut out = vec![];
        runs(a, b, |r| {
            out.push((r.from, r.to, r.len));
            Ok(())
        })
        .unwrap();
        out
    }

    #[test]
    fn equal_boxes_are_one_run() {
        let b = block(&[2, 0, 0], &[3, 4, 5]);
        assert_eq!(collect(&b, &b), [(0, 0, 60)]);
        let scalar = block(&[], &[]);
        assert_eq!(collect(&scalar, &scalar), [(0, 0, 1)]);
    }

    #[test]
    fn rows_of_a_whole_width_merge() {
        let file = block(&[0, 0], &[10, 4]);
        assert_eq!(collect(&file, &block(&[3, 0], &[2, 4])), [(12, 0, 8)]);
    }

    #[test]
    fn corners_are_cut() {
        let chunk = block(&[2, 2], &[2, 2]);
        let region = block(&[0, 0], &[4, 3]);
        assert_eq!(collect(&chunk, &region), [(0, 8, 1), (2, 11, 1)]);
        assert_eq!(collect(&chunk, &block(&[0, 0], &[2, 2])), []);
    }

    #[test]
    fn agrees_with_element_by_element() {
        for (cs, cc, rs, rc) in [
            ([0, 0, 0], [2, 3, 4], [1, 1, 1], [4, 2, 2]),
            ([1, 0, 2], [3, 3, 3], [0, 0, 0], [3, 3, 4]),
            ([0, 0, 0], [3, 3, 3], [1, 0, 0], [1, 3, 3]),
        ] {
            let (c, r) = (block(&cs, &cc), block(&rs, &rc));
            let mut slow = vec![];
            for i in 0..rc[0] {
                for j in 0..rc[1] {
                    for k in 0..rc[2] {
                        let p = [rs[0] + i, rs[1] + j, rs[2] + k];
                        if (0..3).all(|d| p[d] >= cs[d] && p[d] < cs[d] + cc[d]) {
                            let q = [p[0] - cs[0], p[1] - cs[1], p[2] - cs[2]];
                            let from = (q[0] * cc[1] + q[1]) * cc[2] + q[2];
                            slow.push((from, (i * rc[1] + j) * rc[2] + k));
                        }
                    }
                }
            }
            let fast: Vec<_> = collect(&c, &r)
                .into_iter()
                .flat_map(|(f, t, n)| (0..n).map(move |i| (f + i, t + i)))
                .collect();
            assert_eq!(fast, slow);
        }
    }
}
