//! The order in which types are made.

use netcdf_core::model::{DataType, Schema, TypeKind, UserType};

/// Puts the types of each group that are made of atomic types alone before the others, as the C tool
/// does. Types never refer to later ones, so that each still follows those that it is made of.
pub(in crate::cdl) fn order_types(schema: &mut Schema) {
    let nested: Vec<bool> = schema.types.iter().map(is_nested).collect();
    for group in &mut schema.groups {
        group
            .types
            .sort_by_key(|id| nested.get(id.index()).copied());
    }
}

/// Whether there is a user-defined type in the type.
fn is_nested(ty: &UserType) -> bool {
    let is_user = |ty: DataType| ty.atomic().is_none();
    match &ty.kind {
        TypeKind::Enum { .. } | TypeKind::Opaque { .. } => false,
        TypeKind::Vlen { base } => is_user(*base),
        TypeKind::Compound { fields, .. } => fields.iter().any(|f| is_user(f.ty)),
    }
}
