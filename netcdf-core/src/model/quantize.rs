//! Quantization: makes the last bits of floating-point numbers uniform where they do not matter, so that filters
//! compress them.
//!
//! It is done once, when numbers are written ([`chunk::quantize`](crate::chunk::quantize)). An attribute of the
//! variable records it for readers; there is no filter to undo.

use super::{Atomic, Attribute, DataType, Name, Values};
use crate::error::{Error, ErrorKind, Result};

/// The algorithms of netCDF-C (`NC_QUANTIZE_*`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// Bits are cleared in one number and set in the next, the same number of bits in all.
    BitGroom,
    /// Each number is rounded to the bits that its decimal digits need.
    GranularBitRound,
    /// Numbers are rounded to a number of bits.
    BitRound,
}

impl Algorithm {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::BitGroom, Self::GranularBitRound, Self::BitRound];

    /// Its short name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::BitGroom => "bitgroom",
            Self::GranularBitRound => "granularbr",
            Self::BitRound => "bitround",
        }
    }

    /// The algorithm with this name, the short one or that of netCDF-C's documentation, in upper or lower case.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        if name.eq_ignore_ascii_case("GranularBitRound") {
            return Some(Self::GranularBitRound);
        }
        let same = |a: &Self| a.name().eq_ignore_ascii_case(name);
        Self::ALL.into_iter().find(same)
    }

    /// The attribute that netCDF-C gives to quantized variables.
    #[must_use]
    pub fn attribute(self) -> &'static str {
        match self {
            Self::BitGroom => "_QuantizeBitGroomNumberOfSignificantDigits",
            Self::GranularBitRound => "_QuantizeGranularBitRoundNumberOfSignificantDigits",
            Self::BitRound => "_QuantizeBitRoundNumberOfSignificantBits",
        }
    }

    /// The algorithm that an attribute stands for.
    #[must_use]
    pub fn from_attribute(name: &[u8]) -> Option<Self> {
        let same = |a: &Self| a.attribute().as_bytes() == name;
        Self::ALL.into_iter().find(same)
    }

    /// The unit of what is kept: decimal digits or bits.
    #[must_use]
    pub fn unit(self) -> &'static str {
        match self {
            Self::BitGroom | Self::GranularBitRound => "digits",
            Self::BitRound => "bits",
        }
    }

    /// The most digits or bits that can be kept for a type; `None` for types that cannot be quantized.
    #[must_use]
    pub fn most(self, ty: DataType) -> Option<u8> {
        let digits = match self {
            Self::BitGroom | Self::GranularBitRound => true,
            Self::BitRound => false,
        };
        match (ty.atomic(), digits) {
            (Some(Atomic::Float), true) => Some(6),
            (Some(Atomic::Float), false) => Some(23),
            (Some(Atomic::Double), true) => Some(15),
            (Some(Atomic::Double), false) => Some(52),
            _ => None,
        }
    }
}

/// How a variable is quantized.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Quantize {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// Significant decimal digits to keep, or bits for [`Algorithm::BitRound`].
    pub keep: u8,
}

impl Quantize {
    /// Quantization of numbers of a type that keeps `keep` digits or bits.
    ///
    /// # Errors
    /// [`ErrorKind::BadType`] for types other than float and double, [`ErrorKind::Range`] for fewer than 1 or
    /// more than the type has.
    pub fn new(algorithm: Algorithm, keep: i64, ty: DataType) -> Result<Self> {
        let Some(most) = algorithm.most(ty) else {
            let what = "only float and double variables can be quantized";
            return Err(Error::new(ErrorKind::BadType, what));
        };
        let fits = u8::try_from(keep).ok().filter(|n| (1..=most).contains(n));
        match fits {
            Some(keep) => Ok(Self { algorithm, keep }),
            None => {
                let (name, unit) = (algorithm.name(), algorithm.unit());
                let what = format!("{name} keeps 1 to {most} {unit} of this type, not {keep}");
                Err(Error::new(ErrorKind::Range, what))
            }
        }
    }

    /// The attribute that records it.
    #[must_use]
    pub fn attribute(&self) -> Attribute {
        Attribute {
            name: Name::stored(self.algorithm.attribute().as_bytes()),
            ty: Atomic::Int.into(),
            values: Values::Int(vec![self.keep.into()]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back() {
        for a in Algorithm::ALL {
            assert_eq!(Algorithm::from_name(&a.name().to_uppercase()), Some(a));
            assert_eq!(Algorithm::from_attribute(a.attribute().as_bytes()), Some(a));
        }
        assert_eq!(
            Algorithm::from_name("granularBitRound"),
            Some(Algorithm::GranularBitRound)
        );
        assert_eq!(Algorithm::from_name("bit"), None);
    }

    #[test]
    fn ranges_are_those_of_the_library() {
        let kept = |a, keep, ty: Atomic| Quantize::new(a, keep, ty.into());
        for (a, float, double) in [
            (Algorithm::BitGroom, 6, 15),
            (Algorithm::GranularBitRound, 6, 15),
            (Algorithm::BitRound, 23, 52),
        ] {
            for (ty, most) in [(Atomic::Float, float), (Atomic::Double, double)] {
                assert!(kept(a, 1, ty).is_ok() && kept(a, most, ty).is_ok());
                for wrong in [-1, 0, most + 1, 257] {
                    assert_eq!(kept(a, wrong, ty).unwrap_err().kind(), ErrorKind::Range);
                }
            }
            let e = kept(a, 3, Atomic::Int).unwrap_err();
            assert_eq!(e.kind(), ErrorKind::BadType);
        }
        let e = kept(Algorithm::BitGroom, 7, Atomic::Float).unwrap_err();
        assert_eq!(e.what(), "bitgroom keeps 1 to 6 digits of this type, not 7");
    }
}
