//! Numbers as JSON, with the shortest exact spelling.

use crate::json::Json;
use crate::model::{Values, Zarr, ZarrVersion};

/// The source of a number's type for readers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// The type is recorded separately. Whole numbers have no point, as in netCDF-C.
    Recorded,
    /// The type is inferred from the number. Floating-point numbers have a point or an exponent.
    Inferred,
}

impl Style {
    /// Returns the number style of a Zarr form.
    #[must_use]
    pub(crate) fn of(zarr: Zarr) -> Self {
        match (zarr.version, zarr.pure) {
            (ZarrVersion::V2, false) => Self::Recorded,
            (ZarrVersion::V2 | ZarrVersion::V3, _) => Self::Inferred,
        }
    }
}

/// Returns the shortest text that reads back as the same double. NaN and infinities become texts.
#[must_use]
pub(crate) fn double(x: f64, style: Style) -> Json {
    let text = format!("{x:?}");
    if x.is_nan() {
        return Json::text("NaN");
    }
    if x.is_infinite() {
        return Json::text(if x > 0.0 { "Infinity" } else { "-Infinity" });
    }
    let whole = match style {
        // Only floating-point zeros have a sign.
        Style::Recorded if text != "-0.0" => text.strip_suffix(".0"),
        Style::Recorded | Style::Inferred => None,
    };
    let text = whole.unwrap_or(&text);
    Json::Number(match text.split_once('e') {
        Some((digits, power)) if !power.starts_with('-') => format!("{digits}e+{power}"),
        Some(_) | None => text.to_owned(),
    })
}

/// Returns one JSON value per number, or `None` for values that are not numbers.
#[must_use]
pub(crate) fn list(values: &Values, style: Style) -> Option<Vec<Json>> {
    Some(match values {
        Values::Byte(v) => v.iter().map(Json::int).collect(),
        Values::UByte(v) => v.iter().map(Json::int).collect(),
        Values::Short(v) => v.iter().map(Json::int).collect(),
        Values::UShort(v) => v.iter().map(Json::int).collect(),
        Values::Int(v) => v.iter().map(Json::int).collect(),
        Values::UInt(v) => v.iter().map(Json::int).collect(),
        Values::Int64(v) => v.iter().map(Json::int).collect(),
        Values::UInt64(v) => v.iter().map(Json::int).collect(),
        Values::Float(v) => v.iter().map(|&x| float(x, style)).collect(),
        Values::Double(v) => v.iter().map(|&x| double(x, style)).collect(),
        Values::Char(_) | Values::String(_) | Values::Enum(..) | Values::Opaque { .. } => {
            return None;
        }
        Values::Vlen(..) | Values::Compound { .. } => return None,
    })
}

/// Converts a float, with all digits of the equal double. JSON readers only parse doubles: the shorter text of a float would be another
/// number, and a fill value that equals no element.
#[must_use]
pub(crate) fn float(x: f32, style: Style) -> Json {
    double(f64::from(x), style)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Atomic;

    fn text(json: &Json) -> String {
        String::from_utf8(json.to_bytes()).unwrap()
    }

    #[test]
    fn as_short_as_a_double_allows() {
        for (x, recorded, inferred) in [
            (1.0, "1", "1.0"),
            (0.1, "0.1", "0.1"),
            (1.0 / 3.0, "0.3333333333333333", "0.3333333333333333"),
            (1e300, "1e+300", "1e+300"),
            (1e-300, "1e-300", "1e-300"),
            (-0.0, "-0.0", "-0.0"),
            (f64::NAN, "\"NaN\"", "\"NaN\""),
            (f64::NEG_INFINITY, "\"-Infinity\"", "\"-Infinity\""),
        ] {
            assert_eq!(text(&double(x, Style::Recorded)), recorded);
            assert_eq!(text(&double(x, Style::Inferred)), inferred);
        }
    }

    #[test]
    fn floats_are_the_same_doubles() {
        for (x, expected) in [
            (1e20_f32, "1.0000000200408773e+20"),
            (-99.9, "-99.9000015258789"),
            (0.1, "0.10000000149011612"),
            (1.5, "1.5"),
            (f32::MIN_POSITIVE / 8.0, "1.4693679385278594e-39"),
            (f32::INFINITY, "\"Infinity\""),
        ] {
            for style in [Style::Recorded, Style::Inferred] {
                let json = float(x, style);
                assert_eq!(text(&json), expected);
                let read = crate::format::zarr::attrs::typed(&[json], Atomic::Float);
                assert_eq!(read, Some(Values::Float(vec![x])));
            }
        }
    }
}
