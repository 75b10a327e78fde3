//! Texts in CDL: string constants in double quotes and character constants in single quotes.

use super::hex_pair;
use netcdf_core::shown::is_control;
use std::fmt;

/// The text style, which depends on the position in CDL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextStyle {
    /// Whether all bytes from 0x80 are written as `\ooo`.
    pub octal_high_bytes: bool,
    /// The text after a newline's `\n`: empty, or the end of the constant and the start of another one on the next line.
    pub after_newline: &'static [u8],
}

impl TextStyle {
    /// Values of char variables.
    pub const CHAR_DATA: Self = Self {
        octal_high_bytes: true,
        after_newline: b"\",\n    \"",
    };
    /// Char values inside one value of a compound type.
    pub const CHAR_MEMBER: Self = Self {
        octal_high_bytes: true,
        after_newline: b"",
    };
    /// Attributes in files of the classic data model.
    pub const CLASSIC_ATTRIBUTE: Self = Self {
        octal_high_bytes: false,
        after_newline: b"\",\n\t\t\t\"",
    };
    /// Values of type string, and attributes in files of the netCDF-4 data model, where another constant would be another value.
    pub const STRING: Self = Self {
        octal_high_bytes: false,
        after_newline: b"",
    };
}

/// An incomplete escape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EscapeError {
    /// The position of the backslash in the text.
    pub offset: usize,
    /// The kind of error.
    pub kind: EscapeErrorKind,
}

/// The kinds of incomplete escapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EscapeErrorKind {
    /// A digit from 0 to 7 without two further digits.
    Octal,
    /// `\x` without two hexadecimal digits.
    Hexadecimal,
    /// A backslash at the end.
    Unfinished,
}

impl fmt::Display for EscapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            EscapeErrorKind::Octal => {
                "an octal escape needs three digits from 0 to 7, as in `\\012`"
            }
            EscapeErrorKind::Hexadecimal => "`\\x` needs two hexadecimal digits, as in `\\x0a`",
            EscapeErrorKind::Unfinished => "the text ends after a backslash",
        })
    }
}

impl std::error::Error for EscapeError {}

/// Returns `text` without trailing NUL bytes, which CDL does not show in char values.
#[must_use]
pub fn trim_nuls(text: &[u8]) -> &[u8] {
    let end = text
        .iter()
        .rposition(|byte| *byte != 0)
        .map_or(0, |last| last + 1);
    text.get(..end).unwrap_or_default()
}

/// Appends `text` to `out` with escapes, without quotes.
///
/// In every style, characters that control a terminal or the text direction are written as `\ooo`, byte by byte. Invalid UTF-8 stays
/// unchanged.
pub fn escape_text(text: &[u8], style: TextStyle, out: &mut Vec<u8>) {
    let mut rest = text;
    loop {
        let plain = rest.iter().take_while(|byte| is_plain(**byte)).count();
        let (before, after) = rest.split_at_checked(plain).unwrap_or((rest, b""));
        out.extend_from_slice(before);
        rest = match after {
            [] => return,
            [0x80..=0xff, ..] if !style.octal_high_bytes => escape_high(after, out),
            [byte, after @ ..] => {
                escape_byte(*byte, style, out);
                after
            }
        };
    }
}

/// Appends a text in double quotes, escaped like [`escape_text`].
pub fn quote_text(text: &[u8], style: TextStyle, out: &mut Vec<u8>) {
    out.push(b'"');
    escape_text(text, style, out);
    out.push(b'"');
}

const fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') && !matches!(byte, b'\\' | b'\'' | b'"')
}

/// Appends the bytes from 0x80 at the start of `text`. Returns the remaining text.
fn escape_high<'t>(text: &'t [u8], out: &mut Vec<u8>) -> &'t [u8] {
    let high = text.iter().take_while(|byte| !byte.is_ascii()).count();
    let (high, rest) = text.split_at_checked(high).unwrap_or((text, b""));
    for chunk in high.utf8_chunks() {
        for c in chunk.valid().chars() {
            let mut bytes = [0; 4];
            let bytes = c.encode_utf8(&mut bytes).as_bytes();
            match is_control(c) {
                true => bytes.iter().for_each(|byte| push_octal(*byte, out)),
                false => out.extend_from_slice(bytes),
            }
        }
        out.extend_from_slice(chunk.invalid());
    }
    rest
}

fn escape_byte(byte: u8, style: TextStyle, out: &mut Vec<u8>) {
    let letter = match byte {
        0x08 => b'b',
        0x0c => b'f',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x0b => b'v',
        b'\\' | b'\'' | b'"' => byte,
        _ => return push_octal(byte, out),
    };
    out.extend_from_slice(&[b'\\', letter]);
    if byte == b'\n' {
        out.extend_from_slice(style.after_newline);
    }
}

/// Appends `\ooo`.
fn push_octal(byte: u8, out: &mut Vec<u8>) {
    let digits = [byte >> 6, byte >> 3 & 7, byte & 7].map(|digit| digit | b'0');
    out.push(b'\\');
    out.extend_from_slice(&digits);
}

/// Appends the bytes that `text`, the part between the quotes of one constant, stands for.
///
/// `\a \b \f \n \r \t \v` are control characters, `\?` is DEL, `\ooo` and `\xhh` are a byte, and a backslash before any other character is
/// dropped.
///
/// # Errors
///
/// Returns an error for an octal escape with fewer than three digits, for `\x` with fewer than two hexadecimal digits, and for a backslash
/// at the end. `out` then has the text up to the error.
pub fn unescape_text(text: &[u8], out: &mut Vec<u8>) -> Result<(), EscapeError> {
    let mut rest = text;
    loop {
        let plain = memchr::memchr(b'\\', rest).unwrap_or(rest.len());
        let (before, escape) = rest.split_at_checked(plain).unwrap_or((rest, b""));
        out.extend_from_slice(before);
        if escape.is_empty() {
            return Ok(());
        }
        let (byte, length) = unescape_one(escape).map_err(|kind| EscapeError {
            offset: text.len() - escape.len(),
            kind,
        })?;
        out.push(byte);
        rest = escape.get(length..).unwrap_or_default();
    }
}

/// Returns the byte of the escape at the start of `escape`, and the escape's length with the backslash.
fn unescape_one(escape: &[u8]) -> Result<(u8, usize), EscapeErrorKind> {
    match escape.get(1..).unwrap_or_default() {
        [] => Err(EscapeErrorKind::Unfinished),
        [b'x', digits @ ..] => digits
            .first_chunk()
            .and_then(|digits| hex_pair(*digits))
            .map(|byte| (byte, 4))
            .ok_or(EscapeErrorKind::Hexadecimal),
        [b'0'..=b'7', ..] => octal(escape)
            .map(|byte| (byte, 4))
            .ok_or(EscapeErrorKind::Octal),
        [letter, ..] => Ok((control(*letter), 2)),
    }
}

/// Returns the byte of `\ooo`; as in C, the lowest eight bits.
fn octal(escape: &[u8]) -> Option<u8> {
    match *escape {
        [_, a @ b'0'..=b'7', b @ b'0'..=b'7', c @ b'0'..=b'7', ..] => {
            Some((a & 3) << 6 | (b & 7) << 3 | (c & 7))
        }
        _ => None,
    }
}

/// Returns the byte for a letter after a backslash.
const fn control(letter: u8) -> u8 {
    match letter {
        b'a' => 0x07,
        b'b' => 0x08,
        b'f' => 0x0c,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 0x0b,
        b'?' => 0x7f,
        other => other,
    }
}

/// Returns the string constant at the start of `text`: the part between the quotes, and the length with the quotes.
///
/// The string may contain any byte, including newlines. Quotes and backslashes need a backslash.
#[must_use]
pub fn string_constant(text: &[u8]) -> Option<(&[u8], usize)> {
    if text.first() != Some(&b'"') {
        return None;
    }
    let mut at = 1;
    loop {
        at += memchr::memchr2(b'"', b'\\', text.get(at..)?)?;
        if text.get(at) == Some(&b'"') {
            return Some((text.get(1..at)?, at + 1));
        }
        at += 2;
    }
}

/// Returns the byte and the length of the character constant at the start of `text`: `'a'`, `'\n'`, `'\012'` or `'\x0a'`.
#[must_use]
pub fn char_constant(text: &[u8]) -> Option<(u8, usize)> {
    match text {
        [b'\'', b'\\', b'0'..=b'7', _, _, b'\'', ..] => Some((octal(text.get(1..)?)?, 6)),
        [b'\'', b'\\', b'x' | b'X', high, low, b'\'', ..] => Some((hex_pair([*high, *low])?, 6)),
        [b'\'', b'\\', b'0', b'\'', ..] => Some((0, 4)),
        [b'\'', b'\\', letter, b'\'', ..] => Some((control(*letter), 4)),
        [b'\'', byte, b'\'', ..] if *byte != b'\\' => Some((*byte, 3)),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
