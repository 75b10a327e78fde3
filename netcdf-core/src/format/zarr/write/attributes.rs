//! Attributes as JSON (NCZarr document, appendix C).

use std::borrow::Cow;

use super::super::attrs;
use super::numbers::{self, Style};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Json;
use crate::model::{Atomic, Attribute, Kind, Values};

/// The form of stored attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AttributeForm {
    /// Whether types are recorded.
    pub recorded: bool,
    /// The number style.
    pub style: Style,
    /// Whether texts that look like JSON were JSON in the source.
    pub json_texts: bool,
}

/// An attribute in stored form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredAttribute {
    /// The value.
    pub json: Json,
    /// The type of the values.
    pub ty: Atomic,
    /// Whether the text changed because it is not UTF-8.
    pub changed: bool,
    /// Whether NIL strings became empty strings.
    pub nil: bool,
}

/// Encodes an attribute.
///
/// # Errors
/// Returns [`ErrorKind::BadType`] for user-defined types.
pub(crate) fn store(attribute: &Attribute, form: AttributeForm) -> Result<StoredAttribute> {
    let values = &attribute.values;
    let Some(ty) = values.data_type() else {
        let what = format!("attribute {} of a user-defined type", attribute.name);
        return Err(Error::new(ErrorKind::BadType, what));
    };
    let (json, changed) = match values {
        Values::Char(bytes) => text(bytes, form),
        Values::String(_) if form.json_texts && !form.recorded && *values == attrs::null() => {
            (Json::Null, false)
        }
        Values::String(strings) => {
            let made = strings.iter().map(|s| utf8(s.as_deref().unwrap_or(b"")));
            let (items, changed): (Vec<_>, Vec<_>) = made
                .map(|(s, changed)| (Json::Text(s.into_owned()), changed))
                .unzip();
            (single(items), changed.contains(&true))
        }
        Values::Byte(_)
        | Values::Short(_)
        | Values::Int(_)
        | Values::Float(_)
        | Values::Double(_)
        | Values::UByte(_)
        | Values::UShort(_)
        | Values::UInt(_)
        | Values::Int64(_)
        | Values::UInt64(_)
        | Values::Enum(..)
        | Values::Opaque { .. }
        | Values::Vlen(..)
        | Values::Compound { .. } => {
            let items = numbers::list(values, form.style);
            (single(items.unwrap_or_default()), false)
        }
    };
    let nil = matches!(values, Values::String(strings) if strings.iter().any(Option::is_none));
    Ok(StoredAttribute {
        json,
        ty,
        changed,
        nil,
    })
}

/// Checks whether attribute `a`, stored in a dataset of this kind, may read back as `b`; false if the kind is not Zarr. Attributes may
/// match in two ways. First, both have the same JSON and, if types are recorded, the same type. Second, types are not recorded, and `b` is
/// the text of a list that is not a list of values, or of a number that JSON cannot represent.
#[must_use]
pub(crate) fn reads_back(a: &Attribute, b: &Attribute, kind: Kind) -> bool {
    let Some(zarr) = kind.as_zarr() else {
        return false;
    };
    let form = AttributeForm {
        recorded: !zarr.pure,
        style: Style::of(zarr),
        json_texts: false,
    };
    let Ok(stored) = store(a, form) else {
        return false;
    };
    let alike = store(b, form).is_ok_and(|b| b.json == stored.json);
    let text = || zarr.pure && attrs::values(&stored.json, None).0 == b.values;
    alike && (zarr.pure || a.ty == b.ty) || text()
}

/// Returns a single value directly, and any other number of values as a list.
fn single(mut items: Vec<Json>) -> Json {
    match items.pop() {
        Some(only) if items.is_empty() => only,
        Some(last) => {
            items.push(last);
            Json::Array(items)
        }
        None => Json::Array(items),
    }
}

/// Stores a text that is itself JSON as JSON, if readers restore the same text: objects, nested lists, and some lists of single values. Any
/// other text becomes a JSON string. The second result is whether the text was not UTF-8.
fn text(bytes: &[u8], form: AttributeForm) -> (Json, bool) {
    if matches!(bytes.first(), Some(b'[' | b'{'))
        && let Ok(json) = Json::parse(bytes)
        && is_strict(&json)
        && stays_text(&json, bytes, form)
    {
        return (json, false);
    }
    // netCDF-C writes a single zero byte for an empty text, and allows no zero bytes in texts.
    let (bytes, changed) = utf8(if bytes == [0] { b"" } else { bytes });
    (Json::Text(bytes.into_owned()), changed)
}

/// Checks whether readers recognize that this JSON was a text. If types are not recorded, netCDF-C reads a list of single values as values.
/// A text that was created from a list that reads back as text becomes the list again.
fn stays_text(json: &Json, bytes: &[u8], form: AttributeForm) -> bool {
    let nested = |item: &Json| matches!(item, Json::Array(_) | Json::Object(_));
    match json {
        Json::Object(_) => return true,
        Json::Array(items) if items.iter().any(nested) => return true,
        Json::Array(_) if json.to_bytes() == bytes => {}
        Json::Array(_) | Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) => {
            return false;
        }
    }
    if form.json_texts && !form.recorded {
        return matches!(attrs::values(json, None).0, Values::Char(text) if text == bytes);
    }
    let first = json.items().and_then(<[Json]>::first);
    form.recorded || first == Some(&Json::Null)
}

/// Checks whether JSON is valid for strict readers and has no duplicate members.
fn is_strict(json: &Json) -> bool {
    match json {
        Json::Null | Json::Bool(_) => true,
        Json::Number(text) => is_strict_number(text),
        Json::Text(text) => std::str::from_utf8(text).is_ok(),
        Json::Array(items) => items.iter().all(is_strict),
        Json::Object(members) => {
            let mut names: Vec<_> = members.iter().map(|(name, _)| name).collect();
            names.sort_unstable();
            names.dedup();
            names.len() == members.len() && members.iter().all(|(_, value)| is_strict(value))
        }
    }
}

/// Checks whether a number conforms to RFC 8259, section 6.
fn is_strict_number(text: &str) -> bool {
    let digits = |t: &str| !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit());
    let text = text.strip_prefix('-').unwrap_or(text);
    let (rest, power) = match text.split_once(['e', 'E']) {
        Some((rest, power)) => (rest, Some(power)),
        None => (text, None),
    };
    let (whole, fraction) = match rest.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (rest, None),
    };
    let power = power.map(|p| p.strip_prefix(['+', '-']).unwrap_or(p));
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && power.is_none_or(digits)
}

/// Returns the text as UTF-8, and whether the text was converted. Invalid bytes are interpreted as Latin-1.
#[must_use]
pub(crate) fn utf8(bytes: &[u8]) -> (Cow<'_, [u8]>, bool) {
    if std::str::from_utf8(bytes).is_ok() {
        return (Cow::Borrowed(bytes), false);
    }
    let mut made = Vec::with_capacity(bytes.len() * 2);
    for chunk in bytes.utf8_chunks() {
        made.extend_from_slice(chunk.valid().as_bytes());
        for &byte in chunk.invalid() {
            made.extend_from_slice(char::from(byte).encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    (Cow::Owned(made), true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Name;

    const NCZARR: AttributeForm = AttributeForm {
        recorded: true,
        style: Style::Recorded,
        json_texts: false,
    };
    const PURE: AttributeForm = AttributeForm {
        recorded: false,
        style: Style::Inferred,
        json_texts: false,
    };

    fn made(values: Values, form: AttributeForm) -> (String, Atomic, bool) {
        let a = Attribute::atomic(Name::stored(b"a"), values).unwrap();
        let stored = store(&a, form).unwrap();
        let json = String::from_utf8(stored.json.to_bytes()).unwrap();
        (json, stored.ty, stored.changed)
    }

    fn text(text: &str, form: AttributeForm) -> String {
        made(Values::Char(text.as_bytes().to_vec()), form).0
    }

    #[test]
    fn one_value_stands_alone() {
        let one = made(Values::Short(vec![1]), NCZARR);
        assert_eq!(one, ("1".into(), Atomic::Short, false));
        let two = made(Values::Double(vec![1.0, f64::NAN]), PURE);
        assert_eq!(two, ("[1.0,\"NaN\"]".into(), Atomic::Double, false));
        let none = made(Values::UByte(vec![]), NCZARR);
        assert_eq!(none, ("[]".into(), Atomic::UByte, false));
        let strings = Values::String(vec![Some(b"a"[..].into()), None]);
        let strings = made(strings, NCZARR);
        assert_eq!(strings, (r#"["a",""]"#.into(), Atomic::String, false));
    }

    #[test]
    fn lists_that_came_from_json_go_back_to_it() {
        let from_json = AttributeForm {
            json_texts: true,
            ..PURE
        };
        for text in [
            r#"["a","b"]"#,
            r#"["a"]"#,
            "[]",
            r#"[1,"a",null]"#,
            r#"{"a": [1]}"#,
        ] {
            let values = Values::Char(text.as_bytes().to_vec());
            let (json, _, _) = made(values, from_json);
            assert_eq!(json, text);
        }
        // This reader also interprets the JSON as lists of values.
        assert_eq!(
            made(Values::Char(b"[1,2]".to_vec()), from_json).0,
            r#""[1,2]""#
        );
        assert_eq!(
            made(Values::Char(br#"["a"]"#.to_vec()), PURE).0,
            r#""[\"a\"]""#
        );
    }

    #[test]
    fn attributes_that_are_stored_alike() {
        let a = |values| Attribute::atomic(Name::stored(b"a"), values).unwrap();
        let (float, double) = (
            a(Values::Float(vec![0.1])),
            a(Values::Double(vec![0.1_f32.into()])),
        );
        assert!(reads_back(&float, &double, Kind::PURE_ZARR));
        assert!(!reads_back(&float, &double, Kind::NCZARR));
        let other = a(Values::Double(vec![0.2]));
        assert!(!reads_back(&float, &other, Kind::PURE_ZARR));
        let (zero, none) = (a(Values::Char(vec![0])), a(Values::Char(vec![])));
        assert!(reads_back(&zero, &none, Kind::NCZARR));
        assert!(!reads_back(&zero, &none, Kind::NETCDF4));
    }

    #[test]
    fn text_that_is_json_stays_what_it_is() {
        for same in [r#"{"a": [1,2.50]}"#, "[1,2]", "[]", r#"[[1],{"b": null}]"#] {
            assert_eq!(text(same, NCZARR), same);
        }
        for (other, same) in [
            (r#"{"a":1}"#, r#"{"a": 1}"#),
            (r#"{ "a" : [ 1, 2.50 ] }"#, r#"{"a": [1,2.50]}"#),
            ("[[1], [2, 3]]", "[[1],[2,3]]"),
            ("[1, [2]]", "[1,[2]]"),
            (r#"["a", {"b":null}]"#, r#"["a",{"b": null}]"#),
        ] {
            assert_eq!(text(other, NCZARR), same);
            assert_eq!(text(other, PURE), same);
        }
        assert_eq!(text("\0", NCZARR), "\"\"");
        assert_eq!(text("[1,2]", PURE), r#""[1,2]""#);
        assert_eq!(text("[[1]]", PURE), "[[1]]");
    }

    #[test]
    fn other_text_is_a_text() {
        for other in [
            "[1, 2]",
            "[01]",
            "[NaN]",
            "[0.]",
            "12",
            "true",
            "NaN",
            "",
            "[",
            "{a}",
            "null",
            "{\"a\": 1, \"a\": 2}",
        ] {
            let quoted = Json::text(other).to_bytes();
            assert_eq!(text(other, NCZARR).as_bytes(), quoted);
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_latin_1() {
        let (json, _, changed) = made(Values::Char(b"K\xe4se \xc3\xa4".to_vec()), NCZARR);
        assert_eq!((json.as_str(), changed), ("\"K\u{e4}se \u{e4}\"", true));
    }
}
