//! Datatypes ("IV.A.2.d", versions 1 to 5).

mod parse;
mod write;

pub use crate::model::Endianness;
pub use write::MOST_DIMS;

/// An element type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Datatype {
    /// Element size in bytes.
    pub size: u64,
    /// The class with its properties.
    pub class: TypeClass,
    /// The address of a committed datatype.
    pub committed: Option<u64>,
}

/// The value bits of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ValueBits {
    /// Byte order.
    pub order: Endianness,
    /// Bit offset of the value.
    pub offset: u16,
    /// Number of value bits.
    pub precision: u16,
}

/// The bit fields of a floating-point number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FloatFields {
    /// Sign position.
    pub sign: u8,
    /// Exponent position and width.
    pub exponent: (u8, u8),
    /// Exponent bias.
    pub bias: u32,
    /// Mantissa position and width.
    pub mantissa: (u8, u8),
    /// Normalization: 0 none, 1 the first mantissa bit is set, 2 the first mantissa bit is implied.
    pub normalization: u8,
    /// Whether the byte order is VAX.
    pub vax: bool,
}

/// Padding of fixed-length strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Padding {
    /// The string ends at the first zero byte.
    NullTerminated,
    /// Trailing zero bytes are padding.
    NullPadded,
    /// Trailing blanks are padding.
    SpacePadded,
}

/// Character set of a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charset {
    /// ASCII
    Ascii,
    /// UTF-8
    Utf8,
}

/// A reference target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReferenceTarget {
    /// An object, by its header address.
    Object,
    /// A region of a dataset.
    Region,
    /// An object, region or attribute: the references of HDF5 1.12 (version 4).
    Any,
}

/// Datatype classes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypeClass {
    /// 0: an integer.
    Integer {
        /// The value bits.
        bits: ValueBits,
        /// Whether it is signed.
        signed: bool,
    },
    /// 1: a floating-point number.
    Float {
        /// The value bits.
        bits: ValueBits,
        /// The bit fields.
        fields: FloatFields,
    },
    /// 2: a time.
    Time,
    /// 3: a fixed-length string.
    String {
        /// The padding.
        padding: Padding,
        /// The character set.
        charset: Charset,
    },
    /// 4: a bit field.
    Bitfield {
        /// The bits in use.
        bits: ValueBits,
    },
    /// 5: opaque bytes.
    Opaque {
        /// A description of the bytes.
        tag: Vec<u8>,
    },
    /// 6: a compound of several fields.
    Compound {
        /// The fields.
        members: Vec<Member>,
    },
    /// 7: a reference.
    Reference(ReferenceTarget),
    /// 8: an enumeration of integers.
    Enum {
        /// The integer type.
        base: Box<Datatype>,
        /// Names and stored values.
        members: Vec<(Vec<u8>, Vec<u8>)>,
    },
    /// 9: a variable-length sequence.
    Vlen {
        /// The element type.
        base: Box<Datatype>,
    },
    /// 9: a variable-length string.
    VlenString {
        /// The character set.
        charset: Charset,
    },
    /// 10: an array with a fixed shape.
    Array {
        /// The array shape in elements.
        dims: Vec<u64>,
        /// The element type.
        base: Box<Datatype>,
    },
    /// 11: a complex number with two parts of the base type.
    Complex {
        /// The type of each part.
        base: Box<Datatype>,
    },
}

/// A compound field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The field name.
    pub name: Vec<u8>,
    /// The byte offset in the compound.
    pub offset: u64,
    /// The field type.
    pub datatype: Datatype,
}

impl FloatFields {
    /// IEEE 754 bit fields with this number of exponent and mantissa bits.
    #[must_use]
    pub fn ieee(exponent: u8, mantissa: u8) -> Self {
        Self {
            sign: exponent + mantissa,
            exponent: (mantissa, exponent),
            bias: (1 << (exponent - 1)) - 1,
            mantissa: (0, mantissa),
            normalization: 2,
            vax: false,
        }
    }
}

impl Datatype {
    /// Creates a type that is not committed.
    #[must_use]
    pub fn of(size: u64, class: TypeClass) -> Self {
        Self {
            size,
            class,
            committed: None,
        }
    }
}
