//! Numpy types.

use super::half;
use super::number_type::{NumberType, TYPES};
use super::value::{self, NumberValue};
use crate::model::{Atomic, Endianness, StoredElement};

/// A type with its byte order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OrderedType {
    pub ty: NumberType,
    pub big: bool,
}

/// The parameter bit for big-endian numbers.
const BIG: u32 = 1 << 16;

impl OrderedType {
    /// Parses a numpy type name: `<i4`, `|u1`, `f8`, `float64`. Date and time types become integers.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (big, rest) = match text.split_at_checked(1)? {
            (">", rest) => (true, rest),
            ("<" | "|" | "=", rest) => (false, rest),
            _ => (false, text),
        };
        let code = match rest.split_once('[') {
            Some(("M8" | "m8", _)) => "i8",
            Some(_) => return None,
            None => rest,
        };
        let (letter, digits) = code.split_at_checked(1)?;
        let named = |(_, kind, size, name): &&(NumberType, u8, u8, &str)| {
            let same = letter.as_bytes() == [*kind] && digits.parse() == Ok(*size);
            same || *name == text
        };
        let (ty, ..) = TYPES.iter().find(named)?;
        Some(Self { ty: *ty, big })
    }

    /// Returns the numpy type name.
    pub(super) fn text(self) -> String {
        let (kind, size) = self.ty.row();
        let order = match (size, self.big) {
            (1, _) => '|',
            (_, true) => '>',
            (_, false) => '<',
        };
        format!("{order}{}{size}", char::from(kind))
    }

    /// Converts the type to a parameter.
    pub(super) fn word(self) -> u32 {
        let (kind, size) = self.ty.row();
        let big = if self.big { BIG } else { 0 };
        big | u32::from(kind) << 8 | u32::from(size)
    }

    /// Converts a parameter to the type.
    pub(super) fn of_word(word: u32) -> Option<Self> {
        let [size, kind, ..] = word.to_le_bytes();
        let known = word & !(BIG | 0xFFFF) == 0;
        let same = |row: &&(NumberType, u8, u8, &str)| (row.1, row.2) == (kind, size);
        let (ty, ..) = TYPES.iter().find(same).filter(|_| known)?;
        let big = word & BIG != 0;
        Some(Self { ty: *ty, big })
    }

    pub(super) fn is_big(element: &StoredElement) -> bool {
        element.order == Endianness::Big
    }

    /// Returns the type of numeric elements.
    pub(super) fn of(element: &StoredElement) -> Option<Self> {
        let ty = match (element.ty.atomic()?, element.size) {
            (Atomic::Byte, 1) => NumberType::I8,
            (Atomic::UByte, 1) => NumberType::U8,
            (Atomic::Short, 2) => NumberType::I16,
            (Atomic::UShort, 2) => NumberType::U16,
            (Atomic::Int, 4) => NumberType::I32,
            (Atomic::UInt, 4) => NumberType::U32,
            (Atomic::Int64, 8) => NumberType::I64,
            (Atomic::UInt64, 8) => NumberType::U64,
            (Atomic::Float, 2) => NumberType::F16,
            (Atomic::Float, 4) => NumberType::F32,
            (Atomic::Double, 8) => NumberType::F64,
            _ => return None,
        };
        let big = Self::is_big(element);
        Some(Self { ty, big })
    }

    /// Returns the stored element of this type.
    pub(super) fn element(self) -> StoredElement {
        let ty = match self.ty {
            NumberType::Bool | NumberType::U8 => Atomic::UByte,
            NumberType::I8 => Atomic::Byte,
            NumberType::I16 => Atomic::Short,
            NumberType::I32 => Atomic::Int,
            NumberType::I64 => Atomic::Int64,
            NumberType::U16 => Atomic::UShort,
            NumberType::U32 => Atomic::UInt,
            NumberType::U64 => Atomic::UInt64,
            NumberType::F16 | NumberType::F32 => Atomic::Float,
            NumberType::F64 => Atomic::Double,
        };
        StoredElement {
            ty: ty.into(),
            size: self.ty.row().1.into(),
            order: if self.big {
                Endianness::Big
            } else {
                Endianness::Little
            },
            plain: self.ty != NumberType::F16,
        }
    }

    /// Returns the number size in bytes; not 0.
    pub(super) fn size(self) -> usize {
        usize::from(self.ty.row().1).max(1)
    }

    /// Returns the bits of a number stored in up to 8 bytes.
    pub(super) fn bits(self, bytes: &[u8]) -> u64 {
        let mut word = [0; 8];
        let copy = |(to, from): (&mut u8, &u8)| *to = *from;
        match self.big {
            true => word.iter_mut().zip(bytes.iter().rev()).for_each(copy),
            false => word.iter_mut().zip(bytes).for_each(copy),
        }
        u64::from_le_bytes(word)
    }

    /// Appends the low `n` bytes of a number.
    pub(super) fn put(self, bits: u64, n: usize, output: &mut Vec<u8>) {
        let bytes = bits.to_le_bytes();
        let bytes = bytes.iter().take(n);
        match self.big {
            true => output.extend(bytes.rev()),
            false => output.extend(bytes),
        }
    }

    /// Returns the number stored in `bytes`.
    pub(super) fn load(self, bytes: &[u8]) -> NumberValue {
        let bits = self.bits(bytes);
        let [a, b, c, d, ..] = bits.to_le_bytes();
        match self.ty {
            NumberType::Bool
            | NumberType::U8
            | NumberType::U16
            | NumberType::U32
            | NumberType::U64 => NumberValue::Unsigned(bits),
            NumberType::I8 => NumberValue::Signed(i8::from_le_bytes([a]).into()),
            NumberType::I16 => NumberValue::Signed(i16::from_le_bytes([a, b]).into()),
            NumberType::I32 => NumberValue::Signed(i32::from_le_bytes([a, b, c, d]).into()),
            NumberType::I64 => NumberValue::Signed(bits.cast_signed()),
            NumberType::F16 => NumberValue::Float(half::from_bits(u16::from_le_bytes([a, b]))),
            NumberType::F32 => NumberValue::Float(f32::from_le_bytes([a, b, c, d]).into()),
            NumberType::F64 => NumberValue::Float(f64::from_bits(bits)),
        }
    }

    /// Appends a number of this type.
    pub(super) fn store(self, value: NumberValue, output: &mut Vec<u8>) {
        let bits = match (value, self.ty) {
            (NumberValue::Float(x), NumberType::F16) => half::to_bits(x).into(),
            (NumberValue::Float(x), NumberType::F32) => value::single(x).to_bits().into(),
            (NumberValue::Float(x), _) => x.to_bits(),
            (NumberValue::Signed(n), _) => n.cast_unsigned(),
            (NumberValue::Unsigned(n), _) => n,
        };
        self.put(bits, self.size(), output);
    }
}
