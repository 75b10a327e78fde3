//! Values of any type, built element by element.

use netcdf_core::model::{Atomic, DataType, Field, Schema, TypeId, TypeKind, Values};

/// Maximum nesting depth of types.
const DEPTH: u32 = 64;

/// Returns an empty list of values of a type, or `None` for types outside the schema or with too deep nesting.
pub(super) fn push_copies(out: &mut Values, value: &Values, count: u64) {
    for _ in 0..count {
        out.append(value.clone());
    }
}

/// Returns the number of elements of a field.
pub(super) fn field_len(field: &Field) -> u64 {
    field.dims.iter().copied().fold(1, u64::saturating_mul)
}

/// Appends an integer to values of an integer type; false if it does not fit.
pub(crate) fn push_integer(out: &mut Values, value: i128) -> bool {
    fn push<T: TryFrom<i128>>(v: &mut Vec<T>, value: i128) -> bool {
        let fits = T::try_from(value).ok();
        let fine = fits.is_some();
        v.extend(fits);
        fine
    }
    match out {
        Values::Byte(v) => push(v, value),
        Values::Short(v) => push(v, value),
        Values::Int(v) => push(v, value),
        Values::Int64(v) => push(v, value),
        Values::UByte(v) => push(v, value),
        Values::UShort(v) => push(v, value),
        Values::UInt(v) => push(v, value),
        Values::UInt64(v) => push(v, value),
        Values::Char(_) | Values::Float(_) | Values::Double(_) | Values::String(_) => false,
        Values::Enum(_, base) => push_integer(base, value),
        Values::Opaque { .. } | Values::Vlen(..) | Values::Compound { .. } => false,
    }
}

/// Returns one fill value of a type: netCDF's fill value for atomic types, the first member of an enum, zeros for opaque types, and a list
/// with one fill value for variable-length types. Returns `None` for types outside the schema or with too deep nesting.
#[must_use]
pub fn fill(schema: &Schema, ty: DataType) -> Option<Values> {
    fill_at(schema, ty, 0)
}

fn fill_at(schema: &Schema, ty: DataType, depth: u32) -> Option<Values> {
    if depth > DEPTH {
        return None;
    }
    match ty {
        DataType::Atomic(atomic) => Some(atomic.default_fill()),
        DataType::User(id) => user_fill(schema, id, depth),
    }
}

fn user_fill(schema: &Schema, id: TypeId, depth: u32) -> Option<Values> {
    let mut out = schema.empty_values(DataType::User(id))?;
    match (&schema.user_type(id)?.kind, &mut out) {
        (TypeKind::Enum { members, .. }, Values::Enum(_, base)) => {
            push_integer(base, members.first().map_or(0, |(_, value)| *value));
        }
        (TypeKind::Opaque { .. }, Values::Opaque { size, bytes, .. }) => bytes.resize(*size, 0),
        (TypeKind::Vlen { base }, Values::Vlen(_, lists)) => {
            lists.push(fill_at(schema, *base, depth + 1)?);
        }
        (TypeKind::Compound { fields, .. }, Values::Compound { len, columns, .. }) => {
            *len = 1;
            for (field, column) in fields.iter().zip(columns) {
                let one = fill_at(schema, field.ty, depth + 1)?;
                push_copies(column, &one, field_len(field));
            }
        }
        _ => {}
    }
    Some(out)
}

/// Returns whether constants of the type are text.
pub(super) fn is_text(ty: DataType) -> bool {
    ty == DataType::Atomic(Atomic::Char)
}
