//! Bytes as numbers of one type.

use netcdf_core::error::Result;
use netcdf_grammar::c_format::{FloatFormat, IntegerFormat};

/// The type in which the bytes of a chunk are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShownType {
    /// Unsigned, one byte: the default.
    UByte,
    /// Signed, one byte.
    Byte,
    /// Unsigned, two bytes.
    UShort,
    /// Signed, two bytes.
    Short,
    /// Unsigned, four bytes.
    UInt,
    /// Signed, four bytes.
    Int,
    /// Unsigned, eight bytes.
    UInt64,
    /// Signed, eight bytes.
    Int64,
    /// Four bytes.
    Float,
    /// Eight bytes.
    Double,
    /// A character in quotes.
    Char,
    /// Texts with this many bytes, at least one.
    Text(usize),
}

/// Names of types in the option.
const NAMES: [(&str, ShownType); 11] = [
    ("ubyte", ShownType::UByte),
    ("byte", ShownType::Byte),
    ("ushort", ShownType::UShort),
    ("short", ShownType::Short),
    ("uint", ShownType::UInt),
    ("int", ShownType::Int),
    ("uint64", ShownType::UInt64),
    ("int64", ShownType::Int64),
    ("float", ShownType::Float),
    ("double", ShownType::Double),
    ("char", ShownType::Char),
];
/// Most bytes of a text.
const LONGEST: usize = 1 << 20;
/// Bytes of text collected before they are passed on.
const BUFFER: usize = 1 << 16;

impl ShownType {
    /// The type with this name: `int`, `string/12`.
    ///
    /// # Errors
    /// If there is none.
    pub fn named(text: &str) -> std::result::Result<Self, String> {
        let lower = text.to_ascii_lowercase();
        let wrong = || format!("unknown type {text}");
        if let Some(length) = lower.strip_prefix("string") {
            return match length.strip_prefix('/').map(str::parse) {
                None if length.is_empty() => Ok(Self::Text(1)),
                Some(Ok(length)) if (1..=LONGEST).contains(&length) => Ok(Self::Text(length)),
                Some(_) | None => Err(wrong()),
            };
        }
        let found = NAMES.iter().find(|(name, _)| *name == lower);
        found.map(|(_, ty)| *ty).ok_or_else(wrong)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        let found = NAMES.iter().find(|(_, ty)| *ty == self);
        found.map_or("string", |(name, _)| name)
    }

    /// Whether it is a type of texts.
    pub fn is_text(self) -> bool {
        matches!(self, Self::Text(_))
    }

    /// The size used to count elements. Texts count as the pointers that `zmapio` has for them.
    pub fn size(self) -> u64 {
        match self {
            Self::UByte | Self::Byte | Self::Char => 1,
            Self::UShort | Self::Short => 2,
            Self::UInt | Self::Int | Self::Float => 4,
            Self::UInt64 | Self::Int64 | Self::Double | Self::Text(_) => 8,
        }
    }

    fn is_signed(self) -> bool {
        matches!(self, Self::Byte | Self::Short | Self::Int | Self::Int64)
    }
}

/// Prints elements of a type.
#[derive(Debug)]
pub(super) struct Printer {
    ty: ShownType,
    how: How,
}

#[derive(Debug)]
enum How {
    Integer(IntegerFormat),
    Float(FloatFormat),
    /// A character in quotes.
    Quoted,
    /// A text, padded with blanks on the left.
    Text(usize),
}

impl Printer {
    /// Prints in the default format of the type, or in a C format for one number.
    ///
    /// # Errors
    /// If the format is not for one number of this type.
    pub fn new(ty: ShownType, format: Option<&str>) -> std::result::Result<Self, String> {
        let wrong = || {
            let format = format.unwrap_or_default();
            let name = ty.name();
            format!("-F {format:?} is refused: it is not a format for one number of type {name}")
        };
        let how = match ty {
            ShownType::Text(length) => format.is_none().then_some(How::Text(length)),
            ShownType::Char if format.is_none() => Some(How::Quoted),
            ShownType::Float | ShownType::Double => {
                FloatFormat::parse(format.unwrap_or("%f").as_bytes()).map(How::Float)
            }
            ShownType::UByte
            | ShownType::Byte
            | ShownType::UShort
            | ShownType::Short
            | ShownType::UInt
            | ShownType::Int
            | ShownType::UInt64
            | ShownType::Int64
            | ShownType::Char => {
                let usual = if ty.is_signed() { "%d" } else { "%u" };
                let bits = u32::try_from(ty.size()).unwrap_or(8) * 8;
                IntegerFormat::parse(format.unwrap_or(usual).as_bytes(), bits).map(How::Integer)
            }
        };
        let how = how.ok_or_else(wrong)?;
        Ok(Self { ty, how })
    }

    /// Prints bytes as elements separated by commas. An incomplete last element is filled up with zeros.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn print(
        &self,
        bytes: &[u8],
        big_endian: bool,
        write: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let size = match self.how {
            How::Text(length) => length,
            How::Integer(_) | How::Float(_) | How::Quoted => {
                usize::try_from(self.ty.size()).unwrap_or(8)
            }
        };
        let mut text = vec![];
        for (n, element) in bytes.chunks(size).enumerate() {
            if n > 0 {
                text.extend_from_slice(b", ");
            }
            self.element(element, big_endian, &mut text);
            if text.len() >= BUFFER {
                write(&text)?;
                text.clear();
            }
        }
        write(&text)
    }

    fn element(&self, bytes: &[u8], big_endian: bool, text: &mut Vec<u8>) {
        match &self.how {
            How::Quoted => {
                text.push(b'\'');
                text.extend_from_slice(bytes);
                text.push(b'\'');
            }
            How::Text(length) => {
                let shown = bytes.split(|b| *b == 0).next().unwrap_or_default();
                let blanks = length.saturating_sub(shown.len());
                text.extend(std::iter::repeat_n(b' ', blanks));
                text.extend_from_slice(shown);
            }
            How::Integer(format) => {
                let bits = self.bits(bytes, big_endian);
                match self.ty.is_signed() {
                    false => format.write_unsigned(bits, text),
                    true => format.write_signed(self.signed(bits), text),
                }
            }
            How::Float(format) => {
                let bits = self.bits(bytes, big_endian);
                let number = match self.ty == ShownType::Float {
                    true => f64::from(f32::from_bits(u32::try_from(bits).unwrap_or_default())),
                    false => f64::from_bits(bits),
                };
                format.write(number, text);
            }
        }
    }

    /// The bits of an element, as the lowest bits of the number.
    fn bits(&self, bytes: &[u8], big_endian: bool) -> u64 {
        let size = usize::try_from(self.ty.size()).unwrap_or(8);
        let padded = bytes.iter().copied().chain(std::iter::repeat(0)).take(size);
        let add = |bits: u64, byte: u8| (bits << 8) | u64::from(byte);
        match big_endian {
            true => padded.fold(0, add),
            false => {
                let padded: Vec<_> = padded.collect();
                padded.into_iter().rev().fold(0, add)
            }
        }
    }

    /// The number with these lowest bits, of which the highest is the sign.
    fn signed(&self, bits: u64) -> i64 {
        let unused = u32::try_from(64 - 8 * self.ty.size()).unwrap_or_default();
        (bits << unused).cast_signed() >> unused
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(ty: &str, format: Option<&str>, bytes: &[u8], big: bool) -> String {
        let printer = Printer::new(ShownType::named(ty).unwrap(), format).unwrap();
        let mut out = vec![];
        let mut write = |text: &[u8]| {
            out.extend_from_slice(text);
            Ok(())
        };
        printer.print(bytes, big, &mut write).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn bytes_are_numbers_of_the_type() {
        assert_eq!(printed("ubyte", None, &[0, 255], false), "0, 255");
        assert_eq!(printed("BYTE", None, &[0, 255], false), "0, -1");
        assert_eq!(printed("ushort", None, &[255; 3], false), "65535, 255");
        assert_eq!(printed("short", None, &[255; 3], false), "-1, 255");
        let be = [1, 0, 0, 1, 0, 2];
        assert_eq!(printed("int", None, &be, true), "16777217, 131072");
        assert_eq!(printed("uint", None, &[255; 4], false), "4294967295");
        assert_eq!(printed("int64", None, &[255; 8], true), "-1");
        assert_eq!(
            printed("uint64", None, &[255; 8], false),
            u64::MAX.to_string()
        );
        let float = 1.5f32.to_le_bytes();
        assert_eq!(printed("float", None, &float, false), "1.500000");
        let double = (-0.1f64).to_be_bytes();
        assert_eq!(printed("double", None, &double, true), "-0.100000");
        assert_eq!(printed("char", None, b"ab", false), "'a', 'b'");
        assert_eq!(
            printed("string/3", None, b"ab\0cdef", false),
            " ab, cde,   f"
        );
    }

    #[test]
    fn formats_are_those_of_one_number() {
        assert_eq!(printed("int", Some("%04x"), &[10, 0, 0, 0], false), "000a");
        assert_eq!(printed("char", Some("%d"), b"a", false), "97");
        assert_eq!(printed("float", Some("<%g>"), &[0; 4], false), "<0>");
        for (ty, format) in [
            ("int", "%s"),
            ("int", "%n"),
            ("int", "%d%d"),
            ("int", "%f"),
            ("float", "%d"),
            ("int", "%*d"),
            ("string/4", "%s"),
            ("int", "no number"),
        ] {
            let printer = Printer::new(ShownType::named(ty).unwrap(), Some(format));
            assert!(printer.is_err(), "{format}");
        }
        for wrong in ["integer", "string/", "string/0", "string/-1", "stringy", ""] {
            assert!(ShownType::named(wrong).is_err(), "{wrong}");
        }
    }
}
