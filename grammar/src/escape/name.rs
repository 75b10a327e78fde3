//! Names in CDL.
//!
//! A backslash makes the next character ordinary, and `\%xx` stands for a byte without another notation. Names that netCDF-C can create
//! have the form of its `ncdump`. All other names in files get a form that can be read back, unlike the form of the C tool.

use super::hex_pair;
use netcdf_core::shown::is_control;

/// Returns whether CDL reserves a word at every position of a name, so that a name needs a backslash.
#[must_use]
pub fn is_keyword(word: &[u8]) -> bool {
    matches!(
        word,
        b"char"
            | b"byte"
            | b"short"
            | b"int"
            | b"float"
            | b"double"
            | b"real"
            | b"long"
            | b"integer"
            | b"compound"
            | b"struct"
            | b"structure"
            | b"enum"
            | b"opaque"
            | b"unlimited"
            | b"UNLIMITED"
            | b"NIL"
            | b"nil"
            | b"Nil"
            | b"_"
            | b"NaN"
            | b"nan"
            | b"NaNf"
            | b"nanf"
            | b"Infinity"
            | b"Infinityf"
            | b"Inff"
            | b"DoubleInf"
            | b"FloatInf"
    )
}

/// Appends `name` to `out` with escapes.
///
/// The result is UTF-8 for any `name`. An empty name stays empty, and cannot be read back.
pub fn escape_name(name: &[u8], out: &mut Vec<u8>) {
    if is_keyword(name) {
        out.push(b'\\');
    }
    if is_plain(name) {
        out.extend_from_slice(name);
        return;
    }
    let mut first = true;
    for chunk in name.utf8_chunks() {
        for character in chunk.valid().chars() {
            let mut bytes = [0; 4];
            let bytes = character.encode_utf8(&mut bytes).bytes();
            match character.is_ascii() || !is_control(character) {
                true => bytes.for_each(|byte| escape_byte(byte, first, out)),
                false => bytes.for_each(|byte| push_hex(byte, out)),
            }
            first = false;
        }
        for byte in chunk.invalid() {
            push_hex(*byte, out);
            first = false;
        }
    }
}

/// Checks that no byte of the name needs an escape: the most frequent case.
fn is_plain(name: &[u8]) -> bool {
    let starts_well = name.first().is_some_and(|byte| !byte.is_ascii_digit());
    starts_well
        && name
            .iter()
            .all(|&byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Appends one byte of valid UTF-8.
fn escape_byte(byte: u8, first: bool, out: &mut Vec<u8>) {
    match byte {
        0..=31 | 127 => return push_hex(byte, out),
        b' ' | b'!' | b'"' | b'#' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b',' | b':'
        | b';' | b'<' | b'=' | b'>' | b'?' | b'[' | b'\\' | b']' | b'^' | b'`' | b'{' | b'|'
        | b'}' | b'~' => out.push(b'\\'),
        // A plain `/` would separate groups; valid names do not contain it.
        b'/' => out.push(b'\\'),
        // Legal in a name, but not as its first character. C only escapes digits here. `%` stays plain: a backslash could make it `\%xx`.
        b'0'..=b'9' | b'+' | b'-' | b'.' | b'@' if first => out.push(b'\\'),
        _ => {}
    }
    out.push(byte);
}

/// Appends `\%xx`.
fn push_hex(byte: u8, out: &mut Vec<u8>) {
    let digits = [byte >> 4, byte & 15].map(|digit| char::from_digit(u32::from(digit), 16));
    out.extend_from_slice(b"\\%");
    out.extend(digits.into_iter().flatten().map(|digit| digit as u8));
}

/// Returns whether [`escape_name`] writes this byte as `\%xx`.
const fn needs_hex(byte: u8) -> bool {
    byte < b' ' || byte >= 127
}

/// Appends the name written as `text` to `out`: the inverse of [`escape_name`].
///
/// A backslash before any other character is dropped; at the end of the text it stays. `\%` before digits of a printable character is a
/// plain `%`, so `50\%41` is the name `50%41`.
pub fn unescape_name(text: &[u8], out: &mut Vec<u8>) {
    let mut rest = text;
    loop {
        rest = match rest {
            [] => return,
            [b'\\', b'%', high, low, after @ ..]
                if hex_pair([*high, *low]).is_some_and(needs_hex) =>
            {
                out.extend(hex_pair([*high, *low]));
                after
            }
            [b'\\', byte, after @ ..] | [byte, after @ ..] => {
                out.push(*byte);
                after
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn escaped(name: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        escape_name(name, &mut out);
        out
    }

    fn unescaped(text: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        unescape_name(text, &mut out);
        out
    }

    #[test]
    fn as_c_prints_names() {
        for (name, expected) in [
            ("plain_Name.1@x+y-z", "plain_Name.1@x+y-z"),
            ("1st", "\\1st"),
            ("a b", "a\\ b"),
            ("a%b", "a%b"),
            ("x1", "x1"),
            ("größe", "größe"),
            ("µ温度👩\u{200d}🔬", "µ温度👩\u{200d}🔬"),
            ("a\tb\u{7f}", "a\\%09b\\%7f"),
            (
                "a!\"#$&'()*,:;<=>?[]\\^`{|}~",
                "a\\!\\\"\\#\\$\\&\\'\\(\\)\\*\\,\\:\\;\\<\\=\\>\\?\\[\\]\\\\\\^\\`\\{\\|\\}\\~",
            ),
        ] {
            assert_eq!(escaped(name.as_bytes()), expected.as_bytes());
            assert_eq!(unescaped(expected.as_bytes()), name.as_bytes());
        }
    }

    #[test]
    fn names_that_c_cannot_read_back() {
        let table: [(&[u8], &[u8]); 10] = [
            (b" lead", b"\\ lead"),
            (b"\x01lead", b"\\%01lead"),
            (b"a/b", b"a\\/b"),
            (b"-a-", b"\\-a-"),
            (b"%a0%", b"%a0%"),
            (b"nul\0", b"nul\\%00"),
            (b"caf\xe9 1", b"caf\\%e9\\ 1"),
            (b"\xc3", b"\\%c3"),
            ("\u{9b}m".as_bytes(), b"\\%c2\\%9bm"),
            ("a\u{202e}".as_bytes(), b"a\\%e2\\%80\\%ae"),
        ];
        for (name, expected) in table {
            assert_eq!(escaped(name), expected);
            assert_eq!(unescaped(expected), name);
        }
    }

    #[test]
    fn keywords_are_names_with_a_backslash() {
        for word in ["int", "NaN", "_", "UNLIMITED"] {
            assert_eq!(escaped(word.as_bytes()), format!("\\{word}").as_bytes());
            assert_eq!(unescaped(&escaped(word.as_bytes())), word.as_bytes());
        }
        assert_eq!(escaped(b"integers"), b"integers");
    }

    #[test]
    fn other_ways_to_write_a_name() {
        assert_eq!(unescaped(b"50\\%41"), b"50%41");
        assert_eq!(unescaped(b"a\\%0"), b"a%0");
        assert_eq!(unescaped(b"a\\%1F"), b"a\x1f");
        assert_eq!(unescaped(b"w\\+z"), b"w+z");
        assert_eq!(unescaped(b"end\\"), b"end\\");
        assert_eq!(unescaped(b"\\?\\n\\x41\\101"), b"?nx41101");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5_000))]
        #[test]
        fn there_and_back(name in proptest::collection::vec(any::<u8>(), 0..20)) {
            let text = escaped(&name);
            prop_assert!(std::str::from_utf8(&text).is_ok());
            prop_assert_eq!(unescaped(&text), name);
        }

        #[test]
        fn there_and_back_with_percents(name in "[%/\\\\0-9a-f\u{1}é ]{0,12}") {
            prop_assert_eq!(unescaped(&escaped(name.as_bytes())), name.as_bytes());
        }
    }
}
