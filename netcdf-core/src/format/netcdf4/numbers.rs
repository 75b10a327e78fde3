//! Numbers in all HDF5 forms: any width, any bits, any floating-point layout.

use crate::chunk::elements;
use crate::format::hdf5::datatype::{Datatype, FloatFields, TypeClass, ValueBits};
use crate::model::{Atomic, Endianness, Values};

/// Returns the atomic type that can store the numbers or text of a datatype, or `None` if no type can.
#[must_use]
pub(crate) fn atomic(datatype: &Datatype) -> Option<Atomic> {
    match &datatype.class {
        TypeClass::Integer { bits, signed } => integer(bits.precision, *signed),
        TypeClass::Float { fields, .. } => float(datatype.size, fields),
        TypeClass::String { .. } if datatype.size == 1 => Some(Atomic::Char),
        TypeClass::String { .. } | TypeClass::VlenString { .. } => Some(Atomic::String),
        TypeClass::Time
        | TypeClass::Bitfield { .. }
        | TypeClass::Opaque { .. }
        | TypeClass::Reference(_) => None,
        TypeClass::Compound { .. } | TypeClass::Enum { .. } | TypeClass::Vlen { .. } => None,
        TypeClass::Array { .. } | TypeClass::Complex { .. } => None,
    }
}

/// Returns the smallest integer type with at least `precision` bits.
fn integer(precision: u16, signed: bool) -> Option<Atomic> {
    Some(match (precision, signed) {
        (..=8, true) => Atomic::Byte,
        (..=8, false) => Atomic::UByte,
        (..=16, true) => Atomic::Short,
        (..=16, false) => Atomic::UShort,
        (..=32, true) => Atomic::Int,
        (..=32, false) => Atomic::UInt,
        (..=64, true) => Atomic::Int64,
        (..=64, false) => Atomic::UInt64,
        (65.., _) => return None,
    })
}

/// Returns the floating-point type that represents all numbers of a layout exactly.
fn float(size: u64, fields: &FloatFields) -> Option<Atomic> {
    match (size, fields.exponent.1, fields.mantissa.1) {
        (..=4, ..=8, ..=23) => Some(Atomic::Float),
        (..=8, ..=11, ..=55) => Some(Atomic::Double),
        _ => None,
    }
}

/// Returns the byte order if the stored form equals the atomic type.
#[must_use]
pub(crate) fn plain(datatype: &Datatype) -> Option<Endianness> {
    let size = atomic(datatype)?.size()? as u64;
    let whole = |bits: &ValueBits| bits.offset == 0 && u64::from(bits.precision) == 8 * size;
    let order = match &datatype.class {
        TypeClass::Integer { bits, .. } if whole(bits) => bits.order,
        TypeClass::Float { bits, fields } if whole(bits) && is_ieee(size, fields) => bits.order,
        TypeClass::String { .. } => Endianness::Little,
        TypeClass::Integer { .. } | TypeClass::Float { .. } => return None,
        TypeClass::Time
        | TypeClass::Bitfield { .. }
        | TypeClass::Opaque { .. }
        | TypeClass::Reference(_) => {
            return None;
        }
        TypeClass::Compound { .. } | TypeClass::Enum { .. } | TypeClass::Vlen { .. } => {
            return None;
        }
        TypeClass::VlenString { .. } | TypeClass::Array { .. } | TypeClass::Complex { .. } => {
            return None;
        }
    };
    (datatype.size == size).then_some(order)
}

fn is_ieee(size: u64, f: &FloatFields) -> bool {
    match size {
        4 => *f == FloatFields::ieee(8, 23),
        8 => *f == FloatFields::ieee(11, 52),
        _ => false,
    }
}

/// Decodes stored numbers or single characters. Returns `None` if no atomic type can store the values.
#[must_use]
pub(crate) fn decode(datatype: &Datatype, bytes: &[u8]) -> Option<Values> {
    let target = atomic(datatype)?;
    if let Some(order) = plain(datatype) {
        return elements::decode(target, order, bytes).ok();
    }
    let size = usize::try_from(datatype.size).ok().filter(|&n| n > 0)?;
    let mut wide = Vec::new();
    match &datatype.class {
        TypeClass::Integer { bits, signed } => {
            for element in bytes.chunks_exact(size) {
                let value = integer_of(element, bits, *signed);
                wide.extend_from_slice(&value.to_le_bytes());
            }
            narrow(target, &wide)
        }
        TypeClass::Float { bits, fields } => {
            let values = bytes.chunks_exact(size).map(|e| float_of(e, bits, fields));
            #[expect(
                clippy::cast_possible_truncation,
                reason = "the type can represent all values"
            )]
            match target {
                Atomic::Float => Some(Values::Float(values.map(|x| x as f32).collect())),
                _ => Some(Values::Double(values.collect())),
            }
        }
        TypeClass::String { .. } | TypeClass::VlenString { .. } | TypeClass::Time => None,
        TypeClass::Bitfield { .. } | TypeClass::Opaque { .. } | TypeClass::Reference(_) => None,
        TypeClass::Compound { .. } | TypeClass::Enum { .. } | TypeClass::Vlen { .. } => None,
        TypeClass::Array { .. } | TypeClass::Complex { .. } => None,
    }
}

/// Converts little-endian 16-bit integers to a type that can store the values.
fn narrow(target: Atomic, wide: &[u8]) -> Option<Values> {
    let size = target.size()?;
    let (all, _) = wide.as_chunks::<16>();
    let low: Vec<u8> = all
        .iter()
        .flat_map(|e| e.iter().take(size).copied())
        .collect();
    elements::decode(target, Endianness::Little, &low).ok()
}

/// Returns the first 128 bits of an element, counted from the least significant bit, as a number.
fn raw(element: &[u8], order: Endianness) -> u128 {
    let mut le = [0u8; 16];
    match order {
        Endianness::Little => le.iter_mut().zip(element).for_each(|(to, b)| *to = *b),
        Endianness::Big => le
            .iter_mut()
            .zip(element.iter().rev())
            .for_each(|(to, b)| *to = *b),
    }
    u128::from_le_bytes(le)
}

fn field(raw: u128, at: u32, bits: u32) -> u128 {
    let mask = if bits >= 128 {
        u128::MAX
    } else {
        (1 << bits) - 1
    };
    raw.checked_shr(at).unwrap_or(0) & mask
}

/// Decodes an integer: the bits of the precision, with sign extension.
#[must_use]
pub(crate) fn integer_of(element: &[u8], bits: &ValueBits, signed: bool) -> i128 {
    let precision = u32::from(bits.precision).min(128);
    let value = field(raw(element, bits.order), bits.offset.into(), precision);
    let unused = 128 - precision;
    if signed && unused < 128 {
        return (value << unused).cast_signed() >> unused;
    }
    value.cast_signed()
}

/// Decodes a floating-point number of any layout up to 8 bytes.
fn float_of(element: &[u8], bits: &ValueBits, f: &FloatFields) -> f64 {
    let raw = if f.vax {
        vax(element)
    } else {
        raw(element, bits.order)
    };
    let mantissa_bits = u32::from(f.mantissa.1);
    let exponent_bits = u32::from(f.exponent.1);
    let negative = field(raw, f.sign.into(), 1) == 1;
    let exponent = field(raw, f.exponent.0.into(), exponent_bits);
    let mantissa = field(raw, f.mantissa.0.into(), mantissa_bits);
    let all_ones = exponent_bits > 0 && exponent == field(u128::MAX, 0, exponent_bits);
    let magnitude = if all_ones && !f.vax {
        // If the leading mantissa bit is stored, the bit may be set in infinity.
        let first = mantissa_bits
            .checked_sub(1)
            .filter(|_| f.normalization != 2);
        if mantissa == 0
            || first
                .is_some_and(|bit| mantissa.count_ones() == 1 && mantissa.trailing_zeros() == bit)
        {
            f64::INFINITY
        } else {
            f64::NAN
        }
    } else {
        magnitude(f, exponent, mantissa)
    };
    if negative { -magnitude } else { magnitude }
}

fn magnitude(f: &FloatFields, exponent: u128, mantissa: u128) -> f64 {
    let bits = i32::from(f.mantissa.1);
    let bias = i32::try_from(f.bias).unwrap_or(i32::MAX);
    let exponent = i32::try_from(exponent).unwrap_or(i32::MAX);
    let hidden = f.normalization == 2 && exponent != 0;
    let whole = if hidden {
        mantissa | 1 << f.mantissa.1.min(127)
    } else {
        mantissa
    };
    if f.vax && exponent == 0 {
        return 0.0;
    }
    // If the leading mantissa bit is stored, the bit is before the binary point.
    let power = match f.normalization {
        2 => exponent.max(1),
        _ => exponent.saturating_add(1),
    };
    #[expect(
        clippy::cast_precision_loss,
        reason = "up to 55 bits; the 53 of a double count"
    )]
    let value = whole as f64;
    let power = power.saturating_sub(bias).saturating_sub(bits);
    // Multiply in two steps, so that neither factor exceeds the range of a double.
    value * 2f64.powi(power / 2) * 2f64.powi(power - power / 2)
}

/// Returns the bits of an element in VAX order: two-byte words, the first with sign and exponent.
fn vax(element: &[u8]) -> u128 {
    let words = element.chunks(2);
    words.fold(0, |all, word| all << 16 | raw(word, Endianness::Little))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integer(size: u64, bits: ValueBits, signed: bool) -> Datatype {
        let class = TypeClass::Integer { bits, signed };
        Datatype {
            size,
            class,
            committed: None,
        }
    }

    #[test]
    fn integers_of_three_bytes() {
        let bits = ValueBits {
            order: Endianness::Big,
            offset: 0,
            precision: 24,
        };
        let t = integer(3, bits, true);
        assert_eq!(plain(&t), None);
        let values = decode(&t, &[0, 1, 2, 0xff, 0xff, 0xfe]);
        assert_eq!(values, Some(Values::Int(vec![258, -2])));
    }

    #[test]
    fn bits_within_an_integer() {
        let bits = ValueBits {
            order: Endianness::Little,
            offset: 4,
            precision: 8,
        };
        let t = integer(2, bits, false);
        assert_eq!(decode(&t, &[0xf0, 0x0f]), Some(Values::UByte(vec![255])));
    }

    fn half(order: Endianness) -> Datatype {
        let fields = FloatFields {
            sign: 15,
            exponent: (10, 5),
            bias: 15,
            mantissa: (0, 10),
            normalization: 2,
            vax: false,
        };
        let bits = ValueBits {
            order,
            offset: 0,
            precision: 16,
        };
        Datatype {
            size: 2,
            class: TypeClass::Float { bits, fields },
            committed: None,
        }
    }

    #[test]
    fn half_precision() {
        let bytes = [0x00, 0x3c, 0x01, 0x00, 0x00, 0xfc, 0xff, 0xc3];
        let expected = vec![1.0, 2f32.powi(-24), f32::NEG_INFINITY, -3.998_046_9];
        assert_eq!(
            decode(&half(Endianness::Little), &bytes),
            Some(Values::Float(expected))
        );
        let nan = decode(&half(Endianness::Big), &[0x7e, 0x00]);
        assert!(matches!(nan, Some(Values::Float(v)) if v[0].is_nan()));
    }

    /// libhdf5 reads the bits as 1, -3.5 and infinity: the first mantissa bit is before the point.
    #[test]
    fn mantissas_without_a_hidden_bit() {
        let mut t = half(Endianness::Little);
        let bytes = [0x00, 0x3c, 0x00, 0xc3, 0x00, 0x7c, 0x00, 0x7e, 0x01, 0x7e];
        if let TypeClass::Float { fields, .. } = &mut t.class {
            fields.normalization = 0;
        }
        let Some(Values::Float(values)) = decode(&t, &bytes) else {
            panic!("no numbers");
        };
        assert_eq!(values[..4], [0.0, -3.0, f32::INFINITY, f32::INFINITY]);
        assert!(values[4].is_nan());
    }

    #[test]
    fn vax_f() {
        let fields = FloatFields {
            sign: 31,
            exponent: (23, 8),
            bias: 129,
            mantissa: (0, 23),
            normalization: 2,
            vax: true,
        };
        let bits = ValueBits {
            order: Endianness::Little,
            offset: 0,
            precision: 32,
        };
        let t = Datatype {
            size: 4,
            class: TypeClass::Float { bits, fields },
            committed: None,
        };
        // 1.0 is 0x4080 followed by zeros, -3.5 is 0xc160.
        let values = decode(&t, &[0x80, 0x40, 0, 0, 0x60, 0xc1, 0, 0]);
        assert_eq!(values, Some(Values::Float(vec![1.0, -3.5])));
    }
}
