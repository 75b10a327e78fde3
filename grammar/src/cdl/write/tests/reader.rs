//! A dataset in memory, of any types.

use netcdf_core::env::Env;
use std::sync::Arc;

use netcdf_core::chunk::scatter::Block;
use netcdf_core::chunk::{ChunkRef, Layout, Provenance, Reader, elements};
use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::io::Source;
use netcdf_core::model::{
    Atomic, Attribute, DataType, DimId, Dimension, Element, Endianness, Field, GroupId, Kind, Name,
    Schema, Storage, TypeId, TypeKind, UserType, Values, VarId, Variable,
};

/// A schema and the values of its variables. Values with a heap are stored as their number.
pub(crate) struct Memory {
    pub(crate) schema: Schema,
    pub(crate) provenance: Provenance,
    data: Vec<Values>,
    pub(crate) order: Endianness,
    /// Filters that no chunk went through, as bits.
    pub(crate) mask: u32,
}

pub(crate) fn name(text: &str) -> Name {
    Name::stored(text.as_bytes())
}

pub(crate) fn text(value: &str) -> Values {
    Values::Char(value.as_bytes().to_vec())
}

pub(crate) fn strings(values: &[Option<&str>]) -> Values {
    let one = |s: &Option<&str>| s.map(|s| s.as_bytes().into());
    Values::String(values.iter().map(one).collect())
}

impl Memory {
    pub(crate) fn new(kind: Kind) -> Self {
        Self {
            schema: Schema::new(kind),
            provenance: Provenance::default(),
            data: vec![],
            order: Endianness::Little,
            mask: 0,
        }
    }

    pub(crate) fn group(&mut self, parent: GroupId, group: &str) -> GroupId {
        self.schema.add_group(parent, name(group))
    }

    pub(crate) fn dim(&mut self, group: GroupId, dim: &str, len: u64, unlimited: bool) -> DimId {
        self.schema.add_dim(Dimension {
            name: name(dim),
            group,
            len,
            unlimited,
        })
    }

    pub(crate) fn user(&mut self, group: GroupId, ty: &str, kind: TypeKind) -> TypeId {
        let name = name(ty);
        self.schema.add_type(UserType { name, group, kind })
    }

    pub(crate) fn var(
        &mut self,
        group: GroupId,
        var: &str,
        ty: impl Into<DataType>,
        dims: &[DimId],
        values: Values,
    ) -> VarId {
        self.data.push(values);
        self.schema.add_var(Variable {
            name: name(var),
            group,
            ty: ty.into(),
            dims: dims.to_vec(),
            attributes: vec![],
            storage: Storage::default(),
        })
    }

    pub(crate) fn attribute(&mut self, var: VarId, attribute: &str, values: Values) {
        let ty = type_of(&values);
        self.variable(var).attributes.push(Attribute {
            name: name(attribute),
            ty,
            values,
        });
    }

    pub(crate) fn variable(&mut self, var: VarId) -> &mut Variable {
        &mut self.schema.vars[var.index()]
    }

    fn is_heap(&self, var: VarId) -> bool {
        let ty = self.schema.vars[var.index()].ty;
        ty.atomic().and_then(Atomic::size).is_none()
    }

    fn stored(&self, var: VarId) -> Vec<u8> {
        let values = &self.data[var.index()];
        if self.is_heap(var) {
            let number = |i| (u64::from(var.0) << 32 | i as u64).to_le_bytes();
            return (0..values.len()).flat_map(number).collect();
        }
        let mut bytes = vec![];
        elements::encode(values, self.order, &mut bytes).unwrap();
        bytes
    }
}

pub(crate) fn type_of(values: &Values) -> DataType {
    match values {
        Values::Enum(ty, _) | Values::Vlen(ty, _) => DataType::User(*ty),
        Values::Opaque { ty, .. } | Values::Compound { ty, .. } => DataType::User(*ty),
        other => other.data_type().unwrap().into(),
    }
}

pub(crate) fn field(field: &str, ty: impl Into<DataType>, dims: &[u64]) -> Field {
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
        self.provenance.clone()
    }

    fn layout(&self, var: VarId) -> Result<Layout> {
        let ty = self.schema.vars[var.index()].ty;
        let size = ty.atomic().and_then(Atomic::size).unwrap_or(8);
        let extent = self.schema.shape(var);
        Ok(Layout {
            chunk: extent.clone(),
            extent,
            element: Element {
                ty,
                size: size as u64,
                order: self.order,
                plain: ty.atomic().and_then(Atomic::size).is_some(),
            },
            fill: None,
            quantize: None,
            filters: self.schema.vars[var.index()].storage.filters.clone(),
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
            range: 0..self.stored(var).len() as u64,
            mask: self.mask,
        })
    }

    fn fetch(&self, chunks: &[ChunkRef]) -> Result<Vec<Vec<u8>>> {
        let one = |c: &ChunkRef| {
            let range = c.range.start as usize..c.range.end as usize;
            let bytes = self.stored(VarId(c.object)).get(range).map(<[u8]>::to_vec);
            bytes.ok_or_else(|| Error::new(ErrorKind::Truncated, "cut off"))
        };
        chunks.iter().map(one).collect()
    }

    fn object(&self, _: u32) -> Option<&Arc<dyn Source>> {
        None
    }

    fn has_sources(&self) -> bool {
        false
    }

    fn resolve(&self, _: VarId, bytes: &[u8], _: &Env) -> Result<Values> {
        let first = u64::from_le_bytes(*bytes.first_chunk().unwrap());
        let (var, first) = (first >> 32, (first & 0xffff_ffff) as usize);
        Ok(self.data[var as usize].slice(first..first + bytes.len() / 8))
    }
}
