//! Types: atomic types, and the four classes of user-defined types.

use super::{Atomic, GroupId, Name, TypeId};
use crate::error::{Error, ErrorKind, Result};

/// A type: atomic, or defined in the dataset. Types are compared by id, never by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DataType {
    /// One of the twelve atomic types.
    Atomic(Atomic),
    /// A user-defined type of the same schema.
    User(TypeId),
}

impl DataType {
    /// Returns netCDF's `nc_type`: 1 to 12, or at least 32.
    #[must_use]
    pub fn number(self) -> u32 {
        match self {
            Self::Atomic(a) => a.number(),
            Self::User(id) => id.0.saturating_add(32),
        }
    }

    /// Returns the type if it is atomic.
    #[must_use]
    pub fn atomic(self) -> Option<Atomic> {
        match self {
            Self::Atomic(a) => Some(a),
            Self::User(_) => None,
        }
    }
}

impl From<Atomic> for DataType {
    fn from(a: Atomic) -> Self {
        Self::Atomic(a)
    }
}

/// A user-defined type.
#[derive(Debug, Clone, PartialEq)]
pub struct UserType {
    /// The type name.
    pub name: Name,
    /// The defining group.
    pub group: GroupId,
    /// The type class with its properties.
    pub kind: TypeKind,
}

/// The classes of user-defined types.
#[derive(Debug, Clone, PartialEq)]
pub enum TypeKind {
    /// Named integers.
    Enum {
        /// The integer type of the values.
        base: Atomic,
        /// Members in definition order: name and value.
        members: Vec<(Name, i128)>,
    },
    /// `size` uninterpreted bytes.
    Opaque {
        /// Size of an element in bytes.
        size: u64,
    },
    /// Variable-length lists.
    Vlen {
        /// The type of the lists' elements.
        base: DataType,
    },
    /// Fields, each with its own type and shape.
    Compound {
        /// Fields in definition order.
        fields: Vec<Field>,
        /// Element size in bytes, from the C compiler's layout or from the file.
        size: u64,
    },
}

impl TypeKind {
    /// Returns whether the type is a one-byte enum with the members FALSE = 0 and TRUE = 1, as h5py stores Booleans.
    #[must_use]
    pub fn is_truth(&self) -> bool {
        let Self::Enum { base, members } = self else {
            return false;
        };
        let byte = matches!(base, Atomic::Byte | Atomic::UByte);
        let named = |(name, value): &(Name, i128), word: &str, n| name.is(word) && *value == n;
        match members.as_slice() {
            [no, yes] => byte && named(no, "FALSE", 0) && named(yes, "TRUE", 1),
            _ => false,
        }
    }
}

/// A field of a compound type.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// The field name.
    pub name: Name,
    /// The element type.
    pub ty: DataType,
    /// The shape in elements; empty for a scalar.
    pub dims: Vec<u64>,
    /// The byte offset within the compound.
    pub offset: u64,
}

impl Field {
    /// Returns the number of elements of the field in one compound value.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`] beyond 2^64.
    pub fn elements(&self) -> Result<u64> {
        super::region::product(&self.dims).ok_or_else(|| {
            Error::new(
                ErrorKind::Limit,
                format!("field {} is too large", self.name),
            )
        })
    }
}
