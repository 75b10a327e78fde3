//! Decodes stored elements to values.

use super::dtype::{Dtype, StoredType, StructMember};
use super::half;
use super::write::strings::trimmed;
use crate::chunk::elements;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Atomic, DataType, Endianness, Schema, TypeId, Values};

/// Returns the values of all complete elements in `bytes`, in the declared netCDF type.
///
/// # Errors
/// Returns [`ErrorKind::Unsupported`] for elements without netCDF values.
pub(super) fn decode(
    schema: &Schema,
    stored: &StoredType,
    ty: DataType,
    bytes: &[u8],
) -> Result<Values> {
    let order = stored.endianness();
    let size = stored.size().and_then(|n| usize::try_from(n).ok());
    let size = size.ok_or_else(no_values)?.max(1);
    match (&stored.dtype, ty) {
        (Dtype::Number(a), _) => elements::decode(*a, order, bytes),
        (Dtype::Time(_), _) => elements::decode(Atomic::Int64, order, bytes),
        (Dtype::Char, _) | (Dtype::Bytes(_), DataType::Atomic(Atomic::Char)) => {
            Ok(Values::Char(bytes.to_vec()))
        }
        (Dtype::Half, _) => Ok(halves(order, bytes, half::to_f32)),
        (Dtype::Brain, _) => Ok(halves(order, bytes, half::brain_to_f32)),
        (Dtype::Bytes(_), _) => {
            let text = |e: &[u8]| Some(trimmed(e).into());
            Ok(Values::String(bytes.chunks_exact(size).map(text).collect()))
        }
        (Dtype::Utf32(_), _) => {
            let text = |e: &[u8]| Some(utf8(e, order).into());
            Ok(Values::String(bytes.chunks_exact(size).map(text).collect()))
        }
        (Dtype::Bool, DataType::User(id)) => {
            Ok(Values::Enum(id, Box::new(Values::UByte(bytes.to_vec()))))
        }
        (Dtype::Complex(part), DataType::User(ty)) => complex(*part, order, ty, bytes),
        (Dtype::Raw(_), DataType::User(ty)) => {
            let whole = bytes.len() - bytes.len() % size;
            let bytes = bytes.get(..whole).unwrap_or_default().to_vec();
            Ok(Values::Opaque { ty, size, bytes })
        }
        (Dtype::Struct(members), DataType::User(id)) => {
            compound(schema, (members, size), id, bytes)
        }
        (
            Dtype::Bool | Dtype::Complex(_) | Dtype::Raw(_) | Dtype::Struct(_),
            DataType::Atomic(_),
        ) => Err(no_values()),
        (Dtype::Text | Dtype::Blob | Dtype::Unknown(..), _) => Err(no_values()),
    }
}

fn no_values() -> Error {
    Error::new(
        ErrorKind::Unsupported,
        "a type that netCDF has no values for",
    )
}

fn halves(order: Endianness, bytes: &[u8], whole: fn(u16) -> f32) -> Values {
    let value = |pair: &[u8; 2]| {
        whole(match order {
            Endianness::Little => u16::from_le_bytes(*pair),
            Endianness::Big => u16::from_be_bytes(*pair),
        })
    };
    Values::Float(bytes.as_chunks().0.iter().map(value).collect())
}

/// Converts four-byte characters to UTF-8. Invalid characters become U+FFFD.
fn utf8(text: &[u8], order: Endianness) -> Vec<u8> {
    let code = |bytes: &[u8; 4]| match order {
        Endianness::Little => u32::from_le_bytes(*bytes),
        Endianness::Big => u32::from_be_bytes(*bytes),
    };
    let codes: Vec<u32> = text.as_chunks().0.iter().map(code).collect();
    let len = codes
        .iter()
        .rposition(|&c| c != 0)
        .map_or(0, |last| last + 1);
    let char = |&c: &u32| char::from_u32(c).unwrap_or(char::REPLACEMENT_CHARACTER);
    codes
        .iter()
        .take(len)
        .map(char)
        .collect::<String>()
        .into_bytes()
}

/// Returns the bytes `start..start + len` of each element.
fn column(bytes: &[u8], size: usize, start: usize, len: usize) -> Vec<u8> {
    let part = |e| <[u8]>::get(e, start..start.saturating_add(len));
    let parts = bytes.chunks_exact(size.max(1)).filter_map(part);
    parts.flatten().copied().collect()
}

fn complex(part: Atomic, order: Endianness, ty: TypeId, bytes: &[u8]) -> Result<Values> {
    let size = part.size().unwrap_or(4);
    let one = |start| elements::decode(part, order, &column(bytes, 2 * size, start, size));
    Ok(Values::Compound {
        ty,
        len: bytes.len() / (2 * size),
        columns: vec![one(0)?, one(size)?],
    })
}

fn compound(
    schema: &Schema,
    (members, size): (&[StructMember], usize),
    ty: TypeId,
    bytes: &[u8],
) -> Result<Values> {
    let fields = schema.compound_fields(ty).ok_or_else(no_values)?;
    let mut columns = Vec::with_capacity(fields.len());
    for (member, field) in members.iter().zip(fields) {
        let bytes_of = |n: u64| usize::try_from(n).map_err(|_| no_values());
        let one = member.stored.size().zip(member.elements());
        let len = one
            .and_then(|(size, n)| size.checked_mul(n))
            .ok_or_else(no_values)?;
        let part = column(bytes, size, bytes_of(field.offset)?, bytes_of(len)?);
        columns.push(decode(schema, &member.stored, field.ty, &part)?);
    }
    let len = bytes.len() / size;
    Ok(Values::Compound { ty, len, columns })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::zarr::dtype::numpy;
    use crate::format::zarr::types::declare;
    use crate::json::Json;
    use crate::model::{GroupId, Kind};

    fn read(stored: &StoredType, bytes: &[u8]) -> Values {
        let mut schema = Schema::new(Kind::PURE_ZARR);
        let ty = declare(&mut schema, stored, (GroupId::ROOT, "v"));
        decode(&schema, stored, ty, bytes).unwrap()
    }

    fn strings(texts: &[&str]) -> Values {
        Values::String(texts.iter().map(|t| Some(t.as_bytes().into())).collect())
    }

    #[test]
    fn texts() {
        assert_eq!(read(&numpy("|S3"), b"a\0bcd\0"), strings(&["a\0b", "cd"]));
        let utf32 = [0x61, 0x4e2d, 0x1f600, 0].map(u32::to_be_bytes).concat();
        assert_eq!(read(&numpy(">U4"), &utf32), strings(&["a中😀"]));
    }

    #[test]
    fn structures() {
        let json = Json::parse(br#"[["a",">i2"],["b",[["c","|S1"],["d","|b1",[2]]]]]"#).unwrap();
        let values = read(&StoredType::v2(&json), b"\0\x01x\x01\0\0\x02y\0\x01");
        let Values::Compound {
            len: 2, columns, ..
        } = values
        else {
            panic!("{values:?}")
        };
        assert_eq!(columns[0], Values::Short(vec![1, 2]));
        let Values::Compound { columns, .. } = &columns[1] else {
            panic!()
        };
        assert_eq!(columns[0], Values::Char(b"xy".to_vec()));
        let Values::Enum(_, flags) = &columns[1] else {
            panic!()
        };
        assert_eq!(**flags, Values::UByte(vec![1, 0, 0, 1]));
    }

    #[test]
    fn pairs() {
        let bytes = [1f32, -1.0, 2.0, -2.0].map(f32::to_le_bytes).concat();
        let Values::Compound { columns, .. } = read(&numpy("<c8"), &bytes) else {
            panic!()
        };
        assert_eq!(
            columns,
            [
                Values::Float(vec![1.0, 2.0]),
                Values::Float(vec![-1.0, -2.0])
            ]
        );
    }
}
