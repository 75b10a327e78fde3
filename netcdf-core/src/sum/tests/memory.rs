//! A dataset in memory with one variable in chunks, which counts how often each chunk is read.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use crate::chunk::scatter::{Block, place};
use crate::chunk::{ChunkRef, Layout, Provenance, Reader, elements};
use crate::env::{self, Env};
use crate::error::Result;
use crate::filter::{Context, Encoded, Filter, FilterEntry, Table};
use crate::io::Source;
use crate::io::memory::MemorySource;
use crate::model::{
    Atomic, DimId, Dimension, Element, Endianness, FilterSpec, GroupId, Kind, Name, Schema,
    Storage, Values, VarId, Variable,
};
use crate::runtime::Runtime;

/// Turns all bits round.
struct Flip;

impl Filter for Flip {
    fn output(&self, context: &Context) -> Context {
        context.clone()
    }
    fn decode(&self, _: &Context, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        output.extend(input.iter().map(|b| !b));
        Ok(())
    }
    fn encode(&self, context: &Context, input: &[u8], output: &mut Vec<u8>) -> Result<Encoded> {
        self.decode(context, input, output)?;
        Ok(Encoded::Applied)
    }
}

/// An environment with the filter.
pub(crate) fn env(threads: usize, memory: u64) -> Env {
    let flip = FilterEntry {
        id: 300,
        name: "flip",
        codec: None,
        policy: crate::filter::Policy::PLAIN,
        named: &[],
        prepare: |_, user| Ok(user.to_vec()),
        build: |_, _| Ok(Box::new(Flip)),
    };
    Env {
        filters: Table::new(vec![flip]),
        runtime: Runtime::sized(threads, memory.max(1000)).sharing_all(),
        memory: env::Memory(memory),
        ..Env::default()
    }
}

/// How the variable is stored.
#[derive(Debug, Clone)]
pub(crate) struct Form {
    pub(crate) chunk: Vec<u64>,
    pub(crate) filtered: bool,
    pub(crate) order: Endianness,
    /// Chunks of fill values are not stored.
    pub(crate) sparse: bool,
}

/// The number at a place that was never written.
pub(crate) const FILL: i32 = -2_147_483_647;

pub(crate) struct Memory {
    pub(crate) schema: Schema,
    layout: Layout,
    source: Arc<dyn Source>,
    chunks: BTreeMap<u64, ChunkRef>,
    /// How often each chunk was read.
    pub(crate) read: Mutex<BTreeMap<u64, u64>>,
}

impl Memory {
    /// A variable `v` of dimensions `d0`, `d1` …; `value` has the number of each element in row-major order.
    pub(crate) fn new(shape: &[u64], form: &Form, value: impl Fn(u64) -> i32) -> Self {
        let layout = layout(shape, form);
        let (mut file, mut chunks) = (b"head".to_vec(), BTreeMap::new());
        for index in 0..layout.grid().iter().product() {
            let block = layout.block(index).region();
            let numbers: Vec<i32> = (0..block.count.iter().product())
                .map(|n| {
                    block
                        .start
                        .iter()
                        .zip(place(n, &block.count))
                        .map(|(a, b)| a + b)
                        .collect::<Vec<_>>()
                })
                .map(
                    |place| match place.iter().zip(shape).all(|(at, len)| at < len) {
                        true => value(place.iter().zip(shape).fold(0, |n, (at, len)| n * len + at)),
                        false => FILL,
                    },
                )
                .collect();
            if form.sparse && numbers.iter().all(|&n| n == FILL) {
                continue;
            }
            let (start, mut bytes) = (file.len() as u64, vec![]);
            elements::encode(&Values::Int(numbers), form.order, &mut bytes).unwrap();
            file.extend(bytes.iter().map(|b| if form.filtered { !b } else { *b }));
            let range = start..file.len() as u64;
            chunks.insert(
                index,
                ChunkRef {
                    index,
                    object: 0,
                    range,
                    mask: 0,
                },
            );
        }
        Self {
            schema: schema(shape),
            layout,
            source: Arc::new(MemorySource::new("memory", file)),
            chunks,
            read: Mutex::default(),
        }
    }

    /// The number of stored chunks.
    pub(crate) fn stored(&self) -> u64 {
        self.chunks.len() as u64
    }
}

fn layout(shape: &[u64], form: &Form) -> Layout {
    let flip = FilterSpec {
        id: 300,
        params: vec![],
    };
    Layout {
        extent: shape.to_vec(),
        chunk: form.chunk.clone(),
        element: Element {
            ty: Atomic::Int.into(),
            size: 4,
            order: form.order,
            plain: true,
        },
        filters: form.filtered.then_some(flip).into_iter().collect(),
        fill: None,
        quantize: None,
    }
}

pub(crate) fn schema(shape: &[u64]) -> Schema {
    let mut schema = Schema::new(Kind::NETCDF4);
    let dim = |(n, &len): (usize, &u64)| {
        schema.add_dim(Dimension {
            name: Name::stored(format!("d{n}").as_bytes()),
            group: GroupId::ROOT,
            len,
            unlimited: false,
        })
    };
    let dims: Vec<DimId> = shape.iter().enumerate().map(dim).collect();
    schema.add_var(Variable {
        name: Name::stored(b"v"),
        group: GroupId::ROOT,
        ty: Atomic::Int.into(),
        dims,
        attributes: vec![],
        storage: Storage::default(),
    });
    schema
}

impl Reader for Memory {
    fn schema(&self) -> &Schema {
        &self.schema
    }
    fn provenance(&self) -> Provenance {
        Provenance::default()
    }
    fn layout(&self, _: VarId) -> Result<Layout> {
        Ok(self.layout.clone())
    }
    fn locate(
        &self,
        _: VarId,
        chunks: &Block,
        visit: &mut dyn FnMut(ChunkRef) -> Result<()>,
    ) -> Result<()> {
        for chunk in self.chunks.values() {
            let place = self.layout.place(chunk.index);
            let mut dims = place.iter().zip(chunks.start.iter().zip(&chunks.count));
            if dims.all(|(at, (start, n))| at >= start && at - start < *n) {
                visit(chunk.clone())?;
            }
        }
        Ok(())
    }
    fn fetch(&self, chunks: &[ChunkRef]) -> Result<Vec<Vec<u8>>> {
        for chunk in chunks {
            *self.read.lock().unwrap().entry(chunk.index).or_default() += 1;
        }
        let ranges: Vec<_> = chunks.iter().map(|c| c.range.clone()).collect();
        self.source.read_ranges(&ranges)
    }
    fn object(&self, object: u32) -> Option<&Arc<dyn Source>> {
        (object == 0).then_some(&self.source)
    }
    fn resolve(&self, _: VarId, bytes: &[u8], _: &Env) -> Result<Values> {
        elements::decode(Atomic::Int, self.layout.element.order, bytes)
    }
}
