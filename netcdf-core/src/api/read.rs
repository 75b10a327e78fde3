//! Reading the elements of variables.

use super::element::{Char, Element, Text};
use super::{Dataset, Select, numbers};
use crate::chunk;
use crate::error::{Context as _, Error, ErrorKind, Result};
use crate::limits::room;
use crate::model::{Region, Values, VarId};

impl Dataset {
    /// Elements of a variable (`nc_get_var_T`, `nc_get_var1_T`, `nc_get_vara_T`, `nc_get_vars_T`, `nc_get_varm_T`).
    /// Numbers are converted to the type asked for. With a map the list is as long as the elements need.
    ///
    /// # Errors
    /// [`ErrorKind::Range`] if some do not fit, ([`Dataset::read_into`] then gives the others);
    /// [`ErrorKind::BadType`] between text and numbers; [`ErrorKind::NoVariable`]; [`ErrorKind::Coordinates`],
    /// [`ErrorKind::Edge`], [`ErrorKind::Stride`] and [`ErrorKind::Argument`] for regions that the variable does not
    /// have; [`ErrorKind::InDefineMode`] in the define mode of the classic model; those of reading.
    pub fn read<T: Element>(&self, var: VarId, select: &Select) -> Result<Vec<T>> {
        let (list, error, count) = self.converted::<T>(var, select)?;
        match error {
            Some(e) => Err(e),
            None => self.in_places(list, select, &count),
        }
    }

    /// As [`Dataset::read`], into memory that is there; elements between those of a map stay as they are.
    ///
    /// # Errors
    /// As [`Dataset::read`]. After [`ErrorKind::Range`] all elements are there, those that do not fit as the fill value
    /// of `T`. [`ErrorKind::Argument`] if `out` has not as many elements as are read.
    ///
    /// ```
    /// # use netcdf_core::api::{Dataset, Select};
    /// # use netcdf_core::error::ErrorKind;
    /// # use netcdf_core::model::{Atomic, GroupId, Kind};
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let mut data = Dataset::create(dir.path().join("a.nc"), Kind::Netcdf4)?;
    /// # let x = data.define_dim(GroupId::ROOT, "x", 3.into())?;
    /// # let v = data.define_var(GroupId::ROOT, "v", Atomic::Int, &[x])?;
    /// data.write(v, &Select::all(), &[1, 300, 2])?;
    /// let mut bytes = [0i8; 3];
    /// let e = data.read_into(v, &Select::all(), &mut bytes).unwrap_err();
    /// assert_eq!((e.kind(), bytes), (ErrorKind::Range, [1, -127, 2]));
    /// # Ok::<(), netcdf_core::Error>(())
    /// ```
    pub fn read_into<T: Element>(&self, var: VarId, select: &Select, out: &mut [T]) -> Result<()> {
        let (list, error, count) = self.converted::<T>(var, select)?;
        match select.places(&count) {
            None if out.len() != list.len() => {
                return Err(self.unequal(var, out.len(), list.len()));
            }
            None => out.clone_from_slice(&list),
            Some(places) => {
                for (place, element) in places.zip(list) {
                    let have = out.len();
                    let to = out.get_mut(place);
                    *to.ok_or_else(|| self.unequal(var, have, place + 1))? = element;
                }
            }
        }
        error.map_or(Ok(()), Err)
    }

    /// One element (`nc_get_var1_T`); no index for a scalar.
    ///
    /// # Errors
    /// As [`Dataset::read`].
    pub fn read_one<T: Element>(&self, var: VarId, index: &[u64]) -> Result<T> {
        let mut list = self.read(var, &Select::at(index))?;
        list.pop().ok_or_else(|| self.unequal(var, 0, 1))
    }

    /// The characters of elements of the type `char`, row-major.
    ///
    /// # Errors
    /// As [`Dataset::read`].
    pub fn read_text(&self, var: VarId, select: &Select) -> Result<Vec<u8>> {
        let list: Vec<Char> = self.read(var, select)?;
        Ok(list.into_iter().map(|c| c.0).collect())
    }

    /// The strings of elements of the type `string`, row-major.
    ///
    /// # Errors
    /// As [`Dataset::read`].
    pub fn read_strings(&self, var: VarId, select: &Select) -> Result<Vec<Text>> {
        self.read(var, select)
    }

    /// Elements in their own type, user-defined types included, row-major (`nc_get_var`, `nc_get_var1`, `nc_get_vara`,
    /// `nc_get_vars`).
    ///
    /// # Errors
    /// As [`Dataset::read`]; [`ErrorKind::Argument`] with a map.
    pub fn read_values(&self, var: VarId, select: &Select) -> Result<Values> {
        let (values, region) = self.stored(var, select)?;
        match select.places(&region.count) {
            None => Ok(values),
            Some(_) => {
                let what = "values of any type are had in row-major order only";
                Err(Error::new(ErrorKind::Argument, what).in_object(&self.schema().var_path(var)))
            }
        }
    }

    /// The elements in their own type, and their region.
    fn stored(&self, var: VarId, select: &Select) -> Result<(Values, Region)> {
        self.check_readable()?;
        self.variable(var)?;
        let path = || self.schema().var_path(var);
        let shape = self.schema().shape(var);
        let region = select.region_of(&shape, &[]).in_object(path)?;
        let set = chunk::Dataset::new(&self.staged, &self.env);
        Ok((set.read(var, &region)?, region))
    }

    /// The elements in a type, what is wrong with some, and the count of their region.
    fn converted<T: Element>(
        &self,
        var: VarId,
        select: &Select,
    ) -> Result<(Vec<T>, Option<Error>, Vec<u64>)> {
        let path = || self.schema().var_path(var);
        let (values, region) = self.stored(var, select)?;
        let (values, error) = numbers::read(values, T::TYPE, self.kind()).in_object(path)?;
        let list = T::list(values);
        let other = || Error::new(ErrorKind::BadType, "elements of another type");
        let list = list.ok_or_else(other).in_object(path)?;
        Ok((list, error.map(|e| e.in_object(&path())), region.count))
    }

    /// A list in the order that a map asks for.
    fn in_places<T: Element>(
        &self,
        list: Vec<T>,
        select: &Select,
        count: &[u64],
    ) -> Result<Vec<T>> {
        let Some(places) = select.places(count) else {
            return Ok(list);
        };
        let len = select.places(count).and_then(Iterator::max);
        let len = len.map_or(0, |n| n.saturating_add(1));
        room(len.saturating_mul(size_of::<T>()), "a map")?;
        let mut out = match list.first() {
            Some(first) => vec![first.clone(); len],
            None => vec![],
        };
        for (place, element) in places.zip(list) {
            if let Some(to) = out.get_mut(place) {
                *to = element;
            }
        }
        Ok(out)
    }

    pub(super) fn unequal(&self, var: VarId, have: usize, need: usize) -> Error {
        let what = format!("{have} elements in memory where {need} are needed");
        Error::new(ErrorKind::Argument, what).in_object(&self.schema().var_path(var))
    }
}
