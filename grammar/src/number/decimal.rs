//! The `f64` nearest to a decimal number of up to 19 digits.

use super::pow10::{EXACT_WIDE, floor_log2, significand};

/// Powers of ten that are exact in an `f64`.
const EXACT: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// Returns `10^exponent` if it is exact in an `f64`.
#[inline]
pub(super) fn exact_power(exponent: u32) -> Option<f64> {
    EXACT.get(exponent as usize).copied()
}

/// Returns `digits * 10^exponent` rounded to nearest, ties to even.
#[inline]
pub(super) fn nearest(digits: u64, exponent: i32) -> f64 {
    to_f64(digits, exponent).unwrap_or_else(|| nearest_by_text(digits, exponent))
}

/// Like [`nearest`], by the arbitrary-precision code of `core`.
#[cold]
fn nearest_by_text(digits: u64, exponent: i32) -> f64 {
    // `str::parse` accepts digits with an exponent, so this cannot fail.
    format!("{digits}e{exponent}").parse().unwrap_or(f64::NAN)
}

/// Returns `digits * 10^exponent` rounded to nearest, ties to even. Returns `None` if 128 bits do not decide, and for subnormal results.
#[inline]
pub(super) fn to_f64(digits: u64, exponent: i32) -> Option<f64> {
    // The factors are exact, so the single operation rounds once (Clinger).
    if digits < 1 << 53 {
        let power = EXACT.get(exponent.unsigned_abs() as usize);
        #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
        let whole = digits as f64;
        match power {
            Some(power) if exponent < 0 => return Some(whole / power),
            Some(power) => return Some(whole * power),
            None if digits == 0 => return Some(0.0),
            None => {}
        }
    }
    to_f64_wide(digits, exponent)
}

/// Like [`to_f64`] for nonzero `digits`, by their product with the upper half of a power of ten (Eisel, Lemire).
fn to_f64_wide(digits: u64, exponent: i32) -> Option<f64> {
    let Some(power) = significand(exponent) else {
        // In this case any 1 to 19 digits are below half of the smallest value or above the largest.
        return Some(if exponent < 0 { 0.0 } else { f64::INFINITY });
    };
    let zeros = digits.leading_zeros();
    let product = (u128::from(digits << zeros) * (power >> 64)) >> 64;
    let product = product as u64;
    let top = product >> 63;
    let biased = i64::from(floor_log2(exponent)) + 63 + 1023 - i64::from(zeros) + top.cast_signed();
    // The bits after the 53 bits of a mantissa.
    let half = 512 << top;
    // The omitted part is less than 1, so only these two fractions do not decide.
    let decided = product.wrapping_sub(half - 1) & (2 * half - 1) >= 2;
    if !decided || !(1..=2046).contains(&biased) {
        return to_f64_by_all_bits(digits, exponent, power);
    }
    let mantissa = (product + half) >> (10 + top);
    // Rounding up to 2^53 correctly carries into the exponent, and beyond the largest value to infinity.
    Some(f64::from_bits(
        ((biased.cast_unsigned() - 1) << 52) + mantissa,
    ))
}

/// Like [`to_f64_wide`], by the product with all 128 bits of the power.
#[cold]
fn to_f64_by_all_bits(digits: u64, exponent: i32, power: u128) -> Option<f64> {
    let zeros = digits.leading_zeros();
    let normal = u128::from(digits << zeros);
    let rest = normal * (power & u128::from(u64::MAX));
    let product = normal * (power >> 64) + (rest >> 64);
    let length = 128 - product.leading_zeros();
    let binary =
        i32::try_from(length).ok()? - 1 + floor_log2(exponent) - 63 - i32::try_from(zeros).ok()?;
    if binary < -1022 {
        return None;
    }
    if binary > 1023 {
        return Some(f64::INFINITY);
    }
    let shift = length - 53;
    let fraction = product & ((1 << shift) - 1);
    let half = 1u128 << (shift - 1);
    // The truncated power makes the product less than 2 too small. If the power is exact, only `rest` is missing.
    let tie = fraction == half
        && rest & u128::from(u64::MAX) == 0
        && (0..=EXACT_WIDE).contains(&exponent);
    if !tie && fraction <= half && fraction + 2 > half {
        return None;
    }
    let mantissa = u64::try_from(product >> shift).ok()?;
    let up = fraction > half || (tie && mantissa & 1 == 1);
    let biased = u64::try_from(binary + 1023).ok()?;
    // Rounding up to 2^53 correctly carries into the exponent, and beyond the largest value to infinity.
    Some(f64::from_bits(
        (biased << 52) + (mantissa - (1 << 52)) + u64::from(up),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(digits: u64, exponent: i32) -> bool {
        let expected: f64 = format!("{digits}e{exponent}").parse().unwrap();
        let found = to_f64(digits, exponent);
        if let Some(found) = found {
            assert_eq!(found.to_bits(), expected.to_bits(), "{digits}e{exponent}");
        }
        found.is_some()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]
        #[test]
        fn agrees_with_std(digits in any::<u64>(), cut in 0u32..64, exponent in -400i32..400) {
            check(digits >> cut, exponent);
        }
    }

    #[test]
    fn decides_nearly_always() {
        let mut digits = 1u64;
        let mut undecided = 0;
        for step in 0..100_000 {
            digits = digits
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            undecided += u32::from(!check(digits, step % 500 - 250));
        }
        assert!(undecided < 5, "{undecided}");
    }

    #[test]
    fn middles_and_limits() {
        // Halfway between two values, and one more and one less.
        for base in [
            9_007_199_254_740_993u64,
            9_007_199_254_740_995,
            18_014_398_509_481_986,
            18_014_398_509_481_990,
        ] {
            for digits in base - 1..=base + 1 {
                assert!(check(digits, 0));
                check(digits * 10, -1);
                check(digits, 3);
            }
        }
        assert_eq!(to_f64(17_976_931_348_623_157, 292), Some(f64::MAX));
        assert_eq!(to_f64(17_976_931_348_623_159, 292), Some(f64::INFINITY));
        assert_eq!(to_f64(1, 309), Some(f64::INFINITY));
        assert_eq!(to_f64(1, i32::MAX), Some(f64::INFINITY));
        assert_eq!(to_f64(1, i32::MIN), Some(0.0));
        assert_eq!(to_f64(u64::MAX, -345), Some(0.0));
        assert_eq!(to_f64(0, 400), Some(0.0));
        assert_eq!(to_f64(5, -324), None, "std handles subnormal results");
    }
}
