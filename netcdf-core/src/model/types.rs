//! Types: atomic types, and the four classes of user-defined types.

use super::{Atomic, GroupId, Name, TypeId};
use crate::error::{Error, ErrorKind, Result};

/// A type: atomic, or defined in the dataset. Compared by id, never by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DataType {
    /// One of the twelve atomic types.
    Atomic(Atomic),
    /// A user-defined type of the same schema.
    User(TypeId),
}

impl DataType {
    /// netCDF's `nc_type`: 1 to 12, or 32 and more.
    #[must_use]
    pub fn number(self) -> u32 {
        match self {
            Self::Atomic(a) => a.number(),
            Self::User(id) => id.0.saturating_add(32),
        }
    }

    /// The atomic type, if it is one.
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
    /// Its name.
    pub name: Name,
    /// The group it is defined in.
    pub group: GroupId,
    /// Its class, with the properties of the class.
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
    /// Lists of any length.
    Vlen {
        /// The type of the lists' elements.
        base: DataType,
    },
    /// Fields, each with its own type and shape.
    Compound {
        /// Fields in definition order.
        fields: Vec<Field>,
        /// Size of an element in bytes, according to the C compiler's layout (or the file).
        size: u64,
    },
}

impl TypeKind {
    /// Whether the type is an enum of one byte with the members FALSE = 0 and TRUE = 1, as h5py stores truth values.
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
    /// Its name.
    pub name: Name,
    /// The type of its elements.
    pub ty: DataType,
    /// Its shape in elements; empty for a scalar.
    pub dims: Vec<u64>,
    /// Its offset within the compound, in bytes.
    pub offset: u64,
}

impl Field {
    /// Number of elements of the field in one compound value.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] beyond 2^64.
    pub fn elements(&self) -> Result<u64> {
        super::region::product(&self.dims).ok_or_else(|| {
            Error::new(
                ErrorKind::Limit,
                format!("field {} is too large", self.name),
            )
        })
    }
}
