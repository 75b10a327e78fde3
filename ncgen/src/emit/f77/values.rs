//! Values, their types, and the functions for them.

use netcdf_core::model::{Atomic, Values};

use super::super::number;

/// Returns the type of Fortran variables for values of a type.
pub(super) fn declared(ty: Atomic) -> &'static str {
    match ty {
        Atomic::Float => "real",
        Atomic::Double => "double precision",
        Atomic::Byte | Atomic::Short | Atomic::Int | Atomic::Char => "integer",
        // The model has no other types.
        Atomic::UByte | Atomic::UShort | Atomic::UInt => "integer",
        Atomic::Int64 | Atomic::UInt64 | Atomic::String => "integer",
    }
}

/// Returns netCDF's name of a type.
pub(super) fn type_name(ty: Atomic) -> String {
    format!("nf_{}", ty.name())
}

/// Returns the suffix of the function names for a type.
pub(super) fn suffix(ty: Atomic) -> &'static str {
    match ty {
        Atomic::Char => "text",
        Atomic::Float => "real",
        Atomic::Double => "double",
        Atomic::Byte | Atomic::Short | Atomic::Int => "int",
        // The model has no other types.
        Atomic::UByte | Atomic::UShort | Atomic::UInt => "int",
        Atomic::Int64 | Atomic::UInt64 | Atomic::String => "int",
    }
}

/// Returns each value as an expression. NaN and infinite values result from a division by the variable `zero`.
pub(super) fn expressions(values: &Values) -> Vec<String> {
    match values {
        Values::Byte(v) => v.iter().map(i8::to_string).collect(),
        Values::Short(v) => v.iter().map(i16::to_string).collect(),
        // Fortran has no negative constants, and the absolute value does not fit the type.
        Values::Int(v) => v
            .iter()
            .map(|x| match *x {
                i32::MIN => format!("-{}-1", i32::MAX),
                x => x.to_string(),
            })
            .collect(),
        Values::Float(v) => v.iter().map(|x| real(*x)).collect(),
        Values::Double(v) => v.iter().map(|x| double(*x)).collect(),
        // Text is written elsewhere, and the model has no other types.
        Values::Char(_) | Values::UByte(_) | Values::UShort(_) | Values::UInt(_) => vec![],
        Values::Int64(_) | Values::UInt64(_) | Values::String(_) | Values::Enum(..) => vec![],
        Values::Opaque { .. } | Values::Vlen(..) | Values::Compound { .. } => vec![],
    }
}

fn unusual(value: f64) -> Option<&'static str> {
    match value {
        _ if value.is_nan() => Some("zero/zero"),
        f64::INFINITY => Some("1/zero"),
        f64::NEG_INFINITY => Some("-1/zero"),
        _ => None,
    }
}

fn real(value: f32) -> String {
    if let Some(text) = unusual(value.into()) {
        return text.to_owned();
    }
    let text = number::float(value);
    if text.contains(['.', 'e']) {
        text
    } else {
        text + "."
    }
}

/// Constants are of single precision unless they have an exponent with a D.
fn double(value: f64) -> String {
    if let Some(text) = unusual(value) {
        return text.to_owned();
    }
    let text = number::double(value);
    if text.contains('e') {
        text.replace('e', "D")
    } else {
        text + "D0"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_kept() {
        assert_eq!(
            expressions(&Values::Int(vec![i32::MIN, 3])),
            ["-2147483647-1", "3"]
        );
        let reals = Values::Float(vec![1.0, 0.1, 1e30, f32::NAN]);
        assert_eq!(expressions(&reals), ["1.", "0.1", "1e+30", "zero/zero"]);
        let doubles = Values::Double(vec![0.01, -1e308, f64::NEG_INFINITY]);
        assert_eq!(expressions(&doubles), ["0.01D0", "-1D+308", "-1/zero"]);
    }
}
