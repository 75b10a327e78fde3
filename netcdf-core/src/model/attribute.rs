//! Attributes.

use super::{DataType, Name, Values};

/// An attribute.
#[derive(Debug, Clone, PartialEq)]
pub struct Attribute {
    /// The name.
    pub name: Name,
    /// The type of the values.
    pub ty: DataType,
    /// The values.
    pub values: Values,
}

impl Attribute {
    /// An attribute of an atomic type; `None` if `values` have a user-defined type.
    #[must_use]
    pub fn atomic(name: Name, values: Values) -> Option<Self> {
        Some(Self {
            name,
            ty: values.data_type()?.into(),
            values,
        })
    }
    /// Returns whether two lists have the same attributes, in order. Floating-point numbers are compared by their bits, so that a NaN is
    /// equal to itself.
    #[must_use]
    pub(crate) fn are_same(a: &[Self], b: &[Self]) -> bool {
        let same = |(a, b): (&Self, &Self)| {
            (&a.name, a.ty) == (&b.name, b.ty) && has_same_bits(&a.values, &b.values)
        };
        a.len() == b.len() && a.iter().zip(b).all(same)
    }
}

fn has_same_bits(a: &Values, b: &Values) -> bool {
    match (a, b) {
        (Values::Float(a), Values::Float(b)) => a
            .iter()
            .map(|n| n.to_bits())
            .eq(b.iter().map(|n| n.to_bits())),
        (Values::Double(a), Values::Double(b)) => a
            .iter()
            .map(|n| n.to_bits())
            .eq(b.iter().map(|n| n.to_bits())),
        (a, b) => a == b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nan_is_equal_to_itself() {
        let one = |values: Values| {
            let name = Name::stored(b"_FillValue");
            vec![Attribute::atomic(name, values).unwrap()]
        };
        let nan = one(Values::Float(vec![f32::NAN]));
        assert!(nan != nan.clone() && Attribute::are_same(&nan, &nan.clone()));
        let zero = one(Values::Double(vec![0.0]));
        assert!(!Attribute::are_same(
            &zero,
            &one(Values::Double(vec![-0.0]))
        ));
        assert!(!Attribute::are_same(
            &nan,
            &one(Values::Float(vec![f32::NAN; 2]))
        ));
        assert!(!Attribute::are_same(&zero, &nan) && !Attribute::are_same(&zero, &[]));
    }
}
