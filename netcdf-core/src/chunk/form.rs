//! The meaning of the bytes of a stored element.

/// The stored form of elements of a fixed-size user-defined type, regardless of names. If two types have the same
/// form, equal bytes have equal values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ElementForm {
    /// This number of bytes: opaque, characters, or a one-byte number.
    Bytes(u64),
    /// A number of this size in bytes, in this byte order.
    Number(u64, crate::model::Endianness),
    /// This number of consecutive elements.
    Array(u64, Box<ElementForm>),
    /// The element size in bytes, and its fields with their offsets, in the order of the type.
    Fields(u64, Vec<(u64, ElementForm)>),
}

impl ElementForm {
    /// Returns the form of `count` consecutive elements, in canonical form.
    #[must_use]
    pub fn array(self, count: u64) -> Self {
        match self {
            one if count == 1 => one,
            Self::Bytes(n) if n.checked_mul(count).is_some() => Self::Bytes(n * count),
            Self::Array(n, one) if n.checked_mul(count).is_some() => Self::Array(n * count, one),
            one => Self::Array(count, Box::new(one)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Endianness;

    #[test]
    fn arrays_are_said_in_one_way() {
        assert_eq!(
            ElementForm::Bytes(2).array(3).array(5),
            ElementForm::Bytes(30)
        );
        let number = ElementForm::Number(4, Endianness::Big);
        assert_eq!(number.clone().array(1), number);
        let twice = number.clone().array(2).array(3);
        assert_eq!(twice, ElementForm::Array(6, Box::new(number)));
    }
}
