//! Formatting of integers.

use super::{ConvertedNumber, IntegerConversion, IntegerFormat};

impl IntegerFormat {
    /// Appends a value of a signed type. Octal and hexadecimal show negative values as two's complement; decimal shows the sign, even for
    /// `%u`.
    pub fn write_signed(&self, value: i64, out: &mut Vec<u8>) {
        let pattern = u64::from_ne_bytes(value.to_ne_bytes());
        let mask = u64::MAX.checked_shr(64 - self.bits.min(64)).unwrap_or(0);
        let magnitude = match self.conversion {
            IntegerConversion::Decimal | IntegerConversion::Unsigned => value.unsigned_abs(),
            IntegerConversion::Octal
            | IntegerConversion::LowerHex
            | IntegerConversion::UpperHex => pattern & mask,
        };
        self.write(value < 0, magnitude, out);
    }

    /// Appends a value of an unsigned type.
    pub fn write_unsigned(&self, value: u64, out: &mut Vec<u8>) {
        self.write(false, value, out);
    }

    fn write(&self, negative: bool, magnitude: u64, out: &mut Vec<u8>) {
        let mut digits = self.digits(magnitude);
        let least = self.spec.precision.unwrap_or(1);
        if magnitude == 0 && least == 0 {
            digits.clear();
        }
        let missing = least.saturating_sub(digits.len());
        digits.insert_str(0, &"0".repeat(missing));
        if self.conversion == IntegerConversion::Octal
            && self.spec.flags.alternative
            && !digits.starts_with('0')
        {
            digits.insert(0, '0');
        }
        let number = ConvertedNumber {
            prefix: self.prefix(negative, magnitude).to_owned(),
            digits,
            zero_padding: self.spec.precision.is_none(),
        };
        self.spec.write(&number, out);
    }

    fn digits(&self, magnitude: u64) -> String {
        match self.conversion {
            IntegerConversion::Decimal | IntegerConversion::Unsigned => magnitude.to_string(),
            IntegerConversion::Octal => format!("{magnitude:o}"),
            IntegerConversion::LowerHex => format!("{magnitude:x}"),
            IntegerConversion::UpperHex => format!("{magnitude:X}"),
        }
    }

    fn prefix(&self, negative: bool, magnitude: u64) -> &'static str {
        let base = self.spec.flags.alternative && magnitude != 0;
        match self.conversion {
            IntegerConversion::Decimal => self.spec.sign(negative),
            IntegerConversion::Unsigned if negative => "-",
            IntegerConversion::LowerHex if base => "0x",
            IntegerConversion::UpperHex if base => "0X",
            IntegerConversion::Unsigned
            | IntegerConversion::Octal
            | IntegerConversion::LowerHex
            | IntegerConversion::UpperHex => "",
        }
    }
}
