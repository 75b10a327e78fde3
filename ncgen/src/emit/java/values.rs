//! Values and their types.

use netcdf_core::model::{Atomic, Values};

use super::super::number;

/// Returns the Java type of a type. Only types of the classic model occur here, and their Java names equal the CDL names.
pub(super) fn type_name(ty: Atomic) -> &'static str {
    ty.name()
}

/// Like [`type_name`], with a capital letter.
pub(super) fn class_name(ty: Atomic) -> String {
    let mut name = ty.name().to_owned();
    if let Some(first) = name.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    name
}

/// Returns all values of a numeric type, separated by commas.
pub(super) fn list(values: &Values) -> String {
    let list: Vec<String> = match values {
        Values::Byte(v) => v.iter().map(i8::to_string).collect(),
        Values::Short(v) => v.iter().map(i16::to_string).collect(),
        Values::Int(v) => v.iter().map(i32::to_string).collect(),
        Values::Float(v) => v.iter().map(|x| float(*x)).collect(),
        Values::Double(v) => v.iter().map(|x| double(*x)).collect(),
        // Text is written elsewhere, and the model has no other types.
        Values::Char(_) | Values::UByte(_) | Values::UShort(_) | Values::UInt(_) => vec![],
        Values::Int64(_) | Values::UInt64(_) | Values::String(_) | Values::Enum(..) => vec![],
        Values::Opaque { .. } | Values::Vlen(..) | Values::Compound { .. } => vec![],
    };
    list.join(", ")
}

/// Returns the name of a NaN or infinite value.
fn unusual(value: f64, class: &str) -> Option<String> {
    let name = match value {
        _ if value.is_nan() => "NaN",
        f64::INFINITY => "POSITIVE_INFINITY",
        f64::NEG_INFINITY => "NEGATIVE_INFINITY",
        _ => return None,
    };
    Some(format!("{class}.{name}"))
}

fn float(value: f32) -> String {
    let usual = || format!("((float){})", constant(number::float(value)));
    unusual(value.into(), "Float").unwrap_or_else(usual)
}

fn double(value: f64) -> String {
    let usual = || format!("((double){})", constant(number::double(value)));
    unusual(value, "Double").unwrap_or_else(usual)
}

/// Returns an integer constant. Integer constants have 31 bits, and zero has no sign.
fn constant(text: String) -> String {
    let integer = !text.contains(['.', 'e']);
    if integer && (text == "-0" || text.len() > 9) {
        text + "."
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants() {
        let floats = Values::Float(vec![270.1, -0.0, f32::NAN, f32::INFINITY]);
        let expected = "((float)270.10001), ((float)-0.), Float.NaN, Float.POSITIVE_INFINITY";
        assert_eq!(list(&floats), expected);
        let doubles = Values::Double(vec![1e15, 0.01]);
        assert_eq!(
            list(&doubles),
            "((double)1000000000000000.), ((double)0.01)"
        );
    }
}
