//! An open netCDF-4 or HDF5 file: the schema, and the data locations.

use std::ops::Range;
use std::sync::Arc;

use super::FileObject;
use super::builder::FileBuilder;
use super::companions::FoundVariable;
use super::files::Files;
use super::form::form;
use super::non_variables;
use super::open_indexes::OpenIndexes;
use super::stored_bytes::{ChunkAxis, GrowingVariable, StoredBytes};
use super::values::ValueDecoder;
use super::variables::plain;
use super::virtual_mappings::Virtual;
use super::virtual_sources::Nesting;
use crate::chunk::NamedFiles;
use crate::chunk::form::ElementForm;
use crate::chunk::layout::{ChunkRef, Layout};
use crate::chunk::scatter::Block;
use crate::chunk::visit::{Locate, Visit, Visited};
use crate::chunk::{Assembly, ChunkBytes};
use crate::chunk::{ChunkHolder, NumberedSources};
use crate::chunk::{FileMetadata, MetadataExtent, Provenance, Reader};
use crate::env::Env;
use crate::error::{Error, ErrorKind, Result};
use crate::format::hdf5::Hdf5File;
use crate::format::hdf5::chunk_index::{DatasetExtent, OpenIndex};
use crate::format::hdf5::dataset::Hdf5Dataset;
use crate::format::hdf5::datatype::Datatype;
use crate::format::hdf5::external_data::ExternalData;
use crate::format::hdf5::message::fill::FillValue;
use crate::format::hdf5::message::layout::{ChunkedLayout, DataLayout as Stored};
use crate::io::Source;
use crate::io::memory::MemorySource;
use crate::io::patched::PatchedFile;
use crate::limits::element;
use crate::model::{
    DimId, Endianness, FilterSpec, Kind, Schema, StoredElement, Values, VarId, Variable,
};

/// An open file.
#[derive(Debug)]
pub(crate) struct Netcdf4Reader {
    schema: Schema,
    provenance: Provenance,
    files: Files,
    /// Parallel to `schema.vars`.
    vars: Vec<VariableData>,
    indexes: OpenIndexes,
    /// The data sources: first the files, then compact and external data.
    bytes: StoredBytes,
    /// The header addresses of datasets in the main file that are not variables.
    unseen: Vec<u64>,
    /// The scales of dimensions, parallel to `schema.dims`.
    scales: Vec<Option<FileObject>>,
}

/// The data location of a variable.
#[derive(Debug)]
struct VariableData {
    /// Number of the file.
    file: u32,
    dataset: Hdf5Dataset,
    /// The source of the data.
    holder: ChunkHolder,
    /// The external files of a contiguous dataset.
    external: Option<Arc<ExternalData>>,
    /// For a virtual dataset, the sources of its elements.
    sources: Option<Box<Virtual>>,
}

/// `NC_NETCDF4` in the mode that `ncdump -K` prints. The mode lacks `NC_CLASSIC_MODEL`, even for files of the classic model.
const MODE_NETCDF4: u32 = 0x1000;

impl Netcdf4Reader {
    /// Reads all metadata.
    ///
    /// # Errors
    /// Returns damage with the object path and the file offset.
    pub(crate) fn open(source: Arc<dyn Source>, env: &Env) -> Result<Self> {
        let mut builder = FileBuilder::new(Files::open(source, env)?, env);
        builder.walk()?;
        Self::finish(builder, &Nesting::default())
    }

    /// Reads one dataset of a file, given by the header address, as the only variable.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`] if the object is not a dataset, or damage.
    pub(super) fn single(
        file: Arc<Hdf5File>,
        address: u64,
        nesting: Nesting,
        env: &Env,
    ) -> Result<Self> {
        let mut builder = FileBuilder::new(Files::of(file), env);
        builder.nesting = nesting.clone();
        builder.single(address)?;
        Self::finish(builder, &nesting)
    }

    /// Returns whether missing elements of a variable have heap data.
    pub(super) fn has_heap_fill(&self, var: VarId) -> bool {
        self.layout(var).is_ok_and(|layout| {
            let is_heap = layout.element.ty.fixed_size(self.schema()).is_none();
            let fill = layout.fill.unwrap_or_default();
            is_heap && fill.iter().any(|byte| *byte != 0)
        })
    }

    fn finish(mut builder: FileBuilder, nesting: &Nesting) -> Result<Self> {
        builder.settle_dims();
        builder.settle_attributes()?;
        let provenance = provenance(&builder)?;
        let (files, env) = (builder.files, builder.env);
        builder.schema.vars.shrink_to_fit();
        let mut all: Vec<_> = files.all().iter().map(|f| Arc::clone(f.source())).collect();
        let mut vars = Vec::with_capacity(builder.vars.len());
        for (n, var) in (0..).zip(builder.vars) {
            let file = files.get(var.file)?;
            let path = || builder.schema.var_path(VarId(n));
            let within = FileOfVariable {
                file: &file,
                nesting,
                path: &path,
            };
            vars.push(data(var, &within, env, &mut all));
        }
        let growing = builder.schema.vars.iter().zip(&vars);
        let growing =
            growing.map(|(var, data)| growing_variable(&files, &builder.schema, (var, data)));
        let growing = growing.collect::<Result<_>>()?;
        let elsewhere = |d: &VariableData| d.sources.is_some() || d.dataset.external.is_some();
        let whole = all.first().is_some_and(|source| source.is_in_one_file());
        let spread = !whole || files.all().len() > 1 || vars.iter().any(elsewhere);
        Ok(Self {
            schema: builder.schema,
            provenance,
            files,
            vars,
            indexes: OpenIndexes::default(),
            bytes: StoredBytes {
                sources: NumberedSources { all, spread },
                growing,
            },
            unseen: builder.unseen,
            scales: builder.dims.iter().map(|dim| dim.scale).collect(),
        })
    }

    /// Returns the datatype of the only variable.
    pub(super) fn datatype(&self) -> Option<Arc<Datatype>> {
        let first = self.vars.first();
        first.map(|d| Arc::clone(&d.dataset.datatype))
    }

    /// Returns the main file, or `None` if the dataset has several files.
    pub(super) fn only_file(&self) -> Option<&Arc<Hdf5File>> {
        match self.files.all() {
            [one] => Some(one),
            _ => None,
        }
    }

    /// Returns the dataset of a variable.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`] for an unknown variable.
    pub(super) fn dataset(&self, var: VarId) -> Result<&Hdf5Dataset> {
        Ok(&self.data(var)?.dataset)
    }

    /// Returns whether a dimension has a scale in the file.
    pub(super) fn has_scale(&self, dim: DimId) -> bool {
        self.scales.get(dim.index()).is_some_and(Option::is_some)
    }

    /// Returns the header address of the scale of a dimension that is no variable.
    pub(super) fn pure_scale(&self, dim: DimId) -> Option<u64> {
        let scale = self.scales.get(dim.index()).copied().flatten()?;
        let is_variable = |data: &VariableData| data.dataset.address == scale.address;
        (scale.file == 0 && !self.vars.iter().any(is_variable)).then_some(scale.address)
    }

    /// Sets the length of an unlimited dimension, also in the shapes of all variables with this dimension.
    pub(super) fn set_len(&mut self, dim: DimId, len: u64) {
        if let Some(dim) = self.schema.dims.get_mut(dim.index()) {
            dim.len = len;
        }
        for (var, data) in self.schema.vars.iter().zip(&mut self.vars) {
            for (axis, _) in var.dims.iter().enumerate().filter(|(_, id)| **id == dim) {
                let space = Arc::make_mut(&mut data.dataset.dataspace);
                if let Some(own) = space.dims.get_mut(axis) {
                    *own = len;
                }
            }
        }
        self.indexes.forget();
    }

    /// Sets the shape of a variable's dataset, which may be shorter than its dimensions.
    pub(super) fn set_shape(&mut self, var: VarId, shape: &[u64]) {
        if let Some(data) = self.vars.get_mut(var.index()) {
            let space = Arc::make_mut(&mut data.dataset.dataspace);
            space.dims.clear();
            space.dims.extend_from_slice(shape);
        }
        self.indexes.forget();
    }

    /// Sets the data location of a variable, after its index got an address.
    pub(super) fn set_layout(&mut self, var: VarId, layout: Stored) {
        if let Some(data) = self.vars.get_mut(var.index()) {
            data.dataset.layout = layout;
        }
    }

    /// Forgets the metadata in memory, after the file changed.
    pub(super) fn forget(&self) {
        self.indexes.forget();
        self.files.all().iter().for_each(|file| file.forget());
    }

    /// Takes over the changes of the main file since its last commit.
    pub(super) fn take_over(&self, changed: &PatchedFile) {
        self.indexes.forget();
        if let Some(file) = self.files.all().first() {
            file.take_over(changed);
        }
    }

    fn data(&self, var: VarId) -> Result<&VariableData> {
        let data = self.vars.get(var.index());
        data.ok_or_else(|| Error::new(ErrorKind::NotFound, "no such variable"))
    }

    /// Returns the chunk index of a variable.
    fn index(
        &self,
        (var, data): (VarId, &VariableData),
        file: &Hdf5File,
        chunked: &ChunkedLayout,
    ) -> Result<Arc<OpenIndex>> {
        let space = &data.dataset.dataspace;
        let extent = DatasetExtent {
            dims: &space.dims,
            max: &space.max,
        };
        let open = || OpenIndex::open(file, chunked, &extent);
        self.indexes.get(var, open)
    }
}

/// The file that contains a variable.
struct FileOfVariable<'a> {
    file: &'a Arc<Hdf5File>,
    nesting: &'a Nesting,
    /// The variable path.
    path: &'a dyn Fn() -> String,
}

fn data(
    var: FoundVariable,
    within: &FileOfVariable<'_>,
    env: &Env,
    all: &mut Vec<Arc<dyn Source>>,
) -> VariableData {
    let file = within.file;
    let mut source = var.file;
    let next = u32::try_from(all.len()).unwrap_or(u32::MAX);
    if let Stored::Compact(bytes) = &var.dataset.layout {
        source = next;
        all.push(Arc::new(MemorySource::new("(compact data)", bytes.clone())));
    }
    let external = var.dataset.external.as_ref().map(|external| {
        // Data of more than 2^64 bytes is never read, because `locate` rejects the data.
        let len = data_size(file, &var.dataset).unwrap_or(0);
        let access = env.siblings.clone();
        Arc::new(ExternalData::new(
            file,
            (external, len),
            (within.path)(),
            access,
        ))
    });
    if let Some(external) = &external {
        source = next;
        all.push(Arc::<ExternalData>::clone(external));
    }
    let is_virtual = matches!(var.dataset.layout, Stored::Virtual { .. });
    let sources = is_virtual.then(|| {
        Box::new(Virtual::new(Arc::clone(file), within.nesting.clone()).with_counted(var.counted))
    });
    VariableData {
        file: var.file,
        dataset: var.dataset,
        holder: ChunkHolder::Source(source),
        external,
        sources,
    }
}

/// Returns how the chunks of a variable can grow; `None` without filters or without an unlimited dimension.
fn growing_variable(
    files: &Files,
    schema: &Schema,
    (var, data): (&Variable, &VariableData),
) -> Result<Option<GrowingVariable>> {
    let Stored::Chunked(chunked) = &data.dataset.layout else {
        return Ok(None);
    };
    let grows = var.dims.iter().any(|dim| schema.is_unlimited(*dim));
    if data.dataset.filters.is_empty() || !grows {
        return Ok(None);
    }
    let lens = data.dataset.dataspace.dims.iter().zip(&chunked.dims);
    let axis = |((&extent, &chunk), dim): ((&u64, &u64), &DimId)| ChunkAxis {
        extent,
        chunk,
        unlimited: schema.is_unlimited(*dim),
    };
    Ok(Some(GrowingVariable {
        axes: lens.zip(&var.dims).map(axis).collect(),
        file: Arc::clone(files.get(data.file)?.one_state()),
    }))
}

fn provenance(builder: &FileBuilder) -> Result<Provenance> {
    let strict = builder.schema.kind == Kind::NETCDF4_CLASSIC;
    let file = builder.files.get(0)?;
    Ok(Provenance {
        model: "HDF5",
        mode: MODE_NETCDF4,
        properties: builder.properties.clone(),
        superblock: Some(file.superblock().version.into()),
        is_netcdf4: Some(strict || builder.of_netcdf4 || builder.marks >= 2),
    })
}

/// Returns the encoded value of an unwritten element: the fill value of the file, or zeros.
fn fill(dataset: &Hdf5Dataset) -> Result<Vec<u8>> {
    let size = element(dataset.datatype.size)?;
    match &dataset.fill.value {
        FillValue::User(bytes) if bytes.len() == size => Ok(bytes.clone()),
        FillValue::User(_) | FillValue::Default | FillValue::Undefined => Ok(vec![0; size]),
    }
}

impl Reader for Netcdf4Reader {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn provenance(&self) -> Provenance {
        self.provenance.clone()
    }

    fn metadata(&self, env: &Env) -> Result<Option<MetadataExtent>> {
        let file = self.files.get(0)?;
        // Read the chunk indexes of these datasets, and the mappings of virtual datasets: both are metadata.
        let others = non_variables::data(&file, &self.unseen, env)?;
        for data in &self.vars {
            if let Some(sources) = &data.sources {
                sources.mappings(&data.dataset)?;
            }
        }
        let places = file.places();
        Ok(places.map(|places| MetadataExtent::File(FileMetadata { others, ..places })))
    }

    fn named_files(&self, var: VarId) -> Option<&dyn NamedFiles> {
        let data = self.data(var).ok()?;
        let named = data.external.is_some() || data.sources.is_some();
        named.then_some(self)
    }

    fn layout(&self, var: VarId) -> Result<Layout> {
        let dataset = &self.data(var)?.dataset;
        let schema = self.schema.var(var);
        let ty = schema
            .map(|v| v.ty)
            .ok_or_else(|| Error::new(ErrorKind::NotFound, "no such variable"))?;
        let order = plain(dataset, ty);
        let extent = dataset.dataspace.dims.clone();
        let chunk = match &dataset.layout {
            Stored::Chunked(chunked) => chunked.dims.clone(),
            Stored::Compact(_) | Stored::Contiguous { .. } | Stored::Virtual { .. } => {
                extent.clone()
            }
        };
        Ok(Layout {
            extent,
            chunk,
            element: StoredElement {
                ty,
                size: dataset.datatype.size,
                order: order.unwrap_or(Endianness::Little),
                plain: order.is_some(),
            },
            filters: dataset
                .filters
                .iter()
                .map(|f| FilterSpec {
                    id: f.id.into(),
                    params: f.params.clone(),
                })
                .collect(),
            fill: Some(fill(dataset)?),
            quantize: None,
        })
    }

    fn locate(&self, var: VarId, chunks: &Block, _: Locate, visit: Visit<'_>) -> Visited {
        let data = self.data(var)?;
        let dataset = &data.dataset;
        let file = self.files.get(data.file)?;
        let whole = |range| ChunkRef {
            variable: var,
            index: 0,
            holder: data.holder,
            range,
            mask: 0,
        };
        match &dataset.layout {
            Stored::Compact(bytes) => visit(whole(0..compact(&file, dataset, bytes)?)),
            Stored::Contiguous { .. } if dataset.external.is_some() => {
                visit(whole(0..data_size(&file, dataset)?))
            }
            Stored::Contiguous { address: None, .. } => Ok(()),
            Stored::Contiguous {
                address: Some(address),
                size,
            } => visit(whole(contiguous(&file, dataset, *address, *size)?)),
            Stored::Chunked(chunked) => {
                let index = self.index((var, data), &file, chunked)?;
                index.locate(&file, chunks, &mut |found| {
                    let start = file.place(found.address)?;
                    let end = start.checked_add(found.size);
                    let end = end.ok_or_else(|| beyond(&file, found.address))?;
                    visit(ChunkRef {
                        variable: var,
                        index: found.index,
                        holder: data.holder,
                        range: start..end,
                        mask: found.mask,
                    })
                })
            }
            Stored::Virtual { .. } => {
                let what = "the elements of a virtual dataset are stored in other datasets";
                Err(Error::new(ErrorKind::Unsupported, what).into())
            }
        }
    }

    fn has_index(&self, var: VarId) -> bool {
        let Ok(data) = self.data(var) else {
            return false;
        };
        let index = match &data.dataset.layout {
            Stored::Chunked(chunked) => chunked.address.is_some() && chunked.index.is_read(),
            Stored::Compact(_) | Stored::Contiguous { .. } | Stored::Virtual { .. } => false,
        };
        // Scattered index nodes need separate requests.
        let file = self.files.get(data.file);
        index && file.is_ok_and(|file| !file.latency())
    }

    fn bytes(&self) -> &dyn ChunkBytes {
        &self.bytes
    }

    fn assembly(&self, var: VarId) -> Option<&dyn Assembly> {
        let data = self.data(var).ok()?;
        data.sources.is_some().then_some(self)
    }

    fn resolve(&self, var: VarId, bytes: &[u8], _env: &Env) -> Result<Values> {
        let data = self.data(var)?;
        let file = self.files.get(data.file)?;
        let ty = self.schema.var(var).map(|v| v.ty);
        let ty = ty.ok_or_else(|| Error::new(ErrorKind::NotFound, "no such variable"))?;
        let mut decoder = ValueDecoder::new(&file, &self.schema);
        decoder.decode(&data.dataset.datatype, ty, bytes)
    }

    fn form(&self, var: VarId) -> Result<Option<ElementForm>> {
        Ok(form(&self.data(var)?.dataset.datatype))
    }
}

impl NamedFiles for Netcdf4Reader {
    fn open(&self, var: VarId, env: &Env) -> Result<()> {
        let data = self.data(var)?;
        if let Some(external) = &data.external {
            external.open_files()?;
        }
        let whole = crate::model::Region::whole(&self.schema.shape(var));
        match &data.sources {
            Some(sources) => sources.open_files((&data.dataset, &whole), env),
            None => Ok(()),
        }
    }
}

impl Assembly for Netcdf4Reader {
    fn stored(&self, var: VarId, enough: u64, env: &Env) -> Result<u64> {
        let data = self.data(var)?;
        let whole = crate::model::Region::whole(&self.schema.shape(var));
        match &data.sources {
            Some(sources) => sources.stored((&data.dataset, &whole), enough, env),
            None => Ok(u64::MAX),
        }
    }

    fn read_box(&self, var: VarId, part: &Block, env: &Env) -> Result<Vec<u8>> {
        let data = self.data(var)?;
        let Some(sources) = &data.sources else {
            let what = "the elements of this variable are stored in chunks";
            return Err(Error::new(ErrorKind::Unsupported, what));
        };
        let dataset = &data.dataset;
        sources.read(dataset, (&fill(dataset)?, part), env)
    }
}

fn beyond(file: &Hdf5File, address: u64) -> Error {
    file.error(ErrorKind::Corrupt, address, "data beyond 2^64 bytes")
}

/// Returns the data size of a dataset in bytes.
fn data_size(file: &Hdf5File, dataset: &Hdf5Dataset) -> Result<u64> {
    let elements = dataset.dataspace.elements();
    let size = elements.and_then(|n| n.checked_mul(dataset.datatype.size));
    size.ok_or_else(|| beyond(file, dataset.address))
}

/// Returns the size of compact data in bytes, checked against the shape.
fn compact(file: &Hdf5File, dataset: &Hdf5Dataset, bytes: &[u8]) -> Result<u64> {
    let (want, have) = (data_size(file, dataset)?, bytes.len() as u64);
    if have < want {
        let what = format!("{have} bytes are stored in the header, but the shape needs {want}");
        return Err(file.error(ErrorKind::Corrupt, dataset.address, what));
    }
    Ok(have)
}

/// Returns the byte range of contiguous data, according to the shape.
fn contiguous(
    file: &Hdf5File,
    dataset: &Hdf5Dataset,
    address: u64,
    size: Option<u64>,
) -> Result<Range<u64>> {
    let want = data_size(file, dataset)?;
    if size.is_some_and(|size| size < want) {
        let what = format!(
            "{} bytes are stored, but the shape needs {want}",
            size.unwrap_or(0)
        );
        return Err(file.error(ErrorKind::Corrupt, address, what));
    }
    let start = file.place(address)?;
    let end = start
        .checked_add(want)
        .ok_or_else(|| beyond(file, address))?;
    Ok(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::file::FileSource;

    /// A reader of a file with 100,000 variables needs this memory for each variable.
    #[test]
    fn equal_datasets_share_their_parts() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../testdata/hdf5/same_types.h5"
        );
        let source = Arc::new(FileSource::open(path.as_ref()).unwrap());
        let reader = Netcdf4Reader::open(source, &Env::default()).unwrap();
        let shared = |a: &Hdf5Dataset, b: &Hdf5Dataset| {
            let equal = a.dataspace == b.dataspace && a.filters == b.filters;
            equal && Arc::ptr_eq(&a.dataspace, &b.dataspace) && Arc::ptr_eq(&a.filters, &b.filters)
        };
        let pairs = reader.vars.windows(2);
        assert_eq!(
            pairs
                .filter(|p| shared(&p[0].dataset, &p[1].dataset))
                .count(),
            4
        );
        assert!(size_of::<VariableData>() <= 160);
    }
}
