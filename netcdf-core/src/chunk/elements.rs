//! Converts stored elements to values and back: byte order and type, in one pass.

use crate::error::{Error, ErrorKind, Result};
use crate::model::{Atomic, Endianness, Values};

macro_rules! decode {
    ($t:ty, $bytes:expr, $order:expr) => {{
        let (chunks, _) = $bytes.as_chunks::<{ size_of::<$t>() }>();
        match $order {
            Endianness::Big => chunks.iter().map(|c| <$t>::from_be_bytes(*c)).collect(),
            Endianness::Little => chunks.iter().map(|c| <$t>::from_le_bytes(*c)).collect(),
        }
    }};
}

macro_rules! encode {
    ($values:expr, $order:expr, $out:expr) => {{
        $out.reserve(size_of_val($values.as_slice()));
        match $order {
            Endianness::Big => $values
                .iter()
                .for_each(|x| $out.extend_from_slice(&x.to_be_bytes())),
            Endianness::Little => {
                $values
                    .iter()
                    .for_each(|x| $out.extend_from_slice(&x.to_le_bytes()));
            }
        }
    }};
}

/// Decodes fixed-size atomic elements. An incomplete element at the end is ignored.
///
/// # Errors
/// Returns [`ErrorKind::BadType`] for strings, which are heap data.
pub fn decode(ty: Atomic, order: Endianness, bytes: &[u8]) -> Result<Values> {
    Ok(match ty {
        Atomic::Byte => Values::Byte(bytes.iter().map(|b| b.cast_signed()).collect()),
        Atomic::Char => Values::Char(bytes.to_vec()),
        Atomic::UByte => Values::UByte(bytes.to_vec()),
        Atomic::Short => Values::Short(decode!(i16, bytes, order)),
        Atomic::UShort => Values::UShort(decode!(u16, bytes, order)),
        Atomic::Int => Values::Int(decode!(i32, bytes, order)),
        Atomic::UInt => Values::UInt(decode!(u32, bytes, order)),
        Atomic::Float => Values::Float(decode!(f32, bytes, order)),
        Atomic::Int64 => Values::Int64(decode!(i64, bytes, order)),
        Atomic::UInt64 => Values::UInt64(decode!(u64, bytes, order)),
        Atomic::Double => Values::Double(decode!(f64, bytes, order)),
        Atomic::String => return Err(heap()),
    })
}

/// Appends the stored form of atomic fixed-size values to `out`.
///
/// # Errors
/// Returns [`ErrorKind::BadType`] for strings and user-defined types, which are encoded with their heap.
pub fn encode(values: &Values, order: Endianness, out: &mut Vec<u8>) -> Result<()> {
    match values {
        Values::Byte(v) => out.extend(v.iter().map(|x| x.cast_unsigned())),
        Values::Char(v) | Values::UByte(v) => out.extend_from_slice(v),
        Values::Short(v) => encode!(v, order, out),
        Values::UShort(v) => encode!(v, order, out),
        Values::Int(v) => encode!(v, order, out),
        Values::UInt(v) => encode!(v, order, out),
        Values::Float(v) => encode!(v, order, out),
        Values::Int64(v) => encode!(v, order, out),
        Values::UInt64(v) => encode!(v, order, out),
        Values::Double(v) => encode!(v, order, out),
        Values::Enum(_, base) => encode(base, order, out)?,
        Values::Opaque { bytes, .. } => out.extend_from_slice(bytes),
        Values::String(_) | Values::Vlen(..) | Values::Compound { .. } => return Err(heap()),
    }
    Ok(())
}

fn heap() -> Error {
    Error::new(
        ErrorKind::BadType,
        "a type of variable size, expected one of fixed size",
    )
}

/// Reverses the bytes of each element of `size` bytes.
pub fn swap(bytes: &mut [u8], size: usize) {
    match size {
        2 => {
            for c in bytes.as_chunks_mut().0 {
                *c = u16::from_ne_bytes(*c).swap_bytes().to_ne_bytes();
            }
        }
        4 => {
            for c in bytes.as_chunks_mut().0 {
                *c = u32::from_ne_bytes(*c).swap_bytes().to_ne_bytes();
            }
        }
        8 => {
            for c in bytes.as_chunks_mut().0 {
                *c = u64::from_ne_bytes(*c).swap_bytes().to_ne_bytes();
            }
        }
        _ => bytes
            .chunks_exact_mut(size.max(1))
            .for_each(<[u8]>::reverse),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_comes_back_in_both_orders() {
        for ty in Atomic::ALL.into_iter().filter(|&t| t != Atomic::String) {
            for order in [Endianness::Big, Endianness::Little] {
                let value = ty.default_fill();
                let mut bytes = vec![];
                encode(&value, order, &mut bytes).unwrap();
                assert_eq!(bytes.len(), ty.size().unwrap());
                assert_eq!(decode(ty, order, &bytes).unwrap(), value);
                let other = match order {
                    Endianness::Big => Endianness::Little,
                    Endianness::Little => Endianness::Big,
                };
                swap(&mut bytes, ty.size().unwrap());
                assert_eq!(decode(ty, other, &bytes).unwrap(), value);
            }
        }
    }
}
