//! The most frequent form of numbers in data: some digits, optionally a point and more digits.

use super::ascii;
use super::decimal::exact_power;
use super::pow10::small_power;

/// The maximum number of digits that always fit in 64 bits.
const MOST: u32 = 19;

/// A decimal number without exponent and suffix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plain {
    pub(crate) negative: bool,
    /// All digits as one integer.
    pub(crate) digits: u64,
    /// The number of digits after the point, or `None` without a point.
    pub(crate) fraction: Option<u32>,
    /// The length in bytes.
    pub(crate) len: usize,
}

/// Returns the number at the start of `text` if it is plain: fewer than 24 digits before and after the point, few of them significant, not
/// an octal integer, and not among the last bytes of the text.
///
/// The next character is neither a digit nor a point, but may be a letter.
#[inline(always)]
pub(crate) fn plain(text: &[u8]) -> Option<Plain> {
    let negative = text.first() == Some(&b'-');
    let start = usize::from(negative);
    let (whole, mut digits) = run(text, start)?;
    let mut len = start + whole as usize;
    let mut fraction = None;
    match text.get(len)? {
        b'.' => {
            let (count, more) = run(text, len + 1)?;
            let fits = digits == 0 || whole + count <= MOST;
            if !fits || text.get(len + 1 + count as usize) == Some(&b'.') {
                return None;
            }
            digits = digits.wrapping_mul(small_power(count)).wrapping_add(more);
            len += 1 + count as usize;
            fraction = Some(count);
        }
        _ if text.get(start) == Some(&b'0') && whole > 1 => return None,
        _ => {}
    }
    Some(Plain {
        negative,
        digits,
        fraction,
        len,
    })
}

/// Returns the number and the value of one to 23 digits from `at`.
#[inline(always)]
fn run(text: &[u8], at: usize) -> Option<(u32, u64)> {
    let first = eight(text, at)?;
    let count = ascii::count(first);
    if count < 8 {
        // `checked_shl` fails without digits.
        return Some((count, ascii::gather(first.checked_shl(64 - 8 * count)?)));
    }
    let high = ascii::gather(first);
    let (more, sum) = append(high, eight(text, at + 8)?);
    if more < 8 {
        return Some((8 + more, sum));
    }
    // Zeros after the point, or too many digits.
    let before = sum;
    let (more, sum) = append(sum, eight(text, at + 16)?);
    let fits = before
        .checked_mul(small_power(more))
        .is_some_and(|moved| moved <= sum);
    (more < 8 && fits).then_some((16 + more, sum))
}

/// Appends the digits at the start of `text` to `sum` modulo 2^64. Returns the number and the count of appended digits.
#[inline(always)]
fn append(sum: u64, text: u64) -> (u32, u64) {
    let count = ascii::count(text);
    let digits = text.checked_shl(64 - 8 * count).unwrap_or(0);
    let appended = sum
        .wrapping_mul(small_power(count))
        .wrapping_add(ascii::gather(digits));
    (count, appended)
}

#[inline(always)]
fn eight(text: &[u8], at: usize) -> Option<u64> {
    let bytes = text.get(at..)?.first_chunk()?;
    Some(u64::from_le_bytes(*bytes))
}

impl Plain {
    /// Returns the nearest `f64`, or `None` if this takes more than one operation.
    #[inline(always)]
    #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
    pub(crate) fn to_f64(self) -> Option<f64> {
        if self.digits >= 1 << 53 {
            return None;
        }
        let whole = self.digits as f64;
        let value = match self.fraction {
            Some(places) => whole / exact_power(places)?,
            None => whole,
        };
        Some(if self.negative { -value } else { value })
    }

    /// Returns the integer, or `None` with a point.
    #[inline(always)]
    pub(crate) fn to_i64(self) -> Option<i64> {
        let value = i64::try_from(self.digits).ok()?;
        match self.fraction {
            Some(_) => None,
            None if self.negative => Some(-value),
            None => Some(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::{Literal, literal};
    use proptest::prelude::*;

    /// Checks that this reader agrees with the general reader on the numbers that it finds.
    fn check(text: &str) -> bool {
        let padded = format!("{text},                  ");
        let Some(found) = plain(padded.as_bytes()) else {
            return false;
        };
        let (number, len) = literal(padded.as_bytes()).unwrap();
        assert_eq!(found.len, len, "{text}");
        if let Some(value) = found.to_f64() {
            assert_eq!(value.to_bits(), number.to_f64().to_bits(), "{text}");
        }
        match number {
            Literal::Integer(integer, _) => {
                assert_eq!(found.to_i64().map(i128::from), integer.value(), "{text}");
            }
            Literal::Float(_) | Literal::Double(_) => assert_eq!(found.to_i64(), None, "{text}"),
        }
        true
    }

    #[test]
    fn plain_numbers() {
        for text in [
            "0",
            "-1",
            "12345678",
            "123456789012345",
            "280.0002",
            "-0.123456789012345",
            "0.5",
            "0.000536999640007449",
            "1234567890123456",
            "-0",
        ] {
            assert!(check(text), "{text}");
        }
        for text in [
            "123456789012345678901234",
            "1.",
            ".5",
            "+1",
            "012",
            "1.2.3",
            "",
            "-",
            "x",
            "1.1234567890123456789",
        ] {
            assert!(!check(text), "{text}");
        }
        assert_eq!(plain(b"1, 2"), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]
        #[test]
        fn as_all_numbers_are_read(text in "-?[0-9]{1,9}(\\.0{0,8}[0-9]{1,15})?") {
            check(&text);
        }

        #[test]
        fn any_bytes_are_harmless(text in proptest::collection::vec(any::<u8>(), 0..40)) {
            plain(&text);
        }
    }
}
