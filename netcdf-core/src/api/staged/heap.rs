//! Serialised values of any type, for the temporary file.
//!
//! Numbers are little-endian. An 8-byte length precedes strings and lists; the length of a NIL string is 2^64-1.

use std::ops::Range;

use crate::chunk::elements;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Atomic, DataType, Endianness, Schema, Values};

/// Size in bytes of a value reference: offset and length in the file.
pub(super) const REFERENCE: u64 = 16;
/// Maximum nesting depth of types.
const DEPTH: u32 = 64;
const NIL: u64 = u64::MAX;

/// Returns whether an element with this reference was written.
pub(super) fn is_written(reference: &[u8]) -> bool {
    reference.iter().any(|byte| *byte != 0)
}

/// Appends the bytes of the values with these indices. Returns `None` if an index is out of range.
pub(super) fn write(values: &Values, range: Range<usize>, out: &mut Vec<u8>) -> Option<()> {
    match values {
        Values::String(v) => {
            for text in v.get(range)? {
                let len = text.as_ref().map_or(NIL, |text| text.len() as u64);
                out.extend(len.to_le_bytes());
                out.extend_from_slice(text.as_deref().unwrap_or_default());
            }
        }
        Values::Enum(_, base) => return write(base, range, out),
        Values::Vlen(_, lists) => {
            for list in lists.get(range)? {
                out.extend((list.len() as u64).to_le_bytes());
                write(list, 0..list.len(), out)?;
            }
        }
        Values::Compound { len, columns, .. } => {
            for n in range {
                for column in columns {
                    let per = column.len().checked_div(*len)?;
                    write(column, n * per..(n + 1) * per, out)?;
                }
            }
        }
        plain => {
            let part = plain.slice(range.clone());
            (part.len() == range.len()).then_some(())?;
            elements::encode(&part, Endianness::Little, out).ok()?;
        }
    }
    Some(())
}

/// Returns an empty list of values of a type.
pub(super) fn empty(schema: &Schema, ty: DataType) -> Result<Values> {
    schema.empty_values(ty).ok_or_else(unknown)
}

/// Appends the value at the start of `bytes` to `out`, a list of the same type.
pub(super) fn read(schema: &Schema, bytes: &mut &[u8], out: &mut Values) -> Result<()> {
    read_at(schema, bytes, (out, 1), 0)
}

/// Appends `count` values.
fn read_at(
    schema: &Schema,
    bytes: &mut &[u8],
    (out, count): (&mut Values, u64),
    depth: u32,
) -> Result<()> {
    if depth > DEPTH {
        return Err(unknown());
    }
    match out {
        Values::String(v) => {
            for _ in 0..count {
                v.push(match length(bytes)? {
                    NIL => None,
                    len => Some(take(bytes, len)?.into()),
                });
            }
        }
        Values::Enum(_, base) => read_at(schema, bytes, (base, count), depth + 1)?,
        Values::Opaque { size, bytes: v, .. } => {
            v.extend_from_slice(take_all(bytes, count, *size)?);
        }
        Values::Vlen(ty, lists) => {
            let base = schema.vlen_base(*ty).ok_or_else(unknown)?;
            for _ in 0..count {
                let mut list = empty(schema, base)?;
                let len = length(bytes)?;
                read_at(schema, bytes, (&mut list, len), depth + 1)?;
                lists.push(list);
            }
        }
        Values::Compound { ty, len, columns } => {
            let fields = schema.compound_fields(*ty).ok_or_else(unknown)?;
            for _ in 0..count {
                for (field, column) in fields.iter().zip(&mut *columns) {
                    read_at(schema, bytes, (column, field.elements()?), depth + 1)?;
                }
                *len += 1;
            }
        }
        plain => {
            let ty = plain.data_type().ok_or_else(unknown)?;
            let part = take_all(bytes, count, ty.size().unwrap_or(1))?;
            plain.append(elements::decode(ty, Endianness::Little, part)?);
        }
    }
    Ok(())
}

fn length(bytes: &mut &[u8]) -> Result<u64> {
    let part = take(bytes, 8)?.try_into().map_err(|_| damaged())?;
    Ok(u64::from_le_bytes(part))
}

fn take<'b>(bytes: &mut &'b [u8], len: u64) -> Result<&'b [u8]> {
    let len = usize::try_from(len).map_err(|_| damaged())?;
    let (part, rest) = bytes.split_at_checked(len).ok_or_else(damaged)?;
    *bytes = rest;
    Ok(part)
}

/// Takes the bytes of `count` elements of `size` bytes.
fn take_all<'b>(bytes: &mut &'b [u8], count: u64, size: usize) -> Result<&'b [u8]> {
    take(bytes, count.checked_mul(size as u64).ok_or_else(damaged)?)
}

/// Returns the value of an unwritten element: zeros, empty lists or empty strings.
pub(super) fn blank(schema: &Schema, ty: DataType) -> Result<Values> {
    let mut out = empty(schema, ty)?;
    push_blank(schema, &mut out, 0)?;
    Ok(out)
}

fn push_blank(schema: &Schema, out: &mut Values, depth: u32) -> Result<()> {
    match out {
        Values::Vlen(ty, lists) => {
            lists.push(empty(schema, schema.vlen_base(*ty).ok_or_else(unknown)?)?);
        }
        Values::Opaque { size, bytes, .. } => bytes.extend(std::iter::repeat_n(0, *size)),
        Values::Enum(_, base) => {
            let zero = [0; 8];
            read_at(schema, &mut zero.as_slice(), (base, 1), depth)?;
        }
        Values::Compound { ty, len, columns } => {
            if depth >= DEPTH {
                return Err(unknown());
            }
            for (field, column) in schema
                .compound_fields(*ty)
                .ok_or_else(unknown)?
                .iter()
                .zip(columns)
            {
                for _ in 0..field.elements()? {
                    push_blank(schema, column, depth + 1)?;
                }
            }
            *len += 1;
        }
        atomic => {
            let fill = atomic.data_type().map(Atomic::default_fill);
            let fill = fill.ok_or_else(unknown)?;
            atomic.append(fill);
        }
    }
    Ok(())
}

fn unknown() -> Error {
    Error::new(ErrorKind::BadType, "the dataset does not have this type")
}

fn damaged() -> Error {
    Error::new(
        ErrorKind::Corrupt,
        "a value in the temporary file is truncated",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Field, GroupId, Kind, Name, TypeId, TypeKind, UserType};

    /// Types: 0 is a list of strings, 1 a compound of two numbers and a list of strings.
    fn schema() -> Schema {
        let mut schema = Schema::new(Kind::NETCDF4);
        let base = Atomic::String.into();
        let field = |ty, dims, offset| Field {
            name: Name::stored(b"f"),
            ty,
            dims,
            offset,
        };
        let fields = vec![
            field(Atomic::Int.into(), vec![2], 0),
            field(DataType::User(TypeId(0)), vec![], 8),
        ];
        for kind in [
            TypeKind::Vlen { base },
            TypeKind::Compound { fields, size: 24 },
        ] {
            let (name, group) = (Name::stored(b"t"), GroupId::ROOT);
            schema.add_type(UserType { name, group, kind });
        }
        schema
    }

    fn sample() -> Values {
        let text = |bytes: &[u8]| Some(bytes.into());
        let lists = vec![
            Values::String(vec![text(b"a\xff"), None, text(b"")]),
            Values::String(vec![]),
        ];
        Values::Compound {
            ty: TypeId(1),
            len: 2,
            columns: vec![
                Values::Int(vec![1, 2, 3, 4]),
                Values::Vlen(TypeId(0), lists),
            ],
        }
    }

    #[test]
    fn nested_values_come_back() {
        let (schema, values) = (schema(), sample());
        let mut out = empty(&schema, DataType::User(TypeId(1))).unwrap();
        for n in 0..2 {
            let mut bytes = vec![];
            write(&values, n..n + 1, &mut bytes).unwrap();
            let mut rest = bytes.as_slice();
            read(&schema, &mut rest, &mut out).unwrap();
            assert!(rest.is_empty());
            let cut = read(&schema, &mut &bytes[..bytes.len() - 1], &mut out.clone());
            assert_eq!(cut.unwrap_err().kind(), ErrorKind::Corrupt);
        }
        assert_eq!(out, values);
        assert!(write(&values, 2..3, &mut vec![]).is_none());
    }

    #[test]
    fn blanks_are_zeros_and_nothing() {
        let blank = blank(&schema(), DataType::User(TypeId(1))).unwrap();
        let Values::Compound { len, columns, .. } = blank else {
            panic!("a compound")
        };
        let empty = Values::Vlen(TypeId(0), vec![Values::String(vec![])]);
        let fill = Values::Int(vec![-2_147_483_647; 2]);
        assert_eq!((len, columns), (1, vec![fill, empty]));
    }
}
