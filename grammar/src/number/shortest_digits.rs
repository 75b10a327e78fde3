//! The fewest digits that give the same value when read back.
//!
//! The reader parses a constant as `f64` and rounds it to `f32`, as `ncgen` does for a constant without suffix. Candidates are therefore
//! tested by reading them back in the same way; the shortest digits for direct reading as `f32` may not be enough.

use super::decimal;
use super::digits::{self, DigitText};

/// Any decimal of up to 15 digits survives a round trip through `f64` at 15 digits, so these precisions find all shorter texts.
const DOUBLE_DIGITS: std::ops::Range<u32> = 15..17;
/// The same precisions for `f32`.
const FLOAT_DIGITS: std::ops::Range<u32> = 6..9;

/// Returns the digits of a positive finite `value`.
#[inline]
pub(super) fn digits_f64(value: f64) -> DigitText {
    let bits = value.to_bits();
    // Values are closer together below a power of two than above it, so the nearest decimal may not be the shortest. Subnormal values have
    // fewer digits than the search starts with.
    if bits & ((1 << 52) - 1) == 0 || !value.is_normal() {
        return DigitText::parse(format_args!("{value:e}"));
    }
    search(value, DOUBLE_DIGITS, |back| back.to_bits() == bits)
}

/// Returns the digits of a positive finite `value`.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the reader's rounding")]
pub(super) fn digits_f32(value: f32) -> DigitText {
    let bits = value.to_bits();
    let same = |back: f64| (back as f32).to_bits() == bits;
    let wide = f64::from(value);
    if bits & ((1 << 23) - 1) != 0 && value.is_normal() {
        return search(wide, FLOAT_DIGITS, same);
    }
    let text = DigitText::parse(format_args!("{value:e}"));
    let count = text.significant;
    if same(decimal::nearest(
        text.integer(count),
        power(text.exponent, count),
    )) {
        text
    } else {
        search(wide, 1..9, same)
    }
}

/// Tries the precisions one after another; the last one, just past the range, always works.
#[inline]
fn search(value: f64, precisions: std::ops::Range<u32>, same: impl Fn(f64) -> bool) -> DigitText {
    let last = precisions.end;
    for precision in precisions {
        let rounded = digits::round(value.to_bits(), precision);
        if same(decimal::nearest(
            rounded.digits,
            power(rounded.exponent, precision as usize),
        )) {
            return DigitText::new(rounded, precision);
        }
    }
    DigitText::new(digits::round(value.to_bits(), last), last)
}

/// Returns the exponent of the last of `count` digits.
#[inline]
fn power(exponent: i32, count: usize) -> i32 {
    exponent + 1 - i32::try_from(count).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Checks for the same digit count as `core::fmt`, and the same distance to the value; equally distant candidates are both valid.
    fn check(found: DigitText, expected: DigitText, context: f64) {
        assert_eq!(
            (found.significant, found.exponent),
            (expected.significant, expected.exponent),
            "{context:e}"
        );
        let [found, expected] = [found, expected].map(|text| text.integer(text.significant));
        assert!(
            found == expected || (found.abs_diff(expected) == 1 && found % 2 == 0),
            "{found} {expected}"
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]
        #[test]
        fn doubles_as_short_as_std(bits in 1u64..0x7ff0_0000_0000_0000) {
            let value = f64::from_bits(bits);
            check(digits_f64(value), DigitText::parse(format_args!("{value:e}")), value);
        }

        #[test]
        fn decimals_come_back(digits in 1u64..1_000_000_000_000_000, exponent in -300i32..280) {
            let value = decimal::nearest(digits, exponent);
            let text = digits_f64(value);
            prop_assert_eq!(text.significant, digits.to_string().trim_end_matches('0').len());
            prop_assert_eq!(decimal::nearest(text.integer(text.significant), power(text.exponent, text.significant)), value);
        }

        #[test]
        fn floats_as_short_as_std(bits in 1u32..0x7f80_0000) {
            let value = f32::from_bits(bits);
            check(digits_f32(value), DigitText::parse(format_args!("{value:e}")), f64::from(value));
        }
    }

    #[test]
    fn powers_of_two() {
        for exponent in -1074..=1023 {
            let value = 2f64.powi(exponent);
            check(
                digits_f64(value),
                DigitText::parse(format_args!("{value:e}")),
                value,
            );
        }
        for exponent in -149..=127 {
            let value = 2f32.powi(exponent);
            check(
                digits_f32(value),
                DigitText::parse(format_args!("{value:e}")),
                f64::from(value),
            );
        }
    }
}
