//! The dataset schema: groups, dimensions, types, variables and attributes.

use super::{
    Attribute, DataType, DimId, GroupId, Kind, Name, SharedVec, Storage, TypeId, TypeKind,
    UserType, Values, VarId,
};
use crate::error::{Error, ErrorKind, OrInternal as _, Result};

/// Groups, dimensions, types, variables and attributes of a dataset, each in definition order.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema {
    /// The kind of the dataset.
    pub kind: Kind,
    /// Groups; the first is the root.
    pub groups: Vec<Group>,
    /// Dimensions of all groups.
    pub dims: Vec<Dimension>,
    /// User-defined types of all groups.
    pub types: Vec<UserType>,
    /// Variables of all groups. Clones of a schema share this list until its first change.
    pub vars: SharedVec<Variable>,
    /// Whether attribute texts that look like JSON are JSON, in a Zarr dataset without recorded types.
    pub json_texts: bool,
}

/// A group, with object ids.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// The group name; `/` for the root.
    pub name: Name,
    /// The parent group; `None` for the root.
    pub parent: Option<GroupId>,
    /// The subgroups.
    pub groups: Vec<GroupId>,
    /// The dimensions.
    pub dims: Vec<DimId>,
    /// The user-defined types.
    pub types: Vec<TypeId>,
    /// The variables; netCDF's varid is the index in this list.
    pub vars: Vec<VarId>,
    /// The group attributes.
    pub attributes: Vec<Attribute>,
}

/// A dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dimension {
    /// The dimension name.
    pub name: Name,
    /// The defining group.
    pub group: GroupId,
    /// The length in elements; for an unlimited dimension the current length.
    pub len: u64,
    /// Whether the dimension is unlimited.
    pub unlimited: bool,
}

/// A variable.
#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    /// The variable name.
    pub name: Name,
    /// The defining group.
    pub group: GroupId,
    /// The element type.
    pub ty: DataType,
    /// The dimensions, slowest varying first; empty for a scalar.
    pub dims: Vec<DimId>,
    /// The variable attributes.
    pub attributes: Vec<Attribute>,
    /// The storage settings.
    pub storage: Storage,
}

impl Schema {
    /// Returns an empty dataset with only a root group.
    #[must_use]
    pub fn new(kind: Kind) -> Self {
        let root = Group::new(Name::stored(b"/"), None);
        Self {
            kind,
            groups: vec![root],
            dims: vec![],
            types: vec![],
            vars: SharedVec::default(),
            json_texts: false,
        }
    }

    /// The root group.
    #[must_use]
    pub fn root(&self) -> &Group {
        static EMPTY: std::sync::LazyLock<Group> =
            std::sync::LazyLock::new(|| Group::new(Name::stored(b"/"), None));
        self.groups.first().unwrap_or(&EMPTY)
    }

    /// The group with this id.
    #[must_use]
    pub fn group(&self, id: GroupId) -> Option<&Group> {
        self.groups.get(id.index())
    }

    /// The dimension with this id.
    #[must_use]
    pub fn dim(&self, id: DimId) -> Option<&Dimension> {
        self.dims.get(id.index())
    }

    /// The variable with this id.
    #[must_use]
    pub fn var(&self, id: VarId) -> Option<&Variable> {
        self.vars.get(id.index())
    }

    /// Returns the variable with this id for modification.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Internal`] if the id is unknown.
    #[track_caller]
    pub fn var_mut(&mut self, id: VarId) -> Result<&mut Variable> {
        self.vars.get_mut(id.index()).or_internal("a variable")
    }

    /// The user-defined type with this id.
    #[must_use]
    pub fn user_type(&self, id: TypeId) -> Option<&UserType> {
        self.types.get(id.index())
    }

    /// Returns all group ids, parents before children.
    pub fn group_ids(&self) -> impl Iterator<Item = GroupId> + use<> {
        (0..).map(GroupId).take(self.groups.len())
    }

    /// Returns all variable ids, group by group in definition order.
    pub fn var_ids(&self) -> impl Iterator<Item = VarId> + use<> {
        (0..).map(VarId).take(self.vars.len())
    }

    /// Adds a group to `parent` and returns its id.
    pub fn add_group(&mut self, parent: GroupId, name: Name) -> GroupId {
        let id = GroupId(next(&self.groups));
        self.groups.push(Group::new(name, Some(parent)));
        if let Some(p) = self.groups.get_mut(parent.index()) {
            p.groups.push(id);
        }
        id
    }

    /// Adds a dimension to its group and returns its id.
    pub fn add_dim(&mut self, dim: Dimension) -> DimId {
        let id = DimId(next(&self.dims));
        if let Some(g) = self.groups.get_mut(dim.group.index()) {
            g.dims.push(id);
        }
        self.dims.push(dim);
        id
    }

    /// Adds a type to its group and returns its id.
    pub fn add_type(&mut self, ty: UserType) -> TypeId {
        let id = TypeId(next(&self.types));
        if let Some(g) = self.groups.get_mut(ty.group.index()) {
            g.types.push(id);
        }
        self.types.push(ty);
        id
    }

    /// Adds a variable to its group and returns its id.
    pub fn add_var(&mut self, var: Variable) -> VarId {
        let id = VarId(next(&self.vars));
        if let Some(g) = self.groups.get_mut(var.group.index()) {
            g.vars.push(id);
        }
        self.vars.push(var);
        id
    }

    /// Checks that every id in the schema refers to an existing object. Writers would silently skip dangling references.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`] for a dangling id, with the path of the referring object.
    pub fn check(&self) -> Result<()> {
        for (id, group) in self.group_ids().zip(&self.groups) {
            let whole = group.parent.iter().all(|&g| self.group(g).is_some())
                && group.groups.iter().all(|&g| self.group(g).is_some())
                && group.dims.iter().all(|&d| self.dim(d).is_some())
                && group.types.iter().all(|&t| self.user_type(t).is_some())
                && group.vars.iter().all(|&v| self.var(v).is_some())
                && group.attributes.iter().all(|a| self.has_type(a.ty));
            whole
                .then_some(())
                .ok_or_else(|| unknown(&self.group_path(id)))?;
        }
        for dim in &self.dims {
            let whole = self.group(dim.group).is_some();
            whole
                .then_some(())
                .ok_or_else(|| unknown(&dim.name.to_string()))?;
        }
        for ty in &self.types {
            let parts = match &ty.kind {
                TypeKind::Compound { fields, .. } => fields.iter().all(|f| self.has_type(f.ty)),
                TypeKind::Vlen { base } => self.has_type(*base),
                TypeKind::Enum { .. } | TypeKind::Opaque { .. } => true,
            };
            let whole = parts && self.group(ty.group).is_some();
            whole
                .then_some(())
                .ok_or_else(|| unknown(&ty.name.to_string()))?;
        }
        for (id, var) in self.var_ids().zip(&self.vars) {
            let whole = self.group(var.group).is_some()
                && self.has_type(var.ty)
                && var.dims.iter().all(|&d| self.dim(d).is_some())
                && var.attributes.iter().all(|a| self.has_type(a.ty));
            whole
                .then_some(())
                .ok_or_else(|| unknown(&self.var_path(id)))?;
        }
        Ok(())
    }

    fn has_type(&self, ty: DataType) -> bool {
        match ty {
            DataType::Atomic(_) => true,
            DataType::User(id) => self.user_type(id).is_some(),
        }
    }

    /// Returns the current shape of a variable in elements; empty for scalars and unknown ids.
    #[must_use]
    pub fn shape(&self, var: VarId) -> Vec<u64> {
        let dims = self.var(var).map(|v| v.dims.as_slice()).unwrap_or_default();
        dims.iter()
            .map(|&d| self.dim(d).map_or(0, |d| d.len))
            .collect()
    }

    /// Returns whether the variable's first dimension is unlimited.
    #[must_use]
    pub fn is_record(&self, var: &Variable) -> bool {
        var.dims.first().is_some_and(|&dim| self.is_unlimited(dim))
    }

    /// Returns whether the dimension's name resolves to this dimension in a group: no nearer group has a dimension with the same name.
    #[must_use]
    pub fn is_nearest_dim(&self, group: GroupId, id: DimId) -> bool {
        let Some(dim) = self.dim(id) else {
            return false;
        };
        let parent = |id: &GroupId| self.group(*id).and_then(|group| group.parent);
        let mut way = std::iter::successors(Some(group), parent).take(self.groups.len());
        let same = |&id: &DimId| self.dim(id).is_some_and(|other| other.name == dim.name);
        let named = |id: GroupId| {
            self.group(id)
                .is_some_and(|group| group.dims.iter().any(same))
        };
        way.find(|&id| id == dim.group || named(id)) == Some(dim.group)
    }

    /// Returns whether a dimension is unlimited.
    #[must_use]
    pub fn is_unlimited(&self, dim: DimId) -> bool {
        self.dim(dim).is_some_and(|d| d.unlimited)
    }

    /// Returns the full path of a group: `/`, `/g`, `/g/h`.
    #[must_use]
    pub fn group_path(&self, id: GroupId) -> String {
        let mut names = Vec::new();
        let mut at = Some(id);
        while let Some(group) = at.and_then(|g| self.group(g)) {
            if group.parent.is_some() {
                names.push(group.name.to_string());
            }
            at = group.parent.filter(|_| names.len() <= self.groups.len());
        }
        names.reverse();
        format!("/{}", names.join("/"))
    }

    /// Returns the full path of a variable: `/v`, `/g/v`.
    #[must_use]
    pub fn var_path(&self, id: VarId) -> String {
        let Some(var) = self.var(id) else {
            return String::new();
        };
        let group = self.group_path(var.group);
        format!("{}/{}", if group == "/" { "" } else { &group }, var.name)
    }
}

fn unknown(path: &str) -> Error {
    let what = "an id of a group, dimension, type or variable that does not exist";
    Error::new(ErrorKind::NotFound, what).in_object(path)
}

impl Group {
    /// An empty group.
    #[must_use]
    pub fn new(name: Name, parent: Option<GroupId>) -> Self {
        Self {
            name,
            parent,
            groups: vec![],
            dims: vec![],
            types: vec![],
            vars: vec![],
            attributes: vec![],
        }
    }
}

impl Variable {
    /// The attribute with this name.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|a| a.name.is(name))
    }

    /// Returns the fill value, one element: `_FillValue` if it is one value of the variable's type, or the type's default. Returns `None`
    /// for user-defined types without `_FillValue`.
    #[must_use]
    pub fn fill_value(&self) -> Option<Values> {
        let own = self
            .attribute("_FillValue")
            .filter(|a| a.ty == self.ty && a.values.len() == 1);
        match own {
            Some(a) => Some(a.values.clone()),
            None => self.ty.atomic().map(super::Atomic::default_fill),
        }
    }

    /// Returns the one element as which missing elements read, if the format stores it.
    #[must_use]
    pub fn unwritten(&self) -> Option<Values> {
        let own = self.storage.unwritten.clone();
        own.or_else(|| self.fill_value())
    }
}

/// Returns the next id of an arena. Saturation is safe: limits keep arenas below 2^32 entries.
fn next<T>(arena: &[T]) -> u32 {
    u32::try_from(arena.len()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_refers_to_an_object() {
        let mut schema = Schema::new(Kind::NETCDF4);
        let group = schema.add_group(GroupId::ROOT, Name::stored(b"g"));
        let dim = Dimension {
            name: Name::stored(b"x"),
            group,
            len: 3,
            unlimited: false,
        };
        schema.add_dim(dim);
        schema.check().unwrap();
        let refused = |change: &dyn Fn(&mut Schema)| {
            let mut wrong = schema.clone();
            change(&mut wrong);
            let error = wrong.check().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::NotFound);
            error.object().map(str::to_owned)
        };
        assert_eq!(
            refused(&|s| s.groups[1].dims.push(DimId(1))).as_deref(),
            Some("/g")
        );
        assert_eq!(
            refused(&|s| s.groups[0].vars.push(VarId(0))).as_deref(),
            Some("/")
        );
        assert_eq!(
            refused(&|s| s.groups[0].types.push(TypeId(7))).as_deref(),
            Some("/")
        );
        assert_eq!(
            refused(&|s| s.dims[0].group = GroupId(9)).as_deref(),
            Some("x")
        );
    }
    use crate::model::Atomic;

    #[test]
    fn paths() {
        let mut s = Schema::new(Kind::NETCDF4);
        let g = s.add_group(GroupId::ROOT, Name::stored(b"g"));
        let h = s.add_group(g, Name::stored(b"h"));
        let v = s.add_var(Variable {
            name: Name::stored(b"v"),
            group: h,
            ty: Atomic::Int.into(),
            dims: vec![],
            attributes: vec![],
            storage: Storage::default(),
        });
        assert_eq!(s.group_path(GroupId::ROOT), "/");
        assert_eq!(s.group_path(h), "/g/h");
        assert_eq!(s.var_path(v), "/g/h/v");
    }

    #[test]
    fn clones_share_their_variables() {
        let schema = Schema::new(Kind::NETCDF4);
        let mut other = schema.clone();
        assert_eq!(schema.vars.as_ptr(), other.vars.as_ptr());
        other.add_var(Variable {
            name: Name::stored(b"v"),
            group: GroupId::ROOT,
            ty: Atomic::Int.into(),
            dims: vec![],
            attributes: vec![],
            storage: Storage::default(),
        });
        assert_eq!((schema.vars.len(), other.vars.len()), (0, 1));
        // A copy of 100,000 variables has two lists.
        assert!(size_of::<Variable>() <= 256);
    }

    #[test]
    fn fill_value_must_fit() {
        let mut v = Variable {
            name: Name::stored(b"v"),
            group: GroupId::ROOT,
            ty: Atomic::Int.into(),
            dims: vec![],
            attributes: vec![],
            storage: Storage::default(),
        };
        let fill = Name::stored(b"_FillValue");
        v.attributes
            .extend(Attribute::atomic(fill.clone(), Values::Float(vec![1.0])));
        assert_eq!(v.fill_value(), Some(Values::Int(vec![-2_147_483_647])));
        v.attributes.clear();
        v.attributes
            .extend(Attribute::atomic(fill, Values::Int(vec![7])));
        assert_eq!(v.fill_value(), Some(Values::Int(vec![7])));
    }
}
