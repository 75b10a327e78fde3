//! Reading of variable elements.

use super::element::{Char, Element, Text};
use super::free_ranges::FreeRanges;
use super::{BAND, Dataset, Select, numbers};
use crate::chunk::InBands;
use crate::error::{Context as _, Error, ErrorKind, Result};
use crate::limits::room;
use crate::model::{Region, Values, VarId};

impl Dataset {
    /// Reads elements of a variable (`nc_get_var_T`, `nc_get_var1_T`, `nc_get_vara_T`, `nc_get_vars_T`, `nc_get_varm_T`). Numbers are
    /// converted to the requested type. With a map, the list is long enough for the last mapped element.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Range`] if some values do not fit ([`Dataset::read_into`] then returns the fitting values);
    /// [`ErrorKind::BadType`] between text and numbers; [`ErrorKind::NoVariable`]; [`ErrorKind::Coordinates`], [`ErrorKind::Edge`],
    /// [`ErrorKind::Stride`] and [`ErrorKind::Argument`] for regions outside the variable; [`ErrorKind::InDefineMode`] in define mode of
    /// the classic model; and read errors.
    pub fn read<T: Element>(&self, var: VarId, select: &Select) -> Result<Vec<T>> {
        let region = self.readable(var, select)?;
        match self.elements(var, &region)? {
            (_, Some(e)) => Err(e),
            (list, None) => reordered(list, select, &region.count),
        }
    }

    /// Like [`Dataset::read`], into existing memory. Unmapped elements keep their values.
    ///
    /// # Errors
    /// Like [`Dataset::read`]. After [`ErrorKind::Range`], `out` has all fitting values, and the fill value of `T` for misfits. Returns
    /// [`ErrorKind::Argument`] if the length of `out` does not match.
    ///
    /// ```
    /// # use netcdf_core::api::{Dataset, Select};
    /// # use netcdf_core::error::ErrorKind;
    /// # use netcdf_core::model::{Atomic, GroupId, Kind};
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let mut data = Dataset::create(dir.path().join("a.nc"), Kind::NETCDF4)?;
    /// # let x = data.define_dim(GroupId::ROOT, "x", 3.into())?;
    /// # let v = data.define_var(GroupId::ROOT, "v", Atomic::Int, &[x])?;
    /// data.write(v, &Select::all(), &[1, 300, 2])?;
    /// let mut bytes = [0i8; 3];
    /// let e = data.read_into(v, &Select::all(), &mut bytes).unwrap_err();
    /// assert_eq!((e.kind(), bytes), (ErrorKind::Range, [1, -127, 2]));
    /// # Ok::<(), netcdf_core::Error>(())
    /// ```
    pub fn read_into<T: Element>(&self, var: VarId, select: &Select, out: &mut [T]) -> Result<()> {
        let region = self.readable(var, select)?;
        let have = out.len();
        let Some(mut places) = select.places(&region.count) else {
            if region.elements() != Some(have as u64) {
                let need = region.elements().unwrap_or(u64::MAX);
                let need = usize::try_from(need).unwrap_or(usize::MAX);
                return Err(self.unequal(var, have, need));
            }
            return self.gather(var, &region, out)?.map_or(Ok(()), Err);
        };
        let (list, wrong) = self.elements(var, &region)?;
        for element in list {
            let place = places.next().unwrap_or(have);
            let to = out.get_mut(place);
            *to.ok_or_else(|| self.unequal(var, have, place.saturating_add(1)))? = element;
        }
        wrong.map_or(Ok(()), Err)
    }

    /// Reads one element (`nc_get_var1_T`); the index of a scalar is empty.
    ///
    /// # Errors
    /// Like [`Dataset::read`].
    pub fn read_one<T: Element>(&self, var: VarId, index: &[u64]) -> Result<T> {
        let mut list = self.read(var, &Select::at(index))?;
        list.pop().ok_or_else(|| self.unequal(var, 0, 1))
    }

    /// Reads `char` elements in row-major order.
    ///
    /// # Errors
    /// Like [`Dataset::read`].
    pub fn read_text(&self, var: VarId, select: &Select) -> Result<Vec<u8>> {
        let list: Vec<Char> = self.read(var, select)?;
        Ok(list.into_iter().map(|c| c.0).collect())
    }

    /// Reads `string` elements in row-major order.
    ///
    /// # Errors
    /// Like [`Dataset::read`].
    pub fn read_strings(&self, var: VarId, select: &Select) -> Result<Vec<Text>> {
        self.read(var, select)
    }

    /// Reads elements in the variable's type, including user-defined types, in row-major order (`nc_get_var`, `nc_get_var1`, `nc_get_vara`,
    /// `nc_get_vars`).
    ///
    /// # Errors
    /// Like [`Dataset::read`]. Returns [`ErrorKind::Argument`] with a map.
    pub fn read_values(&self, var: VarId, select: &Select) -> Result<Values> {
        let region = self.readable(var, select)?;
        match select.places(&region.count) {
            None => self.staged.set(&self.env).read(var, &region),
            Some(_) => {
                let what = "values of any type can be read in row-major order only";
                Err(Error::new(ErrorKind::Argument, what).in_object(&self.schema().var_path(var)))
            }
        }
    }

    /// Returns the element as which unwritten data of a variable reads (`nc_inq_var_fill`), in the variable's type. HDF5 files of other
    /// software may have one without `_FillValue`. `None` if the format stores no value.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NoVariable`], and read errors.
    pub fn unwritten(&self, var: VarId) -> Result<Option<Values>> {
        let variable = self.variable(var)?;
        let set = self.staged.set(&self.env);
        let layout = set.layout(var)?;
        match &layout.fill {
            Some(bytes) if variable.attribute("_FillValue").is_none() => {
                set.values(var, &layout, bytes).map(Some)
            }
            Some(_) | None => Ok(variable.unwritten()),
        }
    }

    /// Returns the region of a variable to read.
    fn readable(&self, var: VarId, select: &Select) -> Result<Region> {
        self.check_readable()?;
        self.variable(var)?;
        let region = select.region_of(&self.schema().shape(var), &[]);
        region.in_object(|| self.schema().var_path(var))
    }

    /// Returns the elements of a region in row-major order, and an error if some values do not fit the type.
    fn elements<T: Element>(&self, var: VarId, region: &Region) -> Result<(Vec<T>, Option<Error>)> {
        let len = region.elements().and_then(|n| usize::try_from(n).ok());
        let len = len.unwrap_or(usize::MAX);
        room(len.saturating_mul(size_of::<T>()), "a region")?;
        let mut list = vec![T::default(); len];
        let wrong = self.gather(var, region, &mut list)?;
        Ok((list, wrong))
    }

    /// Reads the elements of a region into a list of the same length, on all threads. Returns an error for values that do not fit.
    fn gather<T: Element>(
        &self,
        var: VarId,
        region: &Region,
        out: &mut [T],
    ) -> Result<Option<Error>> {
        let set = self.staged.set(&self.env);
        let layout = set.layout(var)?;
        let path = || self.schema().var_path(var);
        let most = (BAND / layout.element.size.max(1)).max(1);
        let mut wrong: Option<Error> = None;
        let shares = FreeRanges::of(out);
        let lost = || {
            Error::new(
                ErrorKind::Argument,
                "a band lies outside the list in memory",
            )
        };
        let place = |band: &Region, len: usize| {
            let to = offset(band, region).and_then(|at| shares.take(at, len));
            to.ok_or_else(lost).in_object(path)
        };
        if layout.element.plain_type() == Some(T::TYPE) {
            let work = |band: &Region, bytes: Vec<u8>| {
                let len = band.elements().and_then(|n| usize::try_from(n).ok());
                let to = place(band, len.unwrap_or(usize::MAX))?;
                let put = T::stored(&bytes, layout.element.order, to);
                self.env.buffers.give_large(bytes);
                put.ok_or_else(lost).in_object(path)
            };
            let bands = InBands {
                large: true,
                ..InBands::new(region.clone(), most)
            };
            set.bands(var, bands, work, Ok)?;
            return Ok(None);
        }
        let work = |band: &Region, bytes: Vec<u8>| {
            let values = set.values(var, &layout, &bytes);
            let read = values.and_then(|v| numbers::read(v, T::TYPE, self.kind()));
            let (values, error) = read.in_object(path)?;
            let other = || Error::new(ErrorKind::BadType, "elements of another type");
            let list = T::list(values).ok_or_else(other).in_object(path)?;
            self.env.buffers.give_large(bytes);
            place(band, list.len())?.clone_from_slice(&list);
            Ok(error.map(|e| numbers::in_region(e, band, region)))
        };
        let sink = |error| {
            wrong = wrong.take().or(error);
            Ok(())
        };
        set.bands(var, InBands::new(region.clone(), most), work, sink)?;
        Ok(wrong.map(|e| e.in_object(&path())))
    }

    pub(super) fn unequal(&self, var: VarId, have: usize, need: usize) -> Error {
        let what = format!("{have} elements in memory, expected {need}");
        Error::new(ErrorKind::Argument, what).in_object(&self.schema().var_path(var))
    }
}

/// Returns the index, within a region, of the first element of a band. Band and region are row-major with equal strides.
fn offset(band: &Region, region: &Region) -> Option<usize> {
    let mut place = 0u64;
    for (dim, &count) in region.count.iter().enumerate() {
        let from = region.start.get(dim)?;
        let step = region.stride.get(dim).copied().unwrap_or(1).max(1);
        let at = band.start.get(dim)?.checked_sub(*from)? / step;
        place = place.checked_mul(count)?.checked_add(at)?;
    }
    usize::try_from(place).ok()
}

/// Reorders a list according to a map.
fn reordered<T: Element>(list: Vec<T>, select: &Select, count: &[u64]) -> Result<Vec<T>> {
    let Some(places) = select.places(count) else {
        return Ok(list);
    };
    let len = places.end();
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
