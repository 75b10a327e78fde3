//! Decimal text of integers.

use super::ascii;
use super::buffer::{BUFFER_LEN, end, put};
use super::token::NumberToken;

/// The suffixes of integer attribute values in CDL, in the letter case of `ncdump`.
pub mod suffix {
    /// A `byte`.
    pub const BYTE: &[u8] = b"b";
    /// A `ubyte`.
    pub const UBYTE: &[u8] = b"UB";
    /// A `short`.
    pub const SHORT: &[u8] = b"s";
    /// A `ushort`.
    pub const USHORT: &[u8] = b"US";
    /// A `uint`; an `int` has no suffix.
    pub const UINT: &[u8] = b"U";
    /// An `int64`.
    pub const INT64: &[u8] = b"LL";
    /// A `uint64`.
    pub const UINT64: &[u8] = b"ULL";
}

/// Writes the text of `value` to the start of `out` and returns its length; see [`BUFFER_LEN`] for the bytes after it.
#[inline]
pub fn put_i32(value: i32, out: &mut [u8; BUFFER_LEN]) -> usize {
    put::<0, 1>(out, 0, *b"-");
    magnitude_u32(value.unsigned_abs(), usize::from(value < 0), out)
}

/// Like [`put_i32`].
#[inline]
pub fn put_u32(value: u32, out: &mut [u8; BUFFER_LEN]) -> usize {
    magnitude_u32(value, 0, out)
}

/// Like [`put_i32`].
#[inline]
pub fn put_i64(value: i64, out: &mut [u8; BUFFER_LEN]) -> usize {
    put::<0, 1>(out, 0, *b"-");
    magnitude_u64(value.unsigned_abs(), usize::from(value < 0), out)
}

/// Like [`put_i32`].
#[inline]
pub fn put_u64(value: u64, out: &mut [u8; BUFFER_LEN]) -> usize {
    magnitude_u64(value, 0, out)
}

#[inline]
fn magnitude_u32(value: u32, start: usize, out: &mut [u8; BUFFER_LEN]) -> usize {
    if value < 100_000_000 {
        let len = up_to_eight(value, start, out);
        return end(out, len);
    }
    let middle = up_to_eight(value / 100_000_000, start, out);
    all_eight(value % 100_000_000, middle, out);
    end(out, middle + 8)
}

#[inline]
fn magnitude_u64(value: u64, start: usize, out: &mut [u8; BUFFER_LEN]) -> usize {
    match u32::try_from(value) {
        Ok(value) => magnitude_u32(value, start, out),
        Err(_) => magnitude_wide(value, start, out),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "quotients and remainders by 10^8 and 10^16"
)]
fn magnitude_wide(value: u64, start: usize, out: &mut [u8; BUFFER_LEN]) -> usize {
    const EIGHT: u64 = 100_000_000;
    let (upper, lower) = (value / EIGHT, (value % EIGHT) as u32);
    let middle = if upper < EIGHT {
        up_to_eight(upper as u32, start, out)
    } else {
        let middle = up_to_eight((upper / EIGHT) as u32, start, out);
        all_eight((upper % EIGHT) as u32, middle, out);
        middle + 8
    };
    all_eight(lower, middle, out);
    end(out, middle + 8)
}

/// Writes `value < 10^8` without leading zeros and returns the end.
#[inline(always)]
fn up_to_eight(value: u32, start: usize, out: &mut [u8; BUFFER_LEN]) -> usize {
    let digits = ascii::spread(value);
    // 0 has one digit, the last one.
    let leading = (digits | 1 << 56).trailing_zeros() & 56;
    put::<31, 8>(
        out,
        start,
        ((digits | ascii::ZEROS) >> leading).to_le_bytes(),
    );
    start + 8 - leading as usize / 8
}

/// Writes `value < 10^8` with leading zeros.
#[inline(always)]
fn all_eight(value: u32, start: usize, out: &mut [u8; BUFFER_LEN]) {
    put::<31, 8>(
        out,
        start,
        (ascii::spread(value) | ascii::ZEROS).to_le_bytes(),
    );
}

impl NumberToken {
    /// Replaces the text with the text of `value`; narrower signed types widen to this type.
    #[inline]
    pub fn write_i32(&mut self, value: i32) {
        self.write(|out| put_i32(value, out));
    }

    /// Replaces the text with the text of `value`; narrower unsigned types widen to this type.
    #[inline]
    pub fn write_u32(&mut self, value: u32) {
        self.write(|out| put_u32(value, out));
    }

    /// Replaces the text with the text of `value`.
    #[inline]
    pub fn write_i64(&mut self, value: i64) {
        self.write(|out| put_i64(value, out));
    }

    /// Replaces the text with the text of `value`.
    #[inline]
    pub fn write_u64(&mut self, value: u64) {
        self.write(|out| put_u64(value, out));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(value: u64) {
        let mut token = NumberToken::new();
        token.write_u64(value);
        assert_eq!(token.as_bytes(), value.to_string().as_bytes());
        let signed = value.cast_signed();
        for signed in [signed, signed.wrapping_neg()] {
            token.write_i64(signed);
            assert_eq!(token.as_bytes(), signed.to_string().as_bytes());
        }
        let narrow = (value & u64::from(u32::MAX)) as u32;
        token.write_u32(narrow);
        assert_eq!(token.as_bytes(), narrow.to_string().as_bytes());
        for signed in [narrow.cast_signed(), narrow.cast_signed().wrapping_neg()] {
            token.write_i32(signed);
            assert_eq!(token.as_bytes(), signed.to_string().as_bytes());
        }
    }

    #[test]
    fn around_powers_of_ten_and_two() {
        for exponent in 0..20 {
            let power = 10u64.pow(exponent);
            for value in [
                power - 1,
                power,
                power + 1,
                power.saturating_mul(2) - 1,
                power.saturating_mul(9),
            ] {
                check(value);
            }
        }
        for shift in 0..64 {
            for value in [(1 << shift) - 1, 1 << shift, u64::MAX >> shift] {
                check(value);
            }
        }
    }

    proptest! {
        #[test]
        fn all_widths(value in any::<u64>(), cut in 0u32..64) {
            check(value >> cut);
        }
    }

    #[test]
    fn separators_stand_behind_texts_in_place() {
        let mut out = [b'#'; BUFFER_LEN];
        for value in [0, 7, -12_345_678, i64::MIN, i64::MAX] {
            let len = put_i64(value, &mut out);
            assert_eq!(out[..len + 2], *format!("{value}, ").as_bytes());
        }
        let len = put_u64(u64::MAX, &mut out);
        assert_eq!(out[..len + 2], *b"18446744073709551615, ");
        let len = put_i32(i32::MIN, &mut out);
        assert_eq!(out[..len + 2], *b"-2147483648, ");
    }

    #[test]
    fn suffixes() {
        let mut token = NumberToken::new();
        token.write_u64(u64::MAX);
        token.push(suffix::UINT64);
        assert_eq!(token.as_bytes(), b"18446744073709551615ULL");
        token.write_i32(-128);
        token.push(suffix::BYTE);
        assert_eq!(token.as_bytes(), b"-128b");
    }
}
