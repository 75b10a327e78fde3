//! The bare numbers at the beginning of a text: sign, digits, point and exponent, without suffix.

use super::ascii;
use super::decimal;
use super::literal::{Integer, Radix};
use super::pow10::small_power;

/// Any number of up to this many digits fits in 64 bits.
const SAFE_DIGITS: usize = 19;
/// Exponents are not counted further than this: no value is that large or small, whatever its digits.
const EXPONENT_LIMIT: i32 = 1_000_000;

/// A decimal number as it stands in the text.
#[derive(Clone, Copy)]
pub(super) struct Decimal {
    pub(super) negative: bool,
    /// All digits before and after the point as an integer, modulo 2^64.
    digits: u64,
    /// Digits before the point.
    pub(super) whole: usize,
    /// Digits after the point.
    fraction: usize,
    exponent: i32,
    /// Whether there is a point or an exponent.
    pub(super) real: bool,
    /// Length with sign, point and exponent.
    pub(super) len: usize,
}

/// The decimal floating-point number at the beginning of `text`, rounded to nearest, and its length in bytes.
///
/// Sign, point and exponent are optional: `1`, `-.5`, `1.e3`. At least one digit must stand before the exponent. Suffixes and
/// words such as `NaN` are not taken.
#[inline]
#[must_use]
pub fn float_prefix(text: &[u8]) -> Option<(f64, usize)> {
    let number = decimal(text)?;
    Some((number.to_f64(text), number.len))
}

/// The integer at the beginning of `text` and its length in bytes.
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
    let number = Decimal {
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

/// The decimal number at the beginning of `text`.
#[inline]
pub(super) fn decimal(text: &[u8]) -> Option<Decimal> {
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
    Some(Decimal {
        negative,
        digits,
        whole,
        fraction,
        exponent,
        real: point || length > 0,
        len: at + length,
    })
}

/// Adds the digits at the beginning of `text` to `sum` (modulo 2^64) and returns how many there are.
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

/// The exponent that `text` goes on with after its `e`, and its length with the `e`; `(0, 0)` without a digit.
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

/// `0x` and hexadecimal digits.
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

impl Decimal {
    /// The nearest `f64`; `text` is what was scanned.
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

    /// The nearest `f32`, without rounding to `f64` first; `text` is what was scanned.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "rounding to nearest is what is wanted"
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

    /// Lets the standard library read the number, which knows the same syntax.
    #[cold]
    fn parse<T: std::str::FromStr>(self, text: &[u8]) -> Option<T> {
        std::str::from_utf8(text.get(..self.len)?)
            .ok()?
            .parse()
            .ok()
    }

    /// The value as an integer of CDL, for a number without point and exponent; `text` is what was scanned.
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
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn agrees(text: &str) {
        let mut bytes = text.as_bytes().to_vec();
        for tail in ["", ",", ", 1.5e3, 17", " ;         "] {
            bytes.truncate(text.len());
            bytes.extend_from_slice(tail.as_bytes());
            let (value, len) = float_prefix(&bytes).unwrap();
            assert_eq!(
                (value.to_bits(), len),
                (text.parse::<f64>().unwrap().to_bits(), text.len()),
                "{text}"
            );
            let single = decimal(&bytes).unwrap().to_f32(&bytes);
            assert_eq!(
                single.to_bits(),
                text.parse::<f32>().unwrap().to_bits(),
                "{text}"
            );
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]
        #[test]
        fn as_std_reads(text in "[+-]?([0-9]{1,25}\\.?|[0-9]{0,9}\\.[0-9]{1,25})([eE][+-]?[0-9]{1,3})?") {
            agrees(&text);
        }

        #[test]
        fn doubles_printed_with_any_precision(bits in any::<u64>(), places in 0usize..25) {
            let value = f64::from_bits(bits);
            if value.is_finite() {
                agrees(&format!("{value:.places$e}"));
            }
        }

        #[test]
        fn integers_as_std_reads(text in "[+-]?[1-9][0-9]{0,22}") {
            let expected = text.parse::<i128>().unwrap();
            let (found, len) = integer_prefix(text.as_bytes()).unwrap();
            prop_assert_eq!(len, text.len());
            prop_assert_eq!(found.negative, expected < 0);
            prop_assert_eq!(found.overflow, expected.unsigned_abs() > u128::from(u64::MAX));
            if !found.overflow {
                prop_assert_eq!(u128::from(found.magnitude), expected.unsigned_abs());
            }
        }

        #[test]
        fn other_radixes(value in any::<u64>()) {
            for (text, radix) in [(format!("0{value:o}"), Radix::Octal), (format!("0x{value:x}"), Radix::Hexadecimal), (format!("0X{value:X}"), Radix::Hexadecimal)] {
                let expected = Integer { negative: false, magnitude: value, overflow: false, radix, invalid_octal: false };
                prop_assert_eq!(integer_prefix(text.as_bytes()), Some((expected, text.len())));
            }
        }
    }

    #[test]
    fn any_bytes_are_harmless() {
        for text in [
            "", "+", "-", ".", "-.", "e5", "-e5", ".e5", "x", "0", "00", "0x", "0xg", "1e", "1e+",
            "1.e-", "\u{ff}1",
        ] {
            let lengths = [
                float_prefix(text.as_bytes()).map(|(_, len)| len),
                integer_prefix(text.as_bytes()).map(|(_, len)| len),
            ];
            assert!(
                lengths
                    .into_iter()
                    .flatten()
                    .all(|len| (1..=text.len()).contains(&len)),
                "{text}"
            );
        }
        assert_eq!(float_prefix(b"."), None);
        assert_eq!(float_prefix(b"+e5"), None);
        assert_eq!(float_prefix(b"1e+"), Some((1.0, 1)));
        assert_eq!(float_prefix(b"1.e,"), Some((1.0, 2)));
        assert_eq!(float_prefix(b"-.5e1f"), Some((-5.0, 5)));
        assert_eq!(integer_prefix(b"-"), None);
        assert_eq!(integer_prefix(b"0xg").unwrap().1, 1);
    }

    #[test]
    fn limits() {
        for text in [
            "1e308",
            "1.7976931348623157e308",
            "1.7976931348623159e308",
            "4.9e-324",
            "2.4703282292062327e-324",
            "2.4703282292062328e-324",
        ] {
            agrees(text);
        }
        for text in [
            "1e99999999999999999999",
            "1e-99999999999999999999",
            "0e99999999999999999999",
            "-0",
            "-0.0",
            "0.00000000000000000000000000001",
        ] {
            agrees(text);
        }
        // Middles between two floats that a rounding to double first would hit from both sides.
        for text in [
            "1.00000005960464477539",
            "1.000000059604644775390625",
            "1.00000005960464477540",
            "1.1754943508e-38",
            "3.40282356779733661637e38",
            "1.4e-45",
            "7e-46",
        ] {
            agrees(text);
        }
        let long = "9".repeat(5_000);
        assert_eq!(float_prefix(long.as_bytes()), Some((f64::INFINITY, 5_000)));
        assert!(integer_prefix(long.as_bytes()).unwrap().0.overflow);
    }

    #[test]
    fn octal_stops_at_the_first_other_digit() {
        for (text, magnitude, invalid_octal) in [
            ("08", 0, true),
            ("0178", 15, true),
            ("017", 15, false),
            ("00", 0, false),
        ] {
            let (found, len) = integer_prefix(text.as_bytes()).unwrap();
            assert_eq!(
                (found.magnitude, found.invalid_octal, len),
                (magnitude, invalid_octal, text.len()),
                "{text}"
            );
            assert_eq!(found.radix, Radix::Octal);
        }
        assert!(
            !integer_prefix(b"01777777777777777777777")
                .unwrap()
                .0
                .overflow
        );
        assert!(
            integer_prefix(b"02000000000000000000000")
                .unwrap()
                .0
                .overflow
        );
        assert!(integer_prefix(b"0x10000000000000000").unwrap().0.overflow);
        assert_eq!(integer_prefix(b"0").unwrap().0.radix, Radix::Decimal);
    }
}
