//! Numbers of any type, and numpy's arithmetic on them.

use super::half;
use super::number_type::NumberType;

/// A number, without its exact type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum NumberValue {
    Signed(i64),
    Unsigned(u64),
    /// A float, representable in its type.
    Float(f64),
}

/// Returns the nearest 32-bit float.
#[expect(clippy::cast_possible_truncation, reason = "the value is rounded")]
pub(super) fn single(x: f64) -> f32 {
    x as f32
}

impl NumberValue {
    /// Converts to a type: integers lose their upper bits, floats are rounded. Floats out of the integer range convert as on x86
    /// processors.
    pub(super) fn to(self, ty: NumberType) -> Self {
        match ty {
            NumberType::Bool => Self::Unsigned(u64::from(self.float() != 0.0)),
            NumberType::F64 => Self::Float(self.float()),
            NumberType::F32 => Self::Float(self.single().into()),
            NumberType::F16 => {
                let x = match self {
                    Self::Float(x) => x,
                    Self::Signed(_) | Self::Unsigned(_) => self.single().into(),
                };
                Self::Float(half::from_bits(half::to_bits(x)))
            }
            NumberType::I8
            | NumberType::I16
            | NumberType::I32
            | NumberType::I64
            | NumberType::U8
            | NumberType::U16
            | NumberType::U32
            | NumberType::U64 => wrapped(self.bits(ty), ty),
        }
    }

    /// Converts the number to a 64-bit float.
    #[expect(clippy::cast_precision_loss, reason = "the value is rounded")]
    pub(super) fn float(self) -> f64 {
        match self {
            Self::Signed(n) => n as f64,
            Self::Unsigned(n) => n as f64,
            Self::Float(x) => x,
        }
    }

    /// Converts the number to a 32-bit float, rounded once.
    #[expect(clippy::cast_precision_loss, reason = "the value is rounded")]
    fn single(self) -> f32 {
        match self {
            Self::Signed(n) => n as f32,
            Self::Unsigned(n) => n as f32,
            Self::Float(x) => single(x),
        }
    }

    /// Converts the number to integer bits. Only the lowest bits matter, up to the size of `ty`.
    fn bits(self, ty: NumberType) -> u64 {
        match self {
            Self::Signed(n) => n.cast_unsigned(),
            Self::Unsigned(n) => n,
            Self::Float(x) => integer(x, ty),
        }
    }

    /// Returns the sum, computed in a type.
    pub(super) fn plus(self, other: Self, ty: NumberType) -> Self {
        self.with(other, ty, u64::wrapping_add, |a, b| a + b)
    }

    /// Returns the difference, computed in a type.
    pub(super) fn minus(self, other: Self, ty: NumberType) -> Self {
        self.with(other, ty, u64::wrapping_sub, |a, b| a - b)
    }

    /// Returns the product, computed in a type.
    pub(super) fn times(self, other: Self, ty: NumberType) -> Self {
        self.with(other, ty, u64::wrapping_mul, |a, b| a * b)
    }

    /// Returns the quotient, computed in a float type.
    pub(super) fn over(self, other: Self, ty: NumberType) -> Self {
        self.with(other, ty, |a, _| a, |a, b| a / b)
    }

    /// Computes with both numbers in a type. Rounding a double result is correct, because doubles have more than twice the bits of the
    /// other types.
    fn with(
        self,
        other: Self,
        ty: NumberType,
        whole: impl Fn(u64, u64) -> u64,
        real: impl Fn(f64, f64) -> f64,
    ) -> Self {
        match ty.is_float() {
            true => Self::Float(real(self.to(ty).float(), other.to(ty).float())).to(ty),
            false => wrapped(whole(self.bits(ty), other.bits(ty)), ty),
        }
    }

    /// Returns the nearest whole number, ties to even.
    pub(super) fn rounded(self) -> Self {
        match self {
            Self::Float(x) => Self::Float(x.round_ties_even()),
            Self::Signed(_) | Self::Unsigned(_) => self,
        }
    }
}

/// Converts the lowest bits to a number of an integer type.
fn wrapped(bits: u64, ty: NumberType) -> NumberValue {
    let signed = |unused: u32| NumberValue::Signed((bits << unused).cast_signed() >> unused);
    let unsigned = |unused: u32| NumberValue::Unsigned(bits << unused >> unused);
    match ty {
        NumberType::I8 => signed(56),
        NumberType::I16 => signed(48),
        NumberType::I32 => signed(32),
        NumberType::I64 => signed(0),
        NumberType::Bool | NumberType::U8 => unsigned(56),
        NumberType::U16 | NumberType::F16 => unsigned(48),
        NumberType::U32 | NumberType::F32 => unsigned(32),
        NumberType::U64 | NumberType::F64 => unsigned(0),
    }
}

const TWO_63: f64 = 9_223_372_036_854_775_808.0;

/// Truncates a float to an integer. Small types use 32-bit integers.
fn integer(x: f64, ty: NumberType) -> u64 {
    let small = || match (-2_147_483_649.0 < x) && (x < 2_147_483_648.0) {
        true => long(x),
        false => i64::from(i32::MIN),
    };
    let n = match ty {
        NumberType::Bool
        | NumberType::I8
        | NumberType::U8
        | NumberType::I16
        | NumberType::U16
        | NumberType::I32
        | NumberType::F16 => small(),
        NumberType::U64 if x >= TWO_63 => long(x - TWO_63) ^ i64::MIN,
        NumberType::I64 | NumberType::U32 | NumberType::U64 | NumberType::F32 | NumberType::F64 => {
            long(x)
        }
    };
    n.cast_unsigned()
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the test checks values out of range"
)]
fn long(x: f64) -> i64 {
    match (-TWO_63..TWO_63).contains(&x) {
        true => x as i64,
        false => i64::MIN,
    }
}
