//! Values in memory: one typed vector per type. Compounds are stored by column.

use super::{Atomic, TypeId};

/// A list of values of one type, row-major if they have a shape.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// `byte`
    Byte(Vec<i8>),
    /// `char`
    Char(Vec<u8>),
    /// `short`
    Short(Vec<i16>),
    /// `int`
    Int(Vec<i32>),
    /// `float`
    Float(Vec<f32>),
    /// `double`
    Double(Vec<f64>),
    /// `ubyte`
    UByte(Vec<u8>),
    /// `ushort`
    UShort(Vec<u16>),
    /// `uint`
    UInt(Vec<u32>),
    /// `int64`
    Int64(Vec<i64>),
    /// `uint64`
    UInt64(Vec<u64>),
    /// `string`; `None` is NIL, which differs from the empty string. The bytes may have any encoding.
    String(Vec<Option<Box<[u8]>>>),
    /// Integers of an enum.
    Enum(TypeId, Box<Values>),
    /// An opaque type: `size` bytes per value, concatenated.
    Opaque {
        /// The type.
        ty: TypeId,
        /// Bytes of one value, at least 1.
        size: usize,
        /// The bytes of all values.
        bytes: Vec<u8>,
    },
    /// A variable-length type: one list per value.
    Vlen(TypeId, Vec<Values>),
    /// A compound type: each column has the values of one field for all elements (`len` × the field's elements).
    Compound {
        /// The type.
        ty: TypeId,
        /// Number of compound values.
        len: usize,
        /// One column per field.
        columns: Vec<Values>,
    },
}

/// Runs `$body` with `$v` bound to the vector, for every variant that is a plain vector.
macro_rules! each {
    ($self:expr, $v:ident => $body:expr, $($rest:tt)*) => {
        match $self {
            Values::Byte($v) => $body,
            Values::Char($v) => $body,
            Values::Short($v) => $body,
            Values::Int($v) => $body,
            Values::Float($v) => $body,
            Values::Double($v) => $body,
            Values::UByte($v) => $body,
            Values::UShort($v) => $body,
            Values::UInt($v) => $body,
            Values::Int64($v) => $body,
            Values::UInt64($v) => $body,
            Values::String($v) => $body,
            $($rest)*
        }
    };
}

impl Values {
    /// Returns an empty list of an atomic type with this capacity.
    #[must_use]
    pub fn with_capacity(ty: Atomic, capacity: usize) -> Self {
        match ty {
            Atomic::Byte => Self::Byte(Vec::with_capacity(capacity)),
            Atomic::Char => Self::Char(Vec::with_capacity(capacity)),
            Atomic::Short => Self::Short(Vec::with_capacity(capacity)),
            Atomic::Int => Self::Int(Vec::with_capacity(capacity)),
            Atomic::Float => Self::Float(Vec::with_capacity(capacity)),
            Atomic::Double => Self::Double(Vec::with_capacity(capacity)),
            Atomic::UByte => Self::UByte(Vec::with_capacity(capacity)),
            Atomic::UShort => Self::UShort(Vec::with_capacity(capacity)),
            Atomic::UInt => Self::UInt(Vec::with_capacity(capacity)),
            Atomic::Int64 => Self::Int64(Vec::with_capacity(capacity)),
            Atomic::UInt64 => Self::UInt64(Vec::with_capacity(capacity)),
            Atomic::String => Self::String(Vec::with_capacity(capacity)),
        }
    }

    /// Returns the number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        each!(self, v => v.len(),
            Self::Enum(_, base) => base.len(),
            Self::Opaque { size, bytes, .. } => bytes.len() / (*size).max(1),
            Self::Vlen(_, lists) => lists.len(),
            Self::Compound { len, .. } => *len,
        )
    }

    /// Returns whether the list is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the atomic type of plain vectors, or `None` for user-defined types.
    #[must_use]
    pub fn data_type(&self) -> Option<Atomic> {
        match self {
            Self::Byte(_) => Some(Atomic::Byte),
            Self::Char(_) => Some(Atomic::Char),
            Self::Short(_) => Some(Atomic::Short),
            Self::Int(_) => Some(Atomic::Int),
            Self::Float(_) => Some(Atomic::Float),
            Self::Double(_) => Some(Atomic::Double),
            Self::UByte(_) => Some(Atomic::UByte),
            Self::UShort(_) => Some(Atomic::UShort),
            Self::UInt(_) => Some(Atomic::UInt),
            Self::Int64(_) => Some(Atomic::Int64),
            Self::UInt64(_) => Some(Atomic::UInt64),
            Self::String(_) => Some(Atomic::String),
            Self::Enum(..) | Self::Opaque { .. } | Self::Vlen(..) | Self::Compound { .. } => None,
        }
    }

    /// Returns the values in `range`, clipped to the list length.
    #[must_use]
    pub fn slice(&self, range: std::ops::Range<usize>) -> Self {
        fn part<T: Clone>(v: &[T], r: std::ops::Range<usize>) -> Vec<T> {
            let end = r.end.min(v.len());
            v.get(r.start.min(end)..end).unwrap_or_default().to_vec()
        }
        match self {
            Self::Byte(v) => Self::Byte(part(v, range)),
            Self::Char(v) => Self::Char(part(v, range)),
            Self::Short(v) => Self::Short(part(v, range)),
            Self::Int(v) => Self::Int(part(v, range)),
            Self::Float(v) => Self::Float(part(v, range)),
            Self::Double(v) => Self::Double(part(v, range)),
            Self::UByte(v) => Self::UByte(part(v, range)),
            Self::UShort(v) => Self::UShort(part(v, range)),
            Self::UInt(v) => Self::UInt(part(v, range)),
            Self::Int64(v) => Self::Int64(part(v, range)),
            Self::UInt64(v) => Self::UInt64(part(v, range)),
            Self::String(v) => Self::String(part(v, range)),
            Self::Enum(ty, base) => Self::Enum(*ty, Box::new(base.slice(range))),
            Self::Opaque { ty, size, bytes } => {
                let bytes = part(bytes, range.start * size..range.end * size);
                Self::Opaque {
                    ty: *ty,
                    size: *size,
                    bytes,
                }
            }
            Self::Vlen(ty, lists) => Self::Vlen(*ty, part(lists, range)),
            Self::Compound { ty, len, columns } => {
                let end = range.end.min(*len);
                let start = range.start.min(end);
                let column = |c: &Self| {
                    let per = c.len().checked_div(*len).unwrap_or(0);
                    c.slice(start * per..end * per)
                };
                let columns = columns.iter().map(column).collect();
                Self::Compound {
                    ty: *ty,
                    len: end - start,
                    columns,
                }
            }
        }
    }

    /// Returns the values `count` times.
    #[must_use]
    pub fn repeat(&self, count: usize) -> Self {
        let len = self.len().saturating_mul(count);
        let mut all = self.slice(0..self.len().min(len));
        while all.len() < len {
            let more = all.slice(0..all.len().min(len - all.len()));
            if !all.append(more) {
                break;
            }
        }
        all
    }

    /// Appends another list of the same type. Returns false and appends nothing if the types differ.
    pub fn append(&mut self, other: Self) -> bool {
        match (self, other) {
            (Self::Byte(v), Self::Byte(w)) => v.extend(w),
            (Self::Char(v), Self::Char(w)) | (Self::UByte(v), Self::UByte(w)) => v.extend(w),
            (Self::Short(v), Self::Short(w)) => v.extend(w),
            (Self::Int(v), Self::Int(w)) => v.extend(w),
            (Self::Float(v), Self::Float(w)) => v.extend(w),
            (Self::Double(v), Self::Double(w)) => v.extend(w),
            (Self::UShort(v), Self::UShort(w)) => v.extend(w),
            (Self::UInt(v), Self::UInt(w)) => v.extend(w),
            (Self::Int64(v), Self::Int64(w)) => v.extend(w),
            (Self::UInt64(v), Self::UInt64(w)) => v.extend(w),
            (Self::String(v), Self::String(w)) => v.extend(w),
            (Self::Enum(t, v), Self::Enum(u, w)) if t == &u => return v.append(*w),
            (Self::Vlen(t, v), Self::Vlen(u, w)) if t == &u => v.extend(w),
            (
                Self::Opaque { ty, size, bytes },
                Self::Opaque {
                    ty: t,
                    size: s,
                    bytes: b,
                },
            ) if *ty == t && *size == s => bytes.extend(b),
            (Self::Compound { ty, len, columns }, other) => {
                return append_compounds((ty, len, columns), other);
            }
            _ => return false,
        }
        true
    }

    /// Returns the text of `char` values.
    #[must_use]
    pub fn as_text(&self) -> Option<&[u8]> {
        match self {
            Self::Char(text) => Some(text),
            Self::Byte(_) | Self::Short(_) | Self::Int(_) | Self::Float(_) | Self::Double(_) => {
                None
            }
            Self::UByte(_) | Self::UShort(_) | Self::UInt(_) | Self::Int64(_) => None,
            Self::UInt64(_) | Self::String(_) | Self::Enum(..) | Self::Opaque { .. } => None,
            Self::Vlen(..) | Self::Compound { .. } => None,
        }
    }
}

/// Appends compounds column by column.
fn append_compounds(
    (ty, len, columns): (&TypeId, &mut usize, &mut [Values]),
    other: Values,
) -> bool {
    match other {
        Values::Compound {
            ty: t,
            len: n,
            columns: more,
        } if *ty == t && columns.len() == more.len() => {
            *len += n;
            let mut pairs = columns.iter_mut().zip(more);
            pairs.all(|(column, more)| column.append(more))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_are_clipped() {
        let v = Values::Int(vec![1, 2, 3]);
        assert_eq!(v.slice(1..9), Values::Int(vec![2, 3]));
        assert_eq!(v.slice(7..9), Values::Int(vec![]));
    }

    #[test]
    fn lists_of_one_type_are_joined() {
        let compound = |n: i32| Values::Compound {
            ty: TypeId(0),
            len: 1,
            columns: vec![Values::Int(vec![n]), Values::Byte(vec![1, 2])],
        };
        let mut v = compound(1);
        assert!(v.append(compound(2)));
        assert_eq!((v.len(), v.slice(1..2)), (2, compound(2)));
        assert!(!v.append(Values::Int(vec![1])));
        assert!(!Values::Char(vec![]).append(Values::UByte(vec![1])));
    }

    #[test]
    fn values_repeat() {
        let v = Values::Int(vec![1, 2]);
        for count in [0, 1, 2, 3, 7] {
            assert_eq!(v.repeat(count), Values::Int([1, 2].repeat(count)));
        }
        assert_eq!(Values::Int(vec![]).repeat(3), Values::Int(vec![]));
    }

    #[test]
    fn compounds_slice_by_column() {
        let v = Values::Compound {
            ty: TypeId(0),
            len: 2,
            columns: vec![Values::Int(vec![1, 2]), Values::Byte(vec![1, 2, 3, 4])],
        };
        let Values::Compound { len, columns, .. } = v.slice(1..2) else {
            panic!()
        };
        assert_eq!(len, 1);
        assert_eq!(columns, [Values::Int(vec![2]), Values::Byte(vec![3, 4])]);
    }
}
