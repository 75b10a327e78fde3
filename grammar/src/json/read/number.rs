//! Deserializers of numbers.

use std::fmt;
use std::marker::PhantomData;

use netcdf_core::model::Endianness;
use netcdf_core::model::convert::whole_number;
use serde::de::{Deserializer, Error, Visitor};

use super::input::InputContext;

/// A numeric type.
pub(super) trait JsonNumeric: Copy {
    /// The type name.
    const NAME: &'static str;
    fn from_integer(value: i128) -> Option<Self>;
    /// Converts a number with a fraction, an exponent or many digits.
    fn from_double(value: f64) -> Option<Self>;
    fn from_text(text: &str) -> Option<Self>;
    /// Appends the stored form.
    fn store(self, order: Endianness, out: &mut Vec<u8>);
}

macro_rules! store {
    () => {
        #[inline]
        fn store(self, order: Endianness, out: &mut Vec<u8>) {
            match order {
                Endianness::Little => out.extend_from_slice(&self.to_le_bytes()),
                Endianness::Big => out.extend_from_slice(&self.to_be_bytes()),
            }
        }
    };
}

macro_rules! integer {
    ($t:ty, $name:literal) => {
        impl JsonNumeric for $t {
            const NAME: &'static str = $name;
            #[inline]
            fn from_integer(value: i128) -> Option<Self> {
                Self::try_from(value).ok()
            }
            fn from_double(value: f64) -> Option<Self> {
                exact_integer(value).and_then(Self::from_integer)
            }
            fn from_text(text: &str) -> Option<Self> {
                Self::from_integer(text.parse().ok()?)
            }
            store!();
        }
    };
}

integer!(i8, "byte");
integer!(i16, "short");
integer!(i32, "int");
integer!(i64, "int64");
integer!(u8, "ubyte");
integer!(u16, "ushort");
integer!(u32, "uint");
integer!(u64, "uint64");

/// Converts a double to an integer unless its magnitude is 2^53 or more, where digits may be lost.
fn exact_integer(value: f64) -> Option<i128> {
    const KEPT: f64 = 9_007_199_254_740_992.0;
    whole_number(value).filter(|_| value.fract() == 0.0 && value.abs() < KEPT)
}

impl JsonNumeric for f32 {
    const NAME: &'static str = "float";
    #[inline]
    fn from_integer(value: i128) -> Option<Self> {
        Self::from_double(value as f64)
    }
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "rounded, as in CDL")]
    fn from_double(value: f64) -> Option<Self> {
        Some(value as Self).filter(|value| value.is_finite())
    }
    fn from_text(text: &str) -> Option<Self> {
        let named = |bits: &str| u32::from_str_radix(bits, 16).ok().map(Self::from_bits);
        special(text, [Self::NAN, Self::INFINITY, Self::NEG_INFINITY], named)
    }
    store!();
}

impl JsonNumeric for f64 {
    const NAME: &'static str = "double";
    #[inline]
    fn from_integer(value: i128) -> Option<Self> {
        Some(value as Self)
    }
    #[inline]
    fn from_double(value: f64) -> Option<Self> {
        Some(value)
    }
    fn from_text(text: &str) -> Option<Self> {
        let named = |bits: &str| u64::from_str_radix(bits, 16).ok().map(Self::from_bits);
        special(text, [Self::NAN, Self::INFINITY, Self::NEG_INFINITY], named)
    }
    store!();
}

/// Converts values without a JSON number: `NaN`, `Infinity`, `-Infinity`, and the bits of other NaNs.
fn special<T>(
    text: &str,
    [nan, infinity, negative]: [T; 3],
    bits: impl FnOnce(&str) -> Option<T>,
) -> Option<T> {
    match text {
        "NaN" => Some(nan),
        "Infinity" => Some(infinity),
        "-Infinity" => Some(negative),
        _ => bits(text.strip_prefix("NaN:0x")?),
    }
}

/// Reads a number of a type.
#[inline]
pub(super) fn read_number<'de, T: JsonNumeric, D: Deserializer<'de>>(
    context: &InputContext,
    from: D,
) -> Result<T, D::Error> {
    let ty = PhantomData;
    from.deserialize_any(NumberVisitor { context, ty })
}

struct NumberVisitor<'c, T> {
    context: &'c InputContext,
    ty: PhantomData<T>,
}

impl<T: JsonNumeric> NumberVisitor<'_, T> {
    #[cold]
    fn range<E: Error>(self, found: impl fmt::Debug) -> E {
        let what = format!("{found:?} does not fit type {}", T::NAME);
        self.context.wrong(what)
    }
}

impl<T: JsonNumeric> Visitor<'_> for NumberVisitor<'_, T> {
    type Value = T;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a number of type {}", T::NAME)
    }
    #[inline]
    fn visit_u64<E: Error>(self, value: u64) -> Result<T, E> {
        T::from_integer(value.into()).ok_or_else(|| self.range(value))
    }
    #[inline]
    fn visit_i64<E: Error>(self, value: i64) -> Result<T, E> {
        T::from_integer(value.into()).ok_or_else(|| self.range(value))
    }
    #[inline]
    fn visit_f64<E: Error>(self, value: f64) -> Result<T, E> {
        T::from_double(value).ok_or_else(|| self.range(value))
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        T::from_text(text).ok_or_else(|| {
            let what = format!("the string {text:?} is not a number of type {}", T::NAME);
            self.context.wrong(what)
        })
    }
}
