//! Selections as rows: for those that are no grids, or grids of different shapes.

use super::axis::Axis;
use crate::error::{Error, ErrorKind, Result};
use crate::format::hdf5::selection::{Block, Selection};
use crate::model::region::product;

/// Neighbouring elements along the last dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    /// The first one.
    pub at: Vec<u64>,
    /// Their number.
    pub len: u64,
}

/// The most rows that are listed.
const MOST: u64 = 1 << 22;

/// The rows of a selection other than a grid, in their order.
pub(super) fn of_selection(selection: &Selection) -> Result<Vec<Row>> {
    match selection {
        Selection::Points(points) => Ok(points.iter().map(|at| row(at.clone(), 1)).collect()),
        Selection::Blocks(blocks) => of_blocks(blocks),
        Selection::None | Selection::All | Selection::Regular(_) => Ok(vec![]),
    }
}

/// The rows of a grid.
pub(super) fn of_axes(axes: &[Axis]) -> Result<Vec<Row>> {
    let Some((last, outer)) = axes.split_last() else {
        return Ok(vec![row(vec![], 1)]);
    };
    let blocks = last.len.div_ceil(last.block);
    let mut counts: Vec<u64> = outer.iter().map(|a| a.len).collect();
    counts.push(blocks);
    limit(product(&counts))?;
    let mut rows = vec![];
    let mut place = vec![0u64; counts.len()];
    if counts.contains(&0) {
        return Ok(rows);
    }
    loop {
        let block = place.last().copied().unwrap_or(0);
        let first = block.saturating_mul(last.block);
        let mut at: Vec<u64> = outer
            .iter()
            .zip(&place)
            .map(|(a, &k)| a.position(k))
            .collect();
        at.push(last.position(first));
        rows.push(row(at, last.block.min(last.len - first)));
        if !advance(&mut place, &counts) {
            return Ok(rows);
        }
    }
}

fn of_blocks(blocks: &[Block]) -> Result<Vec<Row>> {
    let lens = |b: &Block| -> Vec<u64> {
        let ends = b.start.iter().zip(&b.last);
        ends.map(|(s, l)| (l - s).saturating_add(1)).collect()
    };
    let rows_of = |lens: &[u64]| lens.split_last().and_then(|(_, outer)| product(outer));
    let total = blocks
        .iter()
        .try_fold(0u64, |n, b| n.checked_add(rows_of(&lens(b))?));
    limit(total)?;
    let mut rows = vec![];
    for block in blocks {
        let mut counts = lens(block);
        let Some(len) = counts.pop() else {
            continue;
        };
        let mut place = vec![0u64; counts.len()];
        loop {
            let offsets = place.iter().chain(std::iter::once(&0));
            let at = block
                .start
                .iter()
                .zip(offsets)
                .map(|(s, p)| s + p)
                .collect();
            rows.push(row(at, len));
            if !advance(&mut place, &counts) {
                break;
            }
        }
    }
    rows.sort_unstable_by(|a, b| a.at.cmp(&b.at));
    Ok(rows)
}

fn row(at: Vec<u64>, len: u64) -> Row {
    Row { at, len }
}

fn limit(rows: Option<u64>) -> Result<()> {
    if rows.is_some_and(|n| n <= MOST) {
        return Ok(());
    }
    let what = format!("a selection of a virtual dataset has more than {MOST} rows");
    Err(Error::new(ErrorKind::Limit, what))
}

/// Moves to the next place in row-major order; false behind the last.
fn advance(place: &mut [u64], counts: &[u64]) -> bool {
    for (x, &count) in place.iter_mut().zip(counts).rev() {
        *x += 1;
        if *x < count {
            return true;
        }
        *x = 0;
    }
    false
}
