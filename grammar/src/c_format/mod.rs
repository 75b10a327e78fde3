//! The formats of C's `printf` for one number, for the `C_format` attribute of variables and the option `-F` of `zdump --compat`.
//!
//! A format comes from a file or a user, so this module parses it with a small grammar and never passes it to a real `printf`:
//!
//! ```text
//! format     = text? "%" flag* width? ("." precision?)? length? conversion text?
//! flag       = "-" | "+" | " " | "#" | "0"
//! width      = number up to 512          precision = number up to 512
//! length     = "hh" | "h" | "l" | "ll" | "q" | "j" | "z" | "t" | "L"
//! conversion = "d" | "i" | "u" | "o" | "x" | "X"               (integers)
//!            | "e" | "E" | "f" | "F" | "g" | "G"               (float and double)
//! text       = any bytes but control characters; "%%" stands for "%"
//! ```
//!
//! The result is `None` for any other format, and for a conversion that does not fit the type. The variable is then printed as if it had no
//! `C_format`.

mod float;
mod integer;
mod parse;

#[cfg(test)]
mod tests;

/// Maximum attribute length in bytes; longer attributes are ignored.
const MAX_LENGTH: usize = 99;

/// A `C_format` for variables of an integer type, or char.
///
/// ```
/// use netcdf_grammar::c_format::IntegerFormat;
///
/// let mut out = Vec::new();
/// let format = IntegerFormat::parse(b"<%#06x>", 16).ok_or("refused")?;
/// format.write_signed(-1, &mut out);
/// format.write_signed(10, &mut out);
/// assert_eq!(out, b"<0xffffffff><0x000a>");
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IntegerFormat {
    spec: FormatConversion,
    conversion: IntegerConversion,
    /// Bits of a negative number in octal and hexadecimal.
    bits: u32,
}

/// A `C_format` for variables of type float or double.
///
/// ```
/// use netcdf_grammar::c_format::AttributeFloatFormat;
///
/// let mut out = Vec::new();
/// let format = AttributeFloatFormat::parse(b"%.3f").ok_or("refused")?;
/// format.write(2.5, &mut out);
/// assert_eq!(out, b"2.500");
/// assert_eq!(AttributeFloatFormat::parse(b"%d"), None);
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttributeFloatFormat {
    spec: FormatConversion,
    conversion: FloatConversion,
    upper: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum IntegerConversion {
    Decimal,
    /// `%u`: decimal, without a sign for positive numbers.
    Unsigned,
    Octal,
    LowerHex,
    UpperHex,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FloatConversion {
    Exponent,
    Fixed,
    General,
}

/// Common options of all conversions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct FormatConversion {
    before: Vec<u8>,
    after: Vec<u8>,
    flags: Flags,
    width: usize,
    precision: Option<usize>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "one for each flag character of printf"
)]
struct Flags {
    left: bool,
    plus: bool,
    blank: bool,
    alternative: bool,
    zero: bool,
}

/// A converted number before padding.
struct ConvertedNumber {
    /// The sign and a base prefix such as `0x`; padding zeros follow the prefix.
    prefix: String,
    digits: String,
    /// Whether the flag `0` applies.
    zero_padding: bool,
}

impl FormatConversion {
    /// Returns the sign of a signed conversion.
    fn sign(&self, negative: bool) -> &'static str {
        if negative {
            "-"
        } else if self.flags.plus {
            "+"
        } else if self.flags.blank {
            " "
        } else {
            ""
        }
    }

    fn write(&self, number: &ConvertedNumber, out: &mut Vec<u8>) {
        let length = number.prefix.len().saturating_add(number.digits.len());
        let padding = self.width.saturating_sub(length);
        let zeros = self.flags.zero && !self.flags.left && number.zero_padding;
        let (blanks_left, zeros, blanks_right) = match (self.flags.left, zeros) {
            (true, _) => (0, 0, padding),
            (false, true) => (0, padding, 0),
            (false, false) => (padding, 0, 0),
        };
        out.extend_from_slice(&self.before);
        out.extend(std::iter::repeat_n(b' ', blanks_left));
        out.extend_from_slice(number.prefix.as_bytes());
        out.extend(std::iter::repeat_n(b'0', zeros));
        out.extend_from_slice(number.digits.as_bytes());
        out.extend(std::iter::repeat_n(b' ', blanks_right));
        out.extend_from_slice(&self.after);
    }
}
