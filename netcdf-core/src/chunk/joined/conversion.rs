//! Changes of elements between an input and the whole: types, scales and missing values.

use crate::chunk::elements;
use crate::error::{Error, ErrorKind, OrInternal as _, Result};
use crate::model::convert::convert;
use crate::model::{Atomic, StoredElement, Values};

/// The conversion of a variable's elements from an input. The steps run in the order of the fields.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Conversion {
    /// The unpacking of numbers.
    pub unpack: Option<Unpacking>,
    /// The type to convert to, if it differs.
    pub ty: Option<Atomic>,
    /// The change of the scale.
    pub linear: Option<LinearMap>,
    /// The replacement of missing values.
    pub missing: Option<MissingValues>,
}

/// Unpacking with `scale_factor` and `add_offset`.
#[derive(Debug, Clone, PartialEq)]
pub struct Unpacking {
    /// The factor.
    pub scale: f64,
    /// The summand after the multiplication.
    pub offset: f64,
    /// Whether stored integers are unsigned.
    pub unsigned: bool,
    /// Stored missing values, which become `fill`.
    pub missing: Vec<f64>,
    /// The missing value after unpacking.
    pub fill: f64,
    /// The packing of the unpacked numbers.
    pub packing: Option<Packing>,
}

/// Packing with `scale_factor` and `add_offset`.
#[derive(Debug, Clone, PartialEq)]
pub struct Packing {
    /// The divisor.
    pub scale: f64,
    /// The subtrahend before the division.
    pub offset: f64,
    /// The missing value after packing.
    pub fill: f64,
}

/// A change of the scale that must be exact: `x * factor / divisor + offset / divisor`.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearMap {
    /// The factor.
    pub factor: i128,
    /// The divisor of factor and offset.
    pub divisor: i128,
    /// The offset before the division.
    pub offset: i128,
    /// The permitted rounding error of floating-point numbers.
    pub tolerance: f64,
    /// Values that stay: one element each.
    pub missing: Vec<Values>,
    /// The remedy for a value without an exact result.
    pub remedy: &'static str,
}

/// Values that become one value.
#[derive(Debug, Clone, PartialEq)]
pub struct MissingValues {
    /// The missing values in the input, in the type of the whole: one element each.
    pub from: Vec<Values>,
    /// The missing value in the whole: one element.
    pub to: Values,
    /// Values that no other element may have: one element each.
    pub refused: Vec<Values>,
}

impl Conversion {
    /// Converts stored elements of an input to stored elements of the whole.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Range`] for a value that the whole cannot contain: inexact, too large, or equal to the missing value.
    pub fn apply(
        &self,
        bytes: &[u8],
        (from, to): (StoredElement, StoredElement),
    ) -> Result<Vec<u8>> {
        let ty = from.plain_type().or_internal("numbers")?;
        let mut values = elements::decode(ty, from.order, bytes)?;
        if let Some(unpack) = &self.unpack {
            values = unpack.apply(&values)?;
        }
        if let Some(ty) = self.ty {
            values = convert(&values, ty)?;
        }
        if let Some(linear) = &self.linear {
            values = linear.apply(values)?;
        }
        let mut out = vec![];
        elements::encode(&values, to.order, &mut out)?;
        match &self.missing {
            Some(missing) => missing.apply(out, to),
            None => Ok(out),
        }
    }
}

impl Unpacking {
    fn apply(&self, values: &Values) -> Result<Values> {
        let one = |x: f64| match (self.missing.iter().any(|m| same(*m, x)), &self.packing) {
            (true, None) => self.fill,
            (true, Some(packing)) => packing.fill,
            (false, None) => x * self.scale + self.offset,
            (false, Some(packing)) => {
                ((x * self.scale + self.offset - packing.offset) / packing.scale).round()
            }
        };
        let values = match self.unsigned {
            true => unsigned(values),
            false => values.clone(),
        };
        match convert(&values, Atomic::Double)? {
            Values::Double(values) => Ok(Values::Double(values.into_iter().map(one).collect())),
            _ => Err(Error::internal("doubles")),
        }
    }
}

/// Compares two numbers; NaN equals NaN.
fn same(a: f64, b: f64) -> bool {
    a == b || (a.is_nan() && b.is_nan())
}

/// Returns signed integers as unsigned integers with the same bits.
fn unsigned(values: &Values) -> Values {
    match values {
        Values::Byte(v) => Values::UByte(v.iter().map(|x| x.cast_unsigned()).collect()),
        Values::Short(v) => Values::UShort(v.iter().map(|x| x.cast_unsigned()).collect()),
        Values::Int(v) => Values::UInt(v.iter().map(|x| x.cast_unsigned()).collect()),
        Values::Int64(v) => Values::UInt64(v.iter().map(|x| x.cast_unsigned()).collect()),
        other => other.clone(),
    }
}

impl LinearMap {
    fn apply(&self, values: Values) -> Result<Values> {
        Ok(match values {
            Values::Double(v) => Values::Double(self.reals(v, &self.real_missing())?),
            Values::Float(v) => Values::Float(self.singles(&v)?),
            Values::Byte(v) => Values::Byte(self.whole(&v)?),
            Values::Short(v) => Values::Short(self.whole(&v)?),
            Values::Int(v) => Values::Int(self.whole(&v)?),
            Values::Int64(v) => Values::Int64(self.whole(&v)?),
            Values::UByte(v) => Values::UByte(self.whole(&v)?),
            Values::UShort(v) => Values::UShort(self.whole(&v)?),
            Values::UInt(v) => Values::UInt(self.whole(&v)?),
            Values::UInt64(v) => Values::UInt64(self.whole(&v)?),
            _ => return Err(Error::internal("numbers")),
        })
    }

    /// Returns the missing values of floating-point numbers.
    fn real_missing(&self) -> Vec<f64> {
        let real = |value: &Values| match convert(value, Atomic::Double) {
            Ok(Values::Double(one)) => one.first().copied(),
            Ok(_) | Err(_) => None,
        };
        self.missing.iter().filter_map(real).collect()
    }

    fn singles(&self, values: &[f32]) -> Result<Vec<f32>> {
        let missing = self.real_missing();
        let one = |x: &f32| {
            let x = f64::from(*x);
            if !x.is_finite() || missing.contains(&x) {
                return Ok(x);
            }
            self.real(x)
        };
        let narrow = |(x, y): (&f32, f64)| {
            #[expect(clippy::cast_possible_truncation, reason = "the difference is checked")]
            let z = y as f32;
            let exact = !y.is_finite() || (f64::from(z) - y).abs() <= self.tolerance;
            exact
                .then_some(z)
                .ok_or_else(|| self.inexact(&x.to_string()))
        };
        let all = values.iter().map(|x| narrow((x, one(x)?)));
        all.collect()
    }

    fn reals(&self, values: Vec<f64>, missing: &[f64]) -> Result<Vec<f64>> {
        let one = |x: f64| match !x.is_finite() || missing.contains(&x) {
            true => Ok(x),
            false => self.real(x),
        };
        values.into_iter().map(one).collect()
    }

    /// Converts a number. The error of each operation is known exactly.
    fn real(&self, x: f64) -> Result<f64> {
        let (factor, divisor, offset) =
            (self.factor as f64, self.divisor as f64, self.offset as f64);
        let product = x * factor;
        let lost = x.mul_add(factor, -product);
        let scaled = product / divisor;
        let lost_scaled = (lost - scaled.mul_add(divisor, -product)) / divisor;
        let shift = offset / divisor;
        let lost_shift = -shift.mul_add(divisor, -offset) / divisor;
        let sum = scaled + shift;
        let of_shift = sum - scaled;
        let lost_sum = (scaled - (sum - of_shift)) + (shift - of_shift);
        let lost = lost_scaled + lost_shift + lost_sum;
        match lost.abs() <= self.tolerance {
            true => Ok(sum),
            false => Err(self.inexact(&x.to_string())),
        }
    }

    fn whole<T: Copy + Into<i128> + TryFrom<i128>>(&self, values: &[T]) -> Result<Vec<T>> {
        let missing: Vec<i128> = self.missing.iter().filter_map(whole_number).collect();
        let one = |x: &T| {
            let wide: i128 = (*x).into();
            if missing.contains(&wide) {
                return Ok(*x);
            }
            let scaled = wide.checked_mul(self.factor);
            let sum = scaled.and_then(|n| n.checked_add(self.offset));
            let exact = sum.filter(|n| n % self.divisor.max(1) == 0);
            let value = exact.and_then(|n| T::try_from(n / self.divisor.max(1)).ok());
            value.ok_or_else(|| self.inexact(&wide.to_string()))
        };
        values.iter().map(one).collect()
    }

    fn inexact(&self, value: &str) -> Error {
        let what = format!("{value} has no exact value in the units of the first input");
        Error::new(ErrorKind::Range, what).with_remedy(self.remedy)
    }
}

/// Returns the only value as a whole number.
fn whole_number(value: &Values) -> Option<i128> {
    if let Values::UInt64(one) = value {
        return one.first().map(|x| i128::from(*x));
    }
    match convert(value, Atomic::Int64) {
        Ok(Values::Int64(one)) => one.first().map(|x| i128::from(*x)),
        Ok(_) | Err(_) => None,
    }
}

impl MissingValues {
    fn apply(&self, mut bytes: Vec<u8>, element: StoredElement) -> Result<Vec<u8>> {
        let stored = |value: &Values| {
            let mut bytes = vec![];
            elements::encode(value, element.order, &mut bytes).map(|()| bytes)
        };
        let from = self.from.iter().map(stored).collect::<Result<Vec<_>>>()?;
        let refused = self.refused.iter().map(stored);
        let refused = refused.collect::<Result<Vec<_>>>()?;
        let to = stored(&self.to)?;
        for place in bytes.chunks_exact_mut(to.len().max(1)) {
            if from.iter().any(|from| from == place) {
                place.copy_from_slice(&to);
            } else if let Some(n) = refused.iter().position(|value| value == place) {
                return Err(taken(self.refused.get(n).unwrap_or(&self.to)));
            }
        }
        Ok(bytes)
    }
}

fn taken(value: &Values) -> Error {
    let shown = match convert(value, Atomic::Double) {
        Ok(Values::Double(one)) => one.first().map(f64::to_string).unwrap_or_default(),
        Ok(_) | Err(_) => "a character".to_owned(),
    };
    let what = format!("a valid element equals the missing value {shown} of the first input");
    Error::new(ErrorKind::Range, what)
}
