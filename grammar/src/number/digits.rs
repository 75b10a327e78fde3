//! Rounding of a finite, positive `f64` to a number of significant decimal digits, as in C's `printf` (exactly, half to even).
//!
//! One 64x64-bit product with a power of ten decides nearly always. A 128-bit power, exact integer division, and finally the
//! arbitrary-precision code of `core::fmt` decide the remaining cases.

use super::ascii;
use super::pow10::{self, EXACT_WIDE, floor_log2, floor_log10, significand, small_power};

/// Maximum number of digits on the fast paths.
pub(super) const MAX_FAST: u32 = 17;

/// `digits * 10^(exponent - precision + 1)`: an integer of exactly `precision` digits, and the exponent of the first digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RoundedDecimal {
    pub(super) digits: u64,
    pub(super) exponent: i32,
}

/// `m * 2^(e - 63)` with the top bit of `m` set, so that `e = floor(log2(value))`.
#[derive(Clone, Copy)]
struct Binary {
    m: u64,
    e: i32,
}

impl Binary {
    /// Splits a magnitude other than 0 and infinity.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "11 bits")]
    fn new(magnitude: u64) -> Self {
        const FRACTION: u64 = (1 << 52) - 1;
        let fraction = magnitude & FRACTION;
        let biased = ((magnitude >> 52) & 0x7ff).cast_signed() as i32;
        if biased == 0 {
            let zeros = fraction.leading_zeros();
            Self {
                m: fraction << (zeros & 63),
                e: -1074 + 63 - i32::try_from(zeros).unwrap_or_default(),
            }
        } else {
            Self {
                m: (fraction | 1 << 52) << 11,
                e: biased - 1023,
            }
        }
    }
}

#[inline]
const fn high(wide: u128) -> u64 {
    (wide >> 64) as u64
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the low half is intended")]
const fn low(wide: u128) -> u64 {
    wide as u64
}

/// `floor(log10(value))`: at most one power of ten lies between `2^e` and `2^(e + 1)`.
#[inline(always)]
fn exponent_of(magnitude: u64, e: i32) -> i32 {
    let below = floor_log10(e);
    below + i32::from(magnitude >= pow10::bits(below + 1))
}

/// Rounds the `f64` with the bits `magnitude` (without sign, not 0, finite) to `precision` digits, 1 to [`MAX_FAST`].
#[inline(always)]
pub(super) fn round(magnitude: u64, precision: u32) -> RoundedDecimal {
    let value = Binary::new(magnitude);
    let exponent = exponent_of(magnitude, value.e);
    let places = i32::try_from(precision).unwrap_or_default();
    let k = places - 1 - exponent;
    // The minimum number of fraction bits in the high half of a product with `precision` digits.
    let bits = (62 - floor_log2(places)).unsigned_abs() & 63;
    // 63 bits of `m` and 63 bits of the power are fractions. The low bits of `m` are 0, so the shift is exact.
    let surplus = (62 - value.e - floor_log2(k))
        .cast_unsigned()
        .wrapping_sub(bits)
        & 63;
    let product = high(u128::from(value.m >> surplus) * u128::from(pow10::high(k)));
    let half = 1 << (bits - 1);
    // The omitted part of the product is less than 1, so only these two fractions are undecided.
    if product.wrapping_sub(half - 1) & (2 * half - 1) < 2 {
        return round_near_middle(magnitude, exponent, precision);
    }
    let digits = (product + half) >> bits;
    if digits == small_power(precision) {
        return one_more(exponent, precision);
    }
    RoundedDecimal { digits, exponent }
}

/// Returns the result of rounding up `99...9`.
#[cold]
#[inline(never)]
fn one_more(exponent: i32, precision: u32) -> RoundedDecimal {
    RoundedDecimal {
        digits: small_power(precision - 1),
        exponent: exponent + 1,
    }
}

/// Like [`round`], for a fraction of about one half.
#[cold]
#[inline(never)]
fn round_near_middle(magnitude: u64, exponent: i32, precision: u32) -> RoundedDecimal {
    round_wide(Binary::new(magnitude), exponent, precision)
        .unwrap_or_else(|| round_exact(magnitude, exponent, precision))
}

/// Handles rounding up `99...9`, which gives one digit too many.
#[inline]
fn carry(digits: u64, exponent: i32, precision: u32) -> RoundedDecimal {
    if digits == small_power(precision) {
        one_more(exponent, precision)
    } else {
        RoundedDecimal { digits, exponent }
    }
}

/// Like [`round`] with all 128 bits of the power of ten. Returns `None` if even 128 bits do not decide.
#[inline]
fn round_wide(value: Binary, exponent: i32, precision: u32) -> Option<RoundedDecimal> {
    let k = i32::try_from(precision).ok()? - 1 - exponent;
    let power = significand(k)?;
    let rest = u128::from(value.m) * u128::from(low(power));
    let product = u128::from(value.m) * u128::from(high(power)) + (rest >> 64);
    let shift = u32::try_from(126 - value.e - floor_log2(k)).ok()?;
    let integer = low(product >> shift);
    let fraction = product & ((1 << shift) - 1);
    let half = 1u128 << (shift - 1);
    let above = fraction > half || (fraction == half && low(rest) != 0);
    if (0..=EXACT_WIDE).contains(&k) {
        let up = above || (fraction == half && integer & 1 == 1);
        return Some(carry(integer + u64::from(up), exponent, precision));
    }
    // The truncated power makes the product less than 2 too small.
    (above || fraction + 2 < half).then(|| carry(integer + u64::from(above), exponent, precision))
}

/// Rounds a value in the middle between two candidates, or very close to it.
#[cold]
fn round_exact(magnitude: u64, exponent: i32, precision: u32) -> RoundedDecimal {
    let value = f64::from_bits(magnitude);
    round_integer(value, exponent, precision).unwrap_or_else(|| {
        let text = DigitText::scientific(value, precision);
        RoundedDecimal {
            digits: text.integer(precision as usize),
            exponent: text.exponent,
        }
    })
}

/// Rounds integers below 2^64 with more digits than requested, the usual case of an exact tie.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked to be an integer in range"
)]
fn round_integer(value: f64, exponent: i32, precision: u32) -> Option<RoundedDecimal> {
    let surplus = u32::try_from(exponent).ok()?.checked_sub(precision - 1)?;
    let divisor = small_power(surplus);
    if value >= 18_446_744_073_709_551_616.0 || value.fract() != 0.0 || divisor == 0 {
        return None;
    }
    let (quotient, remainder) = (value as u64 / divisor, value as u64 % divisor);
    let half = divisor / 2;
    let up = remainder > half || (remainder == half && quotient & 1 == 1);
    Some(carry(quotient + u64::from(up), exponent, precision))
}

/// Up to 20 digits as characters, padded with `0`, in registers: reading text from the stack at another offset soon after writing it stalls
/// the processor.
#[derive(Clone, Copy, Debug)]
pub(super) struct DigitText {
    /// The first digit.
    pub(super) first: u8,
    /// The next 16 digits, the first one in the lowest byte.
    pub(super) rest: u128,
    /// The last three digits in the same order, and a `0`.
    pub(super) tail: u32,
    /// The number of digits up to the last nonzero digit, at least 1.
    pub(super) significant: usize,
    /// The exponent of the first digit.
    pub(super) exponent: i32,
}

/// 16 characters `0`.
const ZEROS: u128 = (ascii::ZEROS as u128) << 64 | ascii::ZEROS as u128;
/// 4 characters `0`.
const TAIL_ZEROS: u32 = 0x3030_3030;

impl DigitText {
    /// Returns the characters of a number of `precision` digits, up to [`MAX_FAST`].
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "quotients and remainders by powers of ten that bring them into range"
    )]
    pub(super) fn new(decimal: RoundedDecimal, precision: u32) -> Self {
        const EIGHT: u64 = 100_000_000;
        const SIXTEEN: u64 = EIGHT * EIGHT;
        let (first, rest) = if precision <= 9 {
            let digits = decimal.digits * small_power(9 - precision);
            (
                digits / EIGHT,
                u128::from(ascii::spread((digits % EIGHT) as u32)),
            )
        } else {
            let digits = decimal.digits * small_power(MAX_FAST - precision);
            let (first, rest) = (digits / SIXTEEN, digits % SIXTEEN);
            let upper = ascii::spread((rest / EIGHT) as u32);
            let lower = ascii::spread((rest % EIGHT) as u32);
            (first, u128::from(lower) << 64 | u128::from(upper))
        };
        Self {
            first: first as u8 | b'0',
            rest: rest | ZEROS,
            tail: TAIL_ZEROS,
            significant: 17 - rest.leading_zeros() as usize / 8,
            exponent: decimal.exponent,
        }
    }

    /// Returns the exact digits of a positive finite value, for any `precision` up to 20.
    #[cold]
    pub(super) fn scientific(value: f64, precision: u32) -> Self {
        Self::parse(format_args!(
            "{:.*e}",
            precision.saturating_sub(1) as usize,
            value
        ))
    }

    /// Returns the digits of a number that `core::fmt` prints with an exponent, as in `1.5e-7`.
    #[cold]
    pub(super) fn parse(number: std::fmt::Arguments<'_>) -> Self {
        use std::io::Write as _;
        let mut text = [0u8; 48];
        let mut room = &mut text[..];
        // At most 20 digits, a point and `e-308`: cannot fail.
        let _ = room.write_fmt(number);
        let unused = room.len();
        let written = text.get(..text.len() - unused).unwrap_or_default();
        let mut parts = written.split(|byte| *byte == b'e');
        let mantissa = parts.next().unwrap_or_default();
        let exponent = parts.next().and_then(|tail| std::str::from_utf8(tail).ok());
        let mut ascii = [b'0'; 21];
        let mut significant = 1;
        let digits = mantissa.iter().filter(|byte| **byte != b'.');
        for (at, (slot, digit)) in ascii.iter_mut().zip(digits).enumerate() {
            *slot = *digit;
            significant = if *digit == b'0' { significant } else { at + 1 };
        }
        let [first, rest @ .., a, b, c, d] = ascii;
        Self {
            first,
            rest: u128::from_le_bytes(rest),
            tail: u32::from_le_bytes([a, b, c, d]),
            significant,
            exponent: exponent
                .and_then(|text| text.parse().ok())
                .unwrap_or_default(),
        }
    }

    /// Returns the first `count` digits, up to 17, as an integer.
    pub(super) fn integer(&self, count: usize) -> u64 {
        let digits = [self.first].into_iter().chain(self.rest.to_le_bytes());
        digits
            .take(count)
            .fold(0, |sum, digit| sum * 10 + u64::from(digit & 15))
    }
}
