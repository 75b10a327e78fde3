//! A dataset of the netCDF-4 model in memory.

use netcdf_core::env::Env;
use std::sync::Arc;

use netcdf_core::chunk::scatter::Block;
use netcdf_core::chunk::{ChunkRef, Layout, Provenance, Reader, elements};
use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::io::Source;
use netcdf_core::model::{
    Atomic, Attribute, DataType, Dimension, Element, Endianness, Field, FilterSpec, GroupId, Kind,
    Schema, Storage, StorageLayout, TypeId, TypeKind, UserType, Values, VarId, Variable,
};

use super::name;

/// A schema and the bytes of its variables, each of them one chunk. Only numbers have data.
pub(super) struct Memory {
    pub(super) schema: Schema,
    data: Vec<Vec<u8>>,
}

impl Memory {
    pub(super) fn new() -> Self {
        Self {
            schema: Schema::new(Kind::NETCDF4),
            data: vec![],
        }
    }

    pub(super) fn dim(&mut self, group: GroupId, dim: &str, len: u64, unlimited: bool) {
        self.schema.add_dim(Dimension {
            name: name(dim),
            group,
            len,
            unlimited,
        });
    }

    pub(super) fn user(&mut self, group: GroupId, ty: &str, kind: TypeKind) -> TypeId {
        let name = name(ty);
        self.schema.add_type(UserType { name, group, kind })
    }

    /// Adds a variable; dimensions are given by number.
    pub(super) fn var(
        &mut self,
        (group, var): (GroupId, &str),
        ty: impl Into<DataType>,
        dims: &[u32],
        values: &Values,
    ) -> VarId {
        let mut bytes = vec![];
        if values.data_type().is_some() {
            elements::encode(values, Endianness::Big, &mut bytes).unwrap();
        }
        self.data.push(bytes);
        self.schema.add_var(Variable {
            name: name(var),
            group,
            ty: ty.into(),
            dims: dims.iter().map(|&d| netcdf_core::model::DimId(d)).collect(),
            attributes: vec![],
            storage: Storage::default(),
        })
    }

    pub(super) fn attribute(&mut self, var: VarId, attribute: &str, ty: DataType, values: Values) {
        self.schema.vars[var.index()].attributes.push(Attribute {
            name: name(attribute),
            ty,
            values,
        });
    }

    /// Makes a variable chunked, with filters.
    pub(super) fn filters(&mut self, var: VarId, chunk: &[u64], filters: &[(u32, &[u32])]) {
        let spec = |(id, params): &(u32, &[u32])| FilterSpec {
            id: *id,
            params: params.to_vec(),
        };
        let storage = &mut self.schema.vars[var.index()].storage;
        storage.layout = Some(StorageLayout::Chunked(chunk.to_vec()));
        storage.filters = filters.iter().map(spec).collect();
    }
}

pub(super) fn field(field: &str, ty: impl Into<DataType>, dims: &[u64]) -> Field {
    Field {
        name: name(field),
        ty: ty.into(),
        dims: dims.to_vec(),
        offset: 0,
    }
}

impl Reader for Memory {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn provenance(&self) -> Provenance {
        Provenance {
            model: "HDF5",
            mode: 0x1000,
            ..Provenance::default()
        }
    }

    fn layout(&self, var: VarId) -> Result<Layout> {
        let variable = &self.schema.vars[var.index()];
        let extent = self.schema.shape(var);
        let size = variable.ty.fixed_size(&self.schema);
        Ok(Layout {
            chunk: extent.clone(),
            extent,
            element: Element {
                ty: variable.ty,
                size: size.unwrap_or(16),
                order: Endianness::Big,
                plain: variable.ty.atomic().and_then(Atomic::size).is_some(),
            },
            filters: variable.storage.filters.clone(),
            fill: None,
            quantize: None,
        })
    }

    fn locate(
        &self,
        var: VarId,
        _: &Block,
        visit: &mut dyn FnMut(ChunkRef) -> Result<()>,
    ) -> Result<()> {
        visit(ChunkRef {
            index: 0,
            object: var.0,
            range: 0..u64::MAX / 2,
            mask: 0,
        })
    }

    fn fetch(&self, chunks: &[ChunkRef]) -> Result<Vec<Vec<u8>>> {
        let one = |c: &ChunkRef| {
            let bytes = &self.data[c.object as usize];
            let part = bytes.get(c.range.start as usize..c.range.end as usize);
            part.map(<[u8]>::to_vec)
                .ok_or_else(|| Error::new(ErrorKind::Truncated, "cut off"))
        };
        chunks.iter().map(one).collect()
    }

    fn object(&self, _: u32) -> Option<&Arc<dyn Source>> {
        None
    }

    fn has_sources(&self) -> bool {
        false
    }

    fn resolve(&self, _: VarId, _: &[u8], _: &Env) -> Result<Values> {
        Err(Error::new(ErrorKind::Unsupported, "no heap"))
    }
}
