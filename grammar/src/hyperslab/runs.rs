//! Index runs.

use netcdf_core::chunk::view::IndexRun;
use netcdf_core::error::{Error, ErrorKind, Result};

/// Maximum number of indices for sorting one by one.
const MOST: u64 = 1 << 24;

/// Returns every `stride`th index of concatenated index ranges.
pub(super) fn strided(ranges: &[(u64, u64)], stride: u64) -> Vec<IndexRun> {
    let mut skip = 0;
    let mut runs = vec![];
    for &(start, len) in ranges {
        if skip >= len {
            skip -= len;
            continue;
        }
        let count = (len - skip).div_ceil(stride);
        runs.push(IndexRun {
            start: start + skip,
            count,
            stride,
        });
        skip = (skip + (count - 1) * stride).saturating_add(stride) - len;
    }
    runs
}

/// Returns the union of several selections in the order of the dimension.
///
/// # Errors
/// Returns [`ErrorKind::Limit`] for very many indices that are not consecutive.
pub(super) fn union(mut all: Vec<Vec<IndexRun>>) -> Result<Vec<IndexRun>> {
    if all.len() < 2 {
        return Ok(all.pop().unwrap_or_default());
    }
    let mut runs: Vec<IndexRun> = all.into_iter().flatten().collect();
    runs.sort_by_key(|run| run.start);
    if runs.iter().all(|run| run.stride == 1) {
        return Ok(joined(runs));
    }
    let count = runs
        .iter()
        .fold(0u64, |all, run| all.saturating_add(run.count));
    if count > MOST {
        let what = format!("{count} indices of several selections with strides");
        return Err(Error::new(ErrorKind::Limit, what));
    }
    let each = |run: IndexRun| (0..run.count).map(move |n| run.start + n * run.stride);
    let mut indices: Vec<u64> = runs.into_iter().flat_map(each).collect();
    indices.sort_unstable();
    indices.dedup();
    Ok(joined(indices.into_iter().map(|start| IndexRun {
        start,
        count: 1,
        stride: 1,
    })))
}

/// Returns sorted runs with stride 1; touching runs are joined.
fn joined(runs: impl IntoIterator<Item = IndexRun>) -> Vec<IndexRun> {
    let mut out: Vec<IndexRun> = vec![];
    for run in runs {
        match out.last_mut() {
            Some(last) if run.start <= last.start + last.count => {
                let end = (run.start + run.count).max(last.start + last.count);
                last.count = end - last.start;
            }
            _ => out.push(run),
        }
    }
    out
}
