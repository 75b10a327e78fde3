//! Attribute values: comparison, and text for messages.

use netcdf_core::model::{Attribute, Values};

/// Returns whether two attributes have the same values; NaN equals NaN.
pub(super) fn is_same(a: &Attribute, b: &Attribute) -> bool {
    a.values == b.values || format!("{:?}", a.values) == format!("{:?}", b.values)
}

/// Returns whether both attributes are missing or have the same values.
pub(super) fn are_same(pair: [Option<&Attribute>; 2]) -> bool {
    match pair {
        [Some(a), Some(b)] => is_same(a, b),
        [None, None] => true,
        [Some(_), None] | [None, Some(_)] => false,
    }
}

/// Returns whether two attributes have the same text, as characters or as a string.
pub(super) fn is_same_text(a: &Attribute, b: &Attribute) -> bool {
    match (&a.values, &b.values) {
        (Values::Char(text), Values::String(list)) | (Values::String(list), Values::Char(text)) => {
            list.as_slice() == [Some(text.as_slice().into())]
        }
        _ => false,
    }
}

/// Returns the value of an attribute without quotes.
pub(super) fn plain_text(attribute: &Attribute) -> String {
    match &attribute.values {
        Values::Char(text) => String::from_utf8_lossy(text)
            .trim_end_matches('\0')
            .to_owned(),
        Values::String(list) => {
            let texts = list
                .iter()
                .flatten()
                .map(|text| String::from_utf8_lossy(text));
            texts.collect::<Vec<_>>().join(",")
        }
        _ => value_text(Some(attribute)),
    }
}

/// Returns the value of an attribute for messages.
pub(super) fn value_text(attribute: Option<&Attribute>) -> String {
    match attribute.map(|a| &a.values) {
        None => "missing".to_owned(),
        Some(values) => inner_text(values),
    }
}

/// Returns values for messages.
pub(super) fn inner_text(values: &Values) -> String {
    if let Values::Char(text) = values {
        return format!("\"{}\"", String::from_utf8_lossy(text));
    }
    let text = format!("{values:?}");
    let inner = text
        .split_once('[')
        .and_then(|(_, rest)| rest.rsplit_once(']'));
    inner.map_or_else(|| text.clone(), |(inner, _)| inner.to_owned())
}
