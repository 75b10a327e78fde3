//! Datasets in memory, in chunks of any shape, with a filter or not.

use crate::env::Env;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::*;
use crate::chunk::layout::ChunkRef;
use crate::chunk::scatter::{Block, put_back, spread};
use crate::chunk::{Layout, Provenance, Reader, elements};
use crate::filter::{Context, Encoded, Filter, FilterEntry, Policy, Table};
use crate::io::Source;
use crate::io::memory::MemorySource;
use crate::model::{
    Attribute, DataType, DimId, Dimension, Element, Endianness, FilterSpec, Kind, Name, Region,
    Schema, Storage, StorageLayout, VarId, Variable,
};

/// Chunks that begin with this byte cannot be decoded.
pub(super) const DAMAGED: u8 = 0xee;

/// Adds one to every byte.
struct Add;

impl Filter for Add {
    fn decode(&self, _: &Context, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        if input.first() == Some(&DAMAGED) {
            return Err(Error::new(ErrorKind::Corrupt, "damaged"));
        }
        output.extend(input.iter().map(|b| b.wrapping_sub(1)));
        Ok(())
    }
    fn encode(&self, _: &Context, input: &[u8], output: &mut Vec<u8>) -> Result<Encoded> {
        output.extend(input.iter().map(|b| b.wrapping_add(1)));
        Ok(Encoded::Applied)
    }
}

pub(super) fn table() -> Table {
    Table::new(vec![FilterEntry {
        id: 300,
        name: "add",
        codec: None,
        policy: Policy::PLAIN,
        named: &[],
        prepare: |_, user| Ok(user.to_vec()),
        build: |_, _| Ok(Box::new(Add)),
    }])
}

pub(super) fn name(text: &str) -> Name {
    Name::stored(text.as_bytes())
}

/// How a variable is stored.
#[derive(Debug, Clone)]
pub(super) struct Form {
    pub(super) chunk: Vec<u64>,
    pub(super) filtered: bool,
    pub(super) order: Endianness,
    /// Chunks that are not stored.
    pub(super) missing: Vec<u64>,
}

impl Form {
    pub(super) fn chunks(chunk: &[u64]) -> Self {
        Self {
            chunk: chunk.to_vec(),
            filtered: true,
            order: Endianness::Little,
            missing: vec![],
        }
    }
}

pub(super) struct Made {
    pub(super) schema: Schema,
    forms: Vec<Form>,
    refs: BTreeMap<(u32, u64), ChunkRef>,
    pub(super) bytes: Vec<u8>,
    source: Option<Arc<dyn Source>>,
}

impl Made {
    pub(super) fn new(dims: &[(&str, u64)]) -> Self {
        let mut schema = Schema::new(Kind::NETCDF4);
        for (text, len) in dims {
            schema.add_dim(Dimension {
                name: name(text),
                group: GroupId::ROOT,
                len: *len,
                unlimited: false,
            });
        }
        Self {
            schema,
            forms: vec![],
            refs: BTreeMap::new(),
            bytes: vec![],
            source: None,
        }
    }

    /// Adds a variable over the first dimensions, or the one of its own name.
    pub(super) fn var(mut self, text: &str, rank: usize, values: &Values, form: Form) -> Self {
        let own = self.schema.dims.iter().position(|dim| dim.name.is(text));
        let first = own.unwrap_or(0);
        let dims = (first..first + rank).map(|n| DimId(n as u32)).collect();
        let var = self.schema.add_var(Variable {
            name: name(text),
            group: GroupId::ROOT,
            ty: values.data_type().unwrap().into(),
            dims,
            attributes: vec![],
            storage: Storage {
                layout: Some(StorageLayout::Chunked(form.chunk.clone())),
                ..Storage::default()
            },
        });
        self.forms.push(form);
        self.store(var, values);
        self
    }

    /// Gives the last variable an attribute.
    pub(super) fn attribute(mut self, text: &str, values: Values) -> Self {
        let all = &mut self.schema.vars.last_mut().unwrap().attributes;
        all.push(Attribute::atomic(name(text), values).unwrap());
        self
    }

    fn store(&mut self, var: VarId, values: &Values) {
        let layout = self.layout(var).unwrap();
        let mut all = vec![];
        elements::encode(values, layout.element.order, &mut all).unwrap();
        let whole = Region::whole(&self.schema.shape(var));
        let form = self.forms[var.index()].clone();
        for index in 0..layout.grid().iter().product() {
            if form.missing.contains(&index) {
                continue;
            }
            let mut chunk = vec![0; layout.chunk_bytes().unwrap()];
            spread(&vec![0; layout.element.size as usize], &mut chunk);
            let block = layout.block(index);
            put_back(&block, &whole, layout.element.size, &all, &mut chunk).unwrap();
            if form.filtered {
                chunk.iter_mut().for_each(|b| *b = b.wrapping_add(1));
            }
            let start = self.bytes.len() as u64;
            self.bytes.extend(&chunk);
            let range = start..self.bytes.len() as u64;
            let (object, mask) = (0, 0);
            let chunk = ChunkRef {
                index,
                object,
                range,
                mask,
            };
            self.refs.insert((var.0, index), chunk);
        }
    }

    /// Damages a chunk.
    pub(super) fn damage(mut self, var: u32, index: u64) -> Self {
        let at = self.refs[&(var, index)].range.start;
        self.bytes[at as usize] = DAMAGED;
        self
    }

    /// The dataset, ready to be read.
    pub(super) fn done(mut self) -> Self {
        let bytes = std::mem::take(&mut self.bytes);
        self.source = Some(Arc::new(MemorySource::new("made", bytes)));
        self
    }
}

impl Reader for Made {
    fn schema(&self) -> &Schema {
        &self.schema
    }
    fn provenance(&self) -> Provenance {
        Provenance::default()
    }
    fn layout(&self, var: VarId) -> Result<Layout> {
        let form = &self.forms[var.index()];
        let ty: DataType = self.schema.var(var).unwrap().ty;
        let filter = FilterSpec {
            id: 300,
            params: vec![],
        };
        Ok(Layout {
            extent: self.schema.shape(var),
            chunk: form.chunk.clone(),
            element: Element {
                ty,
                size: ty.fixed_size(&self.schema).unwrap(),
                order: form.order,
                plain: true,
            },
            filters: form.filtered.then_some(filter).into_iter().collect(),
            fill: None,
            quantize: None,
        })
    }
    fn locate(
        &self,
        var: VarId,
        chunks: &Block,
        visit: &mut dyn FnMut(ChunkRef) -> Result<()>,
    ) -> Result<()> {
        let layout = self.layout(var)?;
        for chunk in self
            .refs
            .range((var.0, 0)..=(var.0, u64::MAX))
            .map(|(_, c)| c)
        {
            let place = layout.place(chunk.index);
            if place
                .iter()
                .zip(chunks.ranges())
                .all(|(at, range)| range.contains(at))
            {
                visit(chunk.clone())?;
            }
        }
        Ok(())
    }
    fn fetch(&self, chunks: &[ChunkRef]) -> Result<Vec<Vec<u8>>> {
        let ranges: Vec<_> = chunks.iter().map(|c| c.range.clone()).collect();
        self.source.as_ref().unwrap().read_ranges(&ranges)
    }
    fn object(&self, object: u32) -> Option<&Arc<dyn Source>> {
        self.source.as_ref().filter(|_| object == 0)
    }
    fn resolve(&self, _: VarId, _: &[u8], _: &Env) -> Result<Values> {
        unimplemented!()
    }
}
