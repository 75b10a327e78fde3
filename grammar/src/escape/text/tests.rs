use super::*;
use proptest::prelude::*;

fn escaped(text: &[u8], style: TextStyle) -> Vec<u8> {
    let mut out = Vec::new();
    escape_text(text, style, &mut out);
    out
}

fn unescaped(text: &[u8]) -> Result<Vec<u8>, EscapeError> {
    let mut out = Vec::new();
    unescape_text(text, &mut out).map(|()| out)
}

#[test]
fn as_c_prints_texts() {
    let text = b"a'\"\\\x08\x0c\r\t\x0b\x01\x7f\xc3\xa9~";
    let common = b"a\\'\\\"\\\\\\b\\f\\r\\t\\v\\001\\177";
    let raw = [&common[..], b"\xc3\xa9~"].concat();
    let octal = [&common[..], b"\\303\\251~"].concat();
    assert_eq!(escaped(text, TextStyle::CHAR_DATA), octal);
    assert_eq!(escaped(text, TextStyle::CHAR_MEMBER), octal);
    assert_eq!(escaped(text, TextStyle::CLASSIC_ATTRIBUTE), raw);
    assert_eq!(escaped(text, TextStyle::STRING), raw);
}

#[test]
fn newlines_begin_another_constant() {
    assert_eq!(
        escaped(b"wor\nld", TextStyle::CHAR_DATA),
        b"wor\\n\",\n    \"ld"
    );
    assert_eq!(
        escaped(b"a\n", TextStyle::CLASSIC_ATTRIBUTE),
        b"a\\n\",\n\t\t\t\""
    );
    assert_eq!(escaped(b"a\nb", TextStyle::STRING), b"a\\nb");
}

#[test]
fn nuls_at_the_end() {
    assert_eq!(trim_nuls(b"a\0b\0\0"), b"a\0b");
    assert_eq!(trim_nuls(b"\0\0"), b"");
    assert_eq!(trim_nuls(b""), b"");
}

#[test]
fn reads_all_escapes() {
    let text = b"\\a\\b\\f\\n\\r\\t\\v\\\\\\?\\'\\\"\\101\\377\\x41\\xfF\\q\\X41\\777";
    let expected = b"\x07\x08\x0c\n\r\t\x0b\\\x7f'\"A\xffA\xffqX41\xff";
    assert_eq!(unescaped(text).unwrap(), expected);
    assert_eq!(unescaped(b"plain").unwrap(), b"plain");
    assert_eq!(unescaped(b"a\\1012z").unwrap(), b"aA2z");
}

#[test]
fn broken_escapes() {
    for (text, offset, kind) in [
        ("ab\\0", 2, EscapeErrorKind::Octal),
        ("\\18z", 0, EscapeErrorKind::Octal),
        ("\\n\\x4", 2, EscapeErrorKind::Hexadecimal),
        ("\\xg1", 0, EscapeErrorKind::Hexadecimal),
        ("abc\\", 3, EscapeErrorKind::Unfinished),
    ] {
        assert_eq!(
            unescaped(text.as_bytes()),
            Err(EscapeError { offset, kind }),
            "{text}"
        );
    }
    assert!(
        unescaped(b"\\x")
            .unwrap_err()
            .to_string()
            .contains("hexadecimal")
    );
}

/// A text, and the constant at its start.
type Case<T> = (&'static [u8], Option<(T, usize)>);

#[test]
fn string_constants() {
    let table: [Case<&[u8]>; 7] = [
        (b"\"\", 1", Some((b"", 2))),
        (b"\"a\\\"b\\\\\";", Some((b"a\\\"b\\\\", 8))),
        (b"\"a\nb\"", Some((b"a\nb", 5))),
        (b"\"open", None),
        (b"\"open\\\"", None),
        (b"\"open\\", None),
        (b"a\"b\"", None),
    ];
    for (text, expected) in table {
        assert_eq!(string_constant(text), expected);
    }
}

#[test]
fn char_constants() {
    let table: [Case<u8>; 14] = [
        (b"'a', 'b'", Some((b'a', 3))),
        (b"'\\n'", Some((b'\n', 4))),
        (b"'\\0'", Some((0, 4))),
        (b"'\\177'", Some((0o177, 6))),
        (b"'\\x7f'", Some((0x7f, 6))),
        (b"'\\XE9'", Some((0xe9, 6))),
        (b"'\\''", Some((b'\'', 4))),
        (b"'\\?'", Some((0x7f, 4))),
        (b"'''", Some((b'\'', 3))),
        (b"'\"'", Some((b'"', 3))),
        (b"'\xe9'", Some((0xe9, 3))),
        (b"'ab'", None),
        (b"'\\'", None),
        (b"''", None),
    ];
    for (text, expected) in table {
        assert_eq!(char_constant(text), expected, "{text:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]
    #[test]
    fn there_and_back(text in proptest::collection::vec(any::<u8>(), 0..40)) {
        let styles = [TextStyle::CHAR_DATA, TextStyle::CHAR_MEMBER, TextStyle::CLASSIC_ATTRIBUTE, TextStyle::STRING];
        for style in styles {
            // Consecutive constants are one text.
            let mut list = [b"\"", &escaped(&text, style)[..], b"\""].concat();
            let mut found = Vec::new();
            while let Some((inner, len)) = string_constant(&list) {
                unescape_text(inner, &mut found).unwrap();
                list.drain(..len);
                let blank = list.iter().take_while(|byte| **byte != b'"').count();
                list.drain(..blank);
            }
            prop_assert_eq!(&found, &text);
        }
    }

    #[test]
    fn never_fails_on_bytes(text in proptest::collection::vec(any::<u8>(), 0..20)) {
        let mut out = Vec::new();
        if let Err(error) = unescape_text(&text, &mut out) {
            prop_assert_eq!(text[error.offset], b'\\');
        }
        if let Some((_, len)) = string_constant(&text) {
            prop_assert!(len <= text.len());
        }
        prop_assert!(char_constant(&text).is_none_or(|(_, len)| len <= text.len()));
    }
}
