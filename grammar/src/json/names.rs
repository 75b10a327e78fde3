//! Names in JSON. As in CDL, a backslash makes the next character ordinary, and `\%xx` is a byte that is not UTF-8. Unlike in CDL, only `\`
//! and `/` need a backslash. Ordinary attributes with the name of a special attribute begin with a backslash.

use netcdf_core::model::Kind;
use netcdf_core::model::special::Special;

use crate::cdl::lower::{atomic, is_reserved, split_path};
use crate::escape::{escape_name, is_keyword, trim_nuls, unescape_name};

/// Returns the JSON name of a dimension, type, variable, group, field or member. Trailing zeros of padded names are dropped.
pub(super) fn written(name: &[u8]) -> String {
    let mut out = String::new();
    for chunk in trim_nuls(name).utf8_chunks() {
        for c in chunk.valid().chars() {
            if matches!(c, '\\' | '/') {
                out.push('\\');
            }
            out.push(c);
        }
        for byte in chunk.invalid() {
            out.push_str(&format!("\\%{byte:02x}"));
        }
    }
    out
}

/// Returns the JSON name of a stored attribute.
pub(super) fn written_attribute(name: &[u8]) -> String {
    match Special::from_name(name) {
        Some(_) => format!("\\{}", written(name)),
        None => written(name),
    }
}

/// Returns the name of a user-defined type in a reference. Atomic types have their names without backslash.
pub(super) fn written_type(name: &[u8]) -> String {
    let text = written(name);
    match atomic(&text) {
        Some(_) => format!("\\{text}"),
        None => text,
    }
}

/// Converts a JSON name to the CDL form in definitions.
pub(super) fn to_cdl(name: &str) -> String {
    let mut bytes = vec![];
    unescape_name(name.as_bytes(), &mut bytes);
    let mut out = vec![];
    let reserved = |text: &str| is_reserved(text, Some(Kind::NETCDF4)) && !is_keyword(&bytes);
    if std::str::from_utf8(&bytes).is_ok_and(reserved) {
        out.push(b'\\');
    }
    escape_name(&bytes, &mut out);
    // Escaped names are UTF-8.
    String::from_utf8_lossy(&out).into_owned()
}

/// Converts a JSON reference, a name or a path, to CDL.
pub(super) fn reference_to_cdl(reference: &str) -> String {
    match split_path(reference) {
        (false, _) => to_cdl(reference),
        (true, parts) => {
            let parts = parts.into_iter().map(|part| format!("/{}", to_cdl(part)));
            parts.collect()
        }
    }
}

/// Converts a type reference to CDL.
pub(super) fn type_to_cdl(reference: &str) -> String {
    match atomic(reference) {
        Some(ty) => ty.name().to_owned(),
        None => reference_to_cdl(reference),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_backslashes() {
        for (name, json, cdl) in [
            (&b"a b"[..], "a b", "a\\ b"),
            (b"a/b\\c", "a\\/b\\\\c", "a\\/b\\\\c"),
            (b"caf\xc3\xa9", "caf\u{e9}", "caf\u{e9}"),
            (b"caf\xe9", "caf\\%e9", "caf\\%e9"),
            (b"int", "int", "\\int"),
            (b"string", "string", "\\string"),
            (b"x\0\0", "x", "x"),
        ] {
            assert_eq!(written(name), json);
            assert_eq!(to_cdl(json), cdl);
        }
    }

    #[test]
    fn references() {
        assert_eq!(reference_to_cdl("/g h/a\\/b"), "/g\\ h/a\\/b");
        assert_eq!(reference_to_cdl("x"), "x");
        assert_eq!(type_to_cdl("int"), "int");
        assert_eq!(type_to_cdl("\\int"), "\\int");
        assert_eq!(written_type(b"int"), "\\int");
        assert_eq!(written_attribute(b"_Storage"), "\\_Storage");
        assert_eq!(written_attribute(b"_Other"), "_Other");
    }
}
