//! netCDF types for Zarr types. Types that netCDF lacks are defined on demand.

use super::dtype::{Dtype, StoredType, StructMember};
use crate::model::{Atomic, DataType, Field, GroupId, Name, Schema, TypeId, TypeKind, UserType};

/// Returns the netCDF type of an element. A structure becomes a compound type in `group`, named after the variable. Other types are defined
/// once, in the root group.
pub(super) fn declare(
    schema: &mut Schema,
    stored: &StoredType,
    (group, var): (GroupId, &str),
) -> DataType {
    match &stored.dtype {
        Dtype::Number(a) => (*a).into(),
        Dtype::Char => Atomic::Char.into(),
        Dtype::Half | Dtype::Brain => Atomic::Float.into(),
        Dtype::Time(_) => Atomic::Int64.into(),
        Dtype::Bytes(_) | Dtype::Utf32(_) | Dtype::Text | Dtype::Blob => Atomic::String.into(),
        Dtype::Unknown(_, None) => Atomic::String.into(),
        Dtype::Bool => DataType::User(truth(schema)),
        Dtype::Complex(part) => DataType::User(complex(schema, *part)),
        Dtype::Raw(size) | Dtype::Unknown(_, Some(size)) => {
            let name = format!("_raw{size}_t");
            let kind = TypeKind::Opaque { size: *size };
            DataType::User(known(schema, GroupId::ROOT, &name, kind))
        }
        Dtype::Struct(members) => {
            let kind = compound(schema, members, (group, var));
            DataType::User(known(schema, group, &format!("_{var}_t"), kind))
        }
    }
}

/// Defines `ubyte enum _bool_t {FALSE = 0, TRUE = 1}`.
fn truth(schema: &mut Schema) -> TypeId {
    let members = [(b"FALSE".as_slice(), 0), (b"TRUE", 1)];
    let kind = TypeKind::Enum {
        base: Atomic::UByte,
        members: members.map(|(name, n)| (Name::stored(name), n)).to_vec(),
    };
    known(schema, GroupId::ROOT, "_bool_t", kind)
}

/// Defines `compound _Complex64_t {float i; float j}`, or `_Complex128_t` with doubles.
fn complex(schema: &mut Schema, part: Atomic) -> TypeId {
    let size = part.size().unwrap_or(4) as u64;
    let field = |name: &[u8], offset| Field {
        name: Name::stored(name),
        ty: part.into(),
        dims: vec![],
        offset,
    };
    let kind = TypeKind::Compound {
        fields: vec![field(b"i", 0), field(b"j", size)],
        size: 2 * size,
    };
    known(
        schema,
        GroupId::ROOT,
        &format!("_Complex{}_t", 16 * size),
        kind,
    )
}

fn compound(
    schema: &mut Schema,
    members: &[StructMember],
    (group, var): (GroupId, &str),
) -> TypeKind {
    let mut at = 0u64;
    let mut fields = Vec::with_capacity(members.len());
    for member in members {
        let called = format!("{var}_{}", member.name);
        let mut dims = member.dims.clone();
        let ty = match member.stored.dtype {
            // Strings would lose the byte length in the structure.
            Dtype::Bytes(count) => {
                dims.extend((count > 1).then_some(count));
                Atomic::Char.into()
            }
            _ => declare(schema, &member.stored, (group, &called)),
        };
        fields.push(Field {
            name: Name::stored(member.name.as_bytes()),
            ty,
            dims,
            offset: at,
        });
        let size = member.stored.size().zip(member.elements());
        at = at.saturating_add(size.map_or(0, |(size, n)| size.saturating_mul(n)));
    }
    TypeKind::Compound { fields, size: at }
}

/// Returns the type with this name and kind in a group, defined if necessary. A longer name is used if another type has this name.
fn known(schema: &mut Schema, group: GroupId, name: &str, kind: TypeKind) -> TypeId {
    let mut name = name.replace('/', "_");
    loop {
        let ids = schema
            .group(group)
            .map(|g| g.types.clone())
            .unwrap_or_default();
        let same = |id: &&TypeId| schema.user_type(**id).is_some_and(|t| t.name.is(&name));
        let Some(id) = ids.iter().find(same) else {
            break;
        };
        if schema.user_type(*id).is_some_and(|t| t.kind == kind) {
            return *id;
        }
        name.push('_');
    }
    let name = Name::stored(name.as_bytes());
    schema.add_type(UserType { name, group, kind })
}
