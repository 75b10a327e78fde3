//! Finite values of data sections with 7 and 15 digits, the precisions of nearly all printed values.
//!
//! The text is built in one or two registers and stored in one step, without branches on the number of digits.

use super::ascii;
use super::buffer::{BUFFER_LEN, end, put};
use super::digits::{self, RoundedDecimal};

/// Default digits of a float in data; the exact form switches to an exponent at the same magnitude.
pub(super) const FLOAT_DIGITS: u32 = 7;
/// Like [`FLOAT_DIGITS`], for a double.
pub(super) const DOUBLE_DIGITS: u32 = 15;

/// Returns whether `value` is neither zero, subnormal, infinite nor NaN.
#[inline(always)]
pub(super) fn is_plain(value: f64) -> bool {
    (value.abs().to_bits() >> 52).wrapping_sub(1) < 0x7fe
}

/// The state of the text in progress.
#[derive(Clone, Copy)]
struct TextState {
    /// The length of the sign.
    start: usize,
    /// The number of digits up to the last nonzero digit.
    significant: usize,
    exponent: i32,
}

/// Formats a value that meets [`is_plain`] with C's `%.7g`. Returns the length.
#[inline(always)]
pub(super) fn seven(value: f64, out: &mut [u8; BUFFER_LEN]) -> usize {
    let (start, magnitude) = split(value, out);
    let RoundedDecimal { digits, exponent } = digits::round(magnitude, FLOAT_DIGITS);
    let values = ascii::spread(low(digits * 10));
    let text = values | ascii::ZEROS;
    let place = TextState {
        start,
        significant: ascii::significant(values),
        exponent,
    };
    if is_fraction(exponent) {
        let at = leading_zeros(place, out);
        put::<7, 8>(out, at, text.to_le_bytes());
        return end(out, at + place.significant);
    }
    let whole = whole::<FLOAT_DIGITS>(exponent);
    let before = text & ((1 << (8 * whole)) - 1);
    put::<1, 8>(out, start, (before | (text ^ before) << 8).to_le_bytes());
    point_and_exponent::<FLOAT_DIGITS>(place, whole, out)
}

/// Formats a value that meets [`is_plain`] with C's `%.15g`. Returns the length.
#[inline(always)]
pub(super) fn fifteen(value: f64, out: &mut [u8; BUFFER_LEN]) -> usize {
    const SEVEN: u64 = 10_000_000;
    let (start, magnitude) = split(value, out);
    let RoundedDecimal { digits, exponent } = digits::round(magnitude, DOUBLE_DIGITS);
    let upper = ascii::spread(low(digits / SEVEN));
    let lower = ascii::spread(low(digits % SEVEN * 10));
    let text = u128::from(lower | ascii::ZEROS) << 64 | u128::from(upper | ascii::ZEROS);
    let significant = if lower == 0 {
        ascii::significant(upper)
    } else {
        8 + ascii::significant(lower)
    };
    let place = TextState {
        start,
        significant,
        exponent,
    };
    if is_fraction(exponent) {
        let at = leading_zeros(place, out);
        put::<7, 16>(out, at, text.to_le_bytes());
        return end(out, at + significant);
    }
    let whole = whole::<DOUBLE_DIGITS>(exponent);
    let before = text & MASKS.get(whole & 15).copied().unwrap_or_default();
    put::<1, 16>(out, start, (before | (text ^ before) << 8).to_le_bytes());
    point_and_exponent::<DOUBLE_DIGITS>(place, whole, out)
}

/// Masks for the first 0 to 15 bytes of a text.
static MASKS: [u128; 16] = masks();

const fn masks() -> [u128; 16] {
    let mut table = [0; 16];
    let mut i = 1;
    while i < 16 {
        #[expect(
            clippy::indexing_slicing,
            reason = "evaluated by the compiler, where a wrong index is a build error"
        )]
        {
            table[i] = table[i - 1] << 8 | 0xff;
        }
        i += 1;
    }
    table
}

/// Returns eight digits of a larger number.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "below 10^8")]
const fn low(digits: u64) -> u32 {
    digits as u32
}

/// Writes the sign and returns the value without it.
#[inline(always)]
fn split(value: f64, out: &mut [u8; BUFFER_LEN]) -> (usize, u64) {
    put::<0, 1>(out, 0, *b"-");
    (usize::from(value.is_sign_negative()), value.abs().to_bits())
}

/// Returns whether zeros precede the first digit.
#[inline(always)]
const fn is_fraction(exponent: i32) -> bool {
    exponent.cast_unsigned().wrapping_add(4) < 4
}

/// Writes `0.` and up to three zeros and returns their end.
#[inline(always)]
fn leading_zeros(place: TextState, out: &mut [u8; BUFFER_LEN]) -> usize {
    put::<1, 8>(out, place.start, *b"0.000000");
    place.start + 1 + place.exponent.unsigned_abs() as usize
}

/// Returns the number of digits before the point; one with an exponent part.
#[inline(always)]
fn whole<const P: u32>(exponent: i32) -> usize {
    let exponent = exponent.cast_unsigned();
    if exponent < P {
        exponent as usize + 1
    } else {
        1
    }
}

/// Writes the point into the gap between the digits, and an exponent part. Returns the length.
#[inline(always)]
fn point_and_exponent<const P: u32>(
    place: TextState,
    whole: usize,
    out: &mut [u8; BUFFER_LEN],
) -> usize {
    put::<31, 1>(out, place.start + whole, *b".");
    let digits = if place.significant > whole {
        place.significant + 1
    } else {
        whole
    };
    let at = place.start + digits;
    if place.exponent.cast_unsigned() < P {
        return end(out, at);
    }
    let exponent = place.exponent.unsigned_abs();
    let mark = if place.exponent < 0 { *b"e-" } else { *b"e+" };
    put::<31, 2>(out, at, mark);
    if exponent < 100 {
        put::<31, 2>(out, at + 2, two(exponent));
        return end(out, at + 4);
    }
    put::<31, 1>(
        out,
        at + 2,
        [b'0' + u8::try_from(exponent / 100).unwrap_or_default()],
    );
    put::<31, 2>(out, at + 3, two(exponent % 100));
    end(out, at + 5)
}

/// Returns the two digits of `n < 100`.
#[inline(always)]
fn two(n: u32) -> [u8; 2] {
    let tens = (n * 103) >> 10;
    u16::try_from((tens | (n - tens * 10) << 8) & 0x0f0f)
        .unwrap_or_default()
        .wrapping_add(0x3030)
        .to_le_bytes()
}
