//! Numbers without suffix at the start of a text: sign, digits, point and exponent.

use super::ascii;
use super::decimal;
use super::pow10::small_power;

/// The base of an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Radix {
    /// Digits after a leading `0`.
    Octal,
    /// Any other digits.
    Decimal,
    /// Digits after `0x`; in CDL this can also be an opaque value.
    Hexadecimal,
}

/// An integer constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integer {
    /// Whether the integer has a minus sign.
    pub negative: bool,
    /// The value without sign, modulo 2^64.
    pub magnitude: u64,
    /// Whether the value without sign is 2^64 or more.
    pub overflow: bool,
    /// The base of the digits.
    pub radix: Radix,
    /// Whether an octal integer has the digits 8 or 9. `magnitude` is then the value of the preceding digits; `ncgen` also reads `08` as 0.
    pub invalid_octal: bool,
}

/// The maximum number of digits that always fit in 64 bits.
const SAFE_DIGITS: usize = 19;
/// Exponents are clamped to this limit, which is beyond all values with any digits.
const EXPONENT_LIMIT: i32 = 1_000_000;

/// A scanned decimal number.
#[derive(Clone, Copy)]
pub(super) struct ScannedDecimal {
    pub(super) negative: bool,
    /// All digits before and after the point as an integer, modulo 2^64.
    digits: u64,
    /// The number of digits before the point.
    pub(super) whole: usize,
    /// The number of digits after the point.
    fraction: usize,
    exponent: i32,
    /// Whether the number has a point or an exponent.
    pub(super) real: bool,
    /// The length with sign, point and exponent.
    pub(super) len: usize,
}

/// Returns the decimal floating-point number at the start of `text`, rounded to nearest, and its length in bytes.
///
/// Sign, point and exponent are optional: `1`, `-.5`, `1.e3`. At least one digit must precede the exponent. Suffixes, and words such as
/// `NaN`, are not accepted.
#[inline]
#[must_use]
pub fn float_prefix(text: &[u8]) -> Option<(f64, usize)> {
    let number = decimal(text)?;
    Some((number.to_f64(text), number.len))
}

/// Returns the integer at the start of `text` and its length in bytes.
///
/// As in CDL, digits after a leading `0` are octal, and `0x` without a sign begins a hexadecimal integer.
#[inline]
#[must_use]
pub fn integer_prefix(text: &[u8]) -> Option<(Integer, usize)> {
    if let Some(found) = hexadecimal(text) {
        return Some(found);
    }
    let start = usize::from(matches!(text.first(), Some(b'+' | b'-')));
    let mut digits = 0;
    let whole = run(text.get(start..)?, &mut digits);
    if whole == 0 {
        return None;
    }
    let number = ScannedDecimal {
        negative: text.first() == Some(&b'-'),
        digits,
        whole,
        fraction: 0,
        exponent: 0,
        real: false,
        len: start + whole,
    };
    Some((number.to_integer(text), number.len))
}

/// Returns the decimal number at the start of `text`.
#[inline]
pub(super) fn decimal(text: &[u8]) -> Option<ScannedDecimal> {
    let negative = text.first() == Some(&b'-');
    let mut at = usize::from(negative || text.first() == Some(&b'+'));
    let mut digits = 0;
    let whole = run(text.get(at..)?, &mut digits);
    at += whole;
    let mut fraction = 0;
    let point = text.get(at) == Some(&b'.');
    if point {
        fraction = run(text.get(at + 1..)?, &mut digits);
        at += 1 + fraction;
    }
    if whole + fraction == 0 {
        return None;
    }
    let (exponent, length) = match text.get(at) {
        Some(b'e' | b'E') => exponent(text.get(at + 1..)?),
        _ => (0, 0),
    };
    Some(ScannedDecimal {
        negative,
        digits,
        whole,
        fraction,
        exponent,
        real: point || length > 0,
        len: at + length,
    })
}

/// Adds the digits at the start of `text` to `sum` (modulo 2^64) and returns their number.
#[inline]
fn run(text: &[u8], sum: &mut u64) -> usize {
    let mut at = 0;
    while let Some(chunk) = text.get(at..).and_then(<[u8]>::first_chunk) {
        let chunk = u64::from_le_bytes(*chunk);
        let count = ascii::count(chunk);
        if count == 0 {
            return at;
        }
        let aligned = chunk << (64 - 8 * count);
        *sum = sum
            .wrapping_mul(small_power(count))
            .wrapping_add(ascii::gather(aligned));
        at += count as usize;
        if count < 8 {
            return at;
        }
    }
    let rest = text.get(at..).unwrap_or_default();
    for byte in rest.iter().take_while(|byte| byte.is_ascii_digit()) {
        *sum = sum.wrapping_mul(10).wrapping_add(u64::from(byte & 15));
        at += 1;
    }
    at
}

/// Returns the exponent after the `e` at the start of `text`, and its length with the `e`; `(0, 0)` without a digit.
#[inline]
fn exponent(text: &[u8]) -> (i32, usize) {
    let sign = usize::from(matches!(text.first(), Some(b'+' | b'-')));
    let mut value = 0;
    let mut length = 0;
    for byte in text
        .get(sign..)
        .unwrap_or_default()
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
    {
        value = (value * 10 + i32::from(byte & 15)).min(EXPONENT_LIMIT);
        length += 1;
    }
    if length == 0 {
        return (0, 0);
    }
    (
        if text.first() == Some(&b'-') {
            -value
        } else {
            value
        },
        1 + sign + length,
    )
}

/// Returns an integer of `0x` and hexadecimal digits.
#[inline]
fn hexadecimal(text: &[u8]) -> Option<(Integer, usize)> {
    let [b'0', b'x' | b'X', digits @ ..] = text else {
        return None;
    };
    let mut magnitude = 0;
    let mut overflow = false;
    let mut len = 2;
    for digit in digits
        .iter()
        .map_while(|byte| char::from(*byte).to_digit(16))
    {
        overflow |= magnitude >> 60 != 0;
        magnitude = (magnitude << 4) | u64::from(digit);
        len += 1;
    }
    let integer = Integer {
        negative: false,
        magnitude,
        overflow,
        radix: Radix::Hexadecimal,
        invalid_octal: false,
    };
    (len > 2).then_some((integer, len))
}

impl ScannedDecimal {
    /// Returns the nearest `f64`; `text` is the scanned text.
    #[inline]
    pub(super) fn to_f64(self, text: &[u8]) -> f64 {
        let magnitude = if self.whole + self.fraction <= SAFE_DIGITS {
            let places = i32::try_from(self.fraction).unwrap_or_default();
            decimal::to_f64(self.digits, self.exponent - places)
        } else {
            None
        };
        match magnitude {
            Some(magnitude) if self.negative => -magnitude,
            Some(magnitude) => magnitude,
            None => self.parse(text).unwrap_or(f64::NAN),
        }
    }

    /// Returns the nearest `f32`, without rounding to `f64` first; `text` is the scanned text.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "rounding to nearest is intended"
    )]
    pub(super) fn to_f32(self, text: &[u8]) -> f32 {
        const BELOW_FLOAT: u64 = (1 << 29) - 1;
        const MIDDLE: u64 = 1 << 28;
        let value = self.to_f64(text);
        let subnormal = value.abs() < f64::from(f32::MIN_POSITIVE) && value != 0.0;
        if subnormal || value.to_bits() & BELOW_FLOAT == MIDDLE {
            return self.parse(text).unwrap_or(f32::NAN);
        }
        value as f32
    }

    /// Parses the number with the standard library, which has the same syntax.
    #[cold]
    fn parse<T: std::str::FromStr>(self, text: &[u8]) -> Option<T> {
        std::str::from_utf8(text.get(..self.len)?)
            .ok()?
            .parse()
            .ok()
    }

    /// Returns the value as a CDL integer, for a number without point and exponent; `text` is the scanned text.
    #[inline]
    pub(super) fn to_integer(self, text: &[u8]) -> Integer {
        let start = self.len - self.whole;
        if self.whole > 1 && text.get(start) == Some(&b'0') {
            return self.to_octal(text.get(start..self.len).unwrap_or_default());
        }
        let overflow = self.whole > SAFE_DIGITS
            && self
                .parse::<i128>(text)
                .is_none_or(|value| value.unsigned_abs() > u128::from(u64::MAX));
        Integer {
            negative: self.negative,
            magnitude: self.digits,
            overflow,
            radix: Radix::Decimal,
            invalid_octal: false,
        }
    }

    #[cold]
    fn to_octal(self, digits: &[u8]) -> Integer {
        let octal = digits.iter().take_while(|byte| **byte < b'8');
        let mut magnitude = 0u64;
        let mut overflow = false;
        let mut count = 0;
        for digit in octal {
            overflow |= magnitude >> 61 != 0;
            magnitude = (magnitude << 3) | u64::from(digit & 7);
            count += 1;
        }
        Integer {
            negative: self.negative,
            magnitude,
            overflow,
            radix: Radix::Octal,
            invalid_octal: count < digits.len(),
        }
    }
}

#[cfg(test)]
mod tests;
