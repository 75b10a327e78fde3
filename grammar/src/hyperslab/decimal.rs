//! Decimal numbers with all digits: a limit beyond 2^53 must not be rounded before a comparison with 64-bit integers.

use std::cmp::Ordering;

use crate::time::Count;

/// Maximum decimal exponent of an `i128`.
const DIGITS: i64 = 38;

/// A decimal number from the command line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct UserDecimal {
    /// The nearest double.
    pub(super) value: f64,
    /// The floor of the number, saturated.
    floor: i128,
    /// The fraction, from 0 to 1.
    fraction: f64,
}

impl UserDecimal {
    /// Parses digits with an optional sign, point and exponent. Returns `None` for any other text, and for a number beyond the range of
    /// double.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let starts = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.');
        let value: f64 = text
            .parse()
            .ok()
            .filter(|v: &f64| starts && v.is_finite())?;
        let (mantissa, exponent) = match digits.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse().ok()?),
            None => (digits, 0),
        };
        let (floor, fraction) = split(mantissa, exponent);
        let (floor, fraction) = match (negative, fraction > 0.0) {
            (false, _) => (floor, fraction),
            (true, false) => (floor.saturating_neg(), 0.0),
            (true, true) => (floor.saturating_neg().saturating_sub(1), 1.0 - fraction),
        };
        Some(Self {
            value,
            floor,
            fraction,
        })
    }

    /// Compares a value with this number, in the type of the value.
    pub(super) fn order(&self, value: Count) -> Option<Ordering> {
        match value {
            Count::Whole(whole) => Some(whole.cmp(&self.floor).then(match self.fraction > 0.0 {
                true => Ordering::Less,
                false => Ordering::Equal,
            })),
            Count::Real(real) => real.partial_cmp(&self.value),
            Count::Single(single) => f64::from(single).partial_cmp(&self.value),
        }
    }

    /// Compares two numbers.
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        let fractions = self.fraction.total_cmp(&other.fraction);
        self.floor.cmp(&other.floor).then(fractions)
    }

    /// Returns the distance to a value: an integer and a fraction.
    pub(super) fn distance(&self, value: Count) -> (u128, f64) {
        let real = |value: f64| (0, (value - self.value).abs());
        match value {
            Count::Whole(whole) if whole <= self.floor => {
                (self.floor.abs_diff(whole), self.fraction)
            }
            Count::Whole(whole) if self.fraction > 0.0 => {
                (whole.abs_diff(self.floor) - 1, 1.0 - self.fraction)
            }
            Count::Whole(whole) => (whole.abs_diff(self.floor), 0.0),
            Count::Real(value) => real(value),
            Count::Single(value) => real(value.into()),
        }
    }
}

/// Splits a mantissa with a power of ten into integer and fraction.
fn split(mantissa: &str, exponent: i64) -> (i128, f64) {
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = [whole, fraction].concat();
    let significant = digits.trim_start_matches('0');
    let zeros = digits.len().saturating_sub(significant.len());
    // Digits before the point.
    let before = i64::try_from(whole.len()).unwrap_or(i64::MAX);
    let before = before.saturating_add(exponent);
    let before = before.saturating_sub(i64::try_from(zeros).unwrap_or(i64::MAX));
    if significant.is_empty() {
        return (0, 0.0);
    }
    if before > DIGITS {
        return (i128::MAX, 0.0);
    }
    let at = usize::try_from(before).unwrap_or(0).min(significant.len());
    let (whole, rest) = significant.split_at(at);
    let digit = |sum: i128, c: u8| sum * 10 + i128::from(c.wrapping_sub(b'0'));
    let missing = usize::try_from(before).unwrap_or(0) - at;
    let whole = whole.bytes().chain(std::iter::repeat_n(b'0', missing));
    let whole = whole.fold(0, digit);
    let rest: f64 = format!("0.{rest}e{}", before.min(0)).parse().unwrap_or(0.0);
    (whole, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> (i128, f64) {
        let number = UserDecimal::parse(text).unwrap();
        (number.floor, number.fraction)
    }

    #[test]
    fn numbers_keep_all_digits() {
        let cases = [
            ("9007199254740993.", 9_007_199_254_740_993, 0.0),
            ("9.007199254740993e15", 9_007_199_254_740_993, 0.0),
            ("-9007199254740993.5", -9_007_199_254_740_994, 0.5),
            ("18446744073709551615.0", u64::MAX.into(), 0.0),
            ("1e3", 1000, 0.0),
            ("+1.25E1", 12, 0.5),
            ("-.5", -1, 0.5),
            ("0005.", 5, 0.0),
            (".005", 0, 0.005),
            ("125e-3", 0, 0.125),
            ("125.e-2", 1, 0.25),
            ("0.", 0, 0.0),
            ("-0e999", 0, 0.0),
            ("1e300", i128::MAX, 0.0),
        ];
        for (text, floor, fraction) in cases {
            assert_eq!(parts(text), (floor, fraction), "{text}");
        }
        for text in [
            "", ".", "e5", "1e", "nan", "inf", "-inf", "1e999", "1x", "--1",
        ] {
            assert_eq!(UserDecimal::parse(text), None, "{text}");
        }
    }

    #[test]
    fn whole_numbers_are_compared_exactly() {
        let number = UserDecimal::parse("9007199254740992.5").unwrap();
        let order = |whole| number.order(Count::Whole(whole)).unwrap();
        assert_eq!(order(9_007_199_254_740_992), Ordering::Less);
        assert_eq!(order(9_007_199_254_740_993), Ordering::Greater);
        let distance = |whole| number.distance(Count::Whole(whole));
        assert_eq!(distance(9_007_199_254_740_992), (0, 0.5));
        assert_eq!(distance(9_007_199_254_740_993), (0, 0.5));
        assert_eq!(distance(9_007_199_254_740_990), (2, 0.5));
        assert_eq!(distance(9_007_199_254_740_995), (2, 0.5));
    }
}
