//! The constants of CDL: one lexer for lists in attributes and in data sections.

use std::fmt;
use std::ops::Range;

use crate::escape::{char_constant, string_constant};
use crate::number::{Integer, Literal, Radix, Suffix, literal};
use netcdf_core::model::Atomic;

/// The name of value 0 in an enum that has no member 0, because HDF5 fills with zeros.
pub(in crate::cdl) const UNDEFINED_MEMBER: &[u8] = b"_UNDEFINED";

/// A word of a list of values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Constant<'a> {
    /// A number, or a word for a number (`NaN`, `Infinity`).
    Number(Literal),
    /// The byte of a character constant, as in `'a'`.
    Char(u8),
    /// A string constant: the text between the quotes, with escapes; see [`crate::escape::unescape_text`].
    String(&'a [u8]),
    /// The hexadecimal digits after `0x`, without suffix: an opaque value or an integer, depending on the type.
    Opaque(&'a [u8]),
    /// `_`, the fill value.
    Fill,
    /// `NIL`, the missing string.
    Nil,
    /// An enum member: a name or a path, with escapes.
    Name(&'a [u8]),
    /// `{`
    Open,
    /// `}`
    Close,
    /// `,`
    Comma,
}

/// A constant and its position.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstantToken<'a> {
    /// The constant.
    pub constant: Constant<'a>,
    /// The byte range within the lexer's text.
    pub range: Range<usize>,
}

/// The error for a text that is not a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LexError {
    /// The kind of error.
    pub kind: LexErrorKind,
    /// The byte range of the error within the lexer's text.
    pub range: Range<usize>,
}

/// The reasons why a text is not a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LexErrorKind {
    /// A string without closing quote.
    UnfinishedString,
    /// `/*` without `*/`.
    UnfinishedComment,
    /// A quote `'` that does not begin a character constant.
    CharConstant,
    /// A number followed by a letter or point, as in `12abc` or `1.5.2`.
    Number,
    /// An integer of 2^64 or more.
    Overflow,
    /// An octal integer with the digits 8 or 9.
    Octal,
    /// `-` before an unsigned integer.
    Sign,
    /// A byte that cannot begin a constant.
    Unexpected(u8),
}

impl fmt::Display for LexErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::UnfinishedString => "the string has no closing quote",
            Self::UnfinishedComment => "the comment has no closing `*/`",
            Self::CharConstant => {
                "not a character constant, such as `'a'`, `'\\n'`, `'\\012'` or `'\\x0a'`"
            }
            Self::Number => "not a number",
            Self::Overflow => "the integer does not fit in 64 bits",
            Self::Octal => "integers that begin with 0 are octal and have only the digits 0 to 7",
            Self::Sign => "an unsigned integer cannot be negative",
            Self::Unexpected(byte @ b' '..=b'~') => {
                return write!(f, "unexpected `{}`", char::from(*byte));
            }
            Self::Unexpected(byte) => return write!(f, "unexpected byte 0x{byte:02x}"),
        };
        f.write_str(text)
    }
}

impl std::error::Error for LexError {}

impl fmt::Display for LexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

/// Reads constants one after another, and skips blanks and comments between them.
///
/// The text may be a prefix of a longer text. A token or an error at the end of the text may then be incomplete.
#[derive(Clone, Debug)]
pub struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Lexer<'a> {
    /// Returns a lexer that starts at byte `at` of `text`.
    #[must_use]
    pub fn new(text: &'a [u8], at: usize) -> Self {
        Self { text, at }
    }

    /// Returns the next token, or `None` at the end of the text.
    ///
    /// # Errors
    /// Returns an error if no token begins here. The next call continues after the error's range.
    pub fn next_token(&mut self) -> Result<Option<ConstantToken<'a>>, LexError> {
        self.at = skip_blanks(self.text, self.at).map_err(|start| {
            self.at = self.text.len();
            error(LexErrorKind::UnfinishedComment, start..self.text.len())
        })?;
        let rest = self.text.get(self.at..).unwrap_or_default();
        let Some(&first) = rest.first() else {
            return Ok(None);
        };
        let start = self.at;
        let found = lex(first, rest);
        let len = match found {
            Ok((_, len)) | Err((_, len)) => len,
        };
        let range = start..start + len;
        self.at = range.end;
        match found {
            Ok((constant, _)) => Ok(Some(ConstantToken { constant, range })),
            Err((kind, _)) => Err(error(kind, range)),
        }
    }
}

/// A constant or an error, with its length in bytes.
type FoundConstant<'a> = Result<(Constant<'a>, usize), (LexErrorKind, usize)>;

fn error(kind: LexErrorKind, range: Range<usize>) -> LexError {
    LexError { kind, range }
}

/// Returns the constant at the start of `rest`; `first` is the first byte.
fn lex(first: u8, rest: &[u8]) -> FoundConstant<'_> {
    match first {
        b',' => Ok((Constant::Comma, 1)),
        b'{' => Ok((Constant::Open, 1)),
        b'}' => Ok((Constant::Close, 1)),
        b'"' => match string_constant(rest) {
            Some((text, len)) => Ok((Constant::String(text), len)),
            None => Err((LexErrorKind::UnfinishedString, rest.len())),
        },
        b'\'' => match char_constant(rest) {
            Some((byte, len)) => Ok((Constant::Char(byte), len)),
            None => Err((LexErrorKind::CharConstant, rest.len().min(1))),
        },
        b'0'..=b'9' | b'.' | b'+' | b'-' => number(first, rest),
        _ => name(first, rest),
    }
}

fn number(first: u8, rest: &[u8]) -> FoundConstant<'_> {
    let Some((value, len)) = literal(rest) else {
        return Err((LexErrorKind::Unexpected(first), 1));
    };
    let tail = rest.get(len..).unwrap_or_default();
    let more = name_length(tail);
    if more > 0 && tail.first().is_some_and(|byte| !b"+-".contains(byte)) {
        return Err((LexErrorKind::Number, len + more));
    }
    match value {
        Literal::Integer(integer, suffix) => integer_constant(integer, suffix, rest, len),
        Literal::Float(_) | Literal::Double(_) => Ok((Constant::Number(value), len)),
    }
}

fn integer_constant(
    integer: Integer,
    suffix: Suffix,
    rest: &[u8],
    len: usize,
) -> FoundConstant<'_> {
    if integer.radix == Radix::Hexadecimal && suffix == Suffix::None {
        let digits = rest.get(2..len).unwrap_or_default();
        return Ok((Constant::Opaque(digits), len));
    }
    let unsigned = match suffix {
        Suffix::UByte | Suffix::UShort | Suffix::UInt | Suffix::UInt64 => true,
        Suffix::None | Suffix::Byte | Suffix::Short | Suffix::Int | Suffix::Int64 => false,
    };
    if integer.overflow {
        Err((LexErrorKind::Overflow, len))
    } else if integer.invalid_octal {
        Err((LexErrorKind::Octal, len))
    } else if integer.negative && unsigned {
        Err((LexErrorKind::Sign, len))
    } else {
        Ok((Constant::Number(Literal::Integer(integer, suffix)), len))
    }
}

fn name(first: u8, rest: &[u8]) -> FoundConstant<'_> {
    if let Some((value, len)) = literal(rest) {
        return Ok((Constant::Number(value), len));
    }
    let len = path_length(rest);
    let text = rest.get(..len).unwrap_or_default();
    match text {
        b"" => Err((LexErrorKind::Unexpected(first), 1)),
        b"_" => Ok((Constant::Fill, len)),
        b"NIL" | b"nil" | b"Nil" => Ok((Constant::Nil, len)),
        _ => Ok((Constant::Name(text), len)),
    }
}

/// Returns the length of the name or path at the start of `text`.
fn path_length(text: &[u8]) -> usize {
    if text.first() != Some(&b'/') {
        return if starts_name(text) {
            name_length(text)
        } else {
            0
        };
    }
    let mut len = 0;
    loop {
        let rest = text.get(len..).unwrap_or_default();
        match rest.split_first() {
            Some((b'/', after)) if starts_name(after) => len += 1 + name_length(after),
            _ => return len,
        }
    }
}

fn starts_name(text: &[u8]) -> bool {
    matches!(
        text,
        [b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'%' | 0x80.., ..] | [b'\\', _, ..]
    )
}

/// Returns the number of name bytes at the start of `text`.
fn name_length(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        at += match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => 1,
            b'_' | b'.' | b'@' | b'+' | b'-' | b'%' | 0x80.. => 1,
            b'\\' => 2,
            _ => break,
        };
    }
    at.min(text.len())
}

/// Returns the index of the first byte from `at` that is neither blank nor comment, or the text length.
///
/// # Errors
/// Returns the position of an unterminated comment.
pub(crate) fn skip_blanks(text: &[u8], at: usize) -> Result<usize, usize> {
    let mut at = at;
    loop {
        let rest = text.get(at..).unwrap_or_default();
        match rest {
            [b' ' | b'\n' | b'\r' | b'\t' | 0x0c, ..] => at += 1,
            [b'/', b'/', ..] => at += memchr::memchr(b'\n', rest).unwrap_or(rest.len()),
            [b'/', b'*', inside @ ..] => {
                let end = memchr::memmem::find(inside, b"*/");
                at += end.ok_or(at)? + 4;
            }
            _ => return Ok(at),
        }
    }
}

/// Returns the type of a number without a declared type: the type of the suffix, or the smallest of int, uint, int64 and uint64 that fits.
#[must_use]
pub fn number_type(value: &Literal) -> Atomic {
    let integer = match value {
        Literal::Float(_) => return Atomic::Float,
        Literal::Double(_) => return Atomic::Double,
        Literal::Integer(integer, suffix) => match suffix {
            Suffix::None => integer.value().unwrap_or(i128::MAX),
            Suffix::Byte => return Atomic::Byte,
            Suffix::UByte => return Atomic::UByte,
            Suffix::Short => return Atomic::Short,
            Suffix::UShort => return Atomic::UShort,
            Suffix::Int => return Atomic::Int,
            Suffix::UInt => return Atomic::UInt,
            Suffix::Int64 => return Atomic::Int64,
            Suffix::UInt64 => return Atomic::UInt64,
        },
    };
    if i32::try_from(integer).is_ok() {
        Atomic::Int
    } else if u32::try_from(integer).is_ok() {
        Atomic::UInt
    } else if integer < 0 {
        Atomic::Int64
    } else {
        Atomic::UInt64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(text: &[u8]) -> Vec<Result<(Constant<'_>, &str), LexErrorKind>> {
        let mut lexer = Lexer::new(text, 0);
        let mut found = vec![];
        loop {
            match lexer.next_token() {
                Ok(None) => return found,
                Ok(Some(t)) => {
                    let text = text.get(t.range).unwrap();
                    found.push(Ok((t.constant, std::str::from_utf8(text).unwrap_or("?"))));
                }
                Err(e) => found.push(Err(e.kind)),
            }
        }
    }

    fn one(text: &str) -> Result<Constant<'_>, LexErrorKind> {
        let found = all(text.as_bytes());
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        found[0].map(|(c, len)| {
            assert_eq!(len, text);
            c
        })
    }

    fn integer(text: &str) -> (i128, Suffix) {
        match one(text) {
            Ok(Constant::Number(Literal::Integer(i, s))) => (i.value().unwrap(), s),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn numbers() {
        assert_eq!(integer("12"), (12, Suffix::None));
        assert_eq!(integer("-012"), (-10, Suffix::None));
        assert_eq!(integer("-3b"), (-3, Suffix::Byte));
        assert_eq!(integer("7su"), (7, Suffix::UShort));
        assert_eq!(integer("0xffLL"), (255, Suffix::UInt64));
        for (text, value) in [("1.5", 1.5), ("-.5e1d", -5.0), ("1e3", 1e3)] {
            assert_eq!(one(text), Ok(Constant::Number(Literal::Double(value))));
        }
        assert_eq!(one("2.5f"), Ok(Constant::Number(Literal::Float(2.5))));
        let inf = Literal::Float(f32::NEG_INFINITY);
        assert_eq!(one("-Infinityf"), Ok(Constant::Number(inf)));
        assert!(
            matches!(one("NaN"), Ok(Constant::Number(Literal::Double(x))) if x.is_nan()),
            "NaN"
        );
    }

    #[test]
    fn invalid_numbers() {
        for (text, kind) in [
            ("12abc", LexErrorKind::Number),
            ("1.5.2", LexErrorKind::Number),
            ("1bb", LexErrorKind::Number),
            ("18446744073709551616", LexErrorKind::Overflow),
            ("089", LexErrorKind::Octal),
            ("-1u", LexErrorKind::Sign),
            ("-", LexErrorKind::Unexpected(b'-')),
        ] {
            assert_eq!(one(text), Err(kind), "{text}");
        }
        assert_eq!(all(b"1-2").len(), 2);
        assert_eq!(all(b"-x")[0], Err(LexErrorKind::Unexpected(b'-')));
    }

    #[test]
    fn texts_and_words() {
        assert_eq!(one("\"a\\\"b;\""), Ok(Constant::String(b"a\\\"b;")));
        assert_eq!(one("'\\n'"), Ok(Constant::Char(b'\n')));
        assert_eq!(one("0XaBc"), Ok(Constant::Opaque(b"aBc")));
        assert_eq!(one("_"), Ok(Constant::Fill));
        assert_eq!(one("__"), Ok(Constant::Name(b"__")));
        for text in ["NIL", "nil", "Nil"] {
            assert_eq!(one(text), Ok(Constant::Nil));
        }
        for text in [
            "a.b@c+d-e_0",
            "NaNs",
            "/g/h/e.x",
            "Infinity\\ x",
            "\\9x",
            "é",
        ] {
            assert_eq!(one(text), Ok(Constant::Name(text.as_bytes())));
        }
        assert_eq!(one("\"open"), Err(LexErrorKind::UnfinishedString));
        assert_eq!(all(b"'ab'")[0], Err(LexErrorKind::CharConstant));
    }

    #[test]
    fn blanks_and_comments_are_skipped() {
        let text = b" // one, 1\n{1\t,\r\n/* , 2 */_,} //";
        let found: Vec<_> = all(text).into_iter().map(|t| t.unwrap().1).collect();
        assert_eq!(found, ["{", "1", ",", "_", ",", "}"]);
        assert_eq!(
            all(b"1 /* 2").pop(),
            Some(Err(LexErrorKind::UnfinishedComment))
        );
        assert_eq!(all(b"1;")[1], Err(LexErrorKind::Unexpected(b';')));
    }

    #[test]
    fn bytes_of_any_encoding() {
        let found = all(b"\"\xe9\xff\", '\xe9'");
        assert_eq!(found[0].as_ref().unwrap().0, Constant::String(b"\xe9\xff"));
        assert_eq!(found[2].as_ref().unwrap().0, Constant::Char(0xe9));
    }

    #[test]
    fn types_follow_from_size_or_suffix() {
        for (text, ty) in [
            ("1", Atomic::Int),
            ("-2147483648", Atomic::Int),
            ("2147483648", Atomic::UInt),
            ("-2147483649", Atomic::Int64),
            ("4294967296", Atomic::UInt64),
            ("1ub", Atomic::UByte),
            ("300s", Atomic::Short),
            ("1LL", Atomic::Int64),
            ("1.", Atomic::Double),
            ("1.f", Atomic::Float),
        ] {
            let Ok(Constant::Number(value)) = one(text) else {
                panic!("{text}")
            };
            assert_eq!(number_type(&value), ty, "{text}");
        }
    }

    proptest! {
        #[test]
        fn never_stands_still(text in proptest::collection::vec(any::<u8>(), 0..40)) {
            let mut lexer = Lexer::new(&text, 0);
            let mut last = 0;
            while let Some(range) = match lexer.next_token() {
                Ok(token) => token.map(|t| t.range),
                Err(e) => Some(e.range),
            } {
                prop_assert!(range.start >= last && range.end > range.start && range.end <= text.len());
                last = range.end;
            }
        }
    }
}
