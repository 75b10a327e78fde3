//! JSON strings. Characters that control a terminal are escaped, although JSON allows some of these characters unescaped.

use std::io::{self, Write};

use netcdf_core::shown::is_control;
use serde::Serializer as _;
use serde_json::ser::{Formatter, Serializer};

use netcdf_core::bytes::base64;

/// Appends a string with its quotes.
pub(super) fn push_text(text: &str, out: &mut Vec<u8>) {
    let written = Serializer::with_formatter(&mut *out, Escapes).serialize_str(text);
    // Writing to memory does not fail.
    debug_assert!(written.is_ok());
}

/// Appends bytes: a string if they are UTF-8, or an object with base64.
pub(super) fn push_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    match std::str::from_utf8(bytes) {
        Ok(text) => push_text(text, out),
        Err(_) => {
            out.extend_from_slice(b"{\"base64\": \"");
            base64::encode(bytes, out);
            out.extend_from_slice(b"\"}");
        }
    }
}

/// Escapes for control characters.
struct Escapes;

impl Formatter for Escapes {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        to: &mut W,
        mut text: &str,
    ) -> io::Result<()> {
        while let Some((at, c)) = text.char_indices().find(|(_, c)| is_control(*c)) {
            to.write_all(text.get(..at).unwrap_or_default().as_bytes())?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(to, "\\u{unit:04x}")?;
            }
            text = text.get(at + c.len_utf8()..).unwrap_or_default();
        }
        to.write_all(text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> String {
        let mut out = vec![];
        push_bytes(bytes, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn strings() {
        assert_eq!(text(b"a\"b\\\n\0"), r#""a\"b\\\n\u0000""#);
        assert_eq!(text("é\u{1f600}".as_bytes()), "\"é\u{1f600}\"");
        assert_eq!(text("\u{7f}\u{202e}x".as_bytes()), r#""\u007f\u202ex""#);
        assert_eq!(text(b"\xff"), r#"{"base64": "/w=="}"#);
    }
}
