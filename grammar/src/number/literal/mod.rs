//! Numeric constants of CDL: numbers with suffixes, and words such as `NaN`.

use super::list;
use super::scan::{self, Integer, Radix};

/// The suffix of an integer constant, which determines its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suffix {
    /// No suffix: the value determines the type.
    None,
    /// `b`
    Byte,
    /// `ub` or `bu`
    UByte,
    /// `s`
    Short,
    /// `us` or `su`
    UShort,
    /// `l`
    Int,
    /// `u`, `ul` or `lu`
    UInt,
    /// `ll`
    Int64,
    /// `ull` or `llu`
    UInt64,
}

/// A numeric constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Literal {
    /// An integer without point and exponent, with its suffix.
    Integer(Integer, Suffix),
    /// A constant with the suffix `f`, directly rounded to `f32`.
    Float(f32),
    /// A constant with a point or an exponent.
    Double(f64),
}

impl Integer {
    /// Returns the value, or `None` if the magnitude is 2^64 or more.
    #[must_use]
    pub fn value(&self) -> Option<i128> {
        let magnitude = i128::from(self.magnitude);
        (!self.overflow).then_some(if self.negative { -magnitude } else { magnitude })
    }
}

impl Literal {
    /// Returns the value as an `f64`. `-0` keeps its sign, even without a point.
    #[inline]
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        reason = "rounding to nearest is intended"
    )]
    pub fn to_f64(&self) -> f64 {
        match *self {
            Self::Integer(integer, _) if integer.negative => -(integer.magnitude as f64),
            Self::Integer(integer, _) => integer.magnitude as f64,
            Self::Float(value) => f64::from(value),
            Self::Double(value) => value,
        }
    }

    /// Returns the value as an `f32`. Constants without suffix are first rounded to `f64`, as in `ncgen`.
    #[inline]
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "rounding to nearest is intended"
    )]
    pub fn to_f32(&self) -> f32 {
        match *self {
            Self::Integer(integer, _) if integer.negative => -(integer.magnitude as f32),
            Self::Integer(integer, _) => integer.magnitude as f32,
            Self::Float(value) => value,
            Self::Double(value) => value as f32,
        }
    }
}

/// Returns the numeric constant at the start of `text` and its length in bytes.
///
/// Callers must check the following text: `12abc` is 12 and a name, which CDL forbids.
#[inline]
#[must_use]
pub fn literal(text: &[u8]) -> Option<(Literal, usize)> {
    if let Some(window) = text.first_chunk() {
        if let Some((value, len)) = list::short(window) {
            return Some((Literal::Double(value), len));
        }
        if let Some((value, len)) = list::short_integer(window) {
            let integer = Integer {
                // `-0` keeps its sign.
                negative: text.first() == Some(&b'-'),
                magnitude: value.unsigned_abs(),
                overflow: false,
                radix: Radix::Decimal,
                invalid_octal: false,
            };
            return Some((Literal::Integer(integer, Suffix::None), len));
        }
    }
    any_literal(text)
}

#[inline(never)]
pub(super) fn any_literal(text: &[u8]) -> Option<(Literal, usize)> {
    let rest = match text {
        [b'+' | b'-', rest @ ..] => rest,
        _ => text,
    };
    match rest {
        [b'0', b'x' | b'X', ..] if rest.len() == text.len() => hexadecimal(text),
        [b'0'..=b'9' | b'.', ..] => number(text),
        _ => word(text),
    }
}

#[inline]
fn number(text: &[u8]) -> Option<(Literal, usize)> {
    let number = scan::decimal(text)?;
    let tail = text.get(number.len..).unwrap_or_default();
    if matches!(tail.first(), Some(b'a'..=b'z' | b'A'..=b'Z')) {
        return Some(number_with_suffix(number, text, tail));
    }
    let value = if number.real {
        Literal::Double(number.to_f64(text))
    } else {
        Literal::Integer(number.to_integer(text), Suffix::None)
    };
    Some((value, number.len))
}

/// Handles a number followed by a letter.
fn number_with_suffix(number: scan::ScannedDecimal, text: &[u8], tail: &[u8]) -> (Literal, usize) {
    // ncgen rejects `1f` and `1d`, although their meaning is clear.
    let alone = number.real || tail.get(1..).is_none_or(|after| !continues_name(after));
    match tail {
        [b'f' | b'F', ..] if alone => (Literal::Float(number.to_f32(text)), number.len + 1),
        [b'd' | b'D', ..] if alone => (Literal::Double(number.to_f64(text)), number.len + 1),
        [b'l' | b'L', ..] if number.real => (Literal::Double(number.to_f64(text)), number.len + 1),
        _ if number.real => (Literal::Double(number.to_f64(text)), number.len),
        _ => {
            let (suffix, length) = suffix(tail);
            (
                Literal::Integer(number.to_integer(text), suffix),
                number.len + length,
            )
        }
    }
}

/// Returns a hexadecimal constant; with a suffix it is unsigned.
#[cold]
fn hexadecimal(text: &[u8]) -> Option<(Literal, usize)> {
    let (integer, len) = scan::integer_prefix(text)?;
    let (suffix, length) = match text.get(len..).unwrap_or_default() {
        _ if integer.radix != Radix::Hexadecimal => (Suffix::None, 0),
        [b's' | b'S', ..] => (Suffix::UShort, 1),
        [b'l' | b'L', b'l' | b'L', ..] => (Suffix::UInt64, 2),
        [b'l' | b'L', ..] => (Suffix::UInt, 1),
        _ => (Suffix::None, 0),
    };
    Some((Literal::Integer(integer, suffix), len + length))
}

/// Returns the longest integer suffix at the start of `text` and its length; the `u` may come first or last.
#[inline]
fn suffix(text: &[u8]) -> (Suffix, usize) {
    match text {
        [b'u' | b'U', rest @ ..] => match width(rest) {
            (Suffix::None, _) => (Suffix::UInt, 1),
            (signed, length) => (unsigned(signed), length + 1),
        },
        _ => match width(text) {
            (Suffix::None, _) => (Suffix::None, 0),
            (signed, length) if matches!(text.get(length), Some(b'u' | b'U')) => {
                (unsigned(signed), length + 1)
            }
            found => found,
        },
    }
}

#[inline]
fn width(text: &[u8]) -> (Suffix, usize) {
    match text {
        [b'b' | b'B', ..] => (Suffix::Byte, 1),
        [b's' | b'S', ..] => (Suffix::Short, 1),
        [b'l' | b'L', b'l' | b'L', ..] => (Suffix::Int64, 2),
        [b'l' | b'L', ..] => (Suffix::Int, 1),
        _ => (Suffix::None, 0),
    }
}

fn unsigned(suffix: Suffix) -> Suffix {
    match suffix {
        Suffix::Byte | Suffix::UByte => Suffix::UByte,
        Suffix::Short | Suffix::UShort => Suffix::UShort,
        Suffix::None | Suffix::Int | Suffix::UInt => Suffix::UInt,
        Suffix::Int64 | Suffix::UInt64 => Suffix::UInt64,
    }
}

/// The CDL words for NaN and infinity.
const WORDS: [(&[u8], Literal); 12] = [
    (b"NaN", Literal::Double(f64::NAN)),
    (b"nan", Literal::Double(f64::NAN)),
    (b"NaNf", Literal::Float(f32::NAN)),
    (b"nanf", Literal::Float(f32::NAN)),
    (b"Infinity", Literal::Double(f64::INFINITY)),
    (b"-Infinity", Literal::Double(f64::NEG_INFINITY)),
    (b"DoubleInf", Literal::Double(f64::INFINITY)),
    (b"Infinityf", Literal::Float(f32::INFINITY)),
    (b"-Infinityf", Literal::Float(f32::NEG_INFINITY)),
    (b"Inff", Literal::Float(f32::INFINITY)),
    (b"-Inff", Literal::Float(f32::NEG_INFINITY)),
    (b"FloatInf", Literal::Float(f32::INFINITY)),
];

/// Returns a word of [`WORDS`], unless it is the start of a longer name.
fn word(text: &[u8]) -> Option<(Literal, usize)> {
    if !matches!(text.first(), Some(b'N' | b'n' | b'I' | b'-' | b'D' | b'F')) {
        return None;
    }
    let found = WORDS.iter().find(|(word, _)| {
        text.strip_prefix(*word)
            .is_some_and(|after| !continues_name(after))
    });
    found.map(|(word, value)| (*value, word.len()))
}

/// Returns whether `text` begins with a character that could continue a name.
fn continues_name(text: &[u8]) -> bool {
    text.first().is_some_and(|byte| matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'.' | b'@' | b'+' | b'-' | b'\\' | 0x80..))
}

#[cfg(test)]
mod tests;
