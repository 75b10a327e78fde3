//! Text constants in programs.

use std::fmt::Write;

/// Appends a text in C syntax for the given `quote`.
pub(super) fn c(bytes: &[u8], quote: char, out: &mut String) {
    for chunk in bytes.utf8_chunks() {
        chunk.valid().chars().for_each(|c| c_char(c, quote, out));
        chunk.invalid().iter().for_each(|&b| octal(b, out));
    }
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
        // Two of them would begin a trigraph: `??/` is a backslash for compilers of C99.
        '?' if out.ends_with('?') => out.push_str("\\?"),
        _ if c == quote => out.extend(['\\', c]),
        // All other characters here are ASCII.
        '\0'..' ' | '\u{7f}' => octal(u8::try_from(c).unwrap_or(0), out),
        _ => out.push(c),
    }
}

fn octal(byte: u8, out: &mut String) {
    // Writing to a string cannot fail.
    let _ = write!(out, "\\{byte:03o}");
}

/// Like [`c`] between double quotes. Bytes that are not UTF-8 stay unchanged.
pub(super) fn c_bytes(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        let mut quoted = String::new();
        c(chunk.valid().as_bytes(), '"', &mut quoted);
        out.extend_from_slice(quoted.as_bytes());
        out.extend_from_slice(chunk.invalid());
    }
    out
}

/// Returns a text in double quotes, in C.
pub(super) fn c_string(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() + 2);
    out.push('"');
    c(bytes, '"', &mut out);
    out.push('"');
    out
}

/// Returns a text in Fortran 77: in single quotes, with bytes other than printable ASCII as numbers. An empty text is a NUL.
pub(super) fn fortran(bytes: &[u8]) -> String {
    let mut parts: Vec<String> = vec![];
    for run in bytes.chunk_by(|a, b| plain(*a) && plain(*b)) {
        if run.iter().all(|&b| plain(b)) {
            let text: String = run.iter().map(|&b| char::from(b)).collect();
            parts.push(format!("'{}'", text.replace('\'', "''")));
        } else {
            parts.extend(run.iter().map(|b| format!("char({b})")));
        }
    }
    if parts.is_empty() {
        parts.push("char(0)".to_owned());
    }
    parts.join("//")
}

fn plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~')
}

/// Returns a Java text between `quote`s, in ASCII. Bytes that are not UTF-8 become the characters with these numbers.
pub(super) fn java(bytes: &[u8], quote: char) -> String {
    let mut out = quote.to_string();
    for chunk in bytes.utf8_chunks() {
        let invalid = chunk.invalid().iter().map(|&b| char::from(b));
        let all = chunk.valid().chars().chain(invalid);
        all.for_each(|c| java_char(c, quote, &mut out));
    }
    out.push(quote);
    out
}

fn java_char(c: char, quote: char, out: &mut String) {
    match c {
        '\\' => out.push_str("\\\\"),
        '\t' => out.push_str("\\t"),
        '\u{8}' => out.push_str("\\b"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\u{c}' => out.push_str("\\f"),
        _ if c == quote => out.extend(['\\', c]),
        ' '..='~' => out.push(c),
        _ => {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{unit:04X}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_trigraphs() {
        assert_eq!(c_string(b"a??/\"???"), "\"a?\\?/\\\"?\\?\\?\"");
        assert_eq!(c_bytes(b"??/"), b"?\\?/");
    }

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

    #[test]
    fn in_fortran() {
        assert_eq!(fortran(b"it's\n\xe9"), "'it''s'//char(10)//char(233)");
        assert_eq!(fortran(b"\tx"), "char(9)//'x'");
        assert_eq!(fortran(b""), "char(0)");
    }

    #[test]
    fn in_java() {
        assert_eq!(
            java("a\"\\é\n\u{1f600}".as_bytes(), '"'),
            r#""a\"\\\u00E9\n\uD83D\uDE00""#
        );
        assert_eq!(java(b"'", '\''), r"'\''");
    }

    #[test]
    fn bytes_that_are_no_text() {
        assert_eq!(c_bytes(b"\xe9\"\0"), b"\xe9\\\"\\000");
    }
}
