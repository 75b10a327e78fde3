//! Attribute values (NCZarr document, appendix C). Values have the recorded type, otherwise a type inferred from the values. JSON that is
//! neither a value nor a list of values becomes JSON text.

use super::dtype::{Dtype, StoredType, numpy};
use crate::json::Json;
use crate::model::convert::{to_f32, whole_number};
use crate::model::{Atomic, Values};

/// Returns the type that NCZarr recorded for an attribute, or `None` for unknown types. JSON counts as text.
#[must_use]
pub(super) fn recorded(text: &str, pure: bool) -> Option<Atomic> {
    let stored = match text {
        "char" | "|J0" | "json" => return Some(Atomic::Char),
        "string" => return Some(Atomic::String),
        _ => numpy(text),
    };
    let named = || StoredType::v3(&Json::text(text));
    let stored = match stored.dtype {
        Dtype::Unknown(..) => named(),
        _ => stored,
    };
    match stored.dtype {
        Dtype::Number(a) => Some(a),
        Dtype::Bool => Some(Atomic::UByte),
        // netCDF-C writes text as `>S1`, and wrote it as `<U1`.
        Dtype::Bytes(1) if stored.order.is_some() && !pure => Some(Atomic::Char),
        Dtype::Utf32(1) => Some(Atomic::Char),
        Dtype::Bytes(_) | Dtype::Utf32(_) | Dtype::Text => Some(Atomic::String),
        Dtype::Half | Dtype::Brain => Some(Atomic::Float),
        Dtype::Char | Dtype::Complex(_) | Dtype::Time(_) | Dtype::Raw(_) => None,
        Dtype::Struct(_) | Dtype::Blob | Dtype::Unknown(..) => None,
    }
}

/// Returns the values of an attribute, converted to this type if possible, and whether the conversion succeeded.
#[must_use]
pub(super) fn values(json: &Json, ty: Option<Atomic>) -> (Values, bool) {
    let one = std::slice::from_ref(json);
    let list = json.items();
    let items = list.unwrap_or(one);
    let simple = items.iter().all(is_simple) && !items.is_empty();
    match ty {
        Some(Atomic::Char) if list.is_some() || !simple => (text(json), true),
        Some(ty) if simple => match typed(items, ty) {
            Some(values) => (values, true),
            None => (inferred(json, items), false),
        },
        // An empty list has a type as well.
        Some(ty) if list.is_some_and(<[Json]>::is_empty) => (Values::with_capacity(ty, 0), true),
        Some(_) => (text(json), false),
        None if simple => (inferred(json, items), true),
        None => (text(json), true),
    }
}

/// Checks whether JSON is a single value.
fn is_simple(json: &Json) -> bool {
    match json {
        Json::Bool(_) | Json::Number(_) | Json::Text(_) => true,
        Json::Null | Json::Array(_) | Json::Object(_) => false,
    }
}

/// Returns the JSON itself as text.
fn text(json: &Json) -> Values {
    Values::Char(json.to_bytes())
}

/// Returns JSON's `null` as a string. Texts without a recorded type are characters, so the text "null" differs.
#[must_use]
pub(super) fn null() -> Values {
    Values::String(vec![Some(Json::Null.to_bytes().into_boxed_slice())])
}

/// Returns values of an inferred type, wide enough for all values. The inference matches netCDF-C. Text has type `char`, so a list of texts
/// has no type.
fn inferred(json: &Json, items: &[Json]) -> Values {
    let all = |is: fn(&Json) -> bool| items.iter().all(is);
    let ty = if all(|j| matches!(j, Json::Bool(_))) {
        Some(Atomic::UByte)
    } else if json.items().is_none() && all(|j| matches!(j, Json::Text(_))) {
        Some(Atomic::Char)
    } else if all(|j| matches!(j, Json::Number(_))) {
        Some(numeric(items))
    } else {
        None
    };
    ty.and_then(|ty| typed(items, ty))
        .unwrap_or_else(|| text(json))
}

/// Returns the type for a list of numbers.
fn numeric(items: &[Json]) -> Atomic {
    let whole: Option<Vec<i128>> = items.iter().map(integer).collect();
    let Some(whole) = whole else {
        return Atomic::Double;
    };
    let types = [Atomic::Int, Atomic::UInt, Atomic::Int64, Atomic::UInt64];
    let fits = |ty: &Atomic| {
        let range = match ty {
            Atomic::Int => i32::MIN.into()..=i32::MAX.into(),
            Atomic::UInt => 0..=u32::MAX.into(),
            Atomic::Int64 => i64::MIN.into()..=i64::MAX.into(),
            _ => 0..=u64::MAX.into(),
        };
        whole.iter().all(|n| range.contains(n))
    };
    types.into_iter().find(fits).unwrap_or(Atomic::Double)
}

/// Returns the value of a number in whole-number spelling.
fn integer(json: &Json) -> Option<i128> {
    let Json::Number(text) = json else {
        return None;
    };
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.as_str()),
    };
    let hex = digits.strip_prefix("0x").or(digits.strip_prefix("0X"));
    let n = match hex {
        Some(hex) => u64::from_str_radix(hex, 16).ok().map(i128::from),
        None => digits.parse().ok(),
    };
    Some(sign * n.filter(|n: &i128| n.unsigned_abs() <= 1 << 100)?)
}

/// Returns the values as one type, or `None` if a value does not fit the type.
#[must_use]
pub(super) fn typed(items: &[Json], ty: Atomic) -> Option<Values> {
    fn ints<T: TryFrom<i128>>(items: &[Json]) -> Option<Vec<T>> {
        let one = |json: &Json| T::try_from(whole(json)?).ok();
        items.iter().map(one).collect()
    }
    Some(match ty {
        Atomic::Byte => Values::Byte(ints(items)?),
        Atomic::Short => Values::Short(ints(items)?),
        Atomic::Int => Values::Int(ints(items)?),
        Atomic::Int64 => Values::Int64(ints(items)?),
        Atomic::UByte => Values::UByte(ints(items)?),
        Atomic::UShort => Values::UShort(ints(items)?),
        Atomic::UInt => Values::UInt(ints(items)?),
        Atomic::UInt64 => Values::UInt64(ints(items)?),
        Atomic::Float => Values::Float(items.iter().map(single).collect::<Option<_>>()?),
        Atomic::Double => Values::Double(items.iter().map(double).collect::<Option<_>>()?),
        Atomic::Char => Values::Char(items.iter().flat_map(bytes).collect()),
        Atomic::String => {
            let string = |json: &Json| Some(bytes(json).into_boxed_slice());
            Values::String(items.iter().map(string).collect())
        }
    })
}

/// Returns text unchanged, and other values as JSON.
fn bytes(json: &Json) -> Vec<u8> {
    match json {
        Json::Text(text) => text.clone(),
        other => other.to_bytes(),
    }
}

/// Returns the spelling of a number. The number may be a text, because JSON has no NaN.
fn words(json: &Json) -> Option<&str> {
    match json {
        Json::Number(text) => Some(text),
        Json::Text(_) => json.as_str().map(str::trim),
        Json::Bool(b) => Some(if *b { "1" } else { "0" }),
        Json::Null | Json::Array(_) | Json::Object(_) => None,
    }
}

/// Returns the whole part of a number.
fn whole(json: &Json) -> Option<i128> {
    let words = words(json)?;
    let exact = integer(&Json::Number(words.to_owned()));
    exact.or_else(|| whole_number(words.parse::<f64>().ok()?.trunc()))
}

fn double(json: &Json) -> Option<f64> {
    let words = words(json)?;
    words.parse().ok().or_else(|| {
        let whole = integer(&Json::Number(words.to_owned()))?;
        whole.to_string().parse().ok()
    })
}

/// Returns the nearest single-precision number, or `None` on overflow.
fn single(json: &Json) -> Option<f32> {
    let near: Option<f32> = words(json).and_then(|words| words.parse().ok());
    let double = double(json)?;
    match near {
        Some(near) if near.is_finite() || !double.is_finite() => Some(near),
        _ => to_f32(double),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, ty: Option<&str>) -> Values {
        let json = Json::parse(text.as_bytes()).unwrap();
        values(&json, ty.and_then(|ty| recorded(ty, false))).0
    }

    fn char(text: &str) -> Values {
        Values::Char(text.as_bytes().to_vec())
    }

    fn strings(texts: &[&str]) -> Values {
        Values::String(texts.iter().map(|t| Some(t.as_bytes().into())).collect())
    }

    #[test]
    fn of_recorded_types() {
        assert_eq!(read("[1,-2]", Some("<i1")), Values::Byte(vec![1, -2]));
        assert_eq!(read("5.", Some("<f4")), Values::Float(vec![5.0]));
        assert_eq!(read("3", Some("<f8")), Values::Double(vec![3.0]));
        assert_eq!(read("\"abc\"", Some(">S1")), char("abc"));
        assert_eq!(read("\"abc\"", Some("<U1")), char("abc"));
        assert_eq!(read("\"\"", Some(">S1")), char(""));
        assert_eq!(read("[\"a\",\"\"]", Some("|S128")), strings(&["a", ""]));
        assert_eq!(read("\"x\"", Some("|S1")), strings(&["x"]));
        assert_eq!(read("[1,[2]]", Some(">S1")), char("[1,[2]]"));
        assert_eq!(read("{\"a\":1}", Some("|J0")), char("{\"a\": 1}"));
        assert_eq!(read("5", Some("|J0")), char("5"));
        assert_eq!(read("[1,2]", Some("|J0")), char("[1,2]"));
        assert_eq!(read("\"a\"", Some("json")), char("a"));
        let Values::Float(nan) = read("\"NaN\"", Some("<f4")) else {
            panic!()
        };
        assert!(nan[0].is_nan());
        assert_eq!(read("3", Some("int16")), Values::Short(vec![3]));
    }

    #[test]
    fn of_types_that_the_values_suggest() {
        assert_eq!(read("1", None), Values::Int(vec![1]));
        assert_eq!(read("4294967295", None), Values::UInt(vec![u32::MAX]));
        assert_eq!(
            read("-2147483649", None),
            Values::Int64(vec![-2_147_483_649])
        );
        assert_eq!(
            read("18446744073709551615", None),
            Values::UInt64(vec![u64::MAX])
        );
        assert_eq!(read("[1,2.5]", None), Values::Double(vec![1.0, 2.5]));
        assert_eq!(
            read("[1,99999999999]", None),
            Values::Int64(vec![1, 99_999_999_999])
        );
        assert_eq!(read("true", None), Values::UByte(vec![1]));
        assert_eq!(read("\"text\"", None), char("text"));
        for text in [
            "null",
            "[]",
            "[\"a\",\"bb\"]",
            "[1,\"a\"]",
            "[[1,2],[3,4]]",
            "{\"k\": [1,null]}",
        ] {
            assert_eq!(read(text, None), char(text));
        }
    }

    #[test]
    fn values_that_do_not_fit_their_type_are_kept() {
        let json = Json::parse(b"300").unwrap();
        assert_eq!(
            values(&json, Some(Atomic::Byte)),
            (Values::Int(vec![300]), false)
        );
    }

    #[test]
    fn numbers_are_exact() {
        assert_eq!(
            read("1.23456789012345", None),
            Values::Double(vec![1.23456789012345])
        );
        assert_eq!(
            read("9007199254740993", Some("<i8")),
            Values::Int64(vec![9_007_199_254_740_993])
        );
        assert_eq!(read("0x10", Some("<i4")), Values::Int(vec![16]));
        assert_eq!(read("01", Some("<i4")), Values::Int(vec![1]));
        assert_eq!(
            read("16777217.0000001", Some("<f4")),
            Values::Float(vec![16_777_218.0])
        );
    }
}
