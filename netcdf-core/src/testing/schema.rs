//! Short definitions for dimensions, groups, types and attributes.

use super::dataset::MemoryDataset;
use super::words::name;
use crate::model::{
    Attribute, DataType, DimId, Dimension, GroupId, TypeId, TypeKind, UserType, Values, VarId,
};

fn type_of(values: &Values) -> DataType {
    match values {
        Values::Enum(ty, _) | Values::Vlen(ty, _) => DataType::User(*ty),
        Values::Opaque { ty, .. } | Values::Compound { ty, .. } => DataType::User(*ty),
        other => other.data_type().unwrap().into(),
    }
}

impl MemoryDataset {
    /// Defines a group.
    pub fn group(&mut self, parent: GroupId, group: &str) -> GroupId {
        self.schema.add_group(parent, name(group))
    }

    /// Defines a dimension.
    pub fn dim(&mut self, group: GroupId, dim: &str, len: u64, unlimited: bool) -> DimId {
        self.schema.add_dim(Dimension {
            name: name(dim),
            group,
            len,
            unlimited,
        })
    }

    /// Defines the dimensions `d0`, `d1` … in the root group.
    pub fn dims(&mut self, lens: &[u64]) -> Vec<DimId> {
        let dim = |(n, &len): (usize, &u64)| self.dim(GroupId::ROOT, &format!("d{n}"), len, false);
        lens.iter().enumerate().map(dim).collect()
    }

    /// Defines a type.
    pub fn user(&mut self, group: GroupId, ty: &str, kind: TypeKind) -> TypeId {
        let name = name(ty);
        self.schema.add_type(UserType { name, group, kind })
    }

    /// Adds an attribute to a variable.
    pub fn attribute(&mut self, var: VarId, attribute: &str, values: Values) {
        let (name, ty) = (name(attribute), type_of(&values));
        let attributes = &mut self.variable(var).attributes;
        attributes.push(Attribute { name, ty, values });
    }
}
