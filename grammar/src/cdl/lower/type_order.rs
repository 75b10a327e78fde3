//! The order in which types are created.

use netcdf_core::model::{DataType, Schema, TypeKind, UserType};

/// As in the C tool, puts types made only of atomic types before the other types of their group. Types never refer to later
/// ones, so each type still follows its parts.
pub(in crate::cdl) fn order_types(schema: &mut Schema) {
    let nested: Vec<bool> = schema.types.iter().map(is_nested).collect();
    for group in &mut schema.groups {
        group
            .types
            .sort_by_key(|id| nested.get(id.index()).copied());
    }
}

/// Whether a type contains a user-defined type.
fn is_nested(ty: &UserType) -> bool {
    let is_user = |ty: DataType| ty.atomic().is_none();
    match &ty.kind {
        TypeKind::Enum { .. } | TypeKind::Opaque { .. } => false,
        TypeKind::Vlen { base } => is_user(*base),
        TypeKind::Compound { fields, .. } => fields.iter().any(|f| is_user(f.ty)),
    }
}
