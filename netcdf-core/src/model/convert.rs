//! Converts between the atomic numeric types, with range checks.
//!
//! The rules are netCDF-C's. Integers and floats convert to integers by truncation; a value out of range is [`ErrorKind::Range`]. A finite
//! value beyond the range of `float` is an error; infinity and NaN are valid. `byte` is signed. `char` converts only to `char`.

use super::{Atomic, Values};
use crate::error::{Error, ErrorKind, Result};

/// Converts `values` to `ty`; a value that does not fit is an error.
///
/// # Errors
/// Returns [`ErrorKind::Range`] with the position of the first value that does not fit, and [`ErrorKind::BadType`] between text and
/// numbers.
pub fn convert(values: &Values, ty: Atomic) -> Result<Values> {
    if values.data_type() == Some(ty) {
        return Ok(values.clone());
    }
    match values {
        Values::Byte(v) => from_int(v, ty),
        Values::Short(v) => from_int(v, ty),
        Values::Int(v) => from_int(v, ty),
        Values::Int64(v) => from_int(v, ty),
        Values::UByte(v) => from_int(v, ty),
        Values::UShort(v) => from_int(v, ty),
        Values::UInt(v) => from_int(v, ty),
        Values::UInt64(v) => from_int(v, ty),
        Values::Float(v) => from_float(v, ty),
        Values::Double(v) => from_float(v, ty),
        Values::Char(_) | Values::String(_) => Err(unrelated(ty)),
        Values::Enum(..) | Values::Opaque { .. } => Err(unrelated(ty)),
        Values::Vlen(..) | Values::Compound { .. } => Err(unrelated(ty)),
    }
}

/// Converts `values` to `ty`. Values that do not fit become `fill`, and the function also returns the error of [`convert`]. This is
/// netCDF-C's behaviour with `ERANGE_FILL`: all fitting values are available.
///
/// # Errors
/// Returns [`ErrorKind::BadType`] between text and numbers, and if `fill` is not one value of the type.
pub fn convert_fitting(
    values: &Values,
    ty: Atomic,
    fill: &Values,
) -> Result<(Values, Option<Error>)> {
    let first = match convert(values, ty) {
        Ok(values) => return Ok((values, None)),
        Err(e) if e.kind() == ErrorKind::Range => e,
        Err(e) => return Err(e),
    };
    let mut out = Values::with_capacity(ty, values.len());
    let mut misfits = 0;
    // Convert ranges without misfits in one step, and halve all other ranges.
    let mut parts: Vec<std::ops::Range<usize>> = Vec::new();
    parts.push(0..values.len());
    while let Some(part) = parts.pop() {
        let middle = part.start + part.len() / 2;
        match convert(&values.slice(part.clone()), ty) {
            Ok(done) => add(&mut out, done)?,
            Err(_) if part.len() > 1 => {
                parts.push(middle..part.end);
                parts.push(part.start..middle);
            }
            Err(_) => {
                misfits += 1;
                add(&mut out, fill.clone())?;
            }
        }
    }
    let said = match misfits {
        1 => first,
        n => first.within(&format!("{n} of {} values", values.len())),
    };
    Ok((out, Some(said)))
}

fn add(out: &mut Values, more: Values) -> Result<()> {
    let added = more.len();
    match out.append(more) && added > 0 {
        true => Ok(()),
        false => Err(Error::new(
            ErrorKind::BadType,
            "a fill value of another type",
        )),
    }
}

fn unrelated(ty: Atomic) -> Error {
    let what = format!(
        "text and user-defined types do not convert to {}",
        ty.name()
    );
    Error::new(ErrorKind::BadType, what)
}

/// Converts integers through `i128`, which represents every integer type.
fn from_int<T: Copy + Into<i128>>(v: &[T], ty: Atomic) -> Result<Values> {
    fn to<T: Copy + Into<i128>, U: TryFrom<i128>>(v: &[T], ty: Atomic) -> Result<Vec<U>> {
        let one = |(i, &x): (usize, &T)| {
            let wide: i128 = x.into();
            U::try_from(wide).map_err(|_| out_of_range(&wide.to_string(), i, ty))
        };
        v.iter().enumerate().map(one).collect()
    }
    Ok(match ty {
        Atomic::Byte => Values::Byte(to(v, ty)?),
        Atomic::Short => Values::Short(to(v, ty)?),
        Atomic::Int => Values::Int(to(v, ty)?),
        Atomic::Int64 => Values::Int64(to(v, ty)?),
        Atomic::UByte => Values::UByte(to(v, ty)?),
        Atomic::UShort => Values::UShort(to(v, ty)?),
        Atomic::UInt => Values::UInt(to(v, ty)?),
        Atomic::UInt64 => Values::UInt64(to(v, ty)?),
        Atomic::Float => Values::Float(v.iter().map(|&x| nearest_f32(x.into())).collect()),
        Atomic::Double => Values::Double(v.iter().map(|&x| nearest_f64(x.into())).collect()),
        Atomic::Char | Atomic::String => return Err(unrelated(ty)),
    })
}

/// Converts floats through `f64`; truncates towards zero for integer types.
fn from_float<T: Copy + Into<f64>>(v: &[T], ty: Atomic) -> Result<Values> {
    fn to<T: Copy + Into<f64>, U: TryFrom<i128>>(v: &[T], ty: Atomic) -> Result<Vec<U>> {
        let one = |(i, &x): (usize, &T)| {
            let wide: f64 = x.into();
            let whole = whole_number(wide).and_then(|n| U::try_from(n).ok());
            whole.ok_or_else(|| out_of_range(&wide.to_string(), i, ty))
        };
        v.iter().enumerate().map(one).collect()
    }
    Ok(match ty {
        Atomic::Byte => Values::Byte(to(v, ty)?),
        Atomic::Short => Values::Short(to(v, ty)?),
        Atomic::Int => Values::Int(to(v, ty)?),
        Atomic::Int64 => Values::Int64(to(v, ty)?),
        Atomic::UByte => Values::UByte(to(v, ty)?),
        Atomic::UShort => Values::UShort(to(v, ty)?),
        Atomic::UInt => Values::UInt(to(v, ty)?),
        Atomic::UInt64 => Values::UInt64(to(v, ty)?),
        Atomic::Float => {
            let one = |(i, &x): (usize, &T)| {
                let wide: f64 = x.into();
                to_f32(wide).ok_or_else(|| out_of_range(&wide.to_string(), i, ty))
            };
            Values::Float(v.iter().enumerate().map(one).collect::<Result<_>>()?)
        }
        Atomic::Double => Values::Double(v.iter().map(|&x| x.into()).collect()),
        Atomic::Char | Atomic::String => return Err(unrelated(ty)),
    })
}

/// Returns the integer part of `x`, or `None` for NaN, infinities and values beyond 2^127.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    reason = "the range is checked, truncation is the rule"
)]
pub fn whole_number(x: f64) -> Option<i128> {
    (x.abs() < 1e38).then_some(x as i128)
}

/// Rounds `x` to the nearest `f32`. Returns `None` if a finite value is out of range.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    reason = "rounding to the nearest is the rule"
)]
pub fn to_f32(x: f64) -> Option<f32> {
    let narrow = x as f32;
    (narrow.is_finite() || !x.is_finite()).then_some(narrow)
}

fn nearest_f32(x: i128) -> f32 {
    x as f32
}

fn nearest_f64(x: i128) -> f64 {
    x as f64
}

fn out_of_range(value: &str, index: usize, ty: Atomic) -> Error {
    let what = format!("{value} (element {index}) does not fit type {}", ty.name());
    Error::new(ErrorKind::Range, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_signed() {
        let v = convert(&Values::Byte(vec![-1]), Atomic::Int).unwrap();
        assert_eq!(v, Values::Int(vec![-1]));
        assert!(convert(&Values::Byte(vec![-1]), Atomic::UByte).is_err());
    }

    #[test]
    fn range_is_checked_with_position() {
        let e = convert(&Values::Int(vec![1, 300]), Atomic::Byte).unwrap_err();
        assert_eq!(e.to_string(), "300 (element 1) does not fit type byte");
        assert!(convert(&Values::Double(vec![1e300]), Atomic::Float).is_err());
        assert!(convert(&Values::Double(vec![f64::NAN]), Atomic::Int).is_err());
        let inf = convert(&Values::Double(vec![f64::INFINITY]), Atomic::Float).unwrap();
        assert_eq!(inf, Values::Float(vec![f32::INFINITY]));
    }

    #[test]
    fn fitting_values_are_available() {
        let fill = Values::Byte(vec![-127]);
        let values = Values::Int(vec![1, 300, 2, -200, 3]);
        let (made, e) = convert_fitting(&values, Atomic::Byte, &fill).unwrap();
        assert_eq!(made, Values::Byte(vec![1, -127, 2, -127, 3]));
        let e = e.unwrap();
        assert_eq!(e.kind(), ErrorKind::Range);
        let what = "2 of 5 values: 300 (element 1) does not fit type byte";
        assert_eq!(e.what(), what);
        let (_, none) = convert_fitting(&Values::Int(vec![1]), Atomic::Byte, &fill).unwrap();
        assert!(none.is_none());
        let wrong = convert_fitting(&values, Atomic::Byte, &Values::Int(vec![0]));
        assert_eq!(wrong.unwrap_err().kind(), ErrorKind::BadType);
    }

    #[test]
    fn floats_are_truncated() {
        let v = convert(&Values::Double(vec![-1.9, 2.9]), Atomic::Short).unwrap();
        assert_eq!(v, Values::Short(vec![-1, 2]));
    }

    #[test]
    fn text_stays_text() {
        assert!(convert(&Values::Char(vec![65]), Atomic::Int).is_err());
        assert!(convert(&Values::Int(vec![65]), Atomic::Char).is_err());
    }
}
