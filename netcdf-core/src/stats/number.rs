//! Numeric element types.

use crate::model::Values;

/// A number of one of netCDF's types.
pub(super) trait Number: Copy + PartialOrd + Send + Sync {
    /// Returns the number as the sum of two doubles.
    fn parts(self) -> (f64, f64);

    /// Returns the number as a value.
    fn value(self) -> Values;

    /// Returns the numbers in values of this type.
    fn all(values: &Values) -> Option<&[Self]>;
}

macro_rules! number {
    ($t:ty, $variant:ident, $parts:expr) => {
        impl Number for $t {
            fn parts(self) -> (f64, f64) {
                $parts(self)
            }

            fn value(self) -> Values {
                Values::$variant(vec![self])
            }

            fn all(values: &Values) -> Option<&[Self]> {
                match values {
                    Values::$variant(all) => Some(all),
                    _ => None,
                }
            }
        }
    };
}

fn small<T: Into<f64>>(x: T) -> (f64, f64) {
    (x.into(), 0.0)
}

/// 2^32.
const HALF: f64 = 4_294_967_296.0;

fn large(x: u64) -> (f64, f64) {
    let half = |x: u64| f64::from(u32::try_from(x & 0xffff_ffff).unwrap_or_default());
    (half(x >> 32) * HALF, half(x))
}

fn signed(x: i64) -> (f64, f64) {
    let (high, low) = large(x.unsigned_abs());
    match x < 0 {
        true => (-high, -low),
        false => (high, low),
    }
}

number!(i8, Byte, small);
number!(u8, UByte, small);
number!(i16, Short, small);
number!(u16, UShort, small);
number!(i32, Int, small);
number!(u32, UInt, small);
number!(i64, Int64, signed);
number!(u64, UInt64, large);
number!(f32, Float, small);
number!(f64, Double, small);

/// Returns a number as a double, rounded if it has more digits.
pub(super) fn real(x: impl Number) -> f64 {
    let (high, low) = x.parts();
    high + low
}

/// Runs a block with the numbers in values; does not run it for non-numeric values.
macro_rules! with_numbers {
    ($values:expr, $numbers:ident => $what:expr) => {
        match $values {
            Values::Byte($numbers) => Some($what),
            Values::UByte($numbers) => Some($what),
            Values::Short($numbers) => Some($what),
            Values::UShort($numbers) => Some($what),
            Values::Int($numbers) => Some($what),
            Values::UInt($numbers) => Some($what),
            Values::Int64($numbers) => Some($what),
            Values::UInt64($numbers) => Some($what),
            Values::Float($numbers) => Some($what),
            Values::Double($numbers) => Some($what),
            Values::Char(_) | Values::String(_) | Values::Enum(..) => None,
            Values::Opaque { .. } | Values::Vlen(..) | Values::Compound { .. } => None,
        }
    };
}
pub(super) use with_numbers;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::convert::whole_number;

    #[test]
    fn large_integers_are_two_doubles() {
        for x in [0, 1, -1, i64::MAX, i64::MIN, (1 << 53) + 1] {
            let (high, low) = x.parts();
            let sum = whole_number(high).unwrap() + whole_number(low).unwrap();
            assert_eq!(sum, i128::from(x), "{x}");
        }
        assert_eq!(u64::MAX.parts(), (HALF * (HALF - 1.0), HALF - 1.0));
    }
}
