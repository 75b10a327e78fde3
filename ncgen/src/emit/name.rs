//! Identifiers, derived from object names.

use std::collections::HashSet;

use netcdf_core::model::{GroupId, Schema};

/// Replacements for characters that identifiers cannot have.
const WORDS: &[(u8, &str)] = &[
    (b' ', "SPACE"),
    (b'!', "EXCLAMATION"),
    (b'"', "QUOTATION"),
    (b'#', "HASH"),
    (b'$', "DOLLAR"),
    (b'%', "PERCENT"),
    (b'&', "AMPERSAND"),
    (b'\'', "APOSTROPHE"),
    (b'(', "LEFTPAREN"),
    (b')', "RIGHTPAREN"),
    (b'*', "ASTERISK"),
    (b'+', "PLUS"),
    (b',', "COMMA"),
    (b'-', "MINUS"),
    (b'.', "PERIOD"),
    (b'/', "SLASH"),
    (b':', "COLON"),
    (b';', "SEMICOLON"),
    (b'<', "LESSTHAN"),
    (b'=', "EQUALS"),
    (b'>', "GREATERTHAN"),
    (b'?', "QUESTION"),
    (b'@', "ATSIGN"),
    (b'[', "LEFTBRACKET"),
    (b'\\', "BACKSLASH"),
    (b']', "RIGHTBRACKET"),
    (b'^', "CIRCUMFLEX"),
    (b'`', "BACKQUOTE"),
    (b'{', "LEFTCURLY"),
    (b'|', "VERTICALBAR"),
    (b'}', "RIGHTCURLY"),
    (b'~', "TILDE"),
];

/// Returns the part of an identifier after its beginning.
pub(super) fn rest(name: &[u8]) -> String {
    let mut out = String::with_capacity(name.len());
    for &byte in name {
        match WORDS.iter().find(|(b, _)| *b == byte) {
            Some((_, word)) => out.extend(["_", word, "_"]),
            None if byte.is_ascii_graphic() => out.push(byte.into()),
            None => out.push_str(&format!("_X{byte:02X}")),
        }
    }
    out
}

/// Returns a whole identifier. Like [`rest`], but a leading digit gets a word before it, and a leading underscore is removed.
pub(super) fn whole(name: &[u8]) -> String {
    let name = name.strip_prefix(b"/").unwrap_or(name);
    let digit = |first: u8, tail: &[u8]| format!("DIGIT_{}_{}", char::from(first), rest(tail));
    let text = match name {
        [first @ b'0'..=b'9', tail @ ..] => digit(*first, tail),
        _ => rest(name),
    };
    let text = text.strip_prefix('_').unwrap_or(&text);
    match text.as_bytes() {
        [] => "UNDERSCORE_".to_owned(),
        [first @ b'0'..=b'9', tail @ ..] => digit(*first, tail),
        _ => text.to_owned(),
    }
}

/// Appends a path component without path separators.
pub(super) fn part(name: &[u8], out: &mut Vec<u8>) {
    for &byte in name {
        match byte {
            b'/' => out.extend_from_slice(b"_SLASH_"),
            b'.' => out.extend_from_slice(b"_DOT_"),
            _ => out.push(byte),
        }
    }
}

/// Returns the path of a group: `/g/h`, and an empty path for the root.
pub(super) fn group_path(schema: &Schema, id: GroupId) -> Vec<u8> {
    let mut names = vec![];
    let mut at = schema.group(id);
    while let Some(group) = at {
        let Some(parent) = group.parent else { break };
        names.push(&group.name);
        at = schema.group(parent);
    }
    let mut path = vec![];
    for name in names.into_iter().rev() {
        path.push(b'/');
        part(name.as_bytes(), &mut path);
    }
    path
}

/// Returns unique names that do not occur in `taken`.
pub(super) fn unique<N: AsRef<[u8]>>(
    names: impl Iterator<Item = N>,
    taken: &mut HashSet<String>,
) -> Vec<String> {
    let claim = |name: N| claim(whole(name.as_ref()), taken);
    names.map(claim).collect()
}

/// Returns the name, or the first of `name_2`, `name_3` … that is not in `taken`. Names in the headers of C begin with `nc_` and `NC_`.
pub(super) fn claim(name: String, taken: &mut HashSet<String>) -> String {
    let mut number = 1u32;
    let mut own = name.clone();
    while !taken.insert(own.clone()) {
        number = number.saturating_add(1);
        own = format!("{name}_{number}");
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_the_c_tool_makes_them() {
        for (name, expected) in [
            ("a-b", "a_MINUS_b"),
            ("/g/v", "g_SLASH_v"),
            ("4LFTX", "DIGIT_4_LFTX"),
            ("_x", "x"),
            ("__x", "_x"),
            ("é", "XC3_XA9"),
            ("a.b c", "a_PERIOD_b_SPACE_c"),
        ] {
            assert_eq!(whole(name.as_bytes()), expected);
        }
    }

    #[test]
    fn always_identifiers() {
        assert_eq!(whole(b"_1x"), "DIGIT_1_x");
        assert_eq!(whole(b"_"), "UNDERSCORE_");
        assert_eq!(whole(b""), "UNDERSCORE_");
        assert_eq!(whole(b"a\x01"), "a_X01");
    }
}
