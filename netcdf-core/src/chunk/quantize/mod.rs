//! Quantizes stored elements, bit for bit like netCDF-C.
//!
//! Numbers that equal the fill value, zeros and NaNs stay unchanged. As in netCDF-C, infinities change: Bit
//! Grooming sets bits of every second infinity, which becomes a NaN, and Granular BitRound turns infinities into
//! zero.
//!
//! Bit Grooming alternately clears and sets bits. The element's row-major number in the variable decides, so that
//! the result does not depend on how the variable is divided into writes (netCDF-C counts from the start of each
//! call).
//!
//! The algorithms: doi:10.5194/gmd-9-3199-2016 (Bit Grooming), doi:10.5194/gmd-12-4099-2019 (digits and bits),
//! doi:10.1038/s43588-021-00156-2 (BitRound).

use std::f64::consts::{LN_2, LN_10};

use crate::model::quantize::{Algorithm, Quantize};
use crate::model::{Atomic, Endianness, Region, Values, Variable};

/// Bits per decimal digit.
const BITS_OF_DIGIT: f64 = LN_10 / LN_2;
/// Decimal digits per bit.
const DIGITS_OF_BIT: f64 = LN_2 / LN_10;

/// Quantizes the elements of one variable.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quantizer {
    how: Quantize,
    form: FloatBits,
    order: Endianness,
    /// The fill value. Equal numbers stay unchanged.
    fill: f64,
}

/// The floating-point formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FloatBits {
    Float,
    Double,
}

impl FloatBits {
    /// Returns the number of bits.
    fn width(self) -> u32 {
        match self {
            Self::Float => 32,
            Self::Double => 64,
        }
    }

    /// Returns the number of stored significand bits.
    fn significand(self) -> u32 {
        match self {
            Self::Float => f32::MANTISSA_DIGITS - 1,
            Self::Double => f64::MANTISSA_DIGITS - 1,
        }
    }
}

impl Quantizer {
    /// Creates a quantizer for a variable with this byte order; `None` if the variable is not quantized.
    #[must_use]
    pub fn new(var: &Variable, order: Endianness) -> Option<Self> {
        let how = var.storage.quantize?;
        let fill = var.fill_value();
        let (form, fill) = match (var.ty.atomic()?, fill) {
            (Atomic::Float, Some(Values::Float(fill))) => {
                (FloatBits::Float, fill.first()?.to_owned().into())
            }
            (Atomic::Double, Some(Values::Double(fill))) => (FloatBits::Double, *fill.first()?),
            _ => return None,
        };
        Some(Self {
            how,
            form,
            order,
            fill,
        })
    }

    /// Quantizes `bytes`, the elements of a box in a variable of this shape. The length of the first dimension
    /// does not matter.
    pub fn boxed(&self, part: &Region, shape: &[u64], bytes: &mut [u8]) {
        let row = part.count.last().copied().unwrap_or(1);
        let size = u64::from(self.form.width() / 8);
        let Some(len) = row
            .checked_mul(size)
            .and_then(|n| usize::try_from(n.max(1)).ok())
        else {
            return self.run(0, bytes);
        };
        let mut at = part.start.clone();
        for row in bytes.chunks_mut(len) {
            self.run(number(&at, shape), row);
            step(&mut at, part);
        }
    }

    /// Quantizes consecutive elements, given the row-major number of the first.
    pub fn run(&self, first: u64, bytes: &mut [u8]) {
        let turns = (first..).map(|n| n % 2 == 1);
        match self.form {
            FloatBits::Float => {
                for (element, odd) in bytes.as_chunks_mut().0.iter_mut().zip(turns) {
                    let bits = match self.order {
                        Endianness::Little => u32::from_le_bytes(*element),
                        Endianness::Big => u32::from_be_bytes(*element),
                    };
                    let made = self.made(f32::from_bits(bits).into(), bits.into(), odd);
                    let made = u32::try_from(made & u64::from(u32::MAX)).unwrap_or(bits);
                    *element = match self.order {
                        Endianness::Little => made.to_le_bytes(),
                        Endianness::Big => made.to_be_bytes(),
                    };
                }
            }
            FloatBits::Double => {
                for (element, odd) in bytes.as_chunks_mut().0.iter_mut().zip(turns) {
                    let bits = match self.order {
                        Endianness::Little => u64::from_le_bytes(*element),
                        Endianness::Big => u64::from_be_bytes(*element),
                    };
                    let made = self.made(f64::from_bits(bits), bits, odd);
                    *element = match self.order {
                        Endianness::Little => made.to_le_bytes(),
                        Endianness::Big => made.to_be_bytes(),
                    };
                }
            }
        }
    }

    /// Returns the quantized bits of a number. Bits beyond its width do not matter.
    #[expect(clippy::float_cmp, reason = "numbers that equal the fill value stay")]
    fn made(&self, value: f64, bits: u64, odd: bool) -> u64 {
        if value == self.fill || value == 0.0 || value.is_nan() {
            return bits;
        }
        let keep = u32::from(self.how.keep);
        let significand = self.form.significand();
        match self.how.algorithm {
            Algorithm::BitGroom => {
                let dropped = low(significand - bits_of(keep).min(significand));
                if odd { bits | dropped } else { bits & !dropped }
            }
            Algorithm::BitRound => rounded(bits, significand - keep.min(significand)),
            Algorithm::GranularBitRound => {
                // For infinities, the C library shifts by a negative number: processors use only the last bits of a
                // shift count.
                let count = significand.wrapping_sub(needed(value, keep).into());
                rounded(bits, count & (self.form.width() - 1))
            }
        }
    }
}

/// Returns a number with the lowest `count` bits set.
fn low(count: u32) -> u64 {
    1u64.checked_shl(count).map_or(u64::MAX, |n| n - 1)
}

/// Rounds to the nearest number without the last bits, ties away from zero.
fn rounded(bits: u64, dropped: u32) -> u64 {
    let half = low(dropped) & !(low(dropped) >> 1);
    bits.wrapping_add(half) & !low(dropped)
}

/// Returns the number of bits that Bit Grooming retains for this number of digits.
fn bits_of(digits: u32) -> u32 {
    integer((f64::from(digits) * BITS_OF_DIGIT).ceil()).unsigned_abs() + 1
}

/// Returns the number of bits that Granular BitRound retains for this number of digits. `value` is neither zero nor
/// NaN.
fn needed(value: f64, digits: u32) -> u16 {
    let bits = if value.is_infinite() {
        // The C library's result for the logarithm of infinity.
        0
    } else {
        let (significand, exponent) = parts(value.abs());
        let (log, exponent) = (significand.log10(), f64::from(exponent));
        let before = (exponent * DIGITS_OF_BIT + log).floor() + 1.0;
        let last = (BITS_OF_DIGIT * (before - f64::from(digits))).floor();
        integer(((exponent - BITS_OF_DIGIT * log).floor() - last).abs())
    };
    u16::try_from(bits).unwrap_or(0).wrapping_sub(1)
}

/// Returns the significand of a positive number, from 0.5 up to 1, and its exponent.
fn parts(value: f64) -> (f64, i32) {
    const EXPONENT: u64 = 0x7ff << 52;
    let (value, lifted) = match value.is_subnormal() {
        true => (value * 18_014_398_509_481_984.0, 54),
        false => (value, 0),
    };
    let bits = value.to_bits();
    let exponent = i32::try_from((bits & EXPONENT) >> 52).unwrap_or(0) - 1022;
    let significand = f64::from_bits(bits & !EXPONENT | 1022 << 52);
    (significand, exponent - lifted)
}

/// Converts a small whole number.
#[expect(clippy::cast_possible_truncation, reason = "at most some thousands")]
fn integer(value: f64) -> i32 {
    value as i32
}

/// Returns the row-major number of an element, modulo 2^64.
fn number(at: &[u64], shape: &[u64]) -> u64 {
    let places = at.iter().zip(shape);
    places.fold(0, |n: u64, (at, len)| {
        n.wrapping_mul(*len).wrapping_add(*at)
    })
}

/// Advances to the start of the next row of a box.
fn step(at: &mut [u64], part: &Region) {
    let Some((_, rows)) = at.split_last_mut() else {
        return;
    };
    let bounds = part.start.iter().zip(&part.count);
    for (at, (start, count)) in rows.iter_mut().zip(bounds).rev() {
        *at += 1;
        if *at < start + count {
            return;
        }
        *at = *start;
    }
}

#[cfg(test)]
mod tests;
