//! Attributes: put, get, rename, copy and delete.

use super::element::Element;
use super::{Dataset, Owner, numbers, values};
use crate::error::{Context as _, Error, ErrorKind, Result};
use crate::format::traits;
use crate::model::{Atomic, Attribute, DataType, Name, Values};

impl Dataset {
    /// Creates or replaces an attribute of a group or variable. The values determine the attribute type (`nc_put_att_text`, `nc_put_att_T`
    /// with the same type).
    ///
    /// ```
    /// # use netcdf_core::api::Dataset;
    /// # use netcdf_core::model::{Atomic, GroupId, Kind};
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let mut data = Dataset::create(dir.path().join("a.nc"), Kind::CLASSIC)?;
    /// let v = data.define_var(GroupId::ROOT, "v", Atomic::Int, &[])?;
    /// data.put_attribute(GroupId::ROOT, "title", "all of it")?;
    /// data.put_attribute(v, "valid_range", [0, 100])?;
    /// data.put_attribute_as(v, "factor", Atomic::Float, [0.5f64])?;
    /// assert_eq!(data.get_text(GroupId::ROOT, "title")?, "all of it");
    /// assert_eq!(data.get_attribute::<f64>(v, "valid_range")?, [0.0, 100.0]);
    /// assert_eq!(data.attribute(v, "factor")?.ty, Atomic::Float.into());
    /// # Ok::<(), netcdf_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns [`ErrorKind::BadType`] or [`ErrorKind::Strict`] for types that the format lacks, and for a `_FillValue` that differs in type
    /// from its variable; [`ErrorKind::Argument`] for a `_FillValue` of several values; [`ErrorKind::LateDefinition`] for a `_FillValue` of
    /// a variable with data; [`ErrorKind::BadName`]; [`ErrorKind::ReadOnly`]; [`ErrorKind::NotInDefineMode`] in data mode of the classic
    /// model, unless the attribute replaces one of at least the same size; [`ErrorKind::NoVariable`] and [`ErrorKind::NotFound`] for a
    /// missing owner.
    pub fn put_attribute(
        &mut self,
        of: impl Into<Owner>,
        name: &str,
        values: impl Into<Values>,
    ) -> Result<()> {
        let of = of.into();
        let values = values.into();
        let ty = own_type(&values);
        self.put_checked(of, name, (ty, values))
    }

    /// Like [`Dataset::put_attribute`], with numbers converted to a type (`nc_put_att_T` with another type).
    ///
    /// # Errors
    /// Like [`Dataset::put_attribute`]. Returns [`ErrorKind::Range`] if some values do not fit the type; the attribute is still created,
    /// with fill values for the misfits.
    pub fn put_attribute_as(
        &mut self,
        of: impl Into<Owner>,
        name: &str,
        ty: Atomic,
        values: impl Into<Values>,
    ) -> Result<()> {
        let of = of.into();
        let made = numbers::written(values.into(), ty, (&ty.default_fill(), self.kind()));
        let path = || self.path_of(of);
        let (values, error) = made.in_object(path)?;
        let error = error.map(|e| e.in_object(&path()));
        self.put_checked(of, name, (ty.into(), values))?;
        error.map_or(Ok(()), Err)
    }

    pub(super) fn put_checked(
        &mut self,
        of: Owner,
        name: &str,
        (ty, values): (DataType, Values),
    ) -> Result<()> {
        let old = self.attributes(of)?.iter().find(|a| a.name.is(name));
        let room = old.map(|a| room(&a.values));
        let name = match old {
            Some(old) => old.name.clone(),
            None => Name::checked(name.as_bytes())?,
        };
        let path = || self.path_of(of);
        self.check_type(ty).in_object(path)?;
        values::check(self.schema(), ty, &values).in_object(path)?;
        self.check_fill_value(of, &name, ty, &values)
            .in_object(path)?;
        let grows = room.is_none_or(|old| self::room(&values) > old);
        self.begin_change(grows)?;
        let list = self.list(of)?;
        let new = Attribute { name, ty, values };
        match list.iter_mut().find(|a| a.name == new.name) {
            Some(old) => *old = new,
            None => list.push(new),
        }
        Ok(())
    }

    /// Checks the rules for `_FillValue`.
    fn check_fill_value(
        &self,
        of: Owner,
        name: &Name,
        ty: DataType,
        values: &Values,
    ) -> Result<()> {
        let (Owner::Variable(id), true) = (of, name.is("_FillValue")) else {
            return Ok(());
        };
        let wrong = |kind, what| Err(Error::new(kind, what));
        if self.variable(id)?.ty != ty {
            return wrong(
                ErrorKind::BadType,
                "a fill value of another type than its variable",
            );
        }
        if values.len() != 1 {
            return wrong(ErrorKind::Argument, "a fill value must be one value");
        }
        let late = self.staged.is_touched(id) || self.staged.is_old(id);
        if late && !traits(self.kind()).stores_all {
            return wrong(ErrorKind::LateDefinition, "the variable already has data");
        }
        Ok(())
    }

    /// Returns the values of an attribute, converted to a type in memory (`nc_get_att_T`).
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`], [`ErrorKind::Range`] if some values do not fit the type, and [`ErrorKind::BadType`] between text
    /// and numbers.
    pub fn get_attribute<T: Element>(&self, of: impl Into<Owner>, name: &str) -> Result<Vec<T>> {
        let of = of.into();
        let path = || format!("{}:{name}", self.path_of(of).trim_end_matches('/'));
        let values = self.attribute(of, name)?.values.clone();
        let (values, error) = numbers::read(values, T::TYPE, self.kind()).in_object(path)?;
        if let Some(e) = error {
            return Err(e.in_object(&path()));
        }
        let other = || Error::new(ErrorKind::BadType, "an attribute of another type");
        T::list(values).ok_or_else(other).in_object(path)
    }

    /// Returns the text of a `char` attribute (`nc_get_att_text`). Invalid UTF-8 is replaced.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`], and [`ErrorKind::BadType`] for other types.
    pub fn get_text(&self, of: impl Into<Owner>, name: &str) -> Result<String> {
        let of = of.into();
        let attribute = self.attribute(of, name)?;
        let text = attribute.values.as_text();
        let text = text.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        text.ok_or_else(|| {
            let path = format!("{}:{name}", self.path_of(of).trim_end_matches('/'));
            Error::new(ErrorKind::BadType, "the attribute is not text").in_object(&path)
        })
    }

    /// Renames an attribute (`nc_rename_att`).
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`], [`ErrorKind::Exists`], [`ErrorKind::BadName`] and [`ErrorKind::ReadOnly`];
    /// [`ErrorKind::NotInDefineMode`] for a longer name in data mode of the classic model; errors like [`Dataset::put_attribute`] for the
    /// new name `_FillValue`.
    pub fn rename_attribute(&mut self, of: impl Into<Owner>, name: &str, to: &str) -> Result<()> {
        let of = of.into();
        let n = self.attribute_number(of, name)?;
        let new = Name::checked(to.as_bytes())?;
        if name != to && self.attributes(of)?.iter().any(|a| a.name == new) {
            let what = format!("the name {new} is in use");
            return Err(Error::new(ErrorKind::Exists, what).in_object(&self.path_of(of)));
        }
        if let Some(old) = self.attributes(of)?.get(n) {
            let fits = self.check_fill_value(of, &new, old.ty, &old.values);
            fits.in_object(|| self.path_of(of))?;
        }
        self.begin_change(new.as_bytes().len() > name.len())?;
        if let Some(attribute) = self.list(of)?.get_mut(n) {
            attribute.name = new;
        }
        Ok(())
    }

    /// Deletes an attribute (`nc_del_att`).
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`], [`ErrorKind::ReadOnly`], and [`ErrorKind::NotInDefineMode`] in data mode of the classic model.
    pub fn delete_attribute(&mut self, of: impl Into<Owner>, name: &str) -> Result<()> {
        let of = of.into();
        let n = self.attribute_number(of, name)?;
        self.begin_definition()?;
        let list = self.list(of)?;
        if n < list.len() {
            list.remove(n);
        }
        Ok(())
    }

    fn list(&mut self, of: Owner) -> Result<&mut Vec<Attribute>> {
        let gone = || {
            Error::new(
                ErrorKind::NotFound,
                "the owner of the attribute does not exist",
            )
        };
        let schema = &mut self.staged.schema;
        let list = match of {
            Owner::Group(id) => schema.groups.get_mut(id.index()).map(|g| &mut g.attributes),
            Owner::Variable(id) => schema.vars.get_mut(id.index()).map(|v| &mut v.attributes),
        };
        list.ok_or_else(gone)
    }
}

/// Returns the type of values.
fn own_type(values: &Values) -> DataType {
    match values {
        Values::Enum(ty, _) | Values::Vlen(ty, _) => DataType::User(*ty),
        Values::Opaque { ty, .. } | Values::Compound { ty, .. } => DataType::User(*ty),
        atomic => atomic.data_type().unwrap_or(Atomic::Char).into(),
    }
}

/// Returns the size in bytes of an attribute in a classic file.
fn room(values: &Values) -> usize {
    let size = values.data_type().and_then(Atomic::size).unwrap_or(1);
    values.len().saturating_mul(size).div_ceil(4)
}
