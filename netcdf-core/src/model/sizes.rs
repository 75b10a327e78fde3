//! Element sizes.

use std::collections::HashMap;

use super::{DataType, Field, Schema, TypeId, TypeKind};

/// Bytes of a pointer in memory.
const POINTER: u64 = 8;
/// Bytes of a list (`nc_vlen_t`) in memory.
const LIST: u64 = 16;

impl DataType {
    /// Returns the element size in bytes in memory and in chunks, or `None` if the type contains strings or variable-length lists.
    #[must_use]
    pub fn fixed_size(self, schema: &Schema) -> Option<u64> {
        let mut known = HashMap::new();
        self.fixed_size_from(schema, &mut known, 0)
    }

    /// Like [`DataType::fixed_size`]. `known` caches the sizes of compounds that occur several times.
    fn fixed_size_from(
        self,
        schema: &Schema,
        known: &mut HashMap<TypeId, Option<u64>>,
        depth: u32,
    ) -> Option<u64> {
        let id = match self {
            Self::Atomic(a) => return a.size().map(|n| n as u64),
            Self::User(id) => id,
        };
        if let Some(&size) = known.get(&id) {
            return size;
        }
        if depth > 64 {
            return None;
        }
        let size = match &schema.user_type(id)?.kind {
            TypeKind::Enum { base, .. } => base.size().map(|n| n as u64),
            TypeKind::Opaque { size } => Some(*size),
            TypeKind::Vlen { .. } => None,
            TypeKind::Compound { fields, size } => {
                let mut fixed =
                    |f: &Field| f.ty.fixed_size_from(schema, known, depth + 1).is_some();
                fields.iter().all(&mut fixed).then_some(*size)
            }
        };
        known.insert(id, size);
        size
    }
}

impl Schema {
    /// Returns the size in bytes of an element in a C structure.
    #[must_use]
    pub fn memory_size(&self, ty: DataType) -> u64 {
        let id = match ty {
            DataType::Atomic(atomic) => return atomic.size().map_or(POINTER, |n| n as u64),
            DataType::User(id) => id,
        };
        match self.user_type(id).map(|t| &t.kind) {
            Some(TypeKind::Enum { base, .. }) => base.size().map_or(1, |n| n as u64),
            Some(TypeKind::Opaque { size } | TypeKind::Compound { size, .. }) => *size,
            Some(TypeKind::Vlen { .. }) | None => LIST,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Atomic, GroupId, Name, UserType};

    #[test]
    fn types_made_of_types_take_no_exponential_time() {
        let mut schema = Schema::new(crate::model::Kind::NETCDF4);
        let mut ty = DataType::from(Atomic::Int);
        for n in 0..60u64 {
            let field = |name: &[u8], offset| Field {
                name: Name::stored(name),
                ty,
                dims: vec![],
                offset,
            };
            let fields = vec![field(b"a", 0), field(b"b", 4)];
            let kind = TypeKind::Compound { fields, size: n };
            let (name, group) = (Name::stored(b"t"), GroupId::ROOT);
            ty = DataType::User(schema.add_type(UserType { name, group, kind }));
        }
        assert_eq!(ty.fixed_size(&schema), Some(59));
    }
}
