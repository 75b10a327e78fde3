//! Writing of variable elements.

use super::element::{Char, Element};
use super::{BAND, Dataset, Select, numbers, values};
use crate::chunk::plan::Bands;
use crate::error::{Context as _, Error, ErrorKind, Result};
use crate::model::{Atomic, DataType, Region, Schema, Values, VarId};

impl Dataset {
    /// Writes elements of a variable (`nc_put_var_T`, `nc_put_var1_T`, `nc_put_vara_T`, `nc_put_vars_T`, `nc_put_varm_T`). Numbers are
    /// converted to the variable's type; unlimited dimensions grow. A count of 0 writes no elements and grows no dimension, for any start
    /// along an unlimited dimension.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Range`] if some values do not fit (all elements are written, misfits as the variable's fill value);
    /// [`ErrorKind::BadType`] between text and numbers; [`ErrorKind::NoVariable`]; [`ErrorKind::Coordinates`], [`ErrorKind::Edge`] and
    /// [`ErrorKind::Stride`] for regions outside the variable; [`ErrorKind::Argument`] if the number of `elements` does not match the
    /// region; [`ErrorKind::ReadOnly`]; [`ErrorKind::InDefineMode`] in define mode of the classic model; and errors of the temporary file.
    pub fn write<T: Element>(&mut self, var: VarId, select: &Select, elements: &[T]) -> Result<()> {
        self.begin_data()?;
        let region = self.region(var, select)?;
        let (have, need) = (elements.len(), elements_of(&region));
        let places = select.places(&region.count);
        let (fits, need) = match &places {
            Some(places) => (places.end() <= have, places.end()),
            None => (need == have, need),
        };
        if !fits {
            return Err(self.unequal(var, have, need));
        }
        let mut places = places;
        let part = |at: usize, n: usize| {
            let list: Vec<T> = match &mut places {
                Some(places) => {
                    let elements = places.take(n).filter_map(|p| elements.get(p).cloned());
                    elements.collect()
                }
                None => elements
                    .get(at..at.saturating_add(n))
                    .unwrap_or_default()
                    .to_vec(),
            };
            T::values(list)
        };
        self.put(var, &region, part)
    }

    /// Writes one element (`nc_put_var1_T`); the index of a scalar is empty.
    ///
    /// # Errors
    /// Like [`Dataset::write`].
    pub fn write_one<T: Element>(&mut self, var: VarId, index: &[u64], element: T) -> Result<()> {
        self.write(var, &Select::at(index), &[element])
    }

    /// Writes elements of the type `char`.
    ///
    /// # Errors
    /// Like [`Dataset::write`].
    pub fn write_text(&mut self, var: VarId, select: &Select, text: &[u8]) -> Result<()> {
        let text: Vec<Char> = text.iter().copied().map(Char).collect();
        self.write(var, select, &text)
    }

    /// Writes elements of the variable's type, including user-defined types, or numbers for conversion, in row-major order (`nc_put_var`,
    /// `nc_put_var1`, `nc_put_vara`, `nc_put_vars`).
    ///
    /// # Errors
    /// Like [`Dataset::write`]. Returns [`ErrorKind::BadType`] for values of another user-defined type, and [`ErrorKind::Argument`] with a
    /// map.
    pub fn write_values(&mut self, var: VarId, select: &Select, values: &Values) -> Result<()> {
        self.begin_data()?;
        let region = self.region(var, select)?;
        let need = elements_of(&region);
        if values.len() != need || select.places(&region.count).is_some() {
            return Err(self.unequal(var, values.len(), need));
        }
        if let DataType::User(_) = self.variable(var)?.ty
            && values.data_type().is_none()
        {
            let checked = values::check(self.schema(), self.variable(var)?.ty, values);
            checked.in_object(|| self.schema().var_path(var))?;
        }
        self.put(var, &region, |at, n| values.slice(at..at.saturating_add(n)))
    }

    /// Returns the region to write, which may extend beyond the end of unlimited dimensions.
    fn region(&self, var: VarId, select: &Select) -> Result<Region> {
        let schema = self.schema();
        let dims = self.variable(var)?.dims.iter();
        let growing = dims.map(|&d| schema.is_unlimited(d));
        let growing: Vec<bool> = growing.collect();
        let region = select.region_of(&schema.shape(var), &growing);
        region.in_object(|| schema.var_path(var))
    }

    /// Converts and writes the elements of a region band by band. `part` returns elements, given the index of the first element and the
    /// count.
    fn put(
        &mut self,
        var: VarId,
        region: &Region,
        mut part: impl FnMut(usize, usize) -> Values,
    ) -> Result<()> {
        self.check_growth(var, region)?;
        region.check().in_object(|| self.schema().var_path(var))?;
        let size = self.variable(var)?.ty.fixed_size(self.schema());
        let most = (BAND / size.unwrap_or(64).max(1)).max(1);
        let mut wrong = None;
        if region.elements().is_some_and(|n| (1..=most).contains(&n)) {
            wrong = self.put_band(var, region, part(0, elements_of(region)))?;
        } else {
            let mut at = 0;
            for band in Bands::new(region.clone(), &[], most) {
                let count = elements_of(&band);
                let error = self.put_band(var, &band, part(at, count))?;
                wrong = wrong.or(error.map(|e| numbers::in_region(e, &band, region)));
                at = at.saturating_add(count);
            }
        }
        self.grow(var, region);
        wrong.map_or(Ok(()), |e| Err(e.in_object(&self.schema().var_path(var))))
    }

    /// Converts and writes the elements of a region. Also returns an error for values that do not fit.
    fn put_band(&mut self, var: VarId, band: &Region, given: Values) -> Result<Option<Error>> {
        let made = self.converted_for(var, given);
        let (values, error) = made.in_object(|| self.schema().var_path(var))?;
        self.staged.put(var, band, &values, &self.env)?;
        Ok(error)
    }

    /// Converts values to a variable's type.
    fn converted_for(&self, var: VarId, given: Values) -> Result<(Values, Option<Error>)> {
        let variable = self.variable(var)?;
        let ty = match variable.ty {
            DataType::Atomic(ty) if given.data_type() == Some(ty) => return Ok((given, None)),
            DataType::Atomic(ty) => ty,
            DataType::User(_) => {
                let given = values::of_enum(self.schema(), variable.ty, given)?;
                values::check(self.schema(), variable.ty, &given)?;
                return Ok((given, None));
            }
        };
        let fill = variable.fill_value();
        let fill = fill.unwrap_or_else(|| Atomic::default_fill(ty));
        numbers::written(given, ty, (&fill, self.kind()))
    }

    /// Checks that the dimensions of a variable can grow to the end of a region.
    fn check_growth(&self, var: VarId, region: &Region) -> Result<()> {
        if region.count.contains(&0) {
            return Ok(());
        }
        let limit = super::define::longest(self.kind());
        match ends(region).max() {
            Some(end) if end > limit => {
                let what = format!("length {end} is beyond the {limit} of the format");
                let e = Error::new(ErrorKind::DimSize, what);
                Err(e.in_object(&self.schema().var_path(var)))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Grows unlimited dimensions to the end of a region.
    pub(super) fn grow(&mut self, var: VarId, region: &Region) {
        if region.count.contains(&0) {
            return;
        }
        let Schema { vars, dims, .. } = &mut self.staged.schema;
        let own = vars.get(var.index()).map(|v| v.dims.iter());
        for (dim, end) in own.into_iter().flatten().zip(ends(region)) {
            if let Some(dim) = dims.get_mut(dim.index()).filter(|d| d.unlimited) {
                dim.len = dim.len.max(end);
            }
        }
    }
}

/// Returns the end index of a region per dimension.
fn ends(region: &Region) -> impl Iterator<Item = u64> {
    let lines = region.start.iter().zip(&region.count).zip(&region.stride);
    lines.map(|((start, count), stride)| {
        let last = count.saturating_sub(1).saturating_mul(*stride);
        start.saturating_add(last).saturating_add(1)
    })
}

fn elements_of(region: &Region) -> usize {
    let elements = region.elements().unwrap_or(u64::MAX);
    usize::try_from(elements).unwrap_or(usize::MAX)
}
