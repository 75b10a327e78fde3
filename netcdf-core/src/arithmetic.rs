//! Two kinds of arithmetic with numbers of bytes, elements and chunks.
//!
//! | type | use | overflow and negative results |
//! |---|---|---|
//! | [`Amount`] | estimates, which are only compared or shown: memory, costs, totals in a report | saturate at the largest amount, or at 0 |
//! | [`Exact`] | positions: indices, offsets, lengths of reads and writes | an internal error with its source location, because numbers from files were checked earlier |

use std::iter::Sum;
use std::ops::{Add, Div, Mul, Range, Sub};

use crate::error::{Error, Result};

/// An estimated number of bytes, elements or chunks. Never an index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Amount(u64);

impl Amount {
    /// The largest amount, which also stands for an overflow.
    pub const MAX: Self = Self(u64::MAX);

    /// Converts a number to an amount.
    pub fn of(n: impl Into<Self>) -> Self {
        n.into()
    }

    /// The product of lengths, 1 for none.
    #[must_use]
    pub fn product(lengths: &[u64]) -> Self {
        match lengths.contains(&0) {
            true => Self(0),
            false => lengths.iter().fold(Self(1), |all, &len| all * len),
        }
    }

    /// Returns the number, `u64::MAX` after an overflow.
    #[must_use]
    pub fn get(self) -> u64 {
        self.0
    }

    /// Returns the number as a size in memory, `usize::MAX` after an overflow.
    #[must_use]
    pub fn count(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl From<u64> for Amount {
    fn from(n: u64) -> Self {
        Self(n)
    }
}

impl From<usize> for Amount {
    fn from(n: usize) -> Self {
        Self(n as u64)
    }
}

/// `None` stands for an overflow.
impl<T: Into<Self>> From<Option<T>> for Amount {
    fn from(n: Option<T>) -> Self {
        n.map_or(Self::MAX, T::into)
    }
}

impl<T: Into<Self>> Add<T> for Amount {
    type Output = Self;

    fn add(self, other: T) -> Self {
        Self(self.0.saturating_add(other.into().0))
    }
}

/// Saturates at 0.
impl<T: Into<Self>> Sub<T> for Amount {
    type Output = Self;

    fn sub(self, other: T) -> Self {
        Self(self.0.saturating_sub(other.into().0))
    }
}

impl<T: Into<Self>> Mul<T> for Amount {
    type Output = Self;

    fn mul(self, other: T) -> Self {
        Self(self.0.saturating_mul(other.into().0))
    }
}

/// Division by 0 is division by 1.
impl<T: Into<Self>> Div<T> for Amount {
    type Output = Self;

    fn div(self, other: T) -> Self {
        Self(self.0 / other.into().0.max(1))
    }
}

impl<T: Into<Self>> Sum<T> for Amount {
    fn sum<I: Iterator<Item = T>>(amounts: I) -> Self {
        amounts.fold(Self(0), Self::add)
    }
}

/// The position being calculated. [`Exact::get`] fails if a step overflowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub struct Exact(Option<u64>);

/// Converts a number to a position.
pub fn exact(n: impl Into<Exact>) -> Exact {
    n.into()
}

/// Returns the range of `len` bytes or elements from `start`.
///
/// # Errors
/// Returns an error if the end overflows, see [`Exact::get`].
#[track_caller]
pub fn span(start: u64, len: u64) -> Result<Range<u64>> {
    Ok(start..(exact(start) + len).get()?)
}

/// Returns the range of `len` bytes or elements in memory from `start`.
///
/// # Errors
/// Returns an error if the end overflows, see [`Exact::index`].
#[track_caller]
pub fn indices(start: impl Into<Exact>, len: impl Into<Exact>) -> Result<Range<usize>> {
    let start = start.into();
    Ok(start.index()?..(start + len).index()?)
}

/// Returns the range of `len` bytes from `start` according to a file. An overflowing end saturates beyond all files, so that reading the
/// range reports a damaged file.
#[must_use]
pub fn claimed(start: u64, len: u64) -> Range<u64> {
    start..start.saturating_add(len)
}

/// Returns the number of bytes or elements in a range, 0 if the end precedes the start.
#[must_use]
pub fn length(range: &Range<u64>) -> u64 {
    range.end.saturating_sub(range.start)
}

impl Exact {
    /// The product of lengths, 1 for none.
    pub fn product(lengths: &[u64]) -> Self {
        lengths.iter().fold(exact(1u64), |all, &len| all * len)
    }

    /// Returns the number.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Internal`](crate::ErrorKind::Internal) if a step was below 0 or beyond 2^64 - 1.
    #[track_caller]
    pub fn get(self) -> Result<u64> {
        match self.0 {
            Some(n) => Ok(n),
            None => Err(Error::internal("a position below 0 or beyond 2^64 - 1")),
        }
    }

    /// Returns the number as an index in memory.
    ///
    /// # Errors
    /// Returns an internal error after an overflow, or if the machine cannot address the number.
    #[track_caller]
    pub fn index(self) -> Result<usize> {
        match usize::try_from(self.get()?) {
            Ok(n) => Ok(n),
            Err(_) => Err(Error::internal("a position beyond the machine's memory")),
        }
    }
}

impl From<u64> for Exact {
    fn from(n: u64) -> Self {
        Self(Some(n))
    }
}

impl From<usize> for Exact {
    fn from(n: usize) -> Self {
        Self(Some(n as u64))
    }
}

/// `None` stands for an overflow.
impl From<Option<u64>> for Exact {
    fn from(n: Option<u64>) -> Self {
        Self(n)
    }
}

impl Exact {
    fn with(self, other: impl Into<Self>, step: fn(u64, u64) -> Option<u64>) -> Self {
        let two = self.0.zip(other.into().0);
        Self(two.and_then(|(a, b)| step(a, b)))
    }
}

impl<T: Into<Self>> Add<T> for Exact {
    type Output = Self;

    fn add(self, other: T) -> Self {
        self.with(other, u64::checked_add)
    }
}

impl<T: Into<Self>> Sub<T> for Exact {
    type Output = Self;

    fn sub(self, other: T) -> Self {
        self.with(other, u64::checked_sub)
    }
}

impl<T: Into<Self>> Mul<T> for Exact {
    type Output = Self;

    fn mul(self, other: T) -> Self {
        self.with(other, u64::checked_mul)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    #[test]
    fn amounts_end_at_the_largest_and_at_zero() {
        let large = Amount::of(u64::MAX / 2) * 3u64;
        assert_eq!((large, large + 1u64), (Amount::MAX, Amount::MAX));
        assert_eq!((Amount::of(3u64) - 4u64).get(), 0);
        assert_eq!((Amount::of(7usize) / 2u64 / 0u64).get(), 3);
        assert_eq!(Amount::of(None::<u64>), Amount::MAX);
        assert_eq!(Amount::product(&[u64::MAX, 2, 0]).get(), 0);
        assert_eq!(Amount::product(&[]).get(), 1);
        assert_eq!([1, 2, u64::MAX].into_iter().sum::<Amount>(), Amount::MAX);
    }

    #[test]
    fn places_are_exact_or_an_error_that_tells_where() {
        assert_eq!((exact(3u64) * 4u64 + 2u64 - 1u64).get().unwrap(), 13);
        assert_eq!(Exact::product(&[3, 4]).index().unwrap(), 12);
        assert_eq!(span(3, 4).unwrap(), 3..7);
        assert_eq!(indices(3u64, 4usize).unwrap(), 3..7);
        assert_eq!(claimed(3, u64::MAX), 3..u64::MAX);
        let backwards = Range { start: 7, end: 3 };
        assert_eq!((length(&(3..7)), length(&backwards)), (4, 0));
        let wrong = [
            exact(3u64) - 4u64,
            exact(u64::MAX) + 1u64 - 1u64,
            exact(1u64 << 63) * 2u64,
            exact(None),
        ];
        for place in wrong {
            let e = place.get().unwrap_err();
            assert_eq!(e.kind(), ErrorKind::Internal);
            assert!(e.what().contains("arithmetic.rs:"), "{e}");
        }
    }
}
