//! Integers as decimal text.

use super::ascii;
use super::token::Token;

/// The suffixes by which CDL tells the types of integer attribute values apart, in the case that `ncdump` writes.
pub mod suffix {
    /// A `byte`.
    pub const BYTE: &[u8] = b"b";
    /// A `ubyte`.
    pub const UBYTE: &[u8] = b"UB";
    /// A `short`.
    pub const SHORT: &[u8] = b"s";
    /// A `ushort`.
    pub const USHORT: &[u8] = b"US";
    /// A `uint`; an `int` has none.
    pub const UINT: &[u8] = b"U";
    /// An `int64`.
    pub const INT64: &[u8] = b"LL";
    /// A `uint64`.
    pub const UINT64: &[u8] = b"ULL";
}

impl Token {
    /// Replaces the text by that of `value`; narrower signed types widen to this.
    #[inline]
    pub fn write_i32(&mut self, value: i32) {
        self.put(0, *b"-");
        self.magnitude_u32(value.unsigned_abs(), usize::from(value < 0));
    }

    /// Replaces the text by that of `value`; narrower unsigned types widen to this.
    #[inline]
    pub fn write_u32(&mut self, value: u32) {
        self.magnitude_u32(value, 0);
    }

    /// Replaces the text by that of `value`.
    #[inline]
    pub fn write_i64(&mut self, value: i64) {
        self.put(0, *b"-");
        self.magnitude_u64(value.unsigned_abs(), usize::from(value < 0));
    }

    /// Replaces the text by that of `value`.
    #[inline]
    pub fn write_u64(&mut self, value: u64) {
        self.magnitude_u64(value, 0);
    }

    /// Appends one of the [`suffix`]es.
    #[inline]
    pub fn push_suffix(&mut self, suffix: &[u8]) {
        self.push(suffix);
    }

    #[inline]
    fn magnitude_u32(&mut self, value: u32, start: usize) {
        if value < 100_000_000 {
            let end = self.up_to_eight(value, start);
            self.set_len(end);
        } else {
            let middle = self.up_to_eight(value / 100_000_000, start);
            self.all_eight(value % 100_000_000, middle);
            self.set_len(middle + 8);
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "quotients and remainders by 10^8 and 10^16"
    )]
    fn magnitude_u64(&mut self, value: u64, start: usize) {
        const EIGHT: u64 = 100_000_000;
        if let Ok(value) = u32::try_from(value) {
            return self.magnitude_u32(value, start);
        }
        let (upper, lower) = (value / EIGHT, (value % EIGHT) as u32);
        let middle = if upper < EIGHT {
            self.up_to_eight(upper as u32, start)
        } else {
            let middle = self.up_to_eight((upper / EIGHT) as u32, start);
            self.all_eight((upper % EIGHT) as u32, middle);
            middle + 8
        };
        self.all_eight(lower, middle);
        self.set_len(middle + 8);
    }

    /// Writes `value < 10^8` without leading zeros and returns the end.
    #[inline]
    fn up_to_eight(&mut self, value: u32, start: usize) -> usize {
        let digits = ascii::spread(value);
        // 0 has one digit: the last.
        let leading = (digits | 1 << 56).trailing_zeros() / 8;
        self.put(
            start,
            ((digits | ascii::ZEROS) >> (8 * leading)).to_le_bytes(),
        );
        start + 8 - leading as usize
    }

    /// Writes `value < 10^8` with leading zeros.
    #[inline]
    fn all_eight(&mut self, value: u32, start: usize) {
        self.put(start, (ascii::spread(value) | ascii::ZEROS).to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(value: u64) {
        let mut token = Token::new();
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
    fn suffixes() {
        let mut token = Token::new();
        token.write_u64(u64::MAX);
        token.push_suffix(suffix::UINT64);
        assert_eq!(token.as_bytes(), b"18446744073709551615ULL");
        token.write_i32(-128);
        token.push_suffix(suffix::BYTE);
        assert_eq!(token.as_bytes(), b"-128b");
    }
}
