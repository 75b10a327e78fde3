//! Checks of start, count and stride. Programs see the error number of the first failed check, so the order is netCDF-C's.

use super::area::Selection;
use crate::error_number::ErrorNumber;

/// The order of checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CheckOrder {
    /// All strides, then start and end of each dimension: netCDF-4 without a map.
    Strides,
    /// All starts, then all ends: classic files without strides.
    Starts,
    /// Start, end and stride of each dimension: classic files with strides.
    Dimensions,
    /// All strides, then start and end from the last dimension to the first: mapped reads.
    Mapped,
}

/// netCDF-C refuses strides from this number (`X_INT_MAX`), except for netCDF-4 reads without a map.
const STRIDE_LIMIT: isize = 0x7fff_ffff;

/// The selected indices of one dimension.
#[derive(Debug, Clone, Copy)]
struct Line {
    start: u64,
    count: u64,
    stride: isize,
    len: u64,
}

impl Line {
    fn check_start(&self) -> Result<(), ErrorNumber> {
        let inside = self.start < self.len || (self.start == self.len && self.count == 0);
        passed(inside, ErrorNumber::EINVALCOORDS)
    }

    /// Checks the end of neighbouring elements.
    fn check_end(&self) -> Result<(), ErrorNumber> {
        let end = self.start.checked_add(self.count);
        let inside = end.is_some_and(|end| end <= self.len);
        passed(inside, ErrorNumber::EEDGE)
    }

    /// Checks the last element.
    fn check_last(&self, otherwise: ErrorNumber) -> Result<(), ErrorNumber> {
        let steps = self.count.saturating_sub(1);
        let length = steps.checked_mul(self.stride.unsigned_abs() as u64);
        let last = length.and_then(|length| length.checked_add(self.start));
        let inside = last.is_some_and(|last| last < self.len);
        passed(inside || self.count == 0, otherwise)
    }

    fn check_stride(&self, limit: isize) -> Result<(), ErrorNumber> {
        let valid = self.stride > 0 && self.stride < limit;
        passed(valid, ErrorNumber::ESTRIDE)
    }
}

fn passed(condition: bool, otherwise: ErrorNumber) -> Result<(), ErrorNumber> {
    condition.then_some(()).ok_or(otherwise)
}

/// Checks that a variable of a shape has the selected elements.
pub(super) fn check(
    selection: &Selection,
    shape: &[u64],
    order: CheckOrder,
) -> Result<(), ErrorNumber> {
    let lines = lines(selection, shape);
    match order {
        CheckOrder::Strides => {
            all(&lines, |line| passed(line.stride > 0, ErrorNumber::ESTRIDE))?;
            all(&lines, |line| {
                line.check_start()?;
                line.check_last(ErrorNumber::EEDGE)
            })
        }
        CheckOrder::Starts => {
            all(&lines, |line| {
                passed(line.start <= line.len, ErrorNumber::EINVALCOORDS)
            })?;
            all(&lines, |line| {
                line.check_start()?;
                line.check_end()
            })
        }
        CheckOrder::Dimensions => {
            all(&lines, |line| {
                line.check_start()?;
                line.check_end()?;
                line.check_stride(STRIDE_LIMIT)
            })?;
            check_elements(&lines)
        }
        CheckOrder::Mapped => {
            all(&lines, |line| line.check_stride(STRIDE_LIMIT))?;
            lines.iter().rev().try_for_each(|line| {
                line.check_start()?;
                line.check_end()
            })?;
            check_elements(&lines)
        }
    }
}

fn all(
    lines: &[Line],
    check: impl Fn(&Line) -> Result<(), ErrorNumber>,
) -> Result<(), ErrorNumber> {
    lines.iter().try_for_each(check)
}

/// Checks the last elements where netCDF-C reads the elements one by one: the start of such a read is wrong.
fn check_elements(lines: &[Line]) -> Result<(), ErrorNumber> {
    match lines.iter().any(|line| line.count == 0) {
        true => Ok(()),
        false => all(lines, |line| line.check_last(ErrorNumber::EINVALCOORDS)),
    }
}

fn lines(selection: &Selection, shape: &[u64]) -> Vec<Line> {
    let strides = selection.stride.iter().flatten().copied();
    let strides = strides.chain(std::iter::repeat(1));
    let ends = selection.start.iter().zip(&selection.count);
    let lines = ends.zip(shape).zip(strides);
    lines
        .map(|(((&start, &count), &len), stride)| Line {
            start,
            count,
            stride,
            len,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(order: CheckOrder, start: [u64; 2], count: [u64; 2], stride: [isize; 2]) -> i32 {
        let selection = Selection {
            start: start.to_vec(),
            count: count.to_vec(),
            stride: Some(stride.to_vec()),
            map: None,
        };
        check(&selection, &[4, 6], order).map_or_else(|e| e.0, |()| 0)
    }

    #[test]
    fn first_error_depends_on_the_order() {
        use CheckOrder::{Dimensions, Mapped, Starts, Strides};
        let end_then_start = |order| error(order, [0, 7], [5, 1], [1, 1]);
        assert_eq!(
            [Strides, Starts, Dimensions, Mapped].map(end_then_start),
            [-57, -40, -57, -40]
        );
        let start_then_end = |order| error(order, [4, 0], [1, 7], [1, 1]);
        assert_eq!(
            [Strides, Starts, Dimensions, Mapped].map(start_then_end),
            [-40, -40, -40, -57]
        );
        let end_and_stride = |order| error(order, [0, 0], [5, 1], [0, 1]);
        assert_eq!(
            [Strides, Dimensions, Mapped].map(end_and_stride),
            [-58, -57, -58]
        );
    }

    #[test]
    fn strides_have_limits() {
        use CheckOrder::{Dimensions, Mapped, Strides};
        let largest = |order| error(order, [0, 0], [1, 1], [isize::MAX, 1]);
        assert_eq!([Strides, Dimensions, Mapped].map(largest), [0, -58, -58]);
        let beyond = |order| error(order, [0, 0], [2, 1], [4, 1]);
        assert_eq!([Strides, Dimensions, Mapped].map(beyond), [-57, -40, -40]);
        assert_eq!(error(Strides, [0, 0], [2, 1], [isize::MAX, 1]), -57);
        assert_eq!(error(Strides, [0, 0], [1, u64::MAX], [1, 1]), -57);
    }

    #[test]
    fn empty_selections_may_start_at_the_end() {
        use CheckOrder::{Dimensions, Mapped, Starts, Strides};
        let empty = |order| error(order, [4, 0], [0, 1], [1, 1]);
        assert_eq!([Strides, Starts, Dimensions, Mapped].map(empty), [0; 4]);
    }
}
