//! User-defined types of a schema, by class.

use super::{DataType, Field, Name, Schema, TypeId, TypeKind, Values};

/// Maximum nesting of types.
const DEPTH: u32 = 64;

impl Schema {
    /// The members of an enum type; `None` for another type.
    #[must_use]
    pub fn enum_members(&self, id: TypeId) -> Option<&[(Name, i128)]> {
        match &self.user_type(id)?.kind {
            TypeKind::Enum { members, .. } => Some(members),
            TypeKind::Opaque { .. } | TypeKind::Vlen { .. } | TypeKind::Compound { .. } => None,
        }
    }

    /// The element type of a variable-length type; `None` for another type.
    #[must_use]
    pub fn vlen_base(&self, id: TypeId) -> Option<DataType> {
        match &self.user_type(id)?.kind {
            TypeKind::Vlen { base } => Some(*base),
            TypeKind::Opaque { .. } | TypeKind::Enum { .. } | TypeKind::Compound { .. } => None,
        }
    }

    /// The fields of a compound type; `None` for another type.
    #[must_use]
    pub fn compound_fields(&self, id: TypeId) -> Option<&[Field]> {
        match &self.user_type(id)?.kind {
            TypeKind::Compound { fields, .. } => Some(fields),
            TypeKind::Opaque { .. } | TypeKind::Vlen { .. } | TypeKind::Enum { .. } => None,
        }
    }

    /// An empty list of values of a type; `None` for an unknown type and for a type that is nested too deeply.
    #[must_use]
    pub fn empty_values(&self, ty: DataType) -> Option<Values> {
        self.empty_at(ty, 0)
    }

    fn empty_at(&self, ty: DataType, depth: u32) -> Option<Values> {
        let id = match ty {
            _ if depth > DEPTH => return None,
            DataType::Atomic(atomic) => return Some(Values::with_capacity(atomic, 0)),
            DataType::User(id) => id,
        };
        Some(match &self.user_type(id)?.kind {
            TypeKind::Enum { base, .. } => {
                Values::Enum(id, Box::new(Values::with_capacity(*base, 0)))
            }
            TypeKind::Opaque { size } => Values::Opaque {
                ty: id,
                size: usize::try_from(*size).ok()?,
                bytes: vec![],
            },
            TypeKind::Vlen { base } => {
                self.empty_at(*base, depth + 1)?;
                Values::Vlen(id, vec![])
            }
            TypeKind::Compound { fields, .. } => {
                let columns = fields.iter().map(|f| self.empty_at(f.ty, depth + 1));
                Values::Compound {
                    ty: id,
                    len: 0,
                    columns: columns.collect::<Option<_>>()?,
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{GroupId, Kind, UserType};

    #[test]
    fn types_without_end_have_no_values() {
        let mut schema = Schema::new(Kind::NETCDF4);
        let base = DataType::User(TypeId(0));
        let vlen = schema.add_type(UserType {
            name: Name::stored(b"v"),
            group: GroupId::ROOT,
            kind: TypeKind::Vlen { base },
        });
        assert_eq!(schema.vlen_base(vlen), Some(base));
        assert!(schema.compound_fields(vlen).is_none() && schema.enum_members(vlen).is_none());
        assert!(schema.empty_values(base).is_none());
    }
}
