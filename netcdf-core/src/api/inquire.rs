//! Inquiry functions.

use super::{Dataset, Owner};
use crate::chunk::{Provenance, Reader};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{
    Attribute, DataType, DimId, Dimension, Group, GroupId, Kind, Name, Schema, TypeId, TypeKind,
    UserType, VarId, Variable,
};

/// Returns the error for an unknown name.
fn unknown(what: &str, name: &str, group: String) -> Error {
    let what = format!("no {what} {name}");
    Error::new(ErrorKind::NotFound, what).in_object(&group)
}

impl Dataset {
    /// Returns the schema (`nc_inq` and related functions).
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.staged.schema
    }

    /// Returns the kind of the dataset (`nc_inq_format`, `nc_inq_format_extended`).
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.staged.schema.kind
    }

    /// Returns format details of the file (`nc_inq_format_extended`).
    #[must_use]
    pub fn provenance(&self) -> Provenance {
        self.staged.provenance()
    }

    /// Returns a group.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`].
    pub fn group(&self, id: GroupId) -> Result<&Group> {
        let no = || Error::new(ErrorKind::NotFound, format!("no group {}", id.0));
        self.schema().group(id).ok_or_else(no)
    }

    /// Returns a dimension (`nc_inq_dim`, `nc_inq_dimname`, `nc_inq_dimlen`).
    ///
    /// # Errors
    /// Returns [`ErrorKind::NoDimension`].
    pub fn dim(&self, id: DimId) -> Result<&Dimension> {
        let no = || Error::new(ErrorKind::NoDimension, format!("no dimension {}", id.0));
        self.schema().dim(id).ok_or_else(no)
    }

    /// Returns a variable (`nc_inq_var` and related functions).
    ///
    /// # Errors
    /// Returns [`ErrorKind::NoVariable`].
    pub fn variable(&self, id: VarId) -> Result<&Variable> {
        let no = || Error::new(ErrorKind::NoVariable, format!("no variable {}", id.0));
        self.schema().var(id).ok_or_else(no)
    }

    /// Returns a user-defined type (`nc_inq_user_type` and related functions).
    ///
    /// # Errors
    /// Returns [`ErrorKind::BadType`].
    pub fn user_type(&self, id: TypeId) -> Result<&UserType> {
        let no = || Error::new(ErrorKind::BadType, format!("no type {}", id.0));
        self.schema().user_type(id).ok_or_else(no)
    }

    /// Returns the current shape of a variable; empty for a scalar.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NoVariable`].
    pub fn shape(&self, id: VarId) -> Result<Vec<u64>> {
        self.variable(id)?;
        Ok(self.schema().shape(id))
    }

    /// Returns a group by path. `g` and `g/h` are relative to `from`; a path with a leading `/` is relative to the root (`nc_inq_ncid`,
    /// `nc_inq_grp_ncid`, `nc_inq_grp_full_ncid`).
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`].
    pub fn group_id(&self, from: GroupId, path: &str) -> Result<GroupId> {
        let from = match path.starts_with('/') {
            true => GroupId::ROOT,
            false => from,
        };
        let mut names = path.split('/').filter(|name| !name.is_empty());
        names.try_fold(from, |at, name| {
            let mut below = self.group(at)?.groups.iter().copied();
            let found = below.find(|&g| self.schema().group(g).is_some_and(|g| g.name.is(name)));
            found.ok_or_else(|| unknown("group", name, self.schema().group_path(at)))
        })
    }

    /// Returns a dimension by name, from a group or its ancestors (`nc_inq_dimid`).
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`].
    pub fn dim_id(&self, group: GroupId, name: &str) -> Result<DimId> {
        let called = |id: &DimId| self.schema().dim(*id).is_some_and(|d| d.name.is(name));
        let found = self
            .with_ancestors(group)?
            .into_iter()
            .find_map(|g| g.dims.iter().copied().find(called));
        found.ok_or_else(|| unknown("dimension", name, self.schema().group_path(group)))
    }

    /// Returns a variable by name, from a group (`nc_inq_varid`).
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`].
    pub fn var_id(&self, group: GroupId, name: &str) -> Result<VarId> {
        let called = |id: &VarId| self.schema().var(*id).is_some_and(|v| v.name.is(name));
        let found = self.group(group)?.vars.iter().copied().find(called);
        found.ok_or_else(|| unknown("variable", name, self.schema().group_path(group)))
    }

    /// Returns a type by name: an atomic type, or a type defined in a group or its ancestors (`nc_inq_typeid`).
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`].
    pub fn type_id(&self, group: GroupId, name: &str) -> Result<DataType> {
        let atomic = crate::model::Atomic::ALL
            .into_iter()
            .find(|a| a.name() == name);
        if let Some(atomic) = atomic {
            return Ok(atomic.into());
        }
        let called = |id: &TypeId| {
            self.schema()
                .user_type(*id)
                .is_some_and(|t| t.name.is(name))
        };
        let found = self
            .with_ancestors(group)?
            .into_iter()
            .find_map(|g| g.types.iter().copied().find(called));
        let found = found.map(DataType::User);
        found.ok_or_else(|| unknown("type", name, self.schema().group_path(group)))
    }

    /// Returns the name of a type, and the size of one value in memory (`nc_inq_type`). The size is `None` for strings and for types that
    /// contain lists.
    ///
    /// # Errors
    /// Returns [`ErrorKind::BadType`].
    pub fn type_info(&self, ty: DataType) -> Result<(String, Option<u64>)> {
        let name = match ty {
            DataType::Atomic(atomic) => atomic.name().to_owned(),
            DataType::User(id) => self.user_type(id)?.name.to_string(),
        };
        Ok((name, ty.fixed_size(self.schema())))
    }

    /// Returns the name of an enum value (`nc_inq_enum_ident`).
    ///
    /// # Errors
    /// Returns [`ErrorKind::BadType`] for other types, and [`ErrorKind::NotFound`] if the value has no name.
    pub fn enum_name(&self, id: TypeId, value: i128) -> Result<&Name> {
        let ty = self.user_type(id)?;
        let members = match &ty.kind {
            TypeKind::Enum { members, .. } => members,
            TypeKind::Opaque { .. } | TypeKind::Vlen { .. } | TypeKind::Compound { .. } => {
                let what = format!("type {} is not an enum", ty.name);
                return Err(Error::new(ErrorKind::BadType, what));
            }
        };
        let named = members.iter().find(|(_, v)| *v == value);
        let unnamed = || {
            let what = format!("no member of {} is {value}", ty.name);
            Error::new(ErrorKind::NotFound, what)
        };
        named.map(|(name, _)| name).ok_or_else(unnamed)
    }

    /// Returns the dimensions visible in a group: dimensions of the group and of its ancestors (`nc_inq_dimids`).
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`] for a missing group.
    pub fn visible_dims(&self, group: GroupId) -> Result<Vec<DimId>> {
        let around = self.with_ancestors(group)?.into_iter();
        let mut dims: Vec<DimId> = around.flat_map(|g| g.dims.clone()).collect();
        dims.sort_unstable();
        Ok(dims)
    }

    /// Returns the unlimited dimensions of a group (`nc_inq_unlimdims`).
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`] for a missing group.
    pub fn unlimited_dims(&self, group: GroupId) -> Result<Vec<DimId>> {
        let dims = self.group(group)?.dims.iter().copied();
        Ok(dims.filter(|&id| self.schema().is_unlimited(id)).collect())
    }

    /// Returns the attributes of a group or variable, ordered by attribute number (`nc_inq_natts`, `nc_inq_attname`).
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`] or [`ErrorKind::NoVariable`] for a missing owner.
    pub fn attributes(&self, of: impl Into<Owner>) -> Result<&[Attribute]> {
        match of.into() {
            Owner::Group(id) => Ok(&self.group(id)?.attributes),
            Owner::Variable(id) => Ok(&self.variable(id)?.attributes),
        }
    }

    /// Returns an attribute by name (`nc_inq_att`, `nc_get_att`).
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`].
    pub fn attribute(&self, of: impl Into<Owner>, name: &str) -> Result<&Attribute> {
        let of = of.into();
        let n = self.attribute_number(of, name)?;
        let found = self.attributes(of)?.get(n);
        found.ok_or_else(|| unknown("attribute", name, self.path_of(of)))
    }

    /// Returns the number of an attribute (`nc_inq_attid`).
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`].
    pub fn attribute_number(&self, of: impl Into<Owner>, name: &str) -> Result<usize> {
        let of = of.into();
        let found = self.attributes(of)?.iter().position(|a| a.name.is(name));
        found.ok_or_else(|| unknown("attribute", name, self.path_of(of)))
    }

    /// Returns the path of a group or variable.
    pub(super) fn path_of(&self, of: Owner) -> String {
        match of {
            Owner::Group(id) => self.schema().group_path(id),
            Owner::Variable(id) => self.schema().var_path(id),
        }
    }

    /// Returns a group and its ancestors, innermost first.
    pub(super) fn with_ancestors(&self, group: GroupId) -> Result<Vec<&Group>> {
        let mut groups = vec![self.group(group)?];
        while let Some(parent) = groups.last().and_then(|g| g.parent) {
            let next = self.group(parent)?;
            // A group is its own ancestor only in a damaged schema: stop at the number of groups.
            if groups.len() > self.schema().groups.len() {
                break;
            }
            groups.push(next);
        }
        Ok(groups)
    }
}
