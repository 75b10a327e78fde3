//! The parser of the `C_format` attribute.

use super::{
    AttributeFloatFormat, Flags, FloatConversion, FormatConversion, IntegerConversion,
    IntegerFormat, MAX_LENGTH,
};

/// Maximum width and precision.
const MAX_NUMBER: usize = 512;

/// A parsed attribute with an unchecked conversion.
struct Parsed<'a> {
    spec: FormatConversion,
    length: &'a [u8],
    conversion: u8,
}

/// All length modifiers of `printf`; longer modifiers precede their prefixes.
const LENGTHS: [&[u8]; 9] = [b"hh", b"h", b"ll", b"l", b"q", b"j", b"z", b"t", b"L"];

impl IntegerFormat {
    /// Parses the attribute value for a variable of an integer type of `bits` bits (char counts as 8). The value ends at the first NUL.
    ///
    /// The length modifier never truncates a value. It only affects negative values in octal and hexadecimal, and only if it is not shorter
    /// than the type.
    #[must_use]
    pub fn parse(attribute: &[u8], bits: u32) -> Option<Self> {
        let parsed = parse(attribute)?;
        let conversion = match parsed.conversion {
            b'd' | b'i' => IntegerConversion::Decimal,
            b'u' => IntegerConversion::Unsigned,
            b'o' => IntegerConversion::Octal,
            b'x' => IntegerConversion::LowerHex,
            b'X' => IntegerConversion::UpperHex,
            _ => return None,
        };
        // C converts integers shorter than an int as int, unless the format has a shorter length.
        let bits = match parsed.length {
            b"hh" if bits <= 8 => 8,
            b"h" if bits <= 16 => 16,
            _ if bits <= 32 => 32,
            _ => 64,
        };
        Some(Self {
            spec: parsed.spec,
            conversion,
            bits,
        })
    }
}

impl AttributeFloatFormat {
    /// Parses the attribute value for a variable of type float or double. The value ends at the first NUL.
    #[must_use]
    pub fn parse(attribute: &[u8]) -> Option<Self> {
        let parsed = parse(attribute)?;
        let conversion = match parsed.conversion.to_ascii_lowercase() {
            b'e' => FloatConversion::Exponent,
            b'f' => FloatConversion::Fixed,
            b'g' => FloatConversion::General,
            _ => return None,
        };
        matches!(parsed.length, b"" | b"l" | b"L").then_some(Self {
            spec: parsed.spec,
            conversion,
            upper: parsed.conversion.is_ascii_uppercase(),
        })
    }
}

fn parse(attribute: &[u8]) -> Option<Parsed<'_>> {
    if attribute.len() > MAX_LENGTH {
        return None;
    }
    let text = attribute.split(|byte| *byte == 0).next()?;
    let (before, rest) = literal(text)?;
    let (flags, rest) = flags(rest.strip_prefix(b"%")?);
    let (width, rest) = number(rest)?;
    let (precision, rest) = match rest.strip_prefix(b".") {
        Some(rest) => number(rest).map(|(precision, rest)| (Some(precision), rest))?,
        None => (None, rest),
    };
    let (length, rest) = length(rest);
    let (conversion, rest) = rest.split_first()?;
    let (after, rest) = literal(rest)?;
    rest.is_empty().then_some(Parsed {
        spec: FormatConversion {
            before,
            after,
            flags,
            width,
            precision,
        },
        length,
        conversion: *conversion,
    })
}

/// Parses text up to the next single `%` or the end. Returns `None` if the text has control characters.
fn literal(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut literal = Vec::new();
    let mut rest = text;
    while let Some((first, tail)) = rest.split_first() {
        rest = match (first, tail.strip_prefix(b"%")) {
            (b'%', None) => return Some((literal, rest)),
            (b'%', Some(after)) => after,
            (byte, _) if byte.is_ascii_control() => return None,
            _ => tail,
        };
        literal.push(*first);
    }
    Some((literal, rest))
}

fn flags(text: &[u8]) -> (Flags, &[u8]) {
    let mut flags = Flags::default();
    let mut rest = text;
    while let Some((first, tail)) = rest.split_first() {
        match first {
            b'-' => flags.left = true,
            b'+' => flags.plus = true,
            b' ' => flags.blank = true,
            b'#' => flags.alternative = true,
            b'0' => flags.zero = true,
            _ => break,
        }
        rest = tail;
    }
    (flags, rest)
}

/// Parses a number, 0 without digits. Returns `None` if the number is too large.
fn number(text: &[u8]) -> Option<(usize, &[u8])> {
    let mut number = 0_usize;
    let mut rest = text;
    while let Some((digit, tail)) = rest.split_first() {
        if !digit.is_ascii_digit() {
            break;
        }
        number = number * 10 + usize::from(digit - b'0');
        if number > MAX_NUMBER {
            return None;
        }
        rest = tail;
    }
    Some((number, rest))
}

fn length(text: &[u8]) -> (&[u8], &[u8]) {
    let length = LENGTHS.iter().find(|length| text.starts_with(length));
    text.split_at_checked(length.map_or(0, |length| length.len()))
        .unwrap_or((&[], text))
}
