//! Runs: contiguous intersections of a chunk and a region.

use std::ops::Range;

use crate::arithmetic::exact;
use crate::error::{Error, ErrorKind, Result};
use crate::model::Region;

/// A box: start and length per dimension, in elements of the variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The first index per dimension.
    pub start: Vec<u64>,
    /// The number of elements per dimension.
    pub count: Vec<u64>,
}

impl Block {
    /// Returns the first index and the end, per dimension.
    pub(crate) fn ranges(&self) -> impl DoubleEndedIterator<Item = Range<u64>> + ExactSizeIterator {
        let ends = self.start.iter().zip(&self.count);
        ends.map(|(&start, &n)| start..start + n)
    }

    /// Returns the box of all elements in an array of this shape.
    #[must_use]
    pub fn whole(shape: &[u64]) -> Self {
        Self {
            start: vec![0; shape.len()],
            count: shape.to_vec(),
        }
    }

    /// Returns the box of a region without gaps.
    #[must_use]
    pub fn of(region: &Region) -> Self {
        Self {
            start: region.start.clone(),
            count: region.count.clone(),
        }
    }

    /// Returns the box as a region.
    #[must_use]
    pub fn region(&self) -> Region {
        Region::boxed(self.start.clone(), self.count.clone())
    }
}

/// A run of elements that are contiguous in the region, with its positions in the chunk and in the region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ElementRun {
    /// The first element, row-major within the chunk.
    pub from: u64,
    /// The first element, row-major within the region.
    pub to: u64,
    /// The number of elements.
    pub len: u64,
    /// The distance between the elements in the chunk.
    pub step: u64,
}

/// The intersection of a chunk and a region along a dimension.
#[derive(Debug, Clone, Copy)]
struct ScatterAxis {
    /// The first index within the chunk, in elements.
    from: u64,
    /// The first index within the region, in elements of the region.
    to: u64,
    /// The number of elements.
    count: u64,
    /// The distance between the elements in the chunk, along the dimension.
    stride: u64,
    /// True if the intersection contains all elements of the chunk and of the region.
    whole: bool,
}

/// Returns the intersection of a region with `first..end` along a dimension, as first index and count. The region
/// starts at `start` and has `count` elements, `stride` apart.
#[must_use]
pub fn within((start, count, stride): (u64, u64, u64), first: u64, end: u64) -> (u64, u64) {
    let stride = stride.max(1);
    let before = |edge: u64| edge.saturating_sub(start).div_ceil(stride).min(count);
    (before(first), before(end.max(first)) - before(first))
}

/// Returns the intersection of `chunk` and `region` per dimension; `None` if it is empty.
fn axes(chunk: &Block, region: &Region) -> Option<Vec<ScatterAxis>> {
    let boxes = chunk.start.iter().zip(&chunk.count);
    let lines = region.start.iter().zip(&region.count).zip(&region.stride);
    let one = |((&first, &len), ((&start, &n), &stride)): (_, ((&u64, &u64), &u64))| {
        let (to, count) = within((start, n, stride), first, first + len);
        let at = start.checked_add(to.checked_mul(stride)?)?;
        (count > 0).then_some(ScatterAxis {
            from: at.checked_sub(first)?,
            to,
            count,
            // A single element has no distance.
            stride: if count > 1 { stride } else { 1 },
            whole: count == len && count == n,
        })
    };
    boxes.zip(lines).map(one).collect()
}

/// Visits the runs in the intersection of `chunk` and `region`, in the order of the region.
///
/// # Errors
/// Returns [`ErrorKind::Limit`] for a box of 2^64 elements or more, and errors from `visit`.
pub fn runs(
    chunk: &Block,
    region: &Region,
    mut visit: impl FnMut(ElementRun) -> Result<()>,
) -> Result<()> {
    let Some(axes) = axes(chunk, region) else {
        return Ok(());
    };
    let (from_steps, to_steps) = (steps(&chunk.count)?, steps(&region.count)?);
    let (outer, len, step) = tail(&axes);
    let mut run = ElementRun {
        from: 0,
        to: 0,
        len,
        step,
    };
    let mut loops = Vec::with_capacity(outer);
    for (n, ((axis, &from), &to)) in axes.iter().zip(&from_steps).zip(&to_steps).enumerate() {
        run.from += axis.from * from;
        run.to += axis.to * to;
        if n < outer {
            loops.push(RunLoop {
                left: axis.count - 1,
                count: axis.count,
                from: from * axis.stride,
                to,
            });
        }
    }
    loop {
        visit(run)?;
        if !next(&mut loops, &mut run) {
            return Ok(());
        }
    }
}

/// Returns the intersection of `chunk` and `region` as one run, if it is contiguous in both.
#[must_use]
pub fn single(chunk: &Block, region: &Region) -> Option<ElementRun> {
    let axes = axes(chunk, region)?;
    let (outer, _, step) = tail(&axes);
    let one = axes.iter().take(outer).all(|axis| axis.count == 1);
    let mut found = None;
    if one && step == 1 {
        let visit = |run| {
            found = Some(run);
            Ok(())
        };
        runs(chunk, region, visit).ok()?;
    }
    found
}

/// A dimension to loop over, run by run.
struct RunLoop {
    /// The number of remaining runs.
    left: u64,
    count: u64,
    /// The distance from run to run, in elements of the chunk and of the region.
    from: u64,
    to: u64,
}

/// Advances to the next run. Returns false after the last.
fn next(loops: &mut [RunLoop], run: &mut ElementRun) -> bool {
    for l in loops.iter_mut().rev() {
        if l.left > 0 {
            l.left -= 1;
            run.from += l.from;
            run.to += l.to;
            return true;
        }
        l.left = l.count - 1;
        run.from -= l.left * l.from;
        run.to -= l.left * l.to;
    }
    false
}

/// Returns the trailing dimensions that form one run: the number of leading dimensions, the elements of the run and
/// their distance. These are the last dimension and preceding dimensions, as long as all later dimensions are whole
/// in both boxes.
fn tail(axes: &[ScatterAxis]) -> (usize, u64, u64) {
    let Some(last) = axes.last() else {
        return (0, 1, 1);
    };
    let mut outer = axes.len() - 1;
    let mut len = last.count;
    let mut whole = last.whole && (last.stride == 1 || len == 1);
    // A single element has no distance.
    let step = if last.count > 1 { last.stride } else { 1 };
    for axis in axes.iter().rev().skip(1) {
        if !whole || (axis.stride != 1 && axis.count > 1) {
            break;
        }
        len *= axis.count;
        outer -= 1;
        whole = axis.whole;
    }
    (outer, len, step)
}

/// Returns the row-major strides of a box, in elements.
///
/// # Errors
/// Returns [`ErrorKind::Limit`] for 2^64 elements or more.
pub fn steps(count: &[u64]) -> Result<Vec<u64>> {
    let mut steps = vec![1u64; count.len()];
    let mut step = 1u64;
    for (s, &n) in steps.iter_mut().zip(count).rev() {
        *s = step;
        let next = step.checked_mul(n.max(1));
        step = next.ok_or_else(|| Error::new(ErrorKind::Limit, "a region of 2^64 elements"))?;
    }
    Ok(steps)
}

/// Copies the elements of a run, each of `size` bytes. Returns `None` if a buffer is too short.
#[must_use]
pub fn put(run: ElementRun, size: u64, from: &[u8], to: &mut [u8]) -> Option<()> {
    let byte = |n: u64| usize::try_from(n.checked_mul(size)?).ok();
    let to = to.get_mut(byte(run.to)?..byte(run.to.checked_add(run.len)?)?)?;
    let first = byte(run.from)?;
    if run.step == 1 {
        to.copy_from_slice(from.get(first..first.checked_add(to.len())?)?);
        return Some(());
    }
    let from = from.get(first..)?;
    let (size, step) = (byte(1)?, usize::try_from(run.step).ok()?);
    match size {
        1 => pick::<1>(from, to, step),
        2 => pick::<2>(from, to, step),
        4 => pick::<4>(from, to, step),
        8 => pick::<8>(from, to, step),
        _ => {
            let parts = from.chunks_exact(size.max(1)).step_by(step.max(1));
            let places = to.chunks_exact_mut(size.max(1));
            let n = places.len();
            (parts.len() >= n).then_some(())?;
            places.zip(parts).for_each(|(t, f)| t.copy_from_slice(f));
            Some(())
        }
    }
}

/// Copies the elements of `region` that lie in `chunk` back into the chunk, each of `size` bytes.
///
/// # Errors
/// Returns [`ErrorKind::Argument`] if a buffer is too short, and errors from [`runs`].
pub fn put_back(
    chunk: &Block,
    region: &Region,
    size: u64,
    from: &[u8],
    to: &mut [u8],
) -> Result<()> {
    runs(chunk, region, |run| {
        let back = ElementRun {
            from: run.to,
            to: run.from,
            ..run
        };
        let short = || Error::new(ErrorKind::Argument, "fewer elements than a chunk needs");
        put(back, size, from, to).ok_or_else(short)
    })
}

/// Copies every `step`th element of `N` bytes.
fn pick<const N: usize>(from: &[u8], to: &mut [u8], step: usize) -> Option<()> {
    let (from, to) = (from.as_chunks::<N>().0, to.as_chunks_mut::<N>().0);
    let parts = from.iter().step_by(step.max(1));
    (parts.len() >= to.len()).then_some(())?;
    to.iter_mut().zip(parts).for_each(|(t, f)| *t = *f);
    Some(())
}

/// Fills a slice with copies of `fill`.
pub(crate) fn spread(fill: &[u8], place: &mut [u8]) {
    match *fill {
        [byte] => place.fill(byte),
        _ => place
            .chunks_exact_mut(fill.len().max(1))
            .for_each(|e| e.copy_from_slice(fill)),
    }
}

/// Returns the grid position of a row-major number.
#[must_use]
pub fn place(mut number: u64, grid: &[u64]) -> Vec<u64> {
    let cells = grid.iter().rev();
    let place = cells.map(|&cells| {
        let at = number % cells.max(1);
        number /= cells.max(1);
        at
    });
    let mut place: Vec<u64> = place.collect();
    place.reverse();
    place
}

/// Returns the row-major number of a grid position.
///
/// # Errors
/// Returns [`ErrorKind::Internal`] for a number of 2^64 or more.
pub(crate) fn number(position: &[u64], grid: &[u64]) -> Result<u64> {
    let dims = position.iter().zip(grid);
    let number = dims.fold(exact(0u64), |number, (at, len)| number * *len + *at);
    number.get()
}

/// Advances a row-major index. Returns false after the last.
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
        let b = Region::boxed(b.start.clone(), b.count.clone());
        runs(a, &b, |r| {
            assert!(r.step == 1);
            out.push((r.from, r.to, r.len));
            Ok(())
        })
        .unwrap();
        let only = single(a, &b).map(|r| (r.from, r.to, r.len));
        assert_eq!(only, (out.len() == 1).then(|| out[0]));
        out
    }

    #[test]
    fn one_element_with_a_huge_stride() {
        let chunk = Block::whole(&[3, 5]);
        let region = Region {
            start: vec![1, 2],
            count: vec![1, 1],
            stride: vec![1 << 62, u64::MAX],
        };
        let mut found = vec![];
        let visit = |run| {
            found.push(run);
            Ok(())
        };
        runs(&chunk, &region, visit).unwrap();
        let from = found.iter().map(|run| (run.from, run.len));
        assert_eq!(from.collect::<Vec<_>>(), [(7, 1)]);
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
            ([2, 0, 0], [4, 6, 5], [1, 0, 0], [3, 3, 5]),
        ] {
            for stride in [
                [1, 1, 1],
                [2, 1, 1],
                [1, 2, 1],
                [1, 1, 3],
                [3, 2, 2],
                [9, 9, 9],
            ] {
                let chunk = block(&cs, &cc);
                let region = Region {
                    start: rs.to_vec(),
                    count: rc.to_vec(),
                    stride: stride.to_vec(),
                };
                let mut slow = vec![];
                for i in 0..rc[0] {
                    for j in 0..rc[1] {
                        for k in 0..rc[2] {
                            let at = |d: usize, n: u64| rs[d] + n * stride[d];
                            let p = [at(0, i), at(1, j), at(2, k)];
                            if (0..3).all(|d| p[d] >= cs[d] && p[d] < cs[d] + cc[d]) {
                                let q = [p[0] - cs[0], p[1] - cs[1], p[2] - cs[2]];
                                let from = (q[0] * cc[1] + q[1]) * cc[2] + q[2];
                                slow.push((from, (i * rc[1] + j) * rc[2] + k));
                            }
                        }
                    }
                }
                let mut fast = vec![];
                runs(&chunk, &region, |r| {
                    fast.extend((0..r.len).map(|i| (r.from + i * r.step, r.to + i)));
                    Ok(())
                })
                .unwrap();
                assert_eq!(fast, slow, "{cs:?} {cc:?} {region:?}");
            }
        }
    }

    #[test]
    fn elements_of_all_sizes_are_picked() {
        for size in 1..10 {
            let from: Vec<u8> = (0..10 * size).map(|b| b as u8).collect();
            for (step, len) in [(1, 3), (2, 3), (3, 2)] {
                let run = ElementRun {
                    from: 4,
                    to: 1,
                    len,
                    step,
                };
                let mut to = vec![255; 5 * size as usize];
                put(run, size, &from, &mut to).unwrap();
                for (n, e) in (0u64..).zip(to.chunks(size as usize)) {
                    let want = (4 + n.saturating_sub(1) * step) * size;
                    if (1..=len).contains(&n) {
                        assert_eq!(u64::from(e[0]), want);
                        assert_eq!(u64::from(e[e.len() - 1]), want + size - 1);
                    } else {
                        assert!(e.iter().all(|&b| b == 255));
                    }
                }
                assert_eq!(
                    put(ElementRun { len: 9, ..run }, size, &from, &mut to),
                    None
                );
                assert_eq!(
                    put(ElementRun { from: 9, ..run }, size, &from, &mut to),
                    None
                );
            }
        }
    }
}
