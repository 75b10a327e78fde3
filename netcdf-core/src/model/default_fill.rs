//! The default fill values of netCDF (`NC_FILL_*`).

use super::{Atomic, Values};

impl Atomic {
    /// The default fill value (`NC_FILL_*`), one element.
    #[must_use]
    pub fn default_fill(self) -> Values {
        match self {
            Self::Byte => Values::Byte(vec![-127]),
            Self::Char => Values::Char(vec![0]),
            Self::Short => Values::Short(vec![-32767]),
            Self::Int => Values::Int(vec![-2_147_483_647]),
            Self::Float => Values::Float(vec![f32::from_bits(0x7cf0_0000)]),
            Self::Double => Values::Double(vec![f64::from_bits(0x479e_0000_0000_0000)]),
            Self::UByte => Values::UByte(vec![255]),
            Self::UShort => Values::UShort(vec![65535]),
            Self::UInt => Values::UInt(vec![4_294_967_295]),
            Self::Int64 => Values::Int64(vec![-9_223_372_036_854_775_806]),
            Self::UInt64 => Values::UInt64(vec![18_446_744_073_709_551_614]),
            Self::String => Values::String(vec![Some(Box::default())]),
        }
    }
}
