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
}
