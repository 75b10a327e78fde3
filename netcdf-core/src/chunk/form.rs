//! What the bytes of a stored element mean.

/// The stored form of the elements of a user type of fixed size, whatever the names in it. Elements of
/// one type have the same values in the same bytes if their forms are equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Form {
    /// So many bytes: opaque ones, characters, or a number of one byte.
    Bytes(u64),
    /// A number of so many bytes in this order.
    Number(u64, crate::model::Endianness),
    /// So many elements one behind the other.
    Array(u64, Box<Form>),
    /// Fields at these bytes of an element of so many bytes, in the order in which the type has them.
    Fields(u64, Vec<(u64, Form)>),
}

impl Form {
    /// `count` elements one behind the other, in the one way in which that is said.
    #[must_use]
    pub fn array(self, count: u64) -> Self {
        match self {
            one if count == 1 => one,
            Self::Bytes(n) => Self::Bytes(n.saturating_mul(count)),
            Self::Array(n, one) => Self::Array(n.saturating_mul(count), one),
            one @ (Self::Number(..) | Self::Fields(..)) => Self::Array(count, Box::new(one)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Endianness;

    #[test]
    fn arrays_are_said_in_one_way() {
        assert_eq!(Form::Bytes(2).array(3).array(5), Form::Bytes(30));
        let number = Form::Number(4, Endianness::Big);
        assert_eq!(number.clone().array(1), number);
        let twice = number.clone().array(2).array(3);
        assert_eq!(twice, Form::Array(6, Box::new(number)));
    }
}
