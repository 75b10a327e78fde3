//! Conversion of constants to elements of the numeric types.

use crate::cdl::constant::Constant;
use crate::escape::unescape_text;
use crate::number::{Integer, Literal, Plain, float_prefix, integer_prefix};
use netcdf_core::model::Atomic;
use netcdf_core::model::convert::{to_f32, whole_number};

/// The fit of a constant in a type.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::cdl) enum Fit<T> {
    /// An element as exact as the type allows.
    Exact(T),
    /// An element that differs from the constant, with the reason. `ncgen` has always stored these elements.
    Lossy(T, String),
    /// No element, with the reason.
    Not(String),
}

/// An element of a numeric type.
pub(in crate::cdl) trait Element: Copy + PartialEq + std::fmt::Debug {
    /// The netCDF type.
    const TYPE: Atomic;

    /// Returns the element for a plain number if a fast conversion exists.
    fn plain(number: Plain) -> Option<Self>;

    /// Returns the element for a fitting number if a fast conversion exists. After `None`, callers use [`Element::from_number`].
    fn exact(number: &Literal) -> Option<Self>;

    /// Converts an integer.
    fn from_integer(value: i128) -> Fit<Self>;

    /// Converts a number with a point.
    fn from_real(value: f64) -> Fit<Self>;

    /// Converts a constant that was rounded to `f32`.
    fn from_float(value: f32) -> Fit<Self> {
        Self::from_real(value.into())
    }

    /// Appends the big-endian stored form.
    fn put_big(self, out: &mut Vec<u8>);

    /// Appends the little-endian stored form.
    fn put_little(self, out: &mut Vec<u8>);

    /// Converts a number.
    fn from_number(number: &Literal) -> Fit<Self> {
        match Self::exact(number) {
            Some(element) => Fit::Exact(element),
            None => Self::from_number_slow(number),
        }
    }

    /// Converts a number without a fast exact conversion.
    fn from_number_slow(number: &Literal) -> Fit<Self> {
        match number {
            Literal::Integer(integer, _) => match integer.value() {
                Some(value) => Self::from_integer(value),
                None => Fit::Not("the integer does not fit in 64 bits".into()),
            },
            Literal::Float(value) => Self::from_float(*value),
            Literal::Double(value) => Self::from_real(*value),
        }
    }

    /// Converts a constant with one value.
    fn from_constant(constant: &Constant<'_>) -> Fit<Self> {
        match constant {
            Constant::Number(number) => Self::from_number(number),
            Constant::Char(byte) => Self::from_char(*byte),
            Constant::String(text) => from_string(text),
            Constant::Opaque(digits) => match opaque_integer(digits) {
                Some(value) => Self::from_integer(value),
                None => Fit::Not("the hexadecimal integer does not fit in 64 bits".into()),
            },
            Constant::Fill | Constant::Nil | Constant::Name(_) => {
                Fit::Not(expected(Self::TYPE, constant))
            }
            Constant::Open | Constant::Close | Constant::Comma => {
                Fit::Not(expected(Self::TYPE, constant))
            }
        }
    }

    /// Converts a character constant to its byte.
    fn from_char(byte: u8) -> Fit<Self> {
        Self::from_integer(byte.into())
    }
}

/// Returns the message for a constant at the position of a value of type `ty`.
pub(super) fn expected(ty: Atomic, constant: &Constant<'_>) -> String {
    let found = describe(constant);
    format!("expected a value of type {}, found {found}", ty.name())
}

/// Describes a constant in words.
pub(in crate::cdl) fn describe(constant: &Constant<'_>) -> String {
    match constant {
        Constant::Number(_) => "a number".into(),
        Constant::Char(_) => "a character constant".into(),
        Constant::String(_) => "a string".into(),
        Constant::Opaque(_) => "an opaque value".into(),
        Constant::Fill => "`_`".into(),
        Constant::Nil => "NIL".into(),
        Constant::Name(name) => format!("`{}`", String::from_utf8_lossy(name)),
        Constant::Open => "`{`".into(),
        Constant::Close => "`}`".into(),
        Constant::Comma => "`,`".into(),
    }
}

/// Returns hexadecimal digits as an integer.
pub(super) fn opaque_integer(digits: &[u8]) -> Option<i128> {
    let text = [b"0x", digits].concat();
    let (integer, _) = integer_prefix(&text)?;
    integer.value()
}

/// Converts the number at the start of a string, or 0. A string that is a number counts as that number.
fn from_string<T: Element>(text: &[u8]) -> Fit<T> {
    let mut bytes = Vec::new();
    if let Err(error) = unescape_text(text, &mut bytes) {
        return Fit::Not(error.to_string());
    }
    let number = bytes.trim_ascii();
    let real = matches!(T::TYPE, Atomic::Float | Atomic::Double);
    let (fit, len) = match float_prefix(number) {
        Some((value, len)) if real => (T::from_real(value), len),
        Some(_) | None => match decimal_prefix(number) {
            Some((value, len)) => (T::from_integer(value), len),
            None => (T::from_integer(0), 0),
        },
    };
    match fit {
        Fit::Exact(element) if len < number.len() || len == 0 => {
            let ty = T::TYPE.name();
            let what =
                format!("expected a value of type {ty}, found a string; stored as {element:?}");
            Fit::Lossy(element, what)
        }
        other => other,
    }
}

/// Returns the decimal integer at the start of a text, and its length.
fn decimal_prefix(text: &[u8]) -> Option<(i128, usize)> {
    let sign = usize::from(matches!(text.first(), Some(b'+' | b'-')));
    let digits = text.get(sign..)?.iter();
    let len = sign + digits.take_while(|byte| byte.is_ascii_digit()).count();
    let value = std::str::from_utf8(text.get(..len)?).ok()?.parse();
    Some((value.ok()?, len))
}

/// Converts plain integers that fit in an `i64`.
#[inline]
fn small(integer: &Integer) -> Option<i64> {
    let magnitude = i64::try_from(integer.magnitude).ok()?;
    if integer.overflow || integer.invalid_octal {
        return None;
    }
    Some(if integer.negative {
        -magnitude
    } else {
        magnitude
    })
}

/// The stored forms of a Rust type.
macro_rules! put_bytes {
    () => {
        #[inline]
        fn put_big(self, out: &mut Vec<u8>) {
            out.extend_from_slice(&self.to_be_bytes());
        }

        #[inline]
        fn put_little(self, out: &mut Vec<u8>) {
            out.extend_from_slice(&self.to_le_bytes());
        }
    };
}

macro_rules! integers {
    ($($t:ty, $same:ty, $name:ident;)*) => {$(
        impl Element for $t {
            const TYPE: Atomic = Atomic::$name;

            #[inline(always)]
            fn plain(number: Plain) -> Option<Self> {
                Self::try_from(number.to_i64()?).ok()
            }

            #[inline]
            fn exact(number: &Literal) -> Option<Self> {
                match number {
                    Literal::Integer(integer, _) => Self::try_from(small(integer)?).ok(),
                    Literal::Float(_) | Literal::Double(_) => None,
                }
            }

            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "keeps the bits, or adds a warning")]
            fn from_integer(value: i128) -> Fit<Self> {
                if let Ok(value) = Self::try_from(value) {
                    return Fit::Exact(value);
                }
                let bits = value as Self;
                if <$same>::try_from(value).is_ok() {
                    return Fit::Exact(bits);
                }
                let what = format!("{value} does not fit type {}", Self::TYPE.name());
                match i32::try_from(value) {
                    Ok(_) => Fit::Lossy(bits, format!("{what}, stored as {bits}")),
                    Err(_) => Fit::Not(what),
                }
            }

            fn from_real(value: f64) -> Fit<Self> {
                let whole = whole_number(value);
                match whole.map(|whole| Self::try_from(whole)) {
                    Some(Ok(element)) if value.fract() == 0.0 => Fit::Exact(element),
                    Some(Ok(element)) => {
                        let what = format!("{value} is not a whole number, stored as {element}");
                        Fit::Lossy(element, what)
                    }
                    Some(Err(_)) | None => {
                        Fit::Not(format!("{value} does not fit type {}", Self::TYPE.name()))
                    }
                }
            }

            put_bytes!();
        }
    )*};
}

integers! {
    i8, u8, Byte;
    i16, u16, Short;
    i32, u32, Int;
    i64, u64, Int64;
    u8, i8, UByte;
    u16, i16, UShort;
    u32, i32, UInt;
    u64, i64, UInt64;
}

impl Element for f32 {
    const TYPE: Atomic = Atomic::Float;

    #[inline(always)]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "rounding to nearest is intended"
    )]
    fn plain(number: Plain) -> Option<Self> {
        // Plain numbers have few digits, so the value cannot overflow.
        number.to_f64().map(|value| value as Self)
    }

    #[inline]
    fn exact(number: &Literal) -> Option<Self> {
        let value = number.to_f32();
        let plain = match number {
            Literal::Integer(integer, _) => !integer.overflow && !integer.invalid_octal,
            Literal::Float(_) => true,
            Literal::Double(_) => value.is_finite(),
        };
        plain.then_some(value)
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "rounding to nearest is intended"
    )]
    fn from_integer(value: i128) -> Fit<Self> {
        Fit::Exact(value as Self)
    }

    fn from_real(value: f64) -> Fit<Self> {
        match to_f32(value) {
            Some(value) => Fit::Exact(value),
            None => Fit::Not(format!("{value:e} does not fit type float")),
        }
    }

    fn from_float(value: f32) -> Fit<Self> {
        Fit::Exact(value)
    }

    put_bytes!();
}

impl Element for f64 {
    const TYPE: Atomic = Atomic::Double;

    #[inline(always)]
    fn plain(number: Plain) -> Option<Self> {
        number.to_f64()
    }

    #[inline]
    fn exact(number: &Literal) -> Option<Self> {
        let plain = match number {
            Literal::Integer(integer, _) => !integer.overflow && !integer.invalid_octal,
            Literal::Float(_) | Literal::Double(_) => true,
        };
        plain.then(|| number.to_f64())
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "rounding to nearest is intended"
    )]
    fn from_integer(value: i128) -> Fit<Self> {
        Fit::Exact(value as Self)
    }

    fn from_real(value: f64) -> Fit<Self> {
        Fit::Exact(value)
    }

    put_bytes!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cdl::constant::Lexer;

    fn fit<T: Element>(text: &str) -> Fit<T> {
        let mut lexer = Lexer::new(text.as_bytes(), 0);
        T::from_constant(&lexer.next_token().unwrap().unwrap().constant)
    }

    fn lossy<T: Element>(text: &str) -> T {
        match fit(text) {
            Fit::Lossy(value, why) => {
                assert!(why.contains("stored as"), "{why}");
                value
            }
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn integers_that_fit() {
        assert_eq!(fit("-128"), Fit::Exact(-128i8));
        assert_eq!(fit("-1b"), Fit::Exact(-1i32));
        assert_eq!(fit("017777777777"), Fit::Exact(i32::MAX));
        assert_eq!(fit("0xff"), Fit::Exact(255i16));
        assert_eq!(fit("1e3"), Fit::Exact(1000i32));
        assert_eq!(fit("'a'"), Fit::Exact(97i16));
        assert_eq!(fit("'\\377'"), Fit::Exact(-1i8));
        assert_eq!(fit("\" 12\""), Fit::Exact(12u16));
        assert_eq!(fit("18446744073709551615"), Fit::Exact(u64::MAX));
    }

    #[test]
    fn the_other_signedness_keeps_the_bits() {
        assert_eq!(fit("255"), Fit::Exact(-1i8));
        assert_eq!(fit("65535s"), Fit::Exact(-1i16));
        assert_eq!(fit("4294967295"), Fit::Exact(-1i32));
        assert_eq!(fit("-1"), Fit::Exact(255u8));
    }

    #[test]
    fn stored_with_a_warning() {
        assert_eq!(lossy::<i8>("300"), 44);
        assert_eq!(lossy::<i16>("70000"), 4464);
        assert_eq!(lossy::<i32>("1.5"), 1);
        assert_eq!(lossy::<i32>("-0.5f"), 0);
        assert_eq!(lossy::<i32>("\"abc\""), 0);
        assert_eq!(lossy::<f32>("\"abc\""), 0.0);
        assert_eq!(lossy::<f64>("\"2009-01-01\""), 2009.0);
        assert_eq!(lossy::<i16>("\"-012.5\""), -12);
        assert_eq!(lossy::<i8>("\"300\""), 44);
    }

    #[test]
    fn constants_out_of_range() {
        for text in ["99999999999", "1e10", "NaN", "Infinity", "_", "NIL", "x"] {
            assert!(matches!(fit::<i32>(text), Fit::Not(_)), "{text}");
        }
        assert!(matches!(fit::<f32>("1e300"), Fit::Not(_)));
        assert!(matches!(fit::<f64>("0x11112222333344445"), Fit::Not(_)));
    }

    #[test]
    fn floats() {
        assert_eq!(fit("1.00000005960464477540"), Fit::Exact(1.0f32));
        assert_eq!(fit("16777217"), Fit::Exact(16_777_216.0f32));
        assert_eq!(fit("Infinity"), Fit::Exact(f32::INFINITY));
        assert_eq!(fit("0.1f"), Fit::Exact(f64::from(0.1f32)));
        assert!(matches!(fit::<f32>("NaN"), Fit::Exact(x) if x.is_nan()));
    }

    #[test]
    fn the_quick_way_agrees_with_the_thorough_one() {
        fn check<T: Element>(text: &str) {
            let number = crate::number::literal(text.as_bytes()).unwrap().0;
            if let Some(quick) = T::exact(&number) {
                assert_eq!(T::from_number_slow(&number), Fit::Exact(quick), "{text}");
            }
        }
        for text in [
            "0",
            "-1",
            "127",
            "128",
            "-129",
            "65536",
            "1.5",
            "1e3",
            "1e300",
            "08",
            "-0",
            "9223372036854775808",
            "18446744073709551616",
            "2.5f",
            "0x7f",
        ] {
            check::<i8>(text);
            check::<i16>(text);
            check::<i32>(text);
            check::<i64>(text);
            check::<u8>(text);
            check::<u64>(text);
            check::<f32>(text);
            check::<f64>(text);
        }
        assert_eq!(
            i8::exact(&crate::number::literal(b"-128").unwrap().0),
            Some(-128)
        );
        assert_eq!(
            f32::exact(&crate::number::literal(b"1.5").unwrap().0),
            Some(1.5)
        );
    }
}
