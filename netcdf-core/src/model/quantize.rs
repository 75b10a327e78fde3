//! Quantization: makes insignificant trailing bits of floating-point numbers uniform, so that they compress well.
//!
//! Numbers are quantized once, on writing (`chunk::quantize`). A variable attribute records the quantization for
//! readers; decoding needs no inverse step.

use super::{Atomic, Attribute, DataType, Name, Values};
use crate::error::{Error, ErrorKind, Result};

/// The algorithms of netCDF-C (`NC_QUANTIZE_*`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// Clears the trailing bits of one number and sets them in the next; all numbers lose the same bits.
    BitGroom,
    /// Rounds each number to the bits that its decimal digits need.
    GranularBitRound,
    /// Rounds numbers to a number of bits.
    BitRound,
}

impl Algorithm {
    /// All algorithms.
    pub const ALL: [Self; 3] = [Self::BitGroom, Self::GranularBitRound, Self::BitRound];

    /// Returns the short name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::BitGroom => "bitgroom",
            Self::GranularBitRound => "granularbr",
            Self::BitRound => "bitround",
        }
    }

    /// Returns the algorithm with this name: the short name or the name in netCDF-C's documentation, in any case.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        if name.eq_ignore_ascii_case("GranularBitRound") {
            return Some(Self::GranularBitRound);
        }
        let same = |a: &Self| a.name().eq_ignore_ascii_case(name);
        Self::ALL.into_iter().find(same)
    }

    /// Returns the attribute that netCDF-C adds to quantized variables.
    #[must_use]
    pub fn attribute(self) -> &'static str {
        match self {
            Self::BitGroom => "_QuantizeBitGroomNumberOfSignificantDigits",
            Self::GranularBitRound => "_QuantizeGranularBitRoundNumberOfSignificantDigits",
            Self::BitRound => "_QuantizeBitRoundNumberOfSignificantBits",
        }
    }

    /// Returns the algorithm that an attribute records.
    #[must_use]
    pub fn from_attribute(name: &[u8]) -> Option<Self> {
        let same = |a: &Self| a.attribute().as_bytes() == name;
        Self::ALL.into_iter().find(same)
    }

    /// Returns the unit of precision: decimal digits or bits.
    #[must_use]
    pub fn unit(self) -> &'static str {
        match self {
            Self::BitGroom | Self::GranularBitRound => "digits",
            Self::BitRound => "bits",
        }
    }

    /// Returns the maximum number of digits or bits for a type, or `None` if the type cannot be quantized.
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

/// Quantization settings of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Quantize {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The number of significant decimal digits, or of bits for [`Algorithm::BitRound`].
    pub keep: u8,
}

impl Quantize {
    /// Returns settings that keep `keep` digits or bits of a number.
    ///
    /// # Errors
    /// Returns [`ErrorKind::BadType`] for types other than float and double, and [`ErrorKind::Range`] if `keep` is less than 1 or above the
    /// type's precision.
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

    /// Returns the attribute that records the quantization.
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
