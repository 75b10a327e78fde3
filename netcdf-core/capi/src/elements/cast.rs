//! Conversion of numbers that do not fit. netCDF-C reports `NC_ERANGE` and converts with casts of C, whose results programs may see.

use netcdf_core::api::{Char, Element};
use netcdf_core::model::Values;

/// A number type that C casts other numbers to.
pub(crate) trait CastNumber: Element + Sync + 'static {
    /// Converts an integer: the lowest bits.
    fn of_integer(value: i128) -> Self;
    /// Converts a float as x86 processors do. C leaves the result undefined.
    fn of_float(value: f64) -> Self;
}

/// Converts to `i32`; `i32::MIN` if the value does not fit.
#[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
fn to_i32(value: f64) -> i32 {
    let fits = value > -2_147_483_649.0 && value < 2_147_483_648.0;
    if fits { value as i32 } else { i32::MIN }
}

/// Converts to `i64`; `i64::MIN` if the value does not fit.
#[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
fn to_i64(value: f64) -> i64 {
    let fits = value.abs() < TWO_POW_63;
    if fits { value as i64 } else { i64::MIN }
}

const TWO_POW_63: f64 = 9_223_372_036_854_775_808.0;

fn to_u64(value: f64) -> i64 {
    match value >= TWO_POW_63 {
        true => to_i64(value - TWO_POW_63) ^ i64::MIN,
        false => to_i64(value),
    }
}

macro_rules! cast {
    ($($ty:ty: $of_float:expr;)*) => {
        $(
            impl CastNumber for $ty {
                #[allow(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a cast of C"
                )]
                fn of_integer(value: i128) -> Self {
                    value as Self
                }

                #[allow(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a cast of C"
                )]
                fn of_float(value: f64) -> Self {
                    $of_float(value) as Self
                }
            }
        )*
    };
}

cast! {
    i8: to_i32;
    i16: to_i32;
    i32: to_i32;
    i64: to_i64;
    u8: to_i32;
    u16: to_i32;
    u32: to_i64;
    u64: to_u64;
    f32: std::convert::identity;
    f64: std::convert::identity;
}

/// Text has no conversions.
impl CastNumber for Char {
    fn of_integer(_: i128) -> Self {
        Self::default()
    }

    fn of_float(_: f64) -> Self {
        Self::default()
    }
}

/// Converts numbers with casts of C. Returns an empty list for other values.
pub(crate) fn cast<T: CastNumber>(values: &Values) -> Vec<T> {
    fn integers<T: CastNumber, U: Copy + Into<i128>>(list: &[U]) -> Vec<T> {
        list.iter().map(|&n| T::of_integer(n.into())).collect()
    }
    fn floats<T: CastNumber, U: Copy + Into<f64>>(list: &[U]) -> Vec<T> {
        list.iter().map(|&n| T::of_float(n.into())).collect()
    }
    match values {
        Values::Byte(v) => integers(v),
        Values::Short(v) => integers(v),
        Values::Int(v) => integers(v),
        Values::Int64(v) => integers(v),
        Values::UByte(v) => integers(v),
        Values::UShort(v) => integers(v),
        Values::UInt(v) => integers(v),
        Values::UInt64(v) => integers(v),
        Values::Float(v) => floats(v),
        Values::Double(v) => floats(v),
        Values::Enum(_, base) => cast(base),
        Values::Char(_) | Values::String(_) | Values::Opaque { .. } => vec![],
        Values::Vlen(..) | Values::Compound { .. } => vec![],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misfits_are_cast_as_in_c() {
        assert_eq!(cast::<i8>(&Values::Int(vec![300, -1])), [44, -1]);
        assert_eq!(cast::<u8>(&Values::Byte(vec![-1])), [255]);
        let floats = Values::Double(vec![1e300, -2.9, 70000.0]);
        assert_eq!(cast::<i16>(&floats), [0, -2, 4464]);
        assert_eq!(cast::<i32>(&floats), [i32::MIN, -2, 70000]);
        assert_eq!(cast::<f32>(&floats)[0], f32::INFINITY);
        assert!(cast::<i32>(&Values::Char(vec![65])).is_empty());
    }
}
