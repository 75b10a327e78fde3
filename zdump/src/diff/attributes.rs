//! Attributes, by value.

use std::collections::BTreeMap;

use netcdf_core::error::Result;
use netcdf_core::format::zarr::base64;
use netcdf_core::json::Json;

use super::report::{Difference, Report};
use netcdf_core::format::zarr::survey::Node;

/// Compares the attributes of two nodes, by their names.
///
/// # Errors
/// Those of writing.
pub(super) fn compare(
    path: &str,
    (a, b): (Option<&Node>, Option<&Node>),
    report: &mut Report<'_>,
) -> Result<()> {
    let (a, b) = (all(a), all(b));
    let mut names: Vec<&str> = a.keys().chain(b.keys()).copied().collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let (x, y) = (a.get(name).copied(), b.get(name).copied());
        let equal = match (x, y) {
            (Some(x), Some(y)) => same(x, y) || (name == "_FillValue" && same_fill(x, y)),
            (Some(_) | None, Some(_) | None) => false,
        };
        if equal {
            continue;
        }
        let difference = Difference::new("attribute", x.cloned(), y.cloned());
        report.tell(path, difference.named(name).of_layout(is_own(name)))?;
    }
    Ok(())
}

/// The attributes of a node; of several with one name the last one.
fn all(node: Option<&Node>) -> BTreeMap<&str, &Json> {
    let attributes = node.and_then(Node::attributes);
    let members = attributes.map(Json::members).unwrap_or_default().iter();
    members
        .map(|(name, value)| (name.as_str(), value))
        .collect()
}

/// Whether an attribute is metadata of netCDF or xarray, not of the data.
fn is_own(name: &str) -> bool {
    name == "_ARRAY_DIMENSIONS"
        || name == "_NCProperties"
        || name.starts_with("_nczarr_")
        || name.starts_with("_NCZARR_")
}

/// Whether two values are the same: numbers as numbers, members in any order. A number that JSON has not may be a text.
pub(super) fn same(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Number(x), Json::Number(y)) => x == y || same_numbers(x, y),
        (Json::Number(x), Json::Text(t)) | (Json::Text(t), Json::Number(x)) => {
            let special = matches!(t.as_slice(), b"NaN" | b"Infinity" | b"-Infinity");
            special && std::str::from_utf8(t).is_ok_and(|t| same_numbers(x, t))
        }
        (Json::Array(x), Json::Array(y)) => {
            x.len() == y.len() && x.iter().zip(y).all(|(x, y)| same(x, y))
        }
        (Json::Object(x), Json::Object(y)) => {
            let in_both = |(key, _): &(String, Json)| match (a.get(key), b.get(key)) {
                (Some(x), Some(y)) => same(x, y),
                (Some(_) | None, Some(_) | None) => false,
            };
            x.iter().all(in_both) && y.iter().all(in_both)
        }
        (a, b) => a == b,
    }
}

fn same_numbers(x: &str, y: &str) -> bool {
    if let (Ok(n), Ok(m)) = (x.parse::<i128>(), y.parse::<i128>()) {
        return n == m;
    }
    let (x, y) = (x.parse::<f64>(), y.parse::<f64>());
    x.is_ok_and(|x| y.is_ok_and(|y| x == y || (x.is_nan() && y.is_nan())))
}

/// Whether one is a number, or a list of it, and the other its bytes in base 64: so xarray writes it in version 3.
fn same_fill(a: &Json, b: &Json) -> bool {
    let number = |json: &Json| match json {
        Json::Number(text) => text.parse::<f64>().ok(),
        Json::Array(items) => match items.as_slice() {
            [Json::Number(text)] => text.parse().ok(),
            _ => None,
        },
        Json::Text(text) => match text.as_slice() {
            b"NaN" => Some(f64::NAN),
            text => {
                let bytes = base64(text)?;
                Some(f64::from_le_bytes(bytes.try_into().ok()?))
            }
        },
        Json::Null | Json::Bool(_) | Json::Object(_) => None,
    };
    let pair = number(a).zip(number(b));
    pair.is_some_and(|(x, y)| x == y || (x.is_nan() && y.is_nan()))
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
    fn fill_values_in_base_64() {
        assert!(same_fill(&Json::text("AAAAAAAAIsA="), &Json::int(-9)));
        assert!(!same_fill(&Json::text("AAAAAAAAIsA="), &Json::int(9)));
        assert!(!same_fill(&Json::text("x"), &Json::int(9)));
    }
}
