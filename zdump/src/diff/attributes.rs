//! Compares attributes by value.

use std::collections::BTreeMap;

use netcdf_core::error::Result;
use netcdf_core::json::Json;
use netcdf_core::model::strings::{ENCODING, is_utf8};

use super::meta::same_mask;
use super::report::{DiffReport, StoreDifference};
use crate::array::OpenArray;
use crate::array::values::{self, same_numbers};
use netcdf_core::format::zarr::survey::Node;

/// Two nodes as arrays, if they are arrays.
type MetadataPair<'a> = Option<(&'a OpenArray<'a>, &'a OpenArray<'a>)>;

/// Compares the attributes of two nodes by name.
///
/// # Errors
/// Returns write errors.
pub(super) fn compare(
    path: &str,
    (one, other): (Option<&Node>, Option<&Node>),
    arrays: MetadataPair<'_>,
    report: &mut DiffReport<'_>,
) -> Result<()> {
    let (a, b) = (all(one), all(other));
    let mut names: Vec<&str> = a.keys().chain(b.keys()).copied().collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let (x, y) = (a.get(name).copied(), b.get(name).copied());
        if x.zip(y).is_some_and(|(x, y)| same(x, y)) {
            continue;
        }
        let filled = arrays.filter(|_| name == "_FillValue");
        let (x, y, layout) = match (filled, one.zip(other)) {
            (Some((a, b)), Some(nodes)) => {
                if x.zip(y).is_some_and(|(x, y)| same_fill((a, x), (b, y))) {
                    continue;
                }
                let layout = same_mask((nodes.0, a), (nodes.1, b));
                (x.map(|x| value(a, x)), y.map(|y| value(b, y)), layout)
            }
            _ => {
                let layout =
                    is_own(name) || says_text(name, x.or(y).filter(|_| x.is_none() || y.is_none()));
                (x.cloned(), y.cloned(), layout)
            }
        };
        let difference = StoreDifference::new("attribute", x, y);
        report.tell(path, difference.named(name).of_layout(layout))?;
    }
    Ok(())
}

/// Returns the attributes of a node.
fn all(node: Option<&Node>) -> BTreeMap<&str, &Json> {
    members(node.and_then(Node::attributes))
}

/// Returns the members of an object by name. The last duplicate wins.
fn members(object: Option<&Json>) -> BTreeMap<&str, &Json> {
    let members = object.map(Json::members).unwrap_or_default().iter();
    members
        .map(|(name, value)| (name.as_str(), value))
        .collect()
}

/// Checks whether an attribute is internal metadata of netCDF or xarray.
fn is_own(name: &str) -> bool {
    name == "_ARRAY_DIMENSIONS"
        || name == "_NCProperties"
        || name.starts_with("_nczarr_")
        || name.starts_with("_NCZARR_")
}

/// Checks whether an attribute only declares that bytes are UTF-8. Strings in other layouts are always UTF-8, so only one of two stores may
/// have the attribute.
fn says_text(name: &str, value: Option<&Json>) -> bool {
    name == ENCODING && matches!(value, Some(Json::Text(text)) if is_utf8(text))
}

/// Checks whether two values are the same: numbers by value, members in any order. Numbers that JSON cannot represent may be texts.
pub(super) fn same(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Number(x), Json::Number(y)) => x == y || same_or_nan(x, y),
        (Json::Number(x), Json::Text(t)) | (Json::Text(t), Json::Number(x)) => {
            let special = matches!(t.as_slice(), b"NaN" | b"Infinity" | b"-Infinity");
            special && std::str::from_utf8(t).is_ok_and(|t| same_or_nan(x, t))
        }
        (Json::Array(x), Json::Array(y)) => {
            x.len() == y.len() && x.iter().zip(y).all(|(x, y)| same(x, y))
        }
        (Json::Object(_), Json::Object(_)) => {
            // Each pair is compared once, at any nesting depth.
            let (x, y) = (members(Some(a)), members(Some(b)));
            let mut pairs = x.iter().zip(&y);
            x.len() == y.len() && pairs.all(|((k, x), (l, y))| k == l && same(x, y))
        }
        (a, b) => a == b,
    }
}

fn same_or_nan(x: &str, y: &str) -> bool {
    let nan = |text: &str| text.parse::<f64>().is_ok_and(f64::is_nan);
    same_numbers(x, y) || (nan(x) && nan(y))
}

/// Checks whether two fill values are the same in any notation.
fn same_fill((a, x): (&OpenArray<'_>, &Json), (b, y): (&OpenArray<'_>, &Json)) -> bool {
    let pair = a.fill_of(x).zip(b.fill_of(y));
    pair.is_some_and(|(x, y)| values::same(&x, 0, &y, 0))
}

/// Returns a fill value as a plain constant, if it has another form.
fn value(opened: &OpenArray<'_>, json: &Json) -> Json {
    let constant = || {
        let value = opened.fill_of(json)?;
        opened.plain_text(&value)
    };
    match json {
        Json::Text(_) if opened.is_numeric() => {
            constant().map_or_else(|| json.clone(), Json::Number)
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn equal(a: &str, b: &str) -> bool {
        let (a, b) = (Json::parse(a.as_bytes()), Json::parse(b.as_bytes()));
        same(&a.unwrap(), &b.unwrap())
    }

    #[test]
    fn values_not_spellings() {
        for (a, b) in [
            ("1", "1.0"),
            ("[1.,2]", "[1, 2.0]"),
            ("NaN", "\"NaN\""),
            ("-9.0", "-9"),
            (r#"{"a":1,"b":[2]}"#, r#"{"b":[2],"a":1.0}"#),
        ] {
            assert!(equal(a, b) && equal(b, a), "{a} {b}");
        }
        for (a, b) in [
            ("1", "\"1\""),
            ("1", "[1]"),
            ("9007199254740993", "9007199254740992"),
            (r#"{"a":1}"#, r#"{"a":1,"b":2}"#),
            ("true", "1"),
        ] {
            assert!(!equal(a, b) && !equal(b, a), "{a} {b}");
        }
    }

    #[test]
    fn nested_objects_are_compared_in_linear_time() {
        let nested = |inner: &str| format!("{}{inner}{}", r#"{"a":"#.repeat(60), "}".repeat(60));
        assert!(equal(&nested("1"), &nested("1.0")));
        assert!(!equal(&nested("1"), &nested("2")));
        assert!(
            equal(r#"{"a":1,"a":2}"#, r#"{"a":3,"a":2}"#),
            "the last one counts"
        );
    }
}
