//! Plain numbers, as in long lists, read faster than by [`literal`](super::literal()).
//!
//! If these functions find a number, they agree with [`literal`](super::literal()). `None` only means that the number is not
//! plain: it has a suffix, a plus sign or more digits than usual, is octal, hexadecimal or a word, is not a number at all, or
//! lies within [`WINDOW`] bytes of the end of the text. Callers then use [`literal`](super::literal()).

use super::ascii;
use super::decimal;
use super::pow10::small_power;

/// Bytes that must be available for reading a number the fast way, however short it is.
pub const WINDOW: usize = 48;

/// Any number of up to this many digits fits in 64 bits.
const SAFE_DIGITS: usize = 19;

/// The number at the beginning of `text` as an `f64`, and its length in bytes; `None` if it is not plain.
#[inline(always)]
#[must_use]
pub fn f64_in_list(text: &[u8]) -> Option<(f64, usize)> {
    let window = text.first_chunk()?;
    short(window)
        .or_else(|| short_whole(window))
        .or_else(|| long(window))
}

/// Up to seven digits and a comma, without a point, which is the usual form of zeros.
#[inline(always)]
fn short_whole(window: &[u8; WINDOW]) -> Option<(f64, usize)> {
    let (value, len) = short_integer(window)?;
    let sign = usize::from(window[0] == b'-');
    Some((signed(sign, value.unsigned_abs(), 1.0), len))
}

/// Up to seven digits, a point, up to 15 digits, a comma.
#[inline(always)]
pub(super) fn short(window: &[u8; WINDOW]) -> Option<(f64, usize)> {
    const POWERS: [f64; 8] = [1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    let start = usize::from(window[0] == b'-');
    let text = word::<1>(window, start);
    // The search for the point uses branches, which the processor can predict, so the code after it need not wait for the digits.
    let mut whole = 1;
    loop {
        match byte(window, start + whole) {
            b'.' => break,
            b',' => return None,
            _ => whole += 1,
        }
        if whole > 7 {
            return None;
        }
    }
    if ascii::count(text) as usize != whole {
        return None;
    }
    let value = ascii::gather(text << (64 - 8 * whole));
    let point = start + whole;
    let text = word::<31>(window, point + 1);
    let count = ascii::count(text) as usize;
    if count < 8 {
        // As if there were eight digits: 15 digits and the power of ten are exact, and the division rounds once.
        let fraction = ascii::gather(text & ((1 << (8 * count)) - 1));
        let digits = value * 100_000_000 + fraction;
        let end = point + 1 + count;
        return (byte(window, end) == b',').then(|| (signed(start, digits, 1e8), end));
    }
    let value = value * 100_000_000 + ascii::gather(text);
    let (digits, count) = append(value, word::<31>(window, point + 9));
    let end = point + 9 + count;
    let power = POWERS.get(count)?;
    (whole + count <= 8 && digits < 1 << 53 && byte(window, end) == b',')
        .then(|| (signed(start, digits, *power), end))
}

/// `digits / power`, negative if there is a sign.
#[inline(always)]
fn signed(sign: usize, digits: u64, power: f64) -> f64 {
    let magnitude = to_f64(digits) / power;
    f64::from_bits(magnitude.to_bits() | (sign as u64) << 63)
}

/// As [`f64_in_list`] for any plain number.
#[inline(never)]
fn long(window: &[u8; WINDOW]) -> Option<(f64, usize)> {
    let whole = whole(window)?;
    let (magnitude, len) = match whole.next {
        b'.' => with_fraction(window, whole)?,
        b'e' | b'E' => with_exponent(window, whole.value, 0, whole.end)?,
        _ if whole.octal => return None,
        _ => (to_f64(whole.value), whole.end),
    };
    if is_letter(byte(window, len)) {
        return None;
    }
    Some((
        if whole.negative {
            -magnitude
        } else {
            magnitude
        },
        len,
    ))
}

/// The number at the beginning of `text` as an `f32`, and its length in bytes; `None` if it is not plain.
///
/// Rounded to `f64` first, as [`Literal::to_f32`](super::Literal::to_f32) rounds constants without suffix.
#[inline(always)]
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    reason = "rounding to nearest is what is wanted"
)]
pub fn f32_in_list(text: &[u8]) -> Option<(f32, usize)> {
    let (value, len) = f64_in_list(text)?;
    Some((value as f32, len))
}

/// The integer at the beginning of `text` and its length in bytes; `None` if it is not plain.
#[inline(always)]
#[must_use]
pub fn i64_in_list(text: &[u8]) -> Option<(i64, usize)> {
    let window = text.first_chunk()?;
    short_integer(window).or_else(|| long_integer(window))
}

/// Up to seven digits and a comma.
#[inline(always)]
pub(super) fn short_integer(window: &[u8; WINDOW]) -> Option<(i64, usize)> {
    let start = usize::from(window[0] == b'-');
    let text = word::<1>(window, start);
    let count = ascii::count(text) as usize;
    let end = start + count;
    if count.wrapping_sub(1) > 6 || byte(window, end & 15) != b',' || is_octal(text, count) {
        return None;
    }
    let magnitude = ascii::gather(text << (64 - 8 * count)).cast_signed();
    let sign = -(start as i64);
    Some(((magnitude ^ sign) - sign, end))
}

/// As [`i64_in_list`] for any plain integer.
#[inline(never)]
fn long_integer(window: &[u8; WINDOW]) -> Option<(i64, usize)> {
    let whole = whole(window)?;
    if whole.octal || whole.next == b'.' || is_letter(whole.next) {
        return None;
    }
    let magnitude = whole.value.cast_signed();
    Some((
        if whole.negative {
            -magnitude
        } else {
            magnitude
        },
        whole.end,
    ))
}

/// Whether the first of `count` digits is a `0` followed by others.
#[inline(always)]
const fn is_octal(text: u64, count: usize) -> bool {
    count > 1 && text & 0xff == b'0' as u64
}

/// Sign and digits before a point.
#[derive(Clone, Copy)]
struct Whole {
    negative: bool,
    /// Up to 15 digits.
    value: u64,
    count: usize,
    /// Whether there is a `0` before other digits.
    octal: bool,
    /// Length with the sign.
    end: usize,
    /// The byte after it.
    next: u8,
}

#[inline(always)]
fn whole(window: &[u8; WINDOW]) -> Option<Whole> {
    let negative = window[0] == b'-';
    let start = usize::from(negative);
    let text = word::<1>(window, start);
    let count = ascii::count(text) as usize;
    let (value, count) = match count {
        0 => return None,
        8 => longer(window, start, text)?,
        _ => (ascii::gather(text << (64 - 8 * count)), count),
    };
    let end = start + count;
    Some(Whole {
        negative,
        value,
        count,
        octal: is_octal(text, count),
        end,
        next: byte(window, end),
    })
}

/// The value and number of 8 to 15 digits; `text` has the first eight.
#[inline]
fn longer(window: &[u8; WINDOW], start: usize, text: u64) -> Option<(u64, usize)> {
    let (value, count) = append(ascii::gather(text), word::<15>(window, start + 8));
    (count < 8).then_some((value, 8 + count))
}

/// Continues with the digits at the beginning of `text`; returns the value and the number of digits.
#[inline(always)]
fn append(value: u64, text: u64) -> (u64, usize) {
    let count = ascii::count(text);
    if count == 8 {
        return (
            value
                .wrapping_mul(100_000_000)
                .wrapping_add(ascii::gather(text)),
            8,
        );
    }
    // In two steps, because the shift may be by all 64 bits.
    let aligned = (text << (56 - 8 * count)) << 8;
    let value = value
        .wrapping_mul(small_power(count))
        .wrapping_add(ascii::gather(aligned));
    (value, count as usize)
}

/// A number with a point at `whole.end`, and the end of it.
#[inline(always)]
fn with_fraction(window: &[u8; WINDOW], whole: Whole) -> Option<(f64, usize)> {
    let start = whole.end + 1;
    let text = word::<31>(window, start);
    let count = ascii::count(text) as usize;
    if count == 8 || whole.count > 7 {
        return with_long_fraction(window, whole);
    }
    let end = start + count;
    // As if there were eight digits: 15 digits and the power of ten are exact, and the division rounds once.
    let fraction = ascii::gather(text & ((1 << (8 * count)) - 1));
    let digits = whole.value * 100_000_000 + fraction;
    if byte(window, end) | 0x20 == b'e' {
        return with_exponent(window, digits, -8, end);
    }
    Some((to_f64(digits) / 1e8, end))
}

/// As [`with_fraction`] for a fraction of 8 to 23 digits, or if there are too many digits in all to be divided exactly.
#[inline]
fn with_long_fraction(window: &[u8; WINDOW], whole: Whole) -> Option<(f64, usize)> {
    let start = whole.end + 1;
    let (mut value, mut count) = append(whole.value, word::<31>(window, start));
    while count.is_multiple_of(8) && count > 0 && count < 24 {
        let (longer, more) = append(value, word::<31>(window, start + count));
        value = longer;
        count += more;
        if more == 0 {
            break;
        }
    }
    let significant = if whole.value == 0 {
        count
    } else {
        count + whole.count
    };
    if significant > SAFE_DIGITS {
        return None;
    }
    let (end, places) = (start + count, i32::try_from(count).ok()?);
    if byte(window, end) | 0x20 == b'e' {
        return with_exponent(window, value, -places, end);
    }
    Some((decimal::to_f64(value, -places)?, end))
}

/// `digits * 10^exponent` with an exponent part of up to three digits at `at`, and the end of it.
#[inline]
fn with_exponent(
    window: &[u8; WINDOW],
    digits: u64,
    exponent: i32,
    at: usize,
) -> Option<(f64, usize)> {
    let sign = byte(window, at + 1);
    let start = at + 1 + usize::from(sign == b'-' || sign == b'+');
    let text = word::<31>(window, start);
    let count = ascii::count(text);
    if count == 0 || count > 3 || start > 31 {
        return None;
    }
    let value = i32::try_from(ascii::gather(text << (64 - 8 * count))).ok()?;
    let value = if sign == b'-' { -value } else { value };
    let magnitude = decimal::to_f64(digits, exponent + value)?;
    Some((magnitude, start + count as usize))
}

/// Eight bytes from `at`, which is at most `M`.
#[inline(always)]
fn word<const M: usize>(window: &[u8; WINDOW], at: usize) -> u64 {
    const {
        assert!(M + 8 <= WINDOW && (M + 1).is_power_of_two());
    }
    let text = window.get(at & M..).and_then(<[u8]>::first_chunk);
    text.map_or(0, |text| u64::from_le_bytes(*text))
}

/// The byte at `at`; 0 after the window.
#[inline(always)]
fn byte(window: &[u8; WINDOW], at: usize) -> u8 {
    window.get(at).copied().unwrap_or(0)
}

#[inline(always)]
fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic()
}

/// Digits below 2^53, which an `f64` holds exactly.
#[inline(always)]
#[expect(clippy::cast_precision_loss, reason = "below 2^53")]
fn to_f64(digits: u64) -> f64 {
    digits.cast_signed() as f64
}

#[cfg(test)]
mod tests;
