//! Datatypes: the type of a call, its base type, and the predefined types, whose identifiers describe them.

use std::ffi::{c_int, c_void};

use super::super::abi::Hid;
use super::{Export, PluginCall, TYPE, ask, exports};
#[cfg(unix)]
use crate::filter::plugin::wire::MessageReader;
use crate::filter::plugin::wire::MessageWriter;
use crate::filter::{ChunkContext, UserClass};
use crate::model::{Atomic, DataType, Endianness};

pub(super) fn exports() -> impl IntoIterator<Item = Export> {
    exports![H5Tget_class H5Tget_size H5Tget_order H5Tget_sign H5Tget_precision H5Tget_offset H5Tget_super
        H5Tget_native_type H5Tequal H5Tcopy H5Tis_variable_str H5Tconvert H5Tdetect_class]
}

/// Datatype classes.
pub(super) const INTEGER: c_int = 0;
pub(super) const FLOAT: c_int = 1;
const STRING: c_int = 3;
const OPAQUE: c_int = 5;
const COMPOUND: c_int = 6;
const ENUM: c_int = 8;
const VLEN: c_int = 9;

/// The identifier of the base type of a call's type.
const BASE: Hid = 0x0300_0000_0000_0104;

/// A datatype.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct HostType {
    class: c_int,
    size: u64,
    pub(super) big: bool,
    signed: bool,
    /// The size and sign of an enumeration's integers.
    base: Option<(u64, bool)>,
}

impl HostType {
    /// Returns the type of a chunk's elements.
    pub(in super::super) fn of(context: &ChunkContext) -> Self {
        let element = &context.element;
        let (class, signed, base) = match element.ty {
            DataType::Atomic(ty) => (class(ty), is_signed(ty), None),
            DataType::User(_) => match context.about.class {
                Some(UserClass::Enum(base)) => {
                    (ENUM, is_signed(base), Some((element.size, is_signed(base))))
                }
                Some(UserClass::Vlen) => (VLEN, false, None),
                Some(UserClass::Compound) => (COMPOUND, false, None),
                Some(UserClass::Opaque) | None => (OPAQUE, false, None),
            },
        };
        Self {
            class,
            size: element.size,
            big: element.order == Endianness::Big,
            signed,
            base,
        }
    }

    /// Serializes the type for another process.
    pub(super) fn put(self, out: &mut MessageWriter) {
        out.number(u64::from(self.class.cast_unsigned()))
            .number(self.size);
        out.truth(self.big)
            .truth(self.signed)
            .truth(self.base.is_some());
        let (size, signed) = self.base.unwrap_or_default();
        out.number(size).truth(signed);
    }

    /// Deserializes the type of another process.
    #[cfg(unix)]
    pub(super) fn get_from(read: &mut MessageReader<'_>) -> Option<Self> {
        Some(Self {
            class: read.small()?.cast_signed(),
            size: read.number()?,
            big: read.truth()?,
            signed: read.truth()?,
            base: {
                let is = read.truth()?;
                let base = (read.number()?, read.truth()?);
                is.then_some(base)
            },
        })
    }

    /// Returns the type with this identifier.
    pub(super) fn get(id: Hid, call: Option<&PluginCall>) -> Option<Self> {
        if id >> 52 == PREDEFINED >> 52 {
            return Some(Self {
                class: if id >> 16 & 1 == 1 { FLOAT } else { INTEGER },
                size: (id & 0xff).cast_unsigned(),
                big: id >> 9 & 1 == 1,
                signed: id >> 8 & 1 == 1,
                base: None,
            });
        }
        let own = call.map(|call| call.ty)?;
        match id {
            TYPE => Some(own),
            BASE => own.base.map(|(size, signed)| Self {
                class: INTEGER,
                size,
                signed,
                base: None,
                ..own
            }),
            _ => None,
        }
    }

    fn is_number(self) -> bool {
        matches!(self.class, INTEGER | FLOAT)
    }

    /// Returns the predefined type equal to this type, in the given byte order.
    fn predefined(self, big: bool) -> Option<Hid> {
        let size = i64::try_from(self.size).ok().filter(|n| *n <= 16)?;
        match self.class {
            INTEGER => Some(integer(size, big, self.signed)),
            FLOAT => Some(float(size, big)),
            _ => None,
        }
    }
}

fn class(ty: Atomic) -> c_int {
    match ty {
        Atomic::Char | Atomic::String => STRING,
        Atomic::Float | Atomic::Double => FLOAT,
        Atomic::Byte
        | Atomic::UByte
        | Atomic::Short
        | Atomic::UShort
        | Atomic::Int
        | Atomic::UInt
        | Atomic::Int64
        | Atomic::UInt64 => INTEGER,
    }
}

fn is_signed(ty: Atomic) -> bool {
    match ty {
        Atomic::Byte
        | Atomic::Short
        | Atomic::Int
        | Atomic::Int64
        | Atomic::Float
        | Atomic::Double => true,
        Atomic::Char
        | Atomic::String
        | Atomic::UByte
        | Atomic::UShort
        | Atomic::UInt
        | Atomic::UInt64 => false,
    }
}

/// The first predefined type. The lower bits contain class, order, sign and size.
const PREDEFINED: Hid = 0x0310_0000_0000_0000;
/// The identifier of predefined types without filters.
pub(super) const NO_TYPE: Hid = 0x0320_0000_0000_0000;
pub(super) const BIG: bool = true;
pub(super) const LITTLE: bool = false;
pub(super) const NATIVE: bool = cfg!(target_endian = "big");

/// Returns the identifier of an integer type.
pub(super) const fn integer(size: i64, big: bool, signed: bool) -> Hid {
    PREDEFINED | (big as i64) << 9 | (signed as i64) << 8 | size
}

/// Returns the identifier of a float type.
pub(super) const fn float(size: i64, big: bool) -> Hid {
    PREDEFINED | 1 << 16 | (big as i64) << 9 | 1 << 8 | size
}

/// Queries a type; predefined types need no call.
fn of<T: Copy>(id: Hid, failure: T, answer: impl Fn(HostType) -> T) -> T {
    let known = HostType::get(id, None).map(&answer);
    let query = || {
        ask(failure, |call| {
            HostType::get(id, Some(call)).map_or(failure, &answer)
        })
    };
    known.unwrap_or_else(query)
}

#[unsafe(no_mangle)]
extern "C" fn H5Tget_class(id: Hid) -> c_int {
    of(id, -1, |ty| ty.class)
}

#[unsafe(no_mangle)]
extern "C" fn H5Tdetect_class(id: Hid, class: c_int) -> c_int {
    of(id, -1, |ty| c_int::from(ty.class == class))
}

#[unsafe(no_mangle)]
extern "C" fn H5Tget_size(id: Hid) -> usize {
    of(id, 0, |ty| usize::try_from(ty.size).unwrap_or(0))
}

/// Returns 0 for little-endian, 1 for big-endian.
#[unsafe(no_mangle)]
extern "C" fn H5Tget_order(id: Hid) -> c_int {
    of(id, -1, |ty| c_int::from(ty.big))
}

/// Returns the sign of integers and enumerations.
#[unsafe(no_mangle)]
extern "C" fn H5Tget_sign(id: Hid) -> c_int {
    of(id, -1, |ty| match ty.class {
        INTEGER | ENUM => c_int::from(ty.signed),
        _ => -1,
    })
}

#[unsafe(no_mangle)]
extern "C" fn H5Tget_precision(id: Hid) -> usize {
    H5Tget_size(id).saturating_mul(8)
}

#[unsafe(no_mangle)]
extern "C" fn H5Tget_offset(id: Hid) -> c_int {
    of(id, -1, |_| 0)
}

#[unsafe(no_mangle)]
extern "C" fn H5Tget_super(id: Hid) -> Hid {
    of(id, -1, |ty| if ty.base.is_some() { BASE } else { -1 })
}

/// Returns the type in this machine's byte order.
#[unsafe(no_mangle)]
extern "C" fn H5Tget_native_type(id: Hid, _direction: c_int) -> Hid {
    of(id, -1, |ty| ty.predefined(NATIVE).unwrap_or(id))
}

/// Returns two types. It queries the call twice, because a query cannot start another one.
fn both(a: Hid, b: Hid) -> Option<(HostType, HostType)> {
    Some((of(a, None, Some)?, of(b, None, Some)?))
}

#[unsafe(no_mangle)]
extern "C" fn H5Tequal(a: Hid, b: Hid) -> c_int {
    both(a, b).map_or(-1, |(a, b)| c_int::from(a == b))
}

#[unsafe(no_mangle)]
extern "C" fn H5Tcopy(id: Hid) -> Hid {
    of(id, -1, |_| id)
}

#[unsafe(no_mangle)]
extern "C" fn H5Tis_variable_str(id: Hid) -> c_int {
    of(id, -1, |ty| c_int::from(ty.class == STRING && ty.size > 1))
}

/// Converts numbers of the same size: only their byte order changes.
///
/// # Safety
/// The buffer has `count` elements.
#[unsafe(no_mangle)]
unsafe extern "C" fn H5Tconvert(
    from: Hid,
    to: Hid,
    elements: usize,
    buffer: *mut c_void,
    _background: *mut c_void,
    _list: Hid,
) -> c_int {
    let Some((from, to)) = both(from, to) else {
        return -1;
    };
    let Some(size) = convertible(from, to) else {
        return -1;
    };
    let len = elements.checked_mul(size);
    let len = len.filter(|&n| !buffer.is_null() && isize::try_from(n).is_ok());
    let Some(len) = len else {
        return -1;
    };
    if from.big != to.big {
        // SAFETY: by the caller, the buffer has `len` bytes.
        let bytes = unsafe { std::slice::from_raw_parts_mut(buffer.cast::<u8>(), len) };
        bytes.chunks_exact_mut(size).for_each(<[u8]>::reverse);
    }
    0
}

/// Returns the element size in bytes, if only the byte order changes.
pub(super) fn convertible(from: HostType, to: HostType) -> Option<usize> {
    let same = from.is_number() && from.class == to.class && from.size == to.size;
    let size = usize::try_from(from.size).ok().filter(|&n| n > 0);
    size.filter(|_| same)
}

impl HostType {
    /// Checks whether elements are lists.
    pub(super) fn is_list(self) -> bool {
        self.class == VLEN
    }

    /// Checks whether an element is a number in the other byte order.
    pub(super) fn is_swapped(self) -> bool {
        matches!(self.class, INTEGER | FLOAT | ENUM) && self.big != NATIVE
    }

    /// Returns the element size in bytes.
    pub(super) fn bytes(self) -> usize {
        usize::try_from(self.size).unwrap_or(0)
    }
}
