//! Storage settings of variables: chunks, filters, byte order and fill values.

use super::Dataset;
use crate::error::{Context as _, Error, ErrorKind, Result};
use crate::filter::ids::{DEFLATE, FLETCHER32, SHUFFLE};
use crate::filter::{ChunkContext, codec, names};
use crate::format::traits;
use crate::model::kind::Filterable;
use crate::model::quantize::Algorithm;
use crate::model::region::product;
use crate::model::{
    Dimension, Endianness, FillMode, FilterSpec, Quantize, Storage, StorageLayout, Values, VarId,
    Variable,
};

/// The HDF5 filter number of szip.
const SZIP: u32 = 4;

/// Assumed number of records of an empty dataset.
const RECORDS: u64 = 1024;

/// Maximum chunk size in bytes, as in HDF5.
const CHUNK: u64 = u32::MAX as u64;

impl Dataset {
    /// Sets the layout of a variable (`nc_def_var_chunking`): contiguous, compact or chunked. The format may choose the chunk shape.
    ///
    /// ```
    /// # use netcdf_core::api::Dataset;
    /// # use netcdf_core::model::{Atomic, GroupId, Kind, StorageLayout};
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let mut data = Dataset::create(dir.path().join("a.nc"), Kind::NETCDF4)?;
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
    /// Returns [`ErrorKind::NotNetcdf4`] for classic formats; [`ErrorKind::LateDefinition`] after the variable's definition;
    /// [`ErrorKind::Scalar`] for chunks of a scalar; [`ErrorKind::Argument`] for unlimited dimensions or filters without chunks, and for a
    /// chunk shape with a wrong rank, a length of 0, a length above a fixed dimension, or a size of 4 GiB or more;
    /// [`ErrorKind::NoVariable`]; [`ErrorKind::ReadOnly`].
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
                if var.dims.iter().any(|&dim| self.schema().is_unlimited(dim)) {
                    return wrong("unlimited dimensions need chunks");
                }
                match var.storage.filters.is_empty() {
                    true => Ok(()),
                    false => wrong("filters need chunks"),
                }
            }
            StorageLayout::Virtual | StorageLayout::Unknown => {
                wrong("a layout that can be read but not written")
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
                    "a chunk of length {len} along {}, which has length {most}",
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

    /// Sets deflate compression of a variable (`nc_def_var_deflate`): a level from 0 (none) to 9, and whether shuffle precedes it.
    ///
    /// # Errors
    /// Like [`Dataset::define_filter`]. Returns [`ErrorKind::Argument`] for an invalid level.
    pub fn define_deflate(&mut self, var: VarId, shuffle: bool, level: Option<u32>) -> Result<()> {
        if let Some(level) = level.filter(|&level| level > 9) {
            let what = format!("a deflate level of {level}, expected 0 to 9");
            let e = Error::new(ErrorKind::Argument, what);
            return Err(e.in_object(&self.schema().var_path(var)));
        }
        if shuffle {
            let (id, params) = (SHUFFLE, vec![]);
            self.define_filter(var, FilterSpec { id, params })?;
        }
        // Level 0 means no compression: netCDF-C stores no filter.
        if let Some(level) = level.filter(|&level| level > 0) {
            let (id, params) = (DEFLATE, vec![level]);
            self.define_filter(var, FilterSpec { id, params })?;
        }
        Ok(())
    }

    /// Adds a checksum to the chunks of a variable (`nc_def_var_fletcher32`).
    ///
    /// # Errors
    /// Like [`Dataset::define_filter`].
    pub fn define_fletcher32(&mut self, var: VarId) -> Result<()> {
        let (id, params) = (FLETCHER32, vec![]);
        self.define_filter(var, FilterSpec { id, params })
    }

    /// Appends a filter to the pipeline of a variable (`nc_def_var_filter`). An existing filter only gets new parameters.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotNetcdf4`] for classic formats; [`ErrorKind::Argument`] for parameters that the filter rejects;
    /// [`ErrorKind::LateDefinition`] after the variable's definition; [`ErrorKind::Scalar`], [`ErrorKind::VariableLength`],
    /// [`ErrorKind::FilterUnavailable`], [`ErrorKind::NoVariable`] and [`ErrorKind::ReadOnly`].
    pub fn define_filter(&mut self, var: VarId, filter: FilterSpec) -> Result<()> {
        self.schema().takes_filters(var)?;
        self.check_filter(var, &filter)
            .in_object(|| self.schema().var_path(var))?;
        let storage = self.storage(var)?;
        if let Some(StorageLayout::Contiguous | StorageLayout::Compact) = storage.layout {
            storage.layout = Some(StorageLayout::Chunked(vec![]));
        }
        storage.set_filter(filter);
        Ok(())
    }

    /// Checks that the filter exists and accepts the parameters.
    fn check_filter(&self, id: VarId, filter: &FilterSpec) -> Result<()> {
        let table = &self.env.filters;
        if codec::is_private(filter.id) && self.kind().storage.filterable() != Filterable::Arrays {
            return Err(table.no_filter_of_hdf5(filter.id));
        }
        let var = self.variable(id)?;
        table.takes(filter, &self.chunks_of(var))
    }

    /// Returns the known properties of a variable's chunks.
    fn chunks_of(&self, var: &Variable) -> ChunkContext {
        let schema = self.schema();
        let shape = match var.storage.chunk() {
            Some(shape) if !shape.is_empty() => shape.to_vec(),
            Some(_) | None => {
                let dims = var.dims.iter().filter_map(|&d| schema.dim(d));
                let len = |d: &Dimension| if d.unlimited { RECORDS } else { d.len.max(1) };
                dims.map(len).collect()
            }
        };
        ChunkContext::of(schema, var, shape)
    }

    /// Like [`Dataset::define_filter`], by filter name: `zstd`, `szip`, `blosc` … (`nc_def_var_zstandard`, `nc_def_var_szip` and similar
    /// functions).
    ///
    /// # Errors
    /// Like [`Dataset::define_filter`] and [`names::spec`].
    pub fn define_named_filter(&mut self, var: VarId, name: &str, params: &[u32]) -> Result<()> {
        self.define_filter(var, names::spec(name, params)?)
    }

    /// Sets the byte order (`nc_def_var_endian`).
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotNetcdf4`] for classic formats, [`ErrorKind::LateDefinition`], [`ErrorKind::NoVariable`] and
    /// [`ErrorKind::ReadOnly`].
    pub fn define_endianness(&mut self, var: VarId, order: Endianness) -> Result<()> {
        self.check_netcdf4("byte orders")?;
        self.storage(var)?.endianness = Some(order);
        Ok(())
    }

    /// Quantizes numbers to some digits or bits (`nc_def_var_quantize`).
    ///
    /// # Errors
    /// Like [`Quantize::new`] and [`Dataset::define_endianness`].
    pub fn define_quantize(&mut self, var: VarId, algorithm: Algorithm, keep: i64) -> Result<()> {
        self.check_netcdf4("quantization")?;
        let ty = self.variable(var)?.ty;
        let path = || self.schema().var_path(var);
        let quantize = Quantize::new(algorithm, keep, ty).in_object(path)?;
        self.storage(var)?.quantize = Some(quantize);
        let told = quantize.attribute();
        self.put_attribute(var, &told.name.to_string(), told.values)
    }

    /// Sets the value of unwritten elements (`nc_def_var_fill`): a value of the variable's type, or `None` for undefined elements.
    ///
    /// # Errors
    /// Like [`Dataset::put_attribute`] for `_FillValue`. Returns [`ErrorKind::LateDefinition`] after the variable's definition.
    pub fn define_fill(&mut self, var: VarId, value: Option<Values>) -> Result<()> {
        let storage = self.storage(var)?;
        storage.fill = match value {
            Some(_) => FillMode::Fill,
            None => FillMode::NoFill,
        };
        storage.unwritten = None;
        match value {
            Some(value) => self.put_attribute(var, "_FillValue", value),
            None => Ok(()),
        }
    }

    /// Returns whether unwritten elements are filled, and the fill value (`nc_inq_var_fill`). The value is `None` for user-defined types
    /// without `_FillValue`.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NoVariable`].
    pub fn fill(&self, var: VarId) -> Result<(FillMode, Option<Values>)> {
        let var = self.variable(var)?;
        Ok((var.storage.fill, var.unwritten()))
    }

    /// Sets the fill mode of new variables, and of unwritten elements in classic datasets. Returns the previous setting (`nc_set_fill`).
    ///
    /// # Errors
    /// Returns [`ErrorKind::ReadOnly`].
    pub fn set_fill(&mut self, fill: FillMode) -> Result<FillMode> {
        self.check_writable()?;
        Ok(std::mem::replace(&mut self.fill, fill))
    }

    /// Returns the layout of a variable (`nc_inq_var_chunking`); for a new variable, the requested layout.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NoVariable`].
    pub fn chunking(&self, var: VarId) -> Result<Option<&StorageLayout>> {
        Ok(self.variable(var)?.storage.layout.as_ref())
    }

    /// Returns the filters of a variable in encoding order (`nc_inq_var_filter`).
    ///
    /// # Errors
    /// Returns [`ErrorKind::NoVariable`].
    pub fn filters(&self, var: VarId) -> Result<&[FilterSpec]> {
        Ok(&self.variable(var)?.storage.filters)
    }

    /// Returns whether a variable uses shuffle, and its deflate level (`nc_inq_var_deflate`).
    ///
    /// # Errors
    /// Returns [`ErrorKind::NoVariable`].
    pub fn deflate(&self, var: VarId) -> Result<(bool, Option<u32>)> {
        let filters = self.filters(var)?;
        let deflate = filters.iter().find(|f| f.id == DEFLATE);
        let level = deflate.map(|f| f.params.first().copied().unwrap_or(0));
        Ok((filters.iter().any(|f| f.id == SHUFFLE), level))
    }

    /// Returns the options mask and the pixels per block of a variable compressed with szip (`nc_inq_var_szip`).
    ///
    /// # Errors
    /// Returns [`ErrorKind::NoVariable`].
    pub fn szip(&self, var: VarId) -> Result<Option<(u32, u32)>> {
        let szip = self.filters(var)?.iter().find(|f| f.id == SZIP);
        let param = |f: &FilterSpec, n: usize| f.params.get(n).copied().unwrap_or(0);
        Ok(szip.map(|f| (param(f, 0), param(f, 1))))
    }

    /// Returns whether the chunks of a variable have a checksum (`nc_inq_var_fletcher32`).
    ///
    /// # Errors
    /// Returns [`ErrorKind::NoVariable`].
    pub fn fletcher32(&self, var: VarId) -> Result<bool> {
        Ok(self.filters(var)?.iter().any(|f| f.id == FLETCHER32))
    }

    /// Returns the byte order (`nc_inq_var_endian`); for a new variable, the requested byte order.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NoVariable`].
    pub fn endianness(&self, var: VarId) -> Result<Option<Endianness>> {
        Ok(self.variable(var)?.storage.endianness)
    }

    fn check_netcdf4(&self, what: &str) -> Result<()> {
        let kind = self.kind();
        if traits(kind).settings {
            return Ok(());
        }
        let what = format!("{} datasets have no {what}", kind.name());
        Err(Error::new(ErrorKind::NotNetcdf4, what).of(&self.name()))
    }

    /// Returns the storage settings of a variable in definition.
    fn storage(&mut self, var: VarId) -> Result<&mut Storage> {
        self.variable(var)?;
        self.check_writable()?;
        let path = self.schema().var_path(var);
        if var.index() < self.settled {
            let what = "the variable can no longer be redefined";
            return Err(Error::new(ErrorKind::LateDefinition, what).in_object(&path));
        }
        self.begin_definition()?;
        Ok(&mut self.staged.schema.var_mut(var)?.storage)
    }
}
