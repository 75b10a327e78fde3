//! Formats bytes as numbers of one type.

use netcdf_core::error::Result;
use netcdf_grammar::c_format::{AttributeFloatFormat, IntegerFormat};

/// The display type of a chunk's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ShownType {
    /// The name.
    pub name: &'static str,
    /// The size for counting elements. Texts count as pointers, as in `zmapio`.
    pub size: u64,
    class: DisplayClass,
}

/// The display of an element's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DisplayClass {
    Unsigned,
    Signed,
    Float,
    /// A character in quotes.
    Char,
    /// A text with this many bytes, at least one.
    Text(usize),
}

/// The types other than texts.
const TYPES: [ShownType; 11] = [
    ShownType::new("ubyte", 1, DisplayClass::Unsigned),
    ShownType::new("byte", 1, DisplayClass::Signed),
    ShownType::new("ushort", 2, DisplayClass::Unsigned),
    ShownType::new("short", 2, DisplayClass::Signed),
    ShownType::new("uint", 4, DisplayClass::Unsigned),
    ShownType::new("int", 4, DisplayClass::Signed),
    ShownType::new("uint64", 8, DisplayClass::Unsigned),
    ShownType::new("int64", 8, DisplayClass::Signed),
    ShownType::new("float", 4, DisplayClass::Float),
    ShownType::new("double", 8, DisplayClass::Float),
    ShownType::new("char", 1, DisplayClass::Char),
];
/// Maximum bytes of a text.
const LONGEST: usize = 1 << 20;
/// The buffer size for text in bytes.
const BUFFER: usize = 1 << 16;

impl Default for ShownType {
    fn default() -> Self {
        Self::new("ubyte", 1, DisplayClass::Unsigned)
    }
}

impl ShownType {
    const fn new(name: &'static str, size: u64, class: DisplayClass) -> Self {
        Self { name, size, class }
    }

    /// Returns the type with this name: `int`, `string/12`.
    ///
    /// # Errors
    /// Returns a message for an unknown name.
    pub(super) fn named(text: &str) -> std::result::Result<Self, String> {
        let lower = text.to_ascii_lowercase();
        let wrong = || format!("unknown type {text}");
        if let Some(length) = lower.strip_prefix("string") {
            return match length.strip_prefix('/').map(str::parse) {
                None if length.is_empty() => Ok(Self::text(1)),
                Some(Ok(length)) if (1..=LONGEST).contains(&length) => Ok(Self::text(length)),
                Some(_) | None => Err(wrong()),
            };
        }
        let found = TYPES.into_iter().find(|ty| ty.name == lower);
        found.ok_or_else(wrong)
    }

    fn text(length: usize) -> Self {
        Self::new("string", 8, DisplayClass::Text(length))
    }

    /// Checks whether the type is a text type.
    pub(super) fn is_text(self) -> bool {
        matches!(self.class, DisplayClass::Text(_))
    }

    /// Returns the bytes of an element.
    fn bytes(self) -> usize {
        match self.class {
            DisplayClass::Text(length) => length,
            DisplayClass::Unsigned
            | DisplayClass::Signed
            | DisplayClass::Float
            | DisplayClass::Char => usize::try_from(self.size).unwrap_or(8),
        }
    }
}

/// Prints elements of a type.
#[derive(Debug)]
pub(super) struct ElementPrinter {
    ty: ShownType,
    how: DisplayForm,
}

#[derive(Debug)]
enum DisplayForm {
    Integer(IntegerFormat),
    Float(AttributeFloatFormat),
    /// A character in quotes.
    Quoted,
    /// A text, padded with blanks on the left.
    Text(usize),
}

impl ElementPrinter {
    /// Returns a printer for the default format of the type, or for a C format for one number.
    ///
    /// # Errors
    /// Returns a message if the format is not for one number of this type.
    pub(super) fn new(ty: ShownType, format: Option<&str>) -> std::result::Result<Self, String> {
        let wrong = || {
            let format = format.unwrap_or_default();
            let name = ty.name;
            format!("-F {format:?} is refused: it is not a format for one number of type {name}")
        };
        let usual = match ty.class {
            DisplayClass::Float => "%f",
            DisplayClass::Signed => "%d",
            DisplayClass::Unsigned | DisplayClass::Char | DisplayClass::Text(_) => "%u",
        };
        let text = format.unwrap_or(usual).as_bytes();
        let how = match ty.class {
            DisplayClass::Text(length) => format.is_none().then_some(DisplayForm::Text(length)),
            DisplayClass::Char if format.is_none() => Some(DisplayForm::Quoted),
            DisplayClass::Float => AttributeFloatFormat::parse(text).map(DisplayForm::Float),
            DisplayClass::Unsigned | DisplayClass::Signed | DisplayClass::Char => {
                let bits = u32::try_from(ty.size).unwrap_or(8) * 8;
                IntegerFormat::parse(text, bits).map(DisplayForm::Integer)
            }
        };
        let how = how.ok_or_else(wrong)?;
        Ok(Self { ty, how })
    }

    /// Prints bytes as elements separated by commas. An incomplete last element is padded with zeros.
    ///
    /// # Errors
    /// Returns write errors.
    pub(super) fn print(
        &self,
        bytes: &[u8],
        big_endian: bool,
        write: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut text = vec![];
        for (n, element) in bytes.chunks(self.ty.bytes()).enumerate() {
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
            DisplayForm::Quoted => {
                text.push(b'\'');
                text.extend_from_slice(bytes);
                text.push(b'\'');
            }
            DisplayForm::Text(length) => {
                let shown = bytes.split(|b| *b == 0).next().unwrap_or_default();
                let blanks = length.saturating_sub(shown.len());
                text.extend(std::iter::repeat_n(b' ', blanks));
                text.extend_from_slice(shown);
            }
            DisplayForm::Integer(format) => {
                let bits = self.bits(bytes, big_endian);
                match self.ty.class == DisplayClass::Signed {
                    false => format.write_unsigned(bits, text),
                    true => format.write_signed(self.signed(bits), text),
                }
            }
            DisplayForm::Float(format) => {
                let bits = self.bits(bytes, big_endian);
                let number = match self.ty.size == 4 {
                    true => f64::from(f32::from_bits(u32::try_from(bits).unwrap_or_default())),
                    false => f64::from_bits(bits),
                };
                format.write(number, text);
            }
        }
    }

    /// Returns the bits of an element as the lowest bits of the number.
    fn bits(&self, bytes: &[u8], big_endian: bool) -> u64 {
        let mut padded = [0; 8];
        padded
            .iter_mut()
            .zip(bytes)
            .for_each(|(to, byte)| *to = *byte);
        match big_endian {
            true => u64::from_be_bytes(padded) >> self.unused(),
            false => u64::from_le_bytes(padded),
        }
    }

    /// Returns the number with these lowest bits. The highest one is the sign.
    fn signed(&self, bits: u64) -> i64 {
        (bits << self.unused()).cast_signed() >> self.unused()
    }

    /// Returns the unused bits of a number.
    fn unused(&self) -> u64 {
        64 - 8 * self.ty.size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(ty: &str, format: Option<&str>, bytes: &[u8], big: bool) -> String {
        let printer = ElementPrinter::new(ShownType::named(ty).unwrap(), format).unwrap();
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
            let printer = ElementPrinter::new(ShownType::named(ty).unwrap(), Some(format));
            assert!(printer.is_err(), "{format}");
        }
        for wrong in ["integer", "string/", "string/0", "string/-1", "stringy", ""] {
            assert!(ShownType::named(wrong).is_err(), "{wrong}");
        }
    }
}
