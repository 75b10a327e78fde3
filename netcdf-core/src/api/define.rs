//! Definition and renaming of groups, dimensions, types and variables.

use super::mode::is_strict;
use super::{Dataset, Length};
use crate::error::{Context as _, Error, ErrorKind, Result};
use crate::format;
use crate::model::kind::Model;
use crate::model::{
    Atomic, DataType, DimId, Dimension, GroupId, Kind, Name, Storage, TypeId, TypeKind, UserType,
    VarId, Variable,
};
use crate::notes::Note;

/// Returns the maximum dimension length of a kind, in elements.
pub(super) fn longest(kind: Kind) -> u64 {
    format::kind_row(kind).map_or(i64::MAX.unsigned_abs(), |row| row.longest)
}

/// The scope in which a new name must be unique.
enum Namespace {
    Dims,
    /// Groups, types and variables, which share a namespace.
    Objects,
}

impl Dataset {
    /// Defines a group (`nc_def_grp`).
    ///
    /// ```
    /// # use netcdf_core::api::Dataset;
    /// # use netcdf_core::model::{Atomic, GroupId, Kind};
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let mut data = Dataset::create(dir.path().join("a.nc"), Kind::NETCDF4)?;
    /// let x = data.define_dim(GroupId::ROOT, "x", 3.into())?;
    /// let run = data.define_group(GroupId::ROOT, "run")?;
    /// let v = data.define_var(run, "v", Atomic::Int, &[x])?;
    /// assert_eq!(data.group_id(GroupId::ROOT, "/run")?, run);
    /// assert_eq!(data.schema().var_path(v), "/run/v");
    /// # Ok::<(), netcdf_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotNetcdf4`] or [`ErrorKind::Strict`] for the classic model, [`ErrorKind::NotFound`] for a missing group,
    /// [`ErrorKind::BadName`], [`ErrorKind::Exists`] and [`ErrorKind::ReadOnly`].
    pub fn define_group(&mut self, parent: GroupId, name: &str) -> Result<GroupId> {
        self.check_enhanced("groups")?;
        let name = self.new_name((parent, Namespace::Objects), name, None)?;
        let depth = self.with_ancestors(parent)?.len();
        if depth >= usize::try_from(self.env.limits.groups).unwrap_or(usize::MAX) {
            return Err(Error::new(ErrorKind::Limit, "groups nested too deeply"));
        }
        self.begin_definition()?;
        Ok(self.staged.schema.add_group(parent, name))
    }

    /// Defines a dimension (`nc_def_dim`).
    ///
    /// # Errors
    /// Returns [`ErrorKind::DimSize`] for a length of 0 or beyond the limit of the format; [`ErrorKind::Unlimited`] for a second unlimited
    /// dimension in the classic model; [`ErrorKind::NotInDefineMode`] in data mode of the classic model; [`ErrorKind::NotFound`] for a
    /// missing group; [`ErrorKind::BadName`], [`ErrorKind::Exists`] and [`ErrorKind::ReadOnly`].
    pub fn define_dim(&mut self, group: GroupId, name: &str, len: Length) -> Result<DimId> {
        let name = self.new_name((group, Namespace::Dims), name, None)?;
        self.begin_definition()?;
        let (len, unlimited) = match len {
            Length::Unlimited => {
                self.warn_of_pure_zarr(&name);
                (0, true)
            }
            Length::Fixed(len) => (self.checked_len(len)?, false),
        };
        let one = self.kind().model != Model::Enhanced;
        if unlimited && one && self.schema().dims.iter().any(|d| d.unlimited) {
            let what = "the classic model allows only one unlimited dimension";
            return Err(Error::new(ErrorKind::Unlimited, what).of(&self.name()));
        }
        Ok(self.staged.schema.add_dim(Dimension {
            name,
            group,
            len,
            unlimited,
        }))
    }

    /// Adds a note that readers will treat the unlimited dimension as fixed.
    fn warn_of_pure_zarr(&self, name: &Name) {
        if !format::has_own_metadata(self.kind()) {
            self.env.notes.say(Note {
                object: name.to_string(),
                what: "Zarr without netCDF's metadata has no unlimited dimensions: its length is fixed when \
                       the dataset is closed"
                    .to_owned(),
                remedy: Some("use an NCZarr kind".to_owned()),
            });
        }
    }

    fn checked_len(&self, len: u64) -> Result<u64> {
        let limit = longest(self.kind());
        match (1..=limit).contains(&len) {
            true => Ok(len),
            false => {
                let what = format!("a dimension of length {len}, expected 1 to {limit}");
                Err(Error::new(ErrorKind::DimSize, what).of(&self.name()))
            }
        }
    }

    /// Defines a complete user-defined type (`nc_def_compound`, `nc_def_enum`, `nc_def_vlen`, `nc_def_opaque`).
    ///
    /// ```
    /// # use netcdf_core::api::{Dataset, Select};
    /// # use netcdf_core::model::{Atomic, DataType, GroupId, Kind, Name, TypeKind, Values};
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let mut data = Dataset::create(dir.path().join("a.nc"), Kind::NETCDF4)?;
    /// let members = vec![(Name::checked(b"clear")?, 0), (Name::checked(b"cloudy")?, 1)];
    /// let sky = TypeKind::Enum { base: Atomic::Byte, members };
    /// let sky = data.define_type(GroupId::ROOT, "sky", sky)?;
    /// let v = data.define_var(GroupId::ROOT, "v", DataType::User(sky), &[])?;
    /// data.write_values(v, &Select::all(), &Values::from([1]))?;
    /// let found = data.read_one::<i32>(v, &[])?;
    /// assert!(data.enum_name(sky, found.into())?.is("cloudy"));
    /// # Ok::<(), netcdf_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotInFormat`] for Zarr; [`ErrorKind::NotNetcdf4`] or [`ErrorKind::Strict`] for the classic model;
    /// [`ErrorKind::BadType`] for undefined component types; [`ErrorKind::NotFound`] for a missing group; [`ErrorKind::BadName`],
    /// [`ErrorKind::Exists`] and [`ErrorKind::ReadOnly`].
    pub fn define_type(&mut self, group: GroupId, name: &str, kind: TypeKind) -> Result<TypeId> {
        self.check_enhanced("user-defined types")?;
        if !format::traits(self.kind()).defines_types {
            let what = format!(
                "{} has no user-defined types",
                format::writing(self.kind())?.name
            );
            let e = Error::new(ErrorKind::NotInFormat, what).of(&self.name());
            return Err(e.with_remedy("netCDF-4 has them"));
        }
        let name = self.new_name((group, Namespace::Objects), name, None)?;
        self.check_inside(&kind)?;
        self.begin_definition()?;
        Ok(self.staged.schema.add_type(UserType { name, group, kind }))
    }

    /// Checks the component types of a type.
    fn check_inside(&self, kind: &TypeKind) -> Result<()> {
        let known = |ty: DataType| match ty {
            DataType::Atomic(_) => true,
            DataType::User(id) => self.schema().user_type(id).is_some(),
        };
        let fits = match kind {
            TypeKind::Enum { base, .. } => base.is_integer(),
            TypeKind::Opaque { size } => *size > 0,
            TypeKind::Vlen { base } => known(*base),
            TypeKind::Compound { fields, .. } => {
                !fields.is_empty() && fields.iter().all(|f| known(f.ty))
            }
        };
        let what = "a type without components, or with an undefined component type";
        match fits {
            true => Ok(()),
            false => Err(Error::new(ErrorKind::BadType, what).of(&self.name())),
        }
    }

    /// Defines a variable with its dimensions, slowest first (`nc_def_var`).
    ///
    /// # Errors
    /// Returns [`ErrorKind::BadType`] or [`ErrorKind::Strict`] for types that the format lacks; [`ErrorKind::NoDimension`] for dimensions
    /// outside the group and its ancestors; [`ErrorKind::Unlimited`] if the unlimited dimension of a classic variable is not the first;
    /// [`ErrorKind::Limit`] for too many dimensions; [`ErrorKind::NotInDefineMode`] in data mode of the classic model;
    /// [`ErrorKind::NotFound`] for a missing group; [`ErrorKind::BadName`], [`ErrorKind::Exists`] and [`ErrorKind::ReadOnly`].
    pub fn define_var(
        &mut self,
        group: GroupId,
        name: &str,
        ty: impl Into<DataType>,
        dims: &[DimId],
    ) -> Result<VarId> {
        let ty = ty.into();
        let shown = || {
            format!(
                "{}/{name}",
                self.schema().group_path(group).trim_end_matches('/')
            )
        };
        self.check_type(ty).in_object(shown)?;
        self.check_dims(group, dims).in_object(shown)?;
        let name = self.new_name((group, Namespace::Objects), name, None)?;
        self.begin_definition()?;
        let fill = self.fill;
        Ok(self.staged.schema.add_var(Variable {
            name,
            group,
            ty,
            dims: dims.to_vec(),
            attributes: vec![],
            storage: Storage {
                fill,
                ..Storage::default()
            },
        }))
    }

    /// Checks that the format supports a type.
    pub(super) fn check_type(&self, ty: DataType) -> Result<()> {
        let kind = self.kind();
        let (has, error) = match ty {
            DataType::Atomic(ty) => (kind.model.has(ty), self.beyond_model(ErrorKind::BadType)),
            DataType::User(id) => (self.schema().user_type(id).is_some(), ErrorKind::BadType),
        };
        if has {
            return Ok(());
        }
        let name = ty.atomic().map_or("user-defined", Atomic::name);
        let what = format!("{} datasets do not have the type {name}", kind.name());
        Err(Error::new(error, what))
    }

    fn check_dims(&self, group: GroupId, dims: &[DimId]) -> Result<()> {
        let rank = usize::try_from(self.env.limits.rank).unwrap_or(usize::MAX);
        if dims.len() > rank {
            let what = format!("{} dimensions, at most {rank} are possible", dims.len());
            return Err(Error::new(ErrorKind::Limit, what));
        }
        let visible = self.visible_dims(group)?;
        if let Some(id) = dims.iter().find(|id| visible.binary_search(id).is_err()) {
            let what = format!("this group cannot use a dimension {}", id.0);
            return Err(Error::new(ErrorKind::NoDimension, what));
        }
        let unlimited = |&id: &DimId| self.schema().is_unlimited(id);
        let inner = dims.get(1..).unwrap_or_default();
        if format::traits(self.kind()).records && inner.iter().any(unlimited) {
            let what = "the unlimited dimension must be the first one";
            return Err(Error::new(ErrorKind::Unlimited, what));
        }
        Ok(())
    }

    /// Renames a dimension (`nc_rename_dim`).
    ///
    /// # Errors
    /// Returns [`ErrorKind::NoDimension`], [`ErrorKind::BadName`], [`ErrorKind::Exists`] and [`ErrorKind::ReadOnly`];
    /// [`ErrorKind::NotInDefineMode`] for a longer name in data mode of the classic model.
    pub fn rename_dim(&mut self, dim: DimId, name: &str) -> Result<()> {
        let old = self.dim(dim)?;
        let (group, old) = (old.group, old.name.clone());
        let name = self.new_name((group, Namespace::Dims), name, Some(&old))?;
        self.begin_change(name.as_bytes().len() > old.as_bytes().len())?;
        if let Some(dim) = self.staged.schema.dims.get_mut(dim.index()) {
            dim.name = name;
        }
        Ok(())
    }

    /// Renames a variable (`nc_rename_var`).
    ///
    /// # Errors
    /// Like [`Dataset::rename_dim`], with [`ErrorKind::NoVariable`].
    pub fn rename_var(&mut self, var: VarId, name: &str) -> Result<()> {
        let old = self.variable(var)?;
        let (group, old) = (old.group, old.name.clone());
        let name = self.new_name((group, Namespace::Objects), name, Some(&old))?;
        self.begin_change(name.as_bytes().len() > old.as_bytes().len())?;
        self.staged.schema.var_mut(var)?.name = name;
        Ok(())
    }

    /// Renames a group, except for the root (`nc_rename_grp`).
    ///
    /// # Errors
    /// Like [`Dataset::define_group`]. Returns [`ErrorKind::NotFound`] for a missing group and for the root.
    pub fn rename_group(&mut self, group: GroupId, name: &str) -> Result<()> {
        self.check_enhanced("groups")?;
        let old = self.group(group)?;
        let root = || Error::new(ErrorKind::NotFound, "the root group has no name");
        let (parent, old) = (old.parent.ok_or_else(root)?, old.name.clone());
        let name = self.new_name((parent, Namespace::Objects), name, Some(&old))?;
        self.begin_definition()?;
        if let Some(group) = self.staged.schema.groups.get_mut(group.index()) {
            group.name = name;
        }
        Ok(())
    }

    /// Checks that the dataset has the enhanced model.
    fn check_enhanced(&self, what: &str) -> Result<()> {
        let kind = self.kind();
        if !is_strict(kind) {
            return Ok(());
        }
        let what = format!("{} datasets have no {what}", kind.name());
        Err(Error::new(self.beyond_model(ErrorKind::NotNetcdf4), what).of(&self.name()))
    }

    /// Returns the error kind for a feature that the data model lacks: `lacking` if the format lacks it as well.
    fn beyond_model(&self, lacking: ErrorKind) -> ErrorKind {
        match format::traits(self.kind()).enhanced {
            true => ErrorKind::Strict,
            false => lacking,
        }
    }

    /// Checks that a name is free in a group. A renamed object may keep its name.
    fn new_name(
        &self,
        (group, namespace): (GroupId, Namespace),
        name: &str,
        own: Option<&Name>,
    ) -> Result<Name> {
        let name = Name::checked(name.as_bytes())?;
        let schema = self.schema();
        let group_of = self.group(group)?;
        let used = match namespace {
            Namespace::Dims => group_of
                .dims
                .iter()
                .filter_map(|&id| schema.dim(id))
                .any(|d| d.name == name),
            Namespace::Objects => {
                let mut vars = group_of.vars.iter().filter_map(|&id| schema.var(id));
                let mut types = group_of.types.iter().filter_map(|&id| schema.user_type(id));
                let mut groups = group_of.groups.iter().filter_map(|&id| schema.group(id));
                vars.any(|v| v.name == name)
                    || types.any(|t| t.name == name)
                    || groups.any(|g| g.name == name)
            }
        };
        if used && own != Some(&name) {
            let what = format!("the name {name} is in use");
            return Err(Error::new(ErrorKind::Exists, what).in_object(&schema.group_path(group)));
        }
        Ok(name)
    }
}
