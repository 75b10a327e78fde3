//! Copies attributes and variables from one dataset to another.

use std::sync::Arc;

use super::mode::{DatasetMode, is_strict};
use super::{BAND, Dataset, Owner};
use crate::chunk::InBands;
use crate::copy::plan::carry_fill;
use crate::error::{Error, ErrorKind, Result};
use crate::format::traits;
use crate::model::{DataType, DimId, FillMode, GroupId, Region, Storage, VarId, Variable};

impl Dataset {
    /// Copies an attribute of another dataset (`nc_copy_att`).
    ///
    /// # Errors
    /// Returns errors like [`Dataset::put_attribute`], [`ErrorKind::NotFound`], and [`ErrorKind::BadType`] for a user-defined type that
    /// this dataset lacks.
    pub fn copy_attribute(
        &mut self,
        (from, of): (&Self, Owner),
        name: &str,
        to: impl Into<Owner>,
    ) -> Result<()> {
        let to = to.into();
        let attribute = from.attribute(of, name)?;
        self.check_same(from, attribute.ty, || self.path_of(to))?;
        self.put_checked(to, name, (attribute.ty, attribute.values.clone()))
    }

    /// Like [`Dataset::copy_attribute`], within this dataset.
    ///
    /// # Errors
    /// Like [`Dataset::copy_attribute`].
    pub fn duplicate_attribute(
        &mut self,
        from: impl Into<Owner>,
        name: &str,
        to: impl Into<Owner>,
    ) -> Result<()> {
        let attribute = self.attribute(from, name)?.clone();
        self.put_checked(to.into(), name, (attribute.ty, attribute.values))
    }

    /// Copies a variable of another dataset, with its attributes and data, into a group with dimensions of the same names (`nc_copy_var`).
    /// Storage settings are kept if the format allows. A dataset of the classic model is in data mode afterwards.
    ///
    /// ```
    /// # use netcdf_core::api::{Dataset, Length, Select};
    /// # use netcdf_core::model::{Atomic, GroupId, Kind};
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let mut from = Dataset::create(dir.path().join("a.nc"), Kind::NETCDF4)?;
    /// # let x = from.define_dim(GroupId::ROOT, "x", Length::Unlimited)?;
    /// # let v = from.define_var(GroupId::ROOT, "v", Atomic::Int, &[x])?;
    /// # from.write(v, &Select::region(&[0], &[3]), &[1, 2, 3])?;
    /// let mut to = Dataset::create(dir.path().join("b.nc"), Kind::CLASSIC)?;
    /// to.define_dim(GroupId::ROOT, "x", Length::Unlimited)?;
    /// let copied = to.copy_variable((&from, v), GroupId::ROOT)?;
    /// assert_eq!(to.read::<i32>(copied, &Select::all())?, [1, 2, 3]);
    /// # Ok::<(), netcdf_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns errors of [`Dataset::define_var`], [`Dataset::copy_attribute`] and [`Dataset::write_values`]; [`ErrorKind::NotFound`] for a
    /// missing dimension; [`ErrorKind::Argument`] for a dimension with a different length.
    pub fn copy_variable(&mut self, (from, var): (&Self, VarId), group: GroupId) -> Result<VarId> {
        from.check_readable()?;
        let old = from.variable(var)?;
        self.check_same(from, old.ty, || from.schema().var_path(var))?;
        let dims = self.same_dims(from, old, group)?;
        if self.mode == DatasetMode::Data && is_strict(self.kind()) {
            self.redefine()?;
        }
        let new = self.define_var(group, &old.name.to_string(), old.ty, &dims)?;
        if traits(self.kind()).settings {
            self.staged.schema.var_mut(new)?.storage = Storage {
                prepared: false,
                fill: FillMode::Fill,
                ..old.storage.clone()
            };
        }
        for attribute in &old.attributes {
            self.copy_attribute((from, var.into()), &attribute.name.to_string(), new)?;
        }
        let (had, has) = (from.kind(), self.kind());
        carry_fill((had, old), (has, self.staged.schema.var_mut(new)?));
        self.settle();
        self.copy_elements((from, var), new)?;
        Ok(new)
    }

    /// Returns the local dimensions with the names of another dataset's variable dimensions.
    fn same_dims(&self, from: &Self, var: &Variable, group: GroupId) -> Result<Vec<DimId>> {
        let one = |&id: &DimId| {
            let old = from.dim(id)?;
            let new = self.dim_id(group, &old.name.to_string())?;
            let dim = self.dim(new)?;
            match dim.unlimited || dim.len == old.len {
                true => Ok(new),
                false => {
                    let (name, len) = (&dim.name, dim.len);
                    let what = format!("dimension {name} has length {len}, not {}", old.len);
                    Err(Error::new(ErrorKind::Argument, what).of(&self.name()))
                }
            }
        };
        var.dims.iter().map(one).collect()
    }

    fn copy_elements(&mut self, (from, var): (&Self, VarId), to: VarId) -> Result<()> {
        let set = from.staged.set(&from.env);
        let layout = set.layout(var)?;
        let whole = Region::whole(&from.schema().shape(var));
        let most = (BAND / layout.element.size.max(1)).max(1);
        let env = Arc::clone(&self.env);
        set.bands(
            var,
            InBands::new(whole, most),
            |band, bytes| Ok((band.clone(), set.values(var, &layout, &bytes)?)),
            |(band, values)| {
                self.staged.put(to, &band, &values, &env)?;
                self.grow(to, &band);
                Ok(())
            },
        )
    }

    /// Checks that a type has the same definition in another dataset.
    fn check_same(&self, from: &Self, ty: DataType, path: impl Fn() -> String) -> Result<()> {
        let DataType::User(id) = ty else {
            return Ok(());
        };
        // Component types have smaller ids.
        let count = id.index().saturating_add(1);
        let (own, other) = (&self.schema().types, &from.schema().types);
        let mut pairs = own.iter().zip(other).take(count);
        let same = own.len() >= count && pairs.all(|(a, b)| a.name == b.name && a.kind == b.kind);
        if same {
            return Ok(());
        }
        let what = "the other dataset does not have this user-defined type under the same number";
        Err(Error::new(ErrorKind::BadType, what).in_object(&path()))
    }
}
