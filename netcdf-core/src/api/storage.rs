//! How variables are stored: chunks, filters, byte order, fill values.

use super::Dataset;
use crate::error::{Context as _, Error, ErrorKind, Result};
use crate::filter::{Context, codec, names};
use crate::model::quantize::Algorithm;
use crate::model::region::product;
use crate::model::storage::ids::{DEFLATE, FLETCHER32, SHUFFLE};
use crate::model::{
    Dimension, Endianness, Fill, FilterSpec, Quantize, Storage, StorageLayout, Values, VarId,
    Variable,
};

/// HDF5's number of szip.
const SZIP: u32 = 4;

/// Records that a chunk is taken to have before there are any.
const RECORDS: u64 = 1024;

/// Most bytes of a chunk, as in HDF5.
const CHUNK: u64 = u32::MAX as u64;

impl Dataset {
    /// Says how a variable is arranged (`nc_def_var_chunking`): contiguous, compact, or in chunks, whose shape may be
    /// left to the format.
    ///
    /// ```
    /// # use netcdf_core::api::Dataset;
    /// # use netcdf_core::model::{Atomic, GroupId, Kind, StorageLayout};
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let mut data = Dataset::create(dir.path().join("a.nc"), Kind::Netcdf4)?;
    /// # let x = data.define_dim(GroupId::ROOT, "x", 1000.into())?;
    /// let v = data.define_var(GroupId::ROOT, "v", Atomic::Float, &[x])?;
    /// data.define_chunking(v, StorageLayout::Chunked(vec![100]))?;
    /// data.define_named_filter(v, "zstd", &[3])?;
    /// data.define_fill(v, Some([-1.0f32].into()))?;
    /// assert_eq!(data.filters(v)?[0].params, [3]);
    /// # Ok::<(), netcdf_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::NotNetcdf4`] for classic formats; [`ErrorKind::LateDefinition`] when the variable's definition is
    /// over; [`ErrorKind::Scalar`] for chunks of a scalar; [`ErrorKind::Argument`] for chunks of another number of
    /// dimensions, of length 0, longer than a fixed dimension or of 4 GiB or more, and for unlimited dimensions or
    /// filters without chunks; [`ErrorKind::NoVariable`], [`ErrorKind::ReadOnly`].
    pub fn define_chunking(&mut self, var: VarId, layout: StorageLayout) -> Result<()> {
        self.check_netcdf4("chunks")?;
        self.check_layout(var, &layout)
            .in_object(|| self.schema().var_path(var))?;
        self.storage(var)?.layout = Some(layout);
        Ok(())
    }

    fn check_layout(&self, id: VarId, layout: &StorageLayout) -> Result<()> {
        let var = self.variable(id)?;
        let wrong = |what: &'static str| Err(Error::new(ErrorKind::Argument, what));
        match layout {
            StorageLayout::Chunked(_) if var.dims.is_empty() => {
                Err(Error::new(ErrorKind::Scalar, "a scalar has no chunks"))
            }
            StorageLayout::Chunked(shape) if shape.is_empty() => Ok(()),
            StorageLayout::Chunked(shape) => self.check_chunk(var, shape),
            StorageLayout::Contiguous | StorageLayout::Compact => {
                let mut dims = var.dims.iter().filter_map(|&d| self.schema().dim(d));
                if dims.any(|d| d.unlimited) {
                    return wrong("unlimited dimensions need chunks");
                }
                match var.storage.filters.is_empty() {
                    true => Ok(()),
                    false => wrong("filters need chunks"),
                }
            }
            StorageLayout::Virtual | StorageLayout::Unknown => {
                wrong("an arrangement that is read, but not made")
            }
        }
    }

    fn check_chunk(&self, var: &Variable, shape: &[u64]) -> Result<()> {
        let wrong = |what: String| Err(Error::new(ErrorKind::Argument, what));
        if shape.len() != var.dims.len() {
            let (have, need) = (shape.len(), var.dims.len());
            return wrong(format!(
                "chunks of {have} dimensions, the variable has {need}"
            ));
        }
        for (&len, &dim) in shape.iter().zip(&var.dims) {
            let dim = self.dim(dim)?;
            if len == 0 || (!dim.unlimited && len > dim.len) {
                let most = dim.len;
                return wrong(format!(
                    "a chunk of length {len} along {}, which has {most}",
                    dim.name
                ));
            }
        }
        let size = var.ty.fixed_size(self.schema()).unwrap_or(16);
        let bytes = product(shape).and_then(|n| n.checked_mul(size));
        match bytes.is_some_and(|n| n <= CHUNK) {
            true => Ok(()),
            false => wrong("chunks of 4 GiB or more".to_owned()),
        }
    }

    /// Says that a variable is deflated, with a level from 0 (not at all) to 9, and whether its bytes are shuffled before
    /// (`nc_def_var_deflate`).
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] for another level; as [`Dataset::define_filter`].
    pub fn define_deflate(&mut self, var: VarId, shuffle: bool, level: Option<u32>) -> Result<()> {
        if let Some(level) = level.filter(|&level| level > 9) {
            let what = format!("a deflate level of {level}, which has to be 0 to 9");
            let e = Error::new(ErrorKind::Argument, what);
            return Err(e.in_object(&self.schema().var_path(var)));
        }
        if shuffle {
            let (id, params) = (SHUFFLE, vec![]);
            self.define_filter(var, FilterSpec { id, params })?;
        }
        // Level 0 is no compression: netCDF-C stores no filter for it.
        if let Some(level) = level.filter(|&level| level > 0) {
            let (id, params) = (DEFLATE, vec![level]);
            self.define_filter(var, FilterSpec { id, params })?;
        }
        Ok(())
    }

    /// Says that chunks of a variable have a checksum (`nc_def_var_fletcher32`).
    ///
    /// # Errors
    /// As [`Dataset::define_filter`].
    pub fn define_fletcher32(&mut self, var: VarId) -> Result<()> {
        let (id, params) = (FLETCHER32, vec![]);
        self.define_filter(var, FilterSpec { id, params })
    }

    /// Says that chunks of a variable go through a filter (`nc_def_var_filter`), after those that are defined; of one
    /// that is defined already only the parameters change.
    ///
    /// # Errors
    /// [`ErrorKind::NotNetcdf4`] for classic formats; [`ErrorKind::Scalar`]; [`ErrorKind::VariableLength`];
    /// [`ErrorKind::FilterUnavailable`]; [`ErrorKind::Argument`] for parameters that the filter does not take;
    /// [`ErrorKind::LateDefinition`] when the variable's definition is over;
    /// [`ErrorKind::NoVariable`], [`ErrorKind::ReadOnly`].
    pub fn define_filter(&mut self, var: VarId, filter: FilterSpec) -> Result<()> {
        self.schema().takes_filters(var)?;
        self.check_filter(var, &filter)
            .in_object(|| self.schema().var_path(var))?;
        let storage = self.storage(var)?;
        match storage.layout {
            Some(StorageLayout::Contiguous | StorageLayout::Compact) => {
                storage.layout = Some(StorageLayout::Chunked(vec![]));
            }
            Some(StorageLayout::Chunked(_)) | None => {}
            Some(StorageLayout::Virtual | StorageLayout::Unknown) => {}
        }
        storage.set_filter(filter);
        Ok(())
    }

    /// That there is such a filter, and that it takes the parameters.
    fn check_filter(&self, id: VarId, filter: &FilterSpec) -> Result<()> {
        let table = &self.env.filters;
        if codec::is_private(filter.id) && self.kind().as_zarr().is_none() {
            return Err(table.no_filter_of_hdf5(filter.id));
        }
        let var = self.variable(id)?;
        table.takes(filter, &self.chunks_of(var))
    }

    /// What chunks of a variable will be like, as far as that is known.
    fn chunks_of(&self, var: &Variable) -> Context {
        let schema = self.schema();
        let shape = match &var.storage.layout {
            Some(StorageLayout::Chunked(shape)) if !shape.is_empty() => shape.clone(),
            _ => {
                let dims = var.dims.iter().filter_map(|&d| schema.dim(d));
                let len = |d: &Dimension| if d.unlimited { RECORDS } else { d.len.max(1) };
                dims.map(len).collect()
            }
        };
        Context::of(schema, var, shape)
    }

    /// As [`Dataset::define_filter`], by the name of the filter: `zstd`, `szip`, `blosc` … (`nc_def_var_zstandard`,
    /// `nc_def_var_szip` and their kin).
    ///
    /// # Errors
    /// As [`Dataset::define_filter`]; those of [`names::spec`].
    pub fn define_named_filter(&mut self, var: VarId, name: &str, params: &[u32]) -> Result<()> {
        self.define_filter(var, names::spec(name, params)?)
    }

    /// Says which byte comes first (`nc_def_var_endian`).
    ///
    /// # Errors
    /// [`ErrorKind::NotNetcdf4`] for classic formats; [`ErrorKind::LateDefinition`], [`ErrorKind::NoVariable`],
    /// [`ErrorKind::ReadOnly`].
    pub fn define_endianness(&mut self, var: VarId, order: Endianness) -> Result<()> {
        self.check_netcdf4("byte orders")?;
        self.storage(var)?.endianness = Some(order);
        Ok(())
    }

    /// Says that only so many digits or bits of numbers are kept (`nc_def_var_quantize`).
    ///
    /// # Errors
    /// Those of [`Quantize::new`]; as [`Dataset::define_endianness`].
    pub fn define_quantize(&mut self, var: VarId, algorithm: Algorithm, keep: i64) -> Result<()> {
        self.check_netcdf4("quantization")?;
        let ty = self.variable(var)?.ty;
        let path = || self.schema().var_path(var);
        let quantize = Quantize::new(algorithm, keep, ty).in_object(path)?;
        self.storage(var)?.quantize = Some(quantize);
        let told = quantize.attribute();
        self.put_attribute(var, &told.name.to_string(), told.values)
    }

    /// Says what elements are that are not written (`nc_def_var_fill`): a value of the variable's type, or with `None`
    /// nothing that could be relied on.
    ///
    /// # Errors
    /// Those of [`Dataset::put_attribute`] for `_FillValue`; [`ErrorKind::LateDefinition`] when the variable's
    /// definition is over.
    pub fn define_fill(&mut self, var: VarId, value: Option<Values>) -> Result<()> {
        let storage = self.storage(var)?;
        storage.fill = match value {
            Some(_) => Fill::Fill,
            None => Fill::NoFill,
        };
        storage.unwritten = None;
        match value {
            Some(value) => self.put_attribute(var, "_FillValue", value),
            None => Ok(()),
        }
    }

    /// Whether elements that are not written are fill, and the value that they are; none for user-defined types without
    /// `_FillValue` (`nc_inq_var_fill`).
    ///
    /// # Errors
    /// [`ErrorKind::NoVariable`].
    pub fn fill(&self, var: VarId) -> Result<(Fill, Option<Values>)> {
        let var = self.variable(var)?;
        Ok((var.storage.fill, var.unwritten()))
    }

    /// Whether variables that are defined from now on, and what is not written of classic datasets, are filled; what
    /// held before (`nc_set_fill`).
    ///
    /// # Errors
    /// [`ErrorKind::ReadOnly`].
    pub fn set_fill(&mut self, fill: Fill) -> Result<Fill> {
        self.check_writable()?;
        Ok(std::mem::replace(&mut self.fill, fill))
    }

    /// How a variable is arranged (`nc_inq_var_chunking`); of a new one, what was asked for.
    ///
    /// # Errors
    /// [`ErrorKind::NoVariable`].
    pub fn chunking(&self, var: VarId) -> Result<Option<&StorageLayout>> {
        Ok(self.variable(var)?.storage.layout.as_ref())
    }

    /// The filters of a variable, in the order in which they are applied (`nc_inq_var_filter`).
    ///
    /// # Errors
    /// [`ErrorKind::NoVariable`].
    pub fn filters(&self, var: VarId) -> Result<&[FilterSpec]> {
        Ok(&self.variable(var)?.storage.filters)
    }

    /// Whether a variable's bytes are shuffled, and its deflate level, if it is deflated (`nc_inq_var_deflate`).
    ///
    /// # Errors
    /// [`ErrorKind::NoVariable`].
    pub fn deflate(&self, var: VarId) -> Result<(bool, Option<u32>)> {
        let filters = self.filters(var)?;
        let deflate = filters.iter().find(|f| f.id == DEFLATE);
        let level = deflate.map(|f| f.params.first().copied().unwrap_or(0));
        Ok((filters.iter().any(|f| f.id == SHUFFLE), level))
    }

    /// The options mask and the pixels of a block, if a variable is compressed with szip (`nc_inq_var_szip`).
    ///
    /// # Errors
    /// [`ErrorKind::NoVariable`].
    pub fn szip(&self, var: VarId) -> Result<Option<(u32, u32)>> {
        let szip = self.filters(var)?.iter().find(|f| f.id == SZIP);
        let param = |f: &FilterSpec, n: usize| f.params.get(n).copied().unwrap_or(0);
        Ok(szip.map(|f| (param(f, 0), param(f, 1))))
    }

    /// Whether chunks of a variable have a checksum (`nc_inq_var_fletcher32`).
    ///
    /// # Errors
    /// [`ErrorKind::NoVariable`].
    pub fn fletcher32(&self, var: VarId) -> Result<bool> {
        Ok(self.filters(var)?.iter().any(|f| f.id == FLETCHER32))
    }

    /// Which byte comes first (`nc_inq_var_endian`); of a new variable, what was asked for.
    ///
    /// # Errors
    /// [`ErrorKind::NoVariable`].
    pub fn endianness(&self, var: VarId) -> Result<Option<Endianness>> {
        Ok(self.variable(var)?.storage.endianness)
    }

    fn check_netcdf4(&self, what: &str) -> Result<()> {
        let kind = self.kind();
        if !kind.is_cdf() {
            return Ok(());
        }
        let what = format!("{} datasets have no {what}", kind.name());
        Err(Error::new(ErrorKind::NotNetcdf4, what).of(&self.name()))
    }

    /// The storage of a variable whose definition is not over.
    fn storage(&mut self, var: VarId) -> Result<&mut Storage> {
        self.variable(var)?;
        self.check_writable()?;
        let path = self.schema().var_path(var);
        if var.index() < self.settled {
            let what = "the definition of the variable is over";
            return Err(Error::new(ErrorKind::LateDefinition, what).in_object(&path));
        }
        self.begin_definition()?;
        let found = self.staged.schema.vars.get_mut(var.index());
        let found = found.map(|v| &mut v.storage);
        found.ok_or_else(|| Error::new(ErrorKind::NoVariable, "no such variable"))
    }
}
