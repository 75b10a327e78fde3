//! References to dimensions and types from a group: the name if it resolves to the object, or the path.

use netcdf_core::model::name::ByName;
use netcdf_core::model::{DataType, DimId, Group, GroupId, Schema, TypeId, VarId};

use crate::cdl::write::by_name;
use crate::json::names::{written, written_type};

/// The names visible from groups.
pub(super) struct Scope<'a> {
    schema: &'a Schema,
    /// The dimensions of each group by name; the first dimension wins if names repeat.
    dims: Vec<ByName<DimId>>,
}

impl<'a> Scope<'a> {
    pub(super) fn new(schema: &'a Schema) -> Self {
        let dims = by_name(schema);
        Self { schema, dims }
    }

    /// Returns a reference to a dimension.
    pub(super) fn dimension(&self, from: GroupId, id: DimId) -> String {
        let Some(dim) = self.schema.dim(id) else {
            return String::new();
        };
        let named = |g: GroupId| self.dims.get(g.index())?.get(&dim.name).copied();
        let found = self.upwards(from).find_map(|(g, _)| named(g));
        let name = written(dim.name.as_bytes());
        match found == Some(id) {
            true => name,
            false => format!("{}{name}", self.path(dim.group)),
        }
    }

    /// Returns a reference to a type.
    pub(super) fn data_type(&self, from: GroupId, ty: DataType) -> String {
        let id = match ty {
            DataType::Atomic(atomic) => return atomic.name().to_owned(),
            DataType::User(id) => id,
        };
        let Some(user) = self.schema.user_type(id) else {
            return String::new();
        };
        let named = |&t: &TypeId| {
            let ty = self.schema.user_type(t);
            ty.is_some_and(|t| t.name == user.name)
        };
        let mut groups = self.upwards(from);
        let found = groups.find_map(|(_, g)| g.types.iter().copied().find(named));
        match found == Some(id) {
            true => written_type(user.name.as_bytes()),
            false => format!("{}{}", self.path(user.group), written(user.name.as_bytes())),
        }
    }

    /// Returns whether a variable has rank 1 and the name of a dimension visible from its group.
    pub(super) fn is_coordinate(&self, group: GroupId, id: VarId) -> bool {
        let Some(var) = self.schema.var(id).filter(|v| v.dims.len() == 1) else {
            return false;
        };
        self.upwards(group).any(|(id, _)| {
            let dims = self.dims.get(id.index());
            dims.is_some_and(|dims| dims.contains_key(&var.name))
        })
    }

    /// Returns the path of a group with a trailing slash.
    fn path(&self, id: GroupId) -> String {
        let mut names: Vec<_> = self
            .upwards(id)
            .filter(|(_, group)| group.parent.is_some())
            .map(|(_, group)| written(group.name.as_bytes()) + "/")
            .collect();
        names.push("/".to_owned());
        names.reverse();
        names.concat()
    }

    /// Iterates over a group and its ancestors.
    fn upwards(&self, from: GroupId) -> impl Iterator<Item = (GroupId, &Group)> {
        let step = |id: &GroupId| self.schema.group(*id).and_then(|g| g.parent);
        std::iter::successors(Some(from), step)
            .take(self.schema.groups.len())
            .filter_map(|id| Some((id, self.schema.group(id)?)))
    }
}
