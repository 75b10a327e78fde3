//! Attributes.

use super::{DataType, Name, Values};

/// An attribute.
#[derive(Debug, Clone, PartialEq)]
pub struct Attribute {
    /// Its name.
    pub name: Name,
    /// The type of its values.
    pub ty: DataType,
    /// Its values.
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
}
