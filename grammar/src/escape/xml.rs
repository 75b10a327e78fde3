//! Text in NcML.

use netcdf_core::shown::is_control;

/// Appends `text` to `out` as the value of an XML attribute, without quotes. Returns whether it was escaped as in CDL.
///
/// XML 1.0 cannot express most control characters, nor invalid UTF-8. A text with these bytes is written with `\ooo` for each of the
/// bytes, and `\\` for each backslash. All other text is ordinary XML; characters that control a terminal or the text direction are
/// written as references.
pub fn xml_text(text: &[u8], out: &mut Vec<u8>) -> bool {
    let chunks = || text.utf8_chunks();
    let escaped = chunks().any(|c| !c.invalid().is_empty() || !c.valid().chars().all(is_xml));
    for chunk in chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\\' if escaped => out.extend(b"\\\\"),
                c if is_xml(c) => character(c, out),
                c => octal(c.encode_utf8(&mut [0; 4]).as_bytes(), out),
            }
        }
        octal(chunk.invalid(), out);
    }
    escaped
}

/// Returns whether XML 1.0 allows a character, at least as a reference.
fn is_xml(c: char) -> bool {
    match c {
        '\t' | '\n' | '\r' => true,
        '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => false,
        _ => true,
    }
}

fn character(c: char, out: &mut Vec<u8>) {
    match c {
        '"' => out.extend(b"&quot;"),
        '<' => out.extend(b"&lt;"),
        '>' => out.extend(b"&gt;"),
        '&' => out.extend(b"&amp;"),
        '\u{7f}' => out.extend(b"&#127;"),
        c if is_control(c) => out.extend(format!("&#x{:X};", u32::from(c)).into_bytes()),
        c => out.extend(c.encode_utf8(&mut [0; 4]).as_bytes()),
    }
}

fn octal(bytes: &[u8], out: &mut Vec<u8>) {
    for byte in bytes {
        out.extend(format!("\\{byte:03o}").into_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn xml(text: &[u8]) -> (String, bool) {
        let mut out = Vec::new();
        let escaped = xml_text(text, &mut out);
        (String::from_utf8(out).unwrap(), escaped)
    }

    #[test]
    fn as_c_prints_texts() {
        let expected = "a&lt;b&gt; &amp; &quot;c'&quot;\\&#xA;&#xD;&#x9;&#127;\u{e9}";
        let (text, escaped) = xml(b"a<b> & \"c'\"\\\n\r\t\x7f\xc3\xa9");
        assert_eq!((text.as_str(), escaped), (expected, false));
    }

    #[test]
    fn text_beyond_xml_is_escaped_as_in_cdl() {
        let (text, escaped) = xml(b"\0\x1b[1m\\\n\xe9\xef\xbf\xbe<");
        assert_eq!(text, "\\000\\033[1m\\\\&#xA;\\351\\357\\277\\276&lt;");
        assert!(escaped);
    }

    #[test]
    fn terminal_controls_are_references() {
        let text = xml("\u{9b}m\u{202e}".as_bytes());
        assert_eq!(text, ("&#x9B;m&#x202E;".to_owned(), false));
    }
}
