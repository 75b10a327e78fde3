//! How much numbers differ.

use crate::chunk::elements;
use crate::error::Result;
use crate::model::{Atomic, Endianness, Values};

/// The largest difference between stored numbers of a type and byte order: infinite between a finite number and
/// one that is not, 0 between characters.
pub(super) fn largest((ty, order): (Atomic, Endianness), had: &[u8], got: &[u8]) -> Result<f64> {
    if had == got {
        return Ok(0.0);
    }
    let numbers = |bytes: &[u8]| Ok(numbers(&elements::decode(ty, order, bytes)?));
    let (had, got) = (numbers(had)?, numbers(got)?);
    let differences = had.iter().zip(&got).map(|(a, b)| difference(*a, *b));
    Ok(differences.fold(0.0, f64::max))
}

fn difference(a: f64, b: f64) -> f64 {
    if a.to_bits() == b.to_bits() || a == b || a.is_nan() && b.is_nan() {
        return 0.0;
    }
    let difference = (a - b).abs();
    if difference.is_nan() {
        f64::INFINITY
    } else {
        difference
    }
}

/// Numbers as doubles, which is inexact for 64-bit integers.
fn numbers(values: &Values) -> Vec<f64> {
    fn wide<T: Copy + Into<f64>>(list: &[T]) -> Vec<f64> {
        list.iter().map(|&n| n.into()).collect()
    }
    match values {
        Values::Byte(v) => wide(v),
        Values::Short(v) => wide(v),
        Values::Int(v) => wide(v),
        Values::UByte(v) => wide(v),
        Values::UShort(v) => wide(v),
        Values::UInt(v) => wide(v),
        Values::Float(v) => wide(v),
        Values::Double(v) => v.clone(),
        Values::Int64(v) => v.iter().map(|&n| n as f64).collect(),
        Values::UInt64(v) => v.iter().map(|&n| n as f64).collect(),
        Values::Char(_)
        | Values::String(_)
        | Values::Enum(..)
        | Values::Opaque { .. }
        | Values::Vlen(..)
        | Values::Compound { .. } => vec![],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_counts() {
        let doubles = |v: [f64; 3]| v.map(f64::to_le_bytes).concat();
        let of = |a, b| {
            let ty = (Atomic::Double, Endianness::Little);
            largest(ty, &doubles(a), &doubles(b)).unwrap()
        };
        assert_eq!(of([1.0, 2.0, f64::NAN], [1.5, 1.75, f64::NAN]), 0.5);
        assert_eq!(of([1.0, 0.0, 2.0], [1.0, -0.0, f64::NAN]), f64::INFINITY);
        let big = f64::INFINITY;
        assert_eq!(of([big, 1.0, 1.0], [big, 1.0, 1.0]), 0.0);
        assert_eq!(of([big, 1.0, 1.0], [2.0, 1.0, 1.0]), f64::INFINITY);
        let bytes = largest((Atomic::Byte, Endianness::Little), &[1, 255], &[4, 1]);
        assert_eq!(bytes.unwrap(), 3.0);
    }
}
