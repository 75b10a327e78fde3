//! Types: the twelve atomic ones and the four user-defined classes.

use super::{GroupId, Name, Schema, TypeId, Values};
use crate::error::{Error, ErrorKind, Result};

/// The atomic types, with netCDF's `nc_type` numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Atomic {
    /// Signed 8-bit integer.
    Byte = 1,
    /// Text, 8 bits an element.
    Char = 2,
    /// Signed 16-bit integer.
    Short = 3,
    /// Signed 32-bit integer.
    Int = 4,
    /// IEEE single precision.
    Float = 5,
    /// IEEE double precision.
    Double = 6,
    /// Unsigned 8-bit integer.
    UByte = 7,
    /// Unsigned 16-bit integer.
    UShort = 8,
    /// Unsigned 32-bit integer.
    UInt = 9,
    /// Signed 64-bit integer.
    Int64 = 10,
    /// Unsigned 64-bit integer.
    UInt64 = 11,
    /// Text of any length, or NIL.
    String = 12,
}

impl Atomic {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 12] = [
        Self::Byte,
        Self::Char,
        Self::Short,
        Self::Int,
        Self::Float,
        Self::Double,
        Self::UByte,
        Self::UShort,
        Self::UInt,
        Self::Int64,
        Self::UInt64,
        Self::String,
    ];

    /// The type with this `nc_type` number.
    #[must_use]
    pub fn from_number(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|t| t.number() == number)
    }

    /// netCDF's `nc_type` number.
    #[must_use]
    pub fn number(self) -> u32 {
        self as u32
    }

    /// The CDL keyword.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Byte => "byte",
            Self::Char => "char",
            Self::Short => "short",
            Self::Int => "int",
            Self::Float => "float",
            Self::Double => "double",
            Self::UByte => "ubyte",
            Self::UShort => "ushort",
            Self::UInt => "uint",
            Self::Int64 => "int64",
            Self::UInt64 => "uint64",
            Self::String => "string",
        }
    }

    /// Size of an element in bytes; `None` for strings, whose size varies.
    #[must_use]
    pub fn size(self) -> Option<usize> {
        match self {
            Self::Byte | Self::Char | Self::UByte => Some(1),
            Self::Short | Self::UShort => Some(2),
            Self::Int | Self::UInt | Self::Float => Some(4),
            Self::Int64 | Self::UInt64 | Self::Double => Some(8),
            Self::String => None,
        }
    }

    /// True for the integer types (not `char`).
    #[must_use]
    pub fn is_integer(self) -> bool {
        match self {
            Self::Byte | Self::Short | Self::Int | Self::Int64 => true,
            Self::UByte | Self::UShort | Self::UInt | Self::UInt64 => true,
            Self::Char | Self::Float | Self::Double | Self::String => false,
        }
    }

    /// True for the types of CDF-1 and CDF-2.
    #[must_use]
    pub fn is_classic(self) -> bool {
        self.number() <= 6
    }

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

    /// Size of an element in bytes in memory and in chunks, if it is fixed; `None` if it contains strings or
    /// variable-length lists.
    #[must_use]
    pub fn fixed_size(self, schema: &Schema) -> Option<u64> {
        let mut known = std::collections::HashMap::new();
        self.fixed_size_from(schema, &mut known, 0)
    }

    /// As [`DataType::fixed_size`]; `known` avoids looking more than once into compounds that are fields of
    /// several others.
    fn fixed_size_from(
        self,
        schema: &Schema,
        known: &mut std::collections::HashMap<TypeId, Option<u64>>,
        depth: u32,
    ) -> Option<u64> {
        let id = match self {
            Self::Atomic(a) => return a.size().map(|n| n as u64),
            Self::User(id) => id,
        };
        if let Some(&size) = known.get(&id) {
            return size;
        }
        if depth > 64 {
            return None;
        }
        let size = match &schema.user_type(id)?.kind {
            TypeKind::Enum { base, .. } => base.size().map(|n| n as u64),
            TypeKind::Opaque { size } => Some(*size),
            TypeKind::Vlen { .. } => None,
            TypeKind::Compound { fields, size } => {
                let mut fixed =
                    |f: &Field| f.ty.fixed_size_from(schema, known, depth + 1).is_some();
                fields.iter().all(&mut fixed).then_some(*size)
            }
        };
        known.insert(id, size);
        size
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

/// Bytes of a pointer in memory.
const POINTER: u64 = 8;
/// Bytes of a list (`nc_vlen_t`) in memory.
const LIST: u64 = 16;

impl Schema {
    /// Bytes of an element of a type in a C structure.
    #[must_use]
    pub fn memory_size(&self, ty: DataType) -> u64 {
        let id = match ty {
            DataType::Atomic(atomic) => return atomic.size().map_or(POINTER, |n| n as u64),
            DataType::User(id) => id,
        };
        match self.user_type(id).map(|t| &t.kind) {
            Some(TypeKind::Enum { base, .. }) => base.size().map_or(1, |n| n as u64),
            Some(TypeKind::Opaque { size } | TypeKind::Compound { size, .. }) => *size,
            Some(TypeKind::Vlen { .. }) | None => LIST,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_made_of_types_take_no_exponential_time() {
        let mut schema = Schema::new(crate::model::Kind::NETCDF4);
        let mut ty = DataType::from(Atomic::Int);
        for n in 0..60u64 {
            let field = |name: &[u8], offset| Field {
                name: Name::stored(name),
                ty,
                dims: vec![],
                offset,
            };
            let fields = vec![field(b"a", 0), field(b"b", 4)];
            let kind = TypeKind::Compound { fields, size: n };
            let (name, group) = (Name::stored(b"t"), GroupId::ROOT);
            ty = DataType::User(schema.add_type(UserType { name, group, kind }));
        }
        assert_eq!(ty.fixed_size(&schema), Some(59));
    }

    #[test]
    fn numbers_lead_back() {
        for t in Atomic::ALL {
            assert_eq!(Atomic::from_number(t.number()), Some(t));
            assert_eq!(t.default_fill().data_type(), Some(t));
        }
        assert_eq!(Atomic::from_number(0), None);
        assert_eq!(Atomic::from_number(13), None);
    }
}
