//! Rectangular regions of a variable.

use crate::error::{Error, ErrorKind, Result};

/// The maximum number of elements along a dimension; the sum of two lengths fits `u64`.
pub const LONGEST: u64 = u64::MAX >> 1;

/// A region: start, count and stride per dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// First index per dimension.
    pub start: Vec<u64>,
    /// Number of elements per dimension.
    pub count: Vec<u64>,
    /// Distance between selected elements per dimension, at least 1.
    pub stride: Vec<u64>,
}

impl Region {
    /// Returns the region of a whole variable of this shape (empty for a scalar).
    #[must_use]
    pub fn whole(shape: &[u64]) -> Self {
        Self::boxed(vec![0; shape.len()], shape.to_vec())
    }

    /// Returns the region from `start` with `count` elements per dimension and stride 1.
    #[must_use]
    pub fn boxed(start: Vec<u64>, count: Vec<u64>) -> Self {
        let stride = vec![1; start.len()];
        Self {
            start,
            count,
            stride,
        }
    }

    /// Returns a block of this region; `start` is relative to the region.
    #[must_use]
    pub fn part(&self, of: &Self) -> Self {
        let start = self.start.iter().zip(&self.stride).zip(&of.start);
        Self {
            start: start.map(|((s, stride), n)| s + n * stride).collect(),
            count: of.count.clone(),
            stride: self.stride.clone(),
        }
    }

    /// Checks that element indices fit along each dimension, including one chunk length beyond the end.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`] if the region ends beyond [`LONGEST`].
    pub fn check(&self) -> Result<()> {
        let lines = self.start.iter().zip(&self.count).zip(&self.stride);
        for ((&start, &count), &stride) in lines {
            let last = count.saturating_sub(1).checked_mul(stride);
            longest(last.and_then(|n| n.checked_add(start)?.checked_add(1)))?;
            longest(Some(stride.max(count)))?;
        }
        Ok(())
    }

    /// Returns the number of elements, or `None` beyond 2^64.
    #[must_use]
    pub fn elements(&self) -> Option<u64> {
        product(&self.count)
    }
}

/// Checks dimension lengths.
///
/// # Errors
/// Returns [`ErrorKind::Limit`] for a length above [`LONGEST`].
pub fn check_lengths(lengths: &[u64]) -> Result<()> {
    lengths.iter().try_for_each(|&len| longest(Some(len)))
}

fn longest(len: Option<u64>) -> Result<()> {
    match len {
        Some(len) if len <= LONGEST => Ok(()),
        _ => Err(Error::new(
            ErrorKind::Limit,
            "a dimension of 2^63 elements or more",
        )),
    }
}

/// Returns the product of lengths (1 for none), or `None` beyond 2^64 unless a length is 0.
#[must_use]
pub fn product(lengths: &[u64]) -> Option<u64> {
    if lengths.contains(&0) {
        return Some(0);
    }
    lengths.iter().try_fold(1u64, |n, &len| n.checked_mul(len))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products() {
        assert_eq!(product(&[]), Some(1));
        assert_eq!(product(&[3, 4]), Some(12));
        assert_eq!(product(&[u64::MAX, u64::MAX, 0]), Some(0));
        assert_eq!(product(&[u64::MAX, 2]), None);
    }

    #[test]
    fn regions_end_where_they_can_be_counted() {
        let region = |start, count, stride| Region {
            start: vec![0, start],
            count: vec![1, count],
            stride: vec![1, stride],
        };
        for (start, count, stride) in [(0, LONGEST, 1), (LONGEST, 0, 1), (LONGEST - 1, 1, LONGEST)]
        {
            let found = region(start, count, stride).check();
            assert_eq!(found.is_ok(), start < LONGEST, "{start} {count} {stride}");
        }
        for (start, count, stride) in [
            (1, LONGEST, 1),
            (0, 3, LONGEST),
            (u64::MAX, 1, 1),
            (0, 1, u64::MAX),
        ] {
            let e = region(start, count, stride).check().unwrap_err();
            assert_eq!(e.kind(), ErrorKind::Limit);
        }
        assert!(check_lengths(&[3, LONGEST]).is_ok() && check_lengths(&[LONGEST + 1]).is_err());
    }
}
