//! The twelve atomic types.

/// The atomic types, with netCDF's `nc_type` numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Atomic {
    /// Signed 8-bit integer.
    Byte = 1,
    /// Text, 8 bits an element.
    Char = 2,
    /// Signed 16-bit integer.
    Short = 3,
    /// Signed 32-bit integer.
    Int = 4,
    /// IEEE single precision.
    Float = 5,
    /// IEEE double precision.
    Double = 6,
    /// Unsigned 8-bit integer.
    UByte = 7,
    /// Unsigned 16-bit integer.
    UShort = 8,
    /// Unsigned 32-bit integer.
    UInt = 9,
    /// Signed 64-bit integer.
    Int64 = 10,
    /// Unsigned 64-bit integer.
    UInt64 = 11,
    /// Text of any length, or NIL.
    String = 12,
}

impl Atomic {
    /// All atomic types, by ascending number.
    pub const ALL: [Self; 12] = [
        Self::Byte,
        Self::Char,
        Self::Short,
        Self::Int,
        Self::Float,
        Self::Double,
        Self::UByte,
        Self::UShort,
        Self::UInt,
        Self::Int64,
        Self::UInt64,
        Self::String,
    ];

    /// The type with this `nc_type` number.
    #[must_use]
    pub fn from_number(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|t| t.number() == number)
    }

    /// netCDF's `nc_type` number.
    #[must_use]
    pub fn number(self) -> u32 {
        self as u32
    }

    /// The CDL keyword.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Byte => "byte",
            Self::Char => "char",
            Self::Short => "short",
            Self::Int => "int",
            Self::Float => "float",
            Self::Double => "double",
            Self::UByte => "ubyte",
            Self::UShort => "ushort",
            Self::UInt => "uint",
            Self::Int64 => "int64",
            Self::UInt64 => "uint64",
            Self::String => "string",
        }
    }

    /// Size of an element in bytes; `None` for strings, because their size varies.
    #[must_use]
    pub fn size(self) -> Option<usize> {
        match self {
            Self::Byte | Self::Char | Self::UByte => Some(1),
            Self::Short | Self::UShort => Some(2),
            Self::Int | Self::UInt | Self::Float => Some(4),
            Self::Int64 | Self::UInt64 | Self::Double => Some(8),
            Self::String => None,
        }
    }

    /// True for the integer types (not `char`).
    #[must_use]
    pub fn is_integer(self) -> bool {
        match self {
            Self::Byte | Self::Short | Self::Int | Self::Int64 => true,
            Self::UByte | Self::UShort | Self::UInt | Self::UInt64 => true,
            Self::Char | Self::Float | Self::Double | Self::String => false,
        }
    }

    /// True for the types of CDF-1 and CDF-2.
    #[must_use]
    pub fn is_classic(self) -> bool {
        self.number() <= 6
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lead_back() {
        for t in Atomic::ALL {
            assert_eq!(Atomic::from_number(t.number()), Some(t));
            assert_eq!(t.default_fill().data_type(), Some(t));
        }
        assert_eq!(Atomic::from_number(0), None);
        assert_eq!(Atomic::from_number(13), None);
    }
}
