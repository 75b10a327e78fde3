//! Type checks of values.

use crate::error::{Error, ErrorKind, Result};
use crate::model::convert::convert;
use crate::model::{DataType, Schema, TypeKind, Values};

/// Maximum nesting depth of types.
const DEPTH: u32 = 64;

/// Checks that values have a type of the schema, including nested values.
///
/// # Errors
/// Returns [`ErrorKind::BadType`].
pub(super) fn check(schema: &Schema, ty: DataType, values: &Values) -> Result<()> {
    match fits(schema, ty, values, 0) {
        true => Ok(()),
        false => {
            let what = "the values are not of the expected type";
            Err(Error::new(ErrorKind::BadType, what))
        }
    }
}

fn fits(schema: &Schema, ty: DataType, values: &Values, depth: u32) -> bool {
    let id = match ty {
        DataType::Atomic(ty) => return values.data_type() == Some(ty),
        DataType::User(id) => id,
    };
    let Some(ty) = schema.user_type(id).filter(|_| depth < DEPTH) else {
        return false;
    };
    match (&ty.kind, values) {
        (TypeKind::Enum { base, .. }, Values::Enum(own, list)) => {
            *own == id && list.data_type() == Some(*base)
        }
        (TypeKind::Opaque { size }, Values::Opaque { ty, size: s, bytes }) => {
            *ty == id && *s as u64 == *size && bytes.len().is_multiple_of((*s).max(1))
        }
        (TypeKind::Vlen { base }, Values::Vlen(own, lists)) => {
            let mut all = lists.iter();
            *own == id && all.all(|list| fits(schema, *base, list, depth + 1))
        }
        (TypeKind::Compound { fields, .. }, Values::Compound { ty, len, columns }) => {
            let column = |(field, column): (&crate::model::Field, &Values)| {
                let per = field.elements().ok().and_then(|n| usize::try_from(n).ok());
                let whole = per.and_then(|n| n.checked_mul(*len)) == Some(column.len());
                whole && fits(schema, field.ty, column, depth + 1)
            };
            *ty == id && fields.len() == columns.len() && fields.iter().zip(columns).all(column)
        }
        (
            TypeKind::Enum { .. }
            | TypeKind::Opaque { .. }
            | TypeKind::Vlen { .. }
            | TypeKind::Compound { .. },
            _,
        ) => false,
    }
}

/// Converts integers to values of an enum. Other values stay unchanged.
///
/// # Errors
/// Returns [`ErrorKind::Range`] if some integers do not fit the enum's type.
pub(super) fn of_enum(schema: &Schema, ty: DataType, values: Values) -> Result<Values> {
    let DataType::User(id) = ty else {
        return Ok(values);
    };
    match schema.user_type(id).map(|t| &t.kind) {
        Some(TypeKind::Enum { base, .. }) if values.data_type().is_some_and(|t| t.is_integer()) => {
            Ok(Values::Enum(id, Box::new(convert(&values, *base)?)))
        }
        Some(_) | None => Ok(values),
    }
}
