//! Texts in programs.

use std::fmt::Write;

/// Whatever is UTF-8 in `bytes`, and single bytes that are not.
fn pieces(bytes: &[u8], mut text: impl FnMut(&str), mut byte: impl FnMut(u8)) {
    for chunk in bytes.utf8_chunks() {
        text(chunk.valid());
        chunk.invalid().iter().for_each(|&b| byte(b));
    }
}

/// Appends a text as it stands between `quote`s in C.
pub(super) fn c(bytes: &[u8], quote: char, out: &mut String) {
    let out = std::cell::RefCell::new(out);
    let text = |text: &str| {
        for c in text.chars() {
            c_char(c, quote, *out.borrow_mut());
        }
    };
    pieces(bytes, text, |b| octal(b, *out.borrow_mut()));
}

fn c_char(c: char, quote: char, out: &mut String) {
    match c {
        '\\' => out.push_str("\\\\"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\u{b}' => out.push_str("\\v"),
        _ if c == quote => out.extend(['\\', c]),
        // All others of them are ASCII.
        '\0'..' ' | '\u{7f}' => octal(u8::try_from(c).unwrap_or(0), out),
        _ => out.push(c),
    }
}

fn octal(byte: u8, out: &mut String) {
    // Writing to a string cannot fail.
    let _ = write!(out, "\\{byte:03o}");
}

/// A text in double quotes, in C.
pub(super) fn c_string(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() + 2);
    out.push('"');
    c(bytes, '"', &mut out);
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_c() {
        assert_eq!(c_string(b"abcd\tZ$&"), r#""abcd\tZ$&""#);
        assert_eq!(
            c_string(b"a'\"\\b\x01\x7f\x001"),
            r#""a'\"\\b\001\177\0001""#
        );
        assert_eq!(c_string("é".as_bytes()), "\"é\"");
        assert_eq!(c_string(b"\xe9t"), r#""\351t""#);
        let mut out = String::new();
        c(b"'\"", '\'', &mut out);
        assert_eq!(out, "\\'\"");
    }
}
