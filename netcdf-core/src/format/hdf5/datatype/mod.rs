//! Datatypes ("IV.A.2.d", versions 1 to 5).

mod parse;
mod write;

pub use crate::model::Endianness;
pub use write::MOST_DIMS;

/// A type of elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Datatype {
    /// Size of an element in bytes.
    pub size: u64,
    /// Class and properties.
    pub class: TypeClass,
    /// Its address, if it is a committed datatype.
    pub committed: Option<u64>,
}

/// The bits of an element that hold its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ValueBits {
    /// Byte order.
    pub order: Endianness,
    /// First bit of the value.
    pub offset: u16,
    /// Number of bits of the value.
    pub precision: u16,
}

/// The fields of a floating-point number, in bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FloatFields {
    /// Place of the sign.
    pub sign: u8,
    /// Place and number of the exponent's bits.
    pub exponent: (u8, u8),
    /// The bias of the exponent.
    pub bias: u32,
    /// Place and number of the mantissa's bits.
    pub mantissa: (u8, u8),
    /// Normalization: 0 none, 1 the first bit is set, 2 it is set and not stored.
    pub normalization: u8,
    /// VAX byte order.
    pub vax: bool,
}

/// Where fixed-length text ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Padding {
    /// At the first zero byte.
    NullTerminated,
    /// Zero bytes at the end are not part of it.
    NullPadded,
    /// Blanks at the end are not part of it.
    SpacePadded,
}

/// Character set of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charset {
    /// ASCII
    Ascii,
    /// UTF-8
    Utf8,
}

/// The target of a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReferenceTarget {
    /// An object, by the address of its header.
    Object,
    /// A region of a dataset.
    Region,
    /// Object, region or attribute: the references of HDF5 1.12 (version 4).
    Any,
}

/// Classes of types.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypeClass {
    /// 0: an integer.
    Integer {
        /// Its bits.
        bits: ValueBits,
        /// Whether it is signed.
        signed: bool,
    },
    /// 1: a floating-point number.
    Float {
        /// Its bits.
        bits: ValueBits,
        /// The places of its parts.
        fields: FloatFields,
    },
    /// 2: a time.
    Time,
    /// 3: text of a fixed length.
    String {
        /// How it ends.
        padding: Padding,
        /// Its character set.
        charset: Charset,
    },
    /// 4: bits.
    Bitfield {
        /// The bits in use.
        bits: ValueBits,
    },
    /// 5: bytes.
    Opaque {
        /// A description of them.
        tag: Vec<u8>,
    },
    /// 6: fields of several types.
    Compound {
        /// The fields.
        members: Vec<Member>,
    },
    /// 7: a reference.
    Reference(ReferenceTarget),
    /// 8: named integers.
    Enum {
        /// The integer type.
        base: Box<Datatype>,
        /// Names and values, in stored form.
        members: Vec<(Vec<u8>, Vec<u8>)>,
    },
    /// 9: a variable-length sequence.
    Vlen {
        /// The type of its elements.
        base: Box<Datatype>,
    },
    /// 9: variable-length text.
    VlenString {
        /// Its character set.
        charset: Charset,
    },
    /// 10: an array of a fixed shape.
    Array {
        /// Its shape in elements.
        dims: Vec<u64>,
        /// The type of its elements.
        base: Box<Datatype>,
    },
    /// 11: a complex number: two numbers of the base type.
    Complex {
        /// The type of the parts.
        base: Box<Datatype>,
    },
}

/// A field of a compound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Its name.
    pub name: Vec<u8>,
    /// Its offset in the compound, in bytes.
    pub offset: u64,
    /// Its type.
    pub datatype: Datatype,
}

impl FloatFields {
    /// Those of a number of IEEE 754 with this many bits of exponent and mantissa.
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
    /// A type that is not committed.
    #[must_use]
    pub fn of(size: u64, class: TypeClass) -> Self {
        Self {
            size,
            class,
            committed: None,
        }
    }
}
