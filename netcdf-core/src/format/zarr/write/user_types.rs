//! Types that pure Zarr has and netCDF lacks: truth values, complex numbers, opaque bytes, structures, and strings of four-byte characters.

use crate::arithmetic::exact;
use crate::chunk::elements;
use crate::error::{Error, ErrorKind, OrInternal as _, Result};
use crate::format::zarr::dtype::{Dtype, StoredType, StructMember};
use crate::json::Json;
use crate::model::strings::OF_VARIABLE;
use crate::model::{
    Atomic, DataType, Endianness, Field, Schema, TypeId, TypeKind, Values, Variable, ZarrVersion,
};

use super::{dtype, json_forms, numbers, strings};

/// Maximum nesting depth of types.
const DEPTH: u32 = 16;

/// Returns the Zarr type for a user-defined type, or `None` if Zarr lacks the type.
#[must_use]
pub(crate) fn of(schema: &Schema, id: TypeId) -> Option<StoredType> {
    let zarr = schema.kind.as_zarr().filter(|zarr| zarr.pure)?;
    made(schema, id, (zarr.version, 0))
}

/// Returns the type of strings that pure Zarr stores as four-byte characters, because the source did.
#[must_use]
pub(crate) fn characters(schema: &Schema, var: &Variable) -> Option<StoredType> {
    schema.kind.as_zarr().filter(|zarr| zarr.pure)?;
    let count = var
        .storage
        .characters
        .filter(|_| var.ty == Atomic::String.into())?;
    let asked = var.attribute(OF_VARIABLE).is_some() || var.storage.codecs.is_some();
    (!asked).then_some(StoredType {
        dtype: Dtype::Utf32(count.max(1)),
        order: Some(Endianness::Little),
    })
}

fn made(schema: &Schema, id: TypeId, (version, depth): (ZarrVersion, u32)) -> Option<StoredType> {
    let ty = schema.user_type(id).filter(|_| depth < DEPTH)?;
    let called = ty.name.to_string();
    let dtype = match &ty.kind {
        TypeKind::Enum { .. } => ty.kind.is_truth().then_some(Dtype::Bool)?,
        TypeKind::Opaque { size } => Dtype::Raw(*size),
        TypeKind::Vlen { .. } => return None,
        TypeKind::Compound { fields, .. } => match complex(&called, fields) {
            Some(part) => Dtype::Complex(part),
            None => {
                let member = |field: &Field| member(schema, field, (version, depth));
                let members: Option<Vec<_>> = fields.iter().map(member).collect();
                Dtype::Struct(members.filter(|members| !members.is_empty())?)
            }
        },
    };
    Some(StoredType {
        dtype,
        order: Some(Endianness::Little),
    })
}

/// Returns the part type of the complex number type with this name.
fn complex(called: &str, fields: &[Field]) -> Option<Atomic> {
    let [re, im] = fields else { return None };
    let part = re.ty.atomic().filter(|_| re.ty == im.ty)?;
    let name = match part {
        Atomic::Float => "_Complex64_t",
        Atomic::Double => "_Complex128_t",
        _ => return None,
    };
    let plain = re.dims.is_empty() && im.dims.is_empty();
    (plain && called.starts_with(name)).then_some(part)
}

/// Converts a field. Characters become texts as long as the last dimension. Version 3 has no array fields.
fn member(schema: &Schema, field: &Field, at: (ZarrVersion, u32)) -> Option<StructMember> {
    let mut dims: Vec<u64> = field.dims.clone();
    let stored = match field.ty {
        DataType::Atomic(Atomic::String) => return None,
        DataType::Atomic(Atomic::Char) => StoredType {
            dtype: Dtype::Bytes(dims.pop().unwrap_or(1)),
            order: None,
        },
        DataType::Atomic(ty) => StoredType {
            dtype: Dtype::Number(ty),
            order: Some(Endianness::Little),
        },
        DataType::User(id) => made(schema, id, (at.0, at.1 + 1))?,
    };
    (dims.is_empty() || at.0 == ZarrVersion::V2).then(|| StructMember {
        name: field.name.to_string(),
        stored,
        dims,
    })
}

/// Encodes values as consecutive elements.
///
/// # Errors
/// Returns [`ErrorKind::BadType`] for values of another type.
pub(crate) fn encode(stored: &StoredType, values: &Values) -> Result<Vec<u8>> {
    let mut out = vec![];
    match (&stored.dtype, values) {
        (Dtype::Number(_), values) => elements::encode(values, stored.endianness(), &mut out)?,
        (Dtype::Bytes(_), Values::Char(bytes)) => out.extend_from_slice(bytes),
        (Dtype::Utf32(most), Values::String(texts)) => {
            for text in texts {
                utf32(text.as_deref().unwrap_or_default(), *most, &mut out)?;
            }
        }
        (Dtype::Raw(_), Values::Opaque { bytes, .. }) => out.extend_from_slice(bytes),
        (Dtype::Bool, Values::Enum(_, base)) => {
            elements::encode(base, stored.endianness(), &mut out)?;
        }
        (Dtype::Complex(part), Values::Compound { len, columns, .. }) => {
            let number = StoredType {
                dtype: Dtype::Number(*part),
                order: stored.order,
            };
            let parts = columns.iter().map(|column| encode(&number, column));
            out = woven(parts.collect::<Result<_>>()?, *len)?;
        }
        (Dtype::Struct(members), Values::Compound { len, columns, .. })
            if members.len() == columns.len() =>
        {
            let parts = members.iter().zip(columns);
            let parts = parts.map(|(member, column)| encode(&member.stored, column));
            out = woven(parts.collect::<Result<_>>()?, *len)?;
        }
        _ => {
            let what = "values of another type than the variable's";
            return Err(Error::new(ErrorKind::BadType, what));
        }
    }
    Ok(out)
}

/// Encodes a text as `most` four-byte characters, padded with zeros. Invalid UTF-8 becomes U+FFFD, as on reading.
fn utf32(text: &[u8], most: u64, out: &mut Vec<u8>) -> Result<()> {
    let text = String::from_utf8_lossy(text);
    let count = text.chars().count() as u64;
    let zeros = most.checked_sub(count).ok_or_else(|| {
        let what = format!("a string of {count} characters, longer than the limit of {most}");
        Error::new(ErrorKind::Range, what)
    })?;
    out.extend(text.chars().flat_map(|c| u32::from(c).to_le_bytes()));
    let len = exact(zeros) * 4u64 + out.len();
    out.resize(len.index()?, 0);
    Ok(())
}

/// Interleaves columns of `len` elements. Each resulting element contains a part of every column.
fn woven(columns: Vec<Vec<u8>>, len: usize) -> Result<Vec<u8>> {
    if columns.iter().any(|c| !c.len().is_multiple_of(len.max(1))) {
        return Err(Error::internal(
            "columns of other lengths than their structure",
        ));
    }
    let mut out = Vec::with_capacity(columns.iter().map(Vec::len).sum());
    for n in 0..len {
        for column in &columns {
            let size = column.len() / len;
            let part = column.get(n * size..(n + 1) * size);
            out.extend_from_slice(part.or_internal("a column shorter than its structure")?);
        }
    }
    Ok(out)
}

/// Returns the type name in the metadata of a version.
///
/// # Errors
/// Returns [`ErrorKind::Internal`] for a type that Zarr lacks, or a type with too large elements.
pub(crate) fn named(stored: &StoredType, version: ZarrVersion) -> Result<Json> {
    match version {
        ZarrVersion::V2 => v2(stored),
        ZarrVersion::V3 => v3(stored),
    }
}

fn unnamed() -> Error {
    Error::internal("a type without a name in Zarr")
}

fn v2(stored: &StoredType) -> Result<Json> {
    let text = |text: String| Json::text(&text);
    Ok(match &stored.dtype {
        Dtype::Number(ty) => text(dtype::v2(*ty, stored.endianness(), true, 0)),
        Dtype::Bool => Json::text("|b1"),
        Dtype::Complex(Atomic::Float) => Json::text("<c8"),
        Dtype::Complex(_) => Json::text("<c16"),
        Dtype::Bytes(n) => text(format!("|S{n}")),
        Dtype::Utf32(n) => text(format!("<U{n}")),
        Dtype::Raw(n) => text(format!("|V{n}")),
        Dtype::Struct(members) => {
            let field = |member: &StructMember| {
                let mut parts = vec![Json::text(&member.name), v2(&member.stored)?];
                if !member.dims.is_empty() {
                    parts.push(json_forms::lengths(&member.dims));
                }
                Ok(Json::Array(parts))
            };
            Json::Array(members.iter().map(field).collect::<Result<_>>()?)
        }
        _ => return Err(unnamed()),
    })
}

fn v3(stored: &StoredType) -> Result<Json> {
    let configured =
        |name: &str, key: &str, value: Json| json_forms::named(name, Json::object([(key, value)]));
    Ok(match &stored.dtype {
        Dtype::Number(ty) => dtype::v3(*ty, true),
        Dtype::Bool => Json::text("bool"),
        Dtype::Complex(Atomic::Float) => Json::text("complex64"),
        Dtype::Complex(_) => Json::text("complex128"),
        Dtype::Bytes(n) => dtype::fixed_text(*n),
        Dtype::Utf32(n) => configured(
            "fixed_length_utf32",
            "length_bytes",
            Json::int((exact(*n) * 4u64).get()?),
        ),
        Dtype::Raw(n) => configured("raw_bytes", "length_bytes", Json::int(n)),
        Dtype::Struct(members) => {
            let field =
                |m: &StructMember| Ok(Json::Array(vec![Json::text(&m.name), v3(&m.stored)?]));
            let fields = members.iter().map(field).collect::<Result<_>>()?;
            configured("structured", "fields", Json::Array(fields))
        }
        _ => return Err(unnamed()),
    })
}

/// Checks whether elements are numbers of several bytes. For these, the codec `bytes` needs a byte order.
#[must_use]
pub(crate) fn has_order(stored: &StoredType) -> bool {
    matches!(stored.dtype, Dtype::Complex(_) | Dtype::Utf32(_))
}

/// Returns a fill value as JSON.
#[must_use]
pub(crate) fn fill_value(stored: &StoredType, bytes: &[u8]) -> Json {
    match &stored.dtype {
        Dtype::Bool => Json::Bool(bytes.first().is_some_and(|&b| b != 0)),
        Dtype::Complex(part) => {
            let values = elements::decode(*part, stored.endianness(), bytes).ok();
            let items = values.and_then(|v| numbers::list(&v, numbers::Style::Inferred));
            Json::Array(items.unwrap_or_default())
        }
        Dtype::Utf32(_) => {
            let codes = bytes
                .as_chunks::<4>()
                .0
                .iter()
                .copied()
                .map(u32::from_le_bytes);
            let text: String = codes.filter_map(char::from_u32).collect();
            Json::text(text.trim_end_matches('\0'))
        }
        _ => Json::text(&strings::base64(bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::zarr::types::declare;
    use crate::format::zarr::values::decode;
    use crate::model::{GroupId, Kind};

    /// A type declared with Zarr's name keeps the type and the bytes.
    #[test]
    fn types_of_zarr_come_back() {
        for (text, bytes) in [
            (r#""|b1""#, &[0, 1][..]),
            (r#""<c8""#, &[1, 2, 3, 4, 5, 6, 7, 8]),
            (r#""<c16""#, &[7; 32]),
            (r#""|V3""#, &[1, 2, 3, 4, 5, 6]),
            (
                r#"[["a","<i2"],["b",[["c","|b1"],["d","|V1",[2]]]]]"#,
                &[1, 2, 1, 3, 4, 5, 6, 0, 7, 8],
            ),
            (
                r#"[["t","|S3"],["c","|S1"],["l","|S2",[2]]]"#,
                b"ab\0xmnop\0\0\0ymnop",
            ),
        ] {
            let json = Json::parse(text.as_bytes()).unwrap();
            let mut schema = Schema::new(Kind::PURE_ZARR);
            let read = StoredType::v2(&json);
            let ty = declare(&mut schema, &read, (GroupId::ROOT, "v"));
            let DataType::User(id) = ty else {
                panic!("{text}")
            };
            let stored = of(&schema, id).unwrap();
            assert_eq!(named(&stored, ZarrVersion::V2).unwrap(), json);
            let values = decode(&schema, &read, ty, bytes).unwrap();
            assert_eq!(encode(&stored, &values).unwrap(), bytes, "{text}");
            schema.kind = Kind::NCZARR;
            assert_eq!(
                of(&schema, id),
                None,
                "netCDF-C does not open stores with this type"
            );
        }
    }
}
