//! The meaning of names within a group, and the selected variables.

use netcdf_core::model::name::ByName;
use netcdf_core::model::{DimId, Group, GroupId, Schema, TypeId, VarId};

/// Selects the variables whose data is written. A variable must pass each test.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DataSelection {
    /// Only variables of these groups.
    pub groups: Option<Vec<GroupId>>,
    /// Only these variables.
    pub variables: Option<Vec<VarId>>,
    /// Only variables of rank 1 with the name of a dimension.
    pub coordinates: bool,
}

/// Finds the objects that names mean.
pub(crate) struct Scope<'a> {
    pub(crate) schema: &'a Schema,
    /// The dimensions of each group; the first of each name.
    dims: Vec<ByName<DimId>>,
}

impl<'a> Scope<'a> {
    pub(crate) fn new(schema: &'a Schema) -> Self {
        let of_group = |group: &Group| {
            let dims = group.dims.iter().rev();
            let named = dims.filter_map(|&id| Some((schema.dim(id)?.name.clone(), id)));
            named.collect()
        };
        let dims = schema.groups.iter().map(of_group).collect();
        Self { schema, dims }
    }

    /// Whether the name of a dimension means this dimension in a group.
    pub(crate) fn is_dim(&self, from: GroupId, id: DimId) -> bool {
        let named = |g: GroupId| {
            let name = &self.schema.dim(id)?.name;
            self.dims.get(g.index())?.get(name).copied()
        };
        self.upwards(from).find_map(|(g, _)| named(g)) == Some(id)
    }

    /// Whether the name of a type means this type in a group.
    pub(crate) fn is_type(&self, from: GroupId, id: TypeId) -> bool {
        let name = |t: TypeId| self.schema.user_type(t).map(|t| &t.name);
        let named = |t: &TypeId| name(*t) == name(id);
        let mut groups = self.upwards(from);
        groups.find_map(|(_, g)| g.types.iter().copied().find(named)) == Some(id)
    }

    /// The groups of a path, outermost first, without the root.
    pub(crate) fn path(&self, id: GroupId) -> Vec<&Group> {
        let groups = self.upwards(id).map(|(_, group)| group);
        let mut path: Vec<_> = groups.filter(|group| group.parent.is_some()).collect();
        path.reverse();
        path
    }

    /// Whether the data of a variable is written. Variables without elements have none.
    pub(crate) fn is_selected(&self, selection: &DataSelection, group: GroupId, id: VarId) -> bool {
        let groups = selection.groups.as_ref();
        let vars = selection.variables.as_ref();
        groups.is_none_or(|groups| groups.contains(&group))
            && vars.is_none_or(|vars| vars.contains(&id))
            && (!selection.coordinates || self.is_coordinate(group, id))
            && !self.schema.shape(id).contains(&0)
    }

    /// Whether a variable has rank 1 and the name of a dimension that is visible from its group.
    fn is_coordinate(&self, group: GroupId, id: VarId) -> bool {
        let Some(var) = self.schema.var(id).filter(|v| v.dims.len() == 1) else {
            return false;
        };
        self.upwards(group).any(|(id, _)| {
            let dims = self.dims.get(id.index());
            dims.is_some_and(|dims| dims.contains_key(&var.name))
        })
    }

    /// A group, its parent, and so on up to the root.
    fn upwards(&self, from: GroupId) -> impl Iterator<Item = (GroupId, &'a Group)> {
        let schema = self.schema;
        let step = |id: &GroupId| schema.group(*id).and_then(|g| g.parent);
        std::iter::successors(Some(from), step)
            .take(schema.groups.len())
            .filter_map(|id| Some((id, schema.group(id)?)))
    }
}
