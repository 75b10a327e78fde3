//! The creation order of types.

use netcdf_core::model::{DataType, Schema, TypeKind, UserType};

/// Moves types with only atomic components before the other types of their group, as the C tool does. Types only refer to earlier types, so
/// the components of each type still precede it.
pub(in crate::cdl) fn order_types(schema: &mut Schema) {
    let nested: Vec<bool> = schema.types.iter().map(is_nested).collect();
    for group in &mut schema.groups {
        group
            .types
            .sort_by_key(|id| nested.get(id.index()).copied());
    }
}

/// Returns whether a type contains a user-defined type.
fn is_nested(ty: &UserType) -> bool {
    let is_user = |ty: DataType| ty.atomic().is_none();
    match &ty.kind {
        TypeKind::Enum { .. } | TypeKind::Opaque { .. } => false,
        TypeKind::Vlen { base } => is_user(*base),
        TypeKind::Compound { fields, .. } => fields.iter().any(|f| is_user(f.ty)),
    }
}
