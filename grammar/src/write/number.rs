//! A number of any type, and numbers in stored form.

use netcdf_core::model::Values;

/// A number to be written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NumberToWrite {
    /// Of a signed integer type, or `char`.
    Signed(i64),
    /// Of an unsigned integer type.
    Unsigned(u64),
    /// Of type float.
    Float(f32),
    /// Of type double.
    Double(f64),
}

/// Returns value `i` as a number; `None` if the value is not a number.
#[must_use]
pub fn number(values: &Values, i: usize) -> Option<NumberToWrite> {
    match values {
        Values::Byte(v) => v.get(i).map(|&x| NumberToWrite::Signed(x.into())),
        Values::Short(v) => v.get(i).map(|&x| NumberToWrite::Signed(x.into())),
        Values::Int(v) => v.get(i).map(|&x| NumberToWrite::Signed(x.into())),
        Values::Int64(v) => v.get(i).map(|&x| NumberToWrite::Signed(x)),
        Values::UByte(v) => v.get(i).map(|&x| NumberToWrite::Unsigned(x.into())),
        Values::UShort(v) => v.get(i).map(|&x| NumberToWrite::Unsigned(x.into())),
        Values::UInt(v) => v.get(i).map(|&x| NumberToWrite::Unsigned(x.into())),
        Values::UInt64(v) => v.get(i).map(|&x| NumberToWrite::Unsigned(x)),
        Values::Float(v) => v.get(i).map(|&x| NumberToWrite::Float(x)),
        Values::Double(v) => v.get(i).map(|&x| NumberToWrite::Double(x)),
        Values::Char(_) | Values::String(_) | Values::Enum(..) => None,
        Values::Opaque { .. } | Values::Vlen(..) | Values::Compound { .. } => None,
    }
}

/// A numeric type with big-endian elements.
pub(crate) trait BigEndian: Copy {
    /// The bytes of an element.
    type Stored;
    /// Splits bytes into elements.
    fn split(bytes: &[u8]) -> &[Self::Stored];
    /// Reads an element.
    fn read(stored: &Self::Stored) -> Self;
}

macro_rules! big_endian {
    ($($t:ty)*) => {$(
        impl BigEndian for $t {
            type Stored = [u8; size_of::<$t>()];
            #[inline]
            fn split(bytes: &[u8]) -> &[Self::Stored] {
                bytes.as_chunks().0
            }
            #[inline]
            fn read(stored: &Self::Stored) -> Self {
                <$t>::from_be_bytes(*stored)
            }
        }
    )*};
}

big_endian!(i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);
