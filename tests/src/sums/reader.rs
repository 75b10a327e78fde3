//! A reader for an HDF5 dataset, with uninterpreted bytes as elements.

use std::sync::Arc;

use netcdf_core::chunk::layout::{ChunkRef, Layout};
use netcdf_core::chunk::scatter::Block;
use netcdf_core::chunk::{
    ChunkBytes, ChunkHolder, Locate, NumberedSources, Provenance, Reader, Visit, Visited,
};
use netcdf_core::env::Env;
use netcdf_core::format::hdf5::Hdf5File;
use netcdf_core::format::hdf5::chunk_index::{DatasetExtent, OpenIndex};
use netcdf_core::format::hdf5::dataset::Hdf5Dataset;
use netcdf_core::format::hdf5::external_data::ExternalData;
use netcdf_core::format::hdf5::message::fill::FillValue;
use netcdf_core::format::hdf5::message::layout::DataLayout as Stored;
use netcdf_core::io::Source;
use netcdf_core::io::memory::MemorySource;
use netcdf_core::model::{
    Atomic, Endianness, FilterSpec, GroupId, Kind, Name, Schema, Storage, StoredElement, Values,
    VarId, Variable,
};
use netcdf_core::{Error, ErrorKind, Result};

/// A dataset with a single variable, number 0.
pub struct Raw {
    file: Arc<Hdf5File>,
    dataset: Hdf5Dataset,
    index: Option<OpenIndex>,
    schema: Schema,
    source: NumberedSources,
}

impl Raw {
    /// Opens the index of a chunked dataset.
    pub fn new(file: Arc<Hdf5File>, dataset: Hdf5Dataset, env: &Env) -> Result<Self> {
        let mut source: Arc<dyn Source> = Arc::clone(file.source());
        let mut index = None;
        match &dataset.layout {
            Stored::Compact(bytes) => {
                source = Arc::new(MemorySource::new("(compact data)", bytes.clone()));
            }
            Stored::Contiguous { .. } => {
                if let Some(external) = &dataset.external {
                    let external = (&**external, bytes(&dataset));
                    let path = "/elements".to_owned();
                    let data = ExternalData::new(&file, external, path, env.siblings.clone());
                    source = Arc::new(data);
                }
            }
            Stored::Chunked(chunked) => {
                let (dims, max) = (&dataset.dataspace.dims, &dataset.dataspace.max);
                index = Some(OpenIndex::open(
                    &file,
                    chunked,
                    &DatasetExtent { dims, max },
                )?);
            }
            Stored::Virtual { .. } => {
                let what = "virtual datasets are read by the netCDF-4 layer";
                return Err(Error::new(ErrorKind::Unsupported, what));
            }
        }
        let mut schema = Schema::new(Kind::NETCDF4);
        schema.add_var(Variable {
            name: Name::stored(b"elements"),
            group: GroupId::ROOT,
            ty: Atomic::Byte.into(),
            dims: vec![],
            attributes: vec![],
            storage: Storage::default(),
        });
        Ok(Self {
            file,
            dataset,
            index,
            schema,
            source: NumberedSources::one(source),
        })
    }

    fn fill(&self) -> Vec<u8> {
        let size = usize::try_from(self.dataset.datatype.size).unwrap();
        match &self.dataset.fill.value {
            FillValue::User(bytes) if bytes.len() == size => bytes.clone(),
            FillValue::User(_) | FillValue::Default | FillValue::Undefined => vec![0; size],
        }
    }

    fn chunk(&self, index: u64, address: u64, size: u64, mask: u32) -> Result<ChunkRef> {
        let start = self.file.place(address)?;
        let end = start.checked_add(size);
        let end = end.ok_or_else(|| Error::new(ErrorKind::Corrupt, "data beyond 2^64 bytes"))?;
        Ok(ChunkRef {
            variable: VarId(0),
            index,
            holder: ChunkHolder::Source(0),
            range: start..end,
            mask,
        })
    }
}

/// Returns the bytes of all elements.
fn bytes(dataset: &Hdf5Dataset) -> u64 {
    let elements = dataset.dataspace.elements().unwrap_or(u64::MAX);
    elements.saturating_mul(dataset.datatype.size)
}

impl Reader for Raw {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn provenance(&self) -> Provenance {
        Provenance::default()
    }

    fn layout(&self, _: VarId) -> Result<Layout> {
        let extent = self.dataset.dataspace.dims.clone();
        let chunk = match &self.dataset.layout {
            Stored::Chunked(chunked) => chunked.dims.clone(),
            Stored::Compact(_) | Stored::Contiguous { .. } | Stored::Virtual { .. } => {
                extent.clone()
            }
        };
        let spec = |f: &netcdf_core::format::hdf5::message::filters::PipelineFilter| FilterSpec {
            id: f.id.into(),
            params: f.params.clone(),
        };
        Ok(Layout {
            extent,
            chunk,
            element: StoredElement {
                ty: Atomic::Byte.into(),
                size: self.dataset.datatype.size,
                order: Endianness::Little,
                plain: false,
            },
            filters: self.dataset.filters.iter().map(spec).collect(),
            fill: Some(self.fill()),
            quantize: None,
        })
    }

    fn locate(&self, _: VarId, chunks: &Block, _: Locate, visit: Visit<'_>) -> Visited {
        match &self.dataset.layout {
            Stored::Compact(bytes) => visit(ChunkRef {
                variable: VarId(0),
                index: 0,
                holder: ChunkHolder::Source(0),
                range: 0..bytes.len() as u64,
                mask: 0,
            }),
            Stored::Contiguous { .. } if self.dataset.external.is_some() => visit(ChunkRef {
                variable: VarId(0),
                index: 0,
                holder: ChunkHolder::Source(0),
                range: 0..bytes(&self.dataset),
                mask: 0,
            }),
            Stored::Contiguous { address: None, .. } | Stored::Virtual { .. } => Ok(()),
            Stored::Contiguous {
                address: Some(address),
                size,
            } => {
                let size = size.unwrap_or_else(|| bytes(&self.dataset));
                visit(self.chunk(0, *address, size, 0)?)
            }
            Stored::Chunked(_) => {
                let index = self.index.as_ref().unwrap();
                index.locate(&self.file, chunks, &mut |found| {
                    visit(self.chunk(found.index, found.address, found.size, found.mask)?)
                })
            }
        }
    }

    fn bytes(&self) -> &dyn ChunkBytes {
        &self.source
    }

    fn resolve(&self, _: VarId, _: &[u8], _: &Env) -> Result<Values> {
        Err(Error::new(
            ErrorKind::Unsupported,
            "elements without a meaning",
        ))
    }
}
