//! Fast paths for short numbers in lists, compared with the general reader [`literal`](super::literal()).
//!
//! If these functions find a number, the general reader finds the same number. `None` only means that the text is not a short, plain number
//! before a comma: it has a suffix, an exponent, a plus sign or more digits than usual, is octal, hexadecimal or a word, is not a number,
//! or has no comma directly after it.

use super::ascii;
use super::pow10::small_power;

/// Number of bytes that must be available on the fast paths, even for short numbers.
pub(super) const WINDOW: usize = 48;

/// Reads up to seven digits, a point, up to 15 digits, and a comma.
#[inline(always)]
pub(super) fn short(window: &[u8; WINDOW]) -> Option<(f64, usize)> {
    const POWERS: [f64; 8] = [1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    let start = usize::from(window[0] == b'-');
    let text = word::<1>(window, start);
    // The search for the point uses branches, which the processor predicts, so that the following code need not wait for the digits.
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
        // The fraction is scaled to eight digits: 15 digits and the power of ten are exact, and the division rounds once.
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

/// Returns `digits / power`, negative with a sign.
#[inline(always)]
fn signed(sign: usize, digits: u64, power: f64) -> f64 {
    let magnitude = to_f64(digits) / power;
    f64::from_bits(magnitude.to_bits() | (sign as u64) << 63)
}

/// Reads up to seven digits and a comma.
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

/// Returns whether the first of `count` digits is a `0` followed by further digits.
#[inline(always)]
const fn is_octal(text: u64, count: usize) -> bool {
    count > 1 && text & 0xff == b'0' as u64
}

/// Continues with the digits at the start of `text`. Returns the value and the number of digits.
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
    // Shift in two steps, because the total may be all 64 bits.
    let aligned = (text << (56 - 8 * count)) << 8;
    let value = value
        .wrapping_mul(small_power(count))
        .wrapping_add(ascii::gather(aligned));
    (value, count as usize)
}

/// Returns eight bytes from `at`, which is at most `M`.
#[inline(always)]
fn word<const M: usize>(window: &[u8; WINDOW], at: usize) -> u64 {
    const {
        assert!(M + 8 <= WINDOW && (M + 1).is_power_of_two());
    }
    let text = window.get(at & M..).and_then(<[u8]>::first_chunk);
    text.map_or(0, |text| u64::from_le_bytes(*text))
}

/// Returns the byte at `at`, or 0 after the window.
#[inline(always)]
fn byte(window: &[u8; WINDOW], at: usize) -> u8 {
    window.get(at).copied().unwrap_or(0)
}

/// Converts digits below 2^53, which are exact in an `f64`.
#[inline(always)]
#[expect(clippy::cast_precision_loss, reason = "below 2^53")]
fn to_f64(digits: u64) -> f64 {
    digits.cast_signed() as f64
}

#[cfg(test)]
mod tests;
