//! Number types.

use crate::error::{Error, ErrorKind, Result};
use crate::model::{Atomic, Endianness, StoredElement};

/// The flag of numbers in the byte order of the writing machine. libhdf4 reads them in its own byte order.
const NATIVE: u16 = 0x1000;
/// The flag of numbers in a program-specific form.
const CUSTOM: u16 = 0x2000;
/// The flag of little-endian numbers.
const LITTLE: u16 = 0x4000;

/// The type of numbers in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hdf4NumberType {
    /// The type in netCDF.
    pub atomic: Atomic,
    /// The byte order.
    pub order: Endianness,
    /// The code, without flags.
    pub code: u16,
}

impl Hdf4NumberType {
    /// Returns the type with this code.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`] for types without a netCDF equivalent.
    pub fn of_code(code: u16) -> Result<Self> {
        let order = match code & (NATIVE | LITTLE) {
            0 => Endianness::Big,
            _ => Endianness::Little,
        };
        let unsupported = || {
            let what = format!("number type {code} is not supported");
            Error::new(ErrorKind::Unsupported, what)
        };
        let plain = code & !(NATIVE | LITTLE);
        if plain & CUSTOM != 0 {
            return Err(unsupported());
        }
        let atomic = match plain {
            3 | 21 => Atomic::UByte,
            4 => Atomic::Char,
            5 => Atomic::Float,
            6 => Atomic::Double,
            20 => Atomic::Byte,
            22 => Atomic::Short,
            23 => Atomic::UShort,
            24 => Atomic::Int,
            25 => Atomic::UInt,
            26 => Atomic::Int64,
            27 => Atomic::UInt64,
            _ => return Err(unsupported()),
        };
        Ok(Self {
            atomic,
            order,
            code: plain,
        })
    }

    /// Parses the number type element (tag 106): version, code, bits, and byte order class.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Truncated`], and [`ErrorKind::Unsupported`] for types without a netCDF equivalent and for number forms of old
    /// machines.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        let &[_, code, _, class] = bytes.first_chunk().ok_or_else(|| {
            let what = format!("a number type of {} bytes", bytes.len());
            Error::new(ErrorKind::Truncated, what)
        })?;
        let ty = Self::of_code(code.into())?;
        let order = match class {
            0 | 1 => Endianness::Big,
            4 => Endianness::Little,
            _ if ty.size() == 1 => Endianness::Big,
            _ => {
                let what = format!("numbers in the form of class {class} are not supported");
                return Err(Error::new(ErrorKind::Unsupported, what));
            }
        };
        Ok(Self { order, ..ty })
    }

    /// Whether libhdf4 treats the type as text.
    #[must_use]
    pub fn is_text(self) -> bool {
        matches!(self.code, 3 | 4)
    }

    /// Bytes of a number.
    #[must_use]
    pub fn size(self) -> u64 {
        self.atomic.size().unwrap_or(1) as u64
    }

    /// The stored element type.
    #[must_use]
    pub fn element(self) -> StoredElement {
        StoredElement {
            ty: self.atomic.into(),
            size: self.size(),
            order: self.order,
            plain: true,
        }
    }

    /// The stored bytes of an unwritten number without a fill value. libhdf4 uses the signed fill value for unsigned types.
    #[must_use]
    pub fn unwritten(self) -> Vec<u8> {
        let mut bytes = match self.atomic {
            Atomic::Char => vec![0],
            Atomic::UByte if self.is_text() => vec![0],
            Atomic::Byte | Atomic::UByte | Atomic::String => vec![0x81],
            Atomic::Short | Atomic::UShort => (-32767i16).to_be_bytes().to_vec(),
            Atomic::Int | Atomic::UInt => (-2_147_483_647i32).to_be_bytes().to_vec(),
            Atomic::Int64 => (i64::MIN + 2).to_be_bytes().to_vec(),
            Atomic::UInt64 => (u64::MAX - 1).to_be_bytes().to_vec(),
            Atomic::Float => 0x7cf0_0000u32.to_be_bytes().to_vec(),
            Atomic::Double => 0x479e_0000_0000_0000u64.to_be_bytes().to_vec(),
        };
        if self.order == Endianness::Little {
            bytes.reverse();
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_flags_are_types() {
        for (code, atomic) in [
            (3, Atomic::UByte),
            (4, Atomic::Char),
            (5, Atomic::Float),
            (6, Atomic::Double),
            (20, Atomic::Byte),
            (21, Atomic::UByte),
            (22, Atomic::Short),
            (23, Atomic::UShort),
            (24, Atomic::Int),
            (25, Atomic::UInt),
        ] {
            let ty = Hdf4NumberType::of_code(code).unwrap();
            assert_eq!((ty.atomic, ty.order), (atomic, Endianness::Big));
            for flag in [NATIVE, LITTLE] {
                let ty = Hdf4NumberType::of_code(code | flag).unwrap();
                assert_eq!((ty.atomic, ty.order), (atomic, Endianness::Little));
            }
            assert_eq!(ty.unwritten().len() as u64, ty.size());
        }
        for code in [0, 1, 7, 28, 42, 24 | CUSTOM] {
            let e = Hdf4NumberType::of_code(code).unwrap_err();
            assert_eq!(e.kind(), ErrorKind::Unsupported);
        }
    }

    #[test]
    fn classes_are_byte_orders() {
        let order = |class| Hdf4NumberType::parse(&[1, 24, 32, class]).map(|ty| ty.order);
        assert_eq!(order(1).unwrap(), Endianness::Big);
        assert_eq!(order(4).unwrap(), Endianness::Little);
        assert_eq!(order(2).unwrap_err().kind(), ErrorKind::Unsupported);
        assert!(Hdf4NumberType::parse(&[1, 24, 32]).is_err());
    }
}
