//! The dataset: its schema, and the layout and stored chunks of each variable.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};

use super::filter::apply;
use crate::chunk::scatter::{Block, place};
use crate::chunk::{ChunkRef, Layout, Provenance, elements};
use crate::error::Result;
use crate::io::Source;
use crate::io::store::Content;
use crate::model::{
    Atomic, DataType, DimId, Element, Endianness, GroupId, Kind, Schema, Storage, Values, VarId,
    Variable,
};

/// Leading bytes of a source, which belong to no chunk: offset 0 is then a mistake.
const HEAD: [u8; 3] = [1, 2, 3];

/// A hook that computes a result from a chunk location.
type ChunkHook<T> = Box<dyn Fn(&ChunkRef) -> T + Send + Sync>;

/// A dataset in memory. Its [`Reader`](crate::chunk::Reader) counts requests.
pub struct MemoryDataset {
    /// The schema.
    pub schema: Schema,
    /// The provenance.
    pub provenance: Provenance,
    /// The name of the sources, one for each variable; `None`: only fetches read bytes. Set it before variables are defined.
    pub source: Option<&'static str>,
    /// The byte order of variables that are defined from now on.
    pub order: Endianness,
    /// Whether the reader claims to have an index of chunks.
    pub has_index: bool,
    /// Whether the reader names each chunk `chunk INDEX` in messages.
    pub names_chunks: bool,
    /// Bytes by which each candidate is located too short.
    pub shortfall: u64,
    /// Runs before a chunk is fetched, and may sleep, fail or panic.
    pub before_fetch: Option<ChunkHook<Result<()>>>,
    /// Overrides the fetched content of a chunk.
    pub content: Option<ChunkHook<Option<Content>>>,
    pub(super) vars: Vec<StoredVariable>,
    pub(super) counts: Mutex<Counts>,
}

/// The number of requests.
#[derive(Debug, Clone, Default)]
pub struct Counts {
    /// Calls that located chunks.
    pub calls: u64,
    /// Located chunks of each variable.
    pub located: BTreeMap<VarId, u64>,
    /// Fetches of each chunk, by variable and chunk index.
    pub fetched: BTreeMap<(VarId, u64), u64>,
    /// Assembled elements, by variable and row-major number.
    pub assembled: BTreeMap<(VarId, u64), u64>,
}

/// A variable: its layout and its stored chunks.
pub(super) struct StoredVariable {
    pub(super) layout: Layout,
    pub(super) chunks: Chunks,
    /// The bytes of all chunks.
    pub(super) bytes: Vec<u8>,
    pub(super) source: OnceLock<Arc<dyn Source>>,
    /// Resolves the number that an element with heap data stores.
    pub(super) heap: Option<Box<dyn Fn(u64) -> Values + Send + Sync>>,
    /// Returns the elements of a block, if the reader assembles the variable.
    pub(super) assemble: Option<Box<dyn Fn(&Block) -> Vec<u8> + Send + Sync>>,
}

/// The stored chunks of a variable.
pub(super) enum Chunks {
    /// Ranges and filter masks, by chunk index.
    Listed(BTreeMap<u64, (Range<u64>, u32)>),
    /// All chunks of the grid; the function returns the bytes of a chunk.
    Computed(Box<dyn Fn(u64) -> Vec<u8> + Send + Sync>),
}

impl MemoryDataset {
    /// A dataset without variables.
    #[must_use]
    pub fn new(kind: Kind) -> Self {
        Self {
            schema: Schema::new(kind),
            provenance: Provenance::default(),
            source: None,
            order: Endianness::Little,
            has_index: false,
            names_chunks: false,
            shortfall: 0,
            before_fetch: None,
            content: None,
            vars: vec![],
            counts: Mutex::default(),
        }
    }

    /// Defines a variable without stored chunks. Its layout is one chunk without filters.
    pub fn define(
        &mut self,
        (group, var): (GroupId, &str),
        ty: impl Into<DataType>,
        dims: &[DimId],
    ) -> VarId {
        let ty = ty.into();
        let id = self.schema.add_var(Variable {
            name: super::name(var),
            group,
            ty,
            dims: dims.to_vec(),
            attributes: vec![],
            storage: Storage::default(),
        });
        self.add_layout(self.one_chunk(id, ty));
        id
    }

    /// Adds the layout of the next variable of the schema, if the schema has variables that were not defined here.
    pub fn add_layout(&mut self, layout: Layout) {
        self.vars.push(StoredVariable {
            layout,
            chunks: Chunks::Listed(BTreeMap::new()),
            bytes: self.source.map_or(vec![], |_| HEAD.to_vec()),
            source: OnceLock::new(),
            heap: None,
            assemble: None,
        });
    }

    fn one_chunk(&self, var: VarId, ty: DataType) -> Layout {
        let size = ty.atomic().and_then(Atomic::size);
        Layout {
            extent: self.schema.shape(var),
            chunk: self.schema.shape(var),
            element: Element {
                ty,
                size: size.unwrap_or(8) as u64,
                order: self.order,
                plain: size.is_some(),
            },
            filters: vec![],
            fill: None,
            quantize: None,
        }
    }

    /// Defines a variable and stores its values in one chunk. An element of a type without a fixed atomic size stores the number
    /// of its value. The chunk is shorter than its shape if there are fewer values.
    pub fn var(
        &mut self,
        group: GroupId,
        var: &str,
        ty: impl Into<DataType>,
        dims: &[DimId],
        values: Values,
    ) -> VarId {
        let id = self.define((group, var), ty, dims);
        let element = self.layout_mut(id).element;
        let mut bytes = vec![];
        if element.plain {
            elements::encode(&values, element.order, &mut bytes).unwrap();
        } else {
            let numbers = 0..values.len() as u64;
            bytes = numbers.flat_map(u64::to_le_bytes).collect();
            self.set_heap(id, move |n| values.slice(n as usize..n as usize + 1));
        }
        self.put(id, 0, 0, &bytes);
        id
    }

    /// The layout of a variable.
    pub fn layout_mut(&mut self, var: VarId) -> &mut Layout {
        &mut self.vars[var.index()].layout
    }

    /// The definition of a variable.
    pub fn variable(&mut self, var: VarId) -> &mut Variable {
        &mut self.schema.vars[var.index()]
    }

    /// Stores the bytes of a chunk. They replace an earlier chunk with the same index.
    pub fn put(&mut self, var: VarId, index: u64, mask: u32, bytes: &[u8]) {
        let stored = &mut self.vars[var.index()];
        let start = stored.bytes.len() as u64;
        stored.bytes.extend(bytes);
        stored.source = OnceLock::new();
        let range = start..stored.bytes.len() as u64;
        stored.listed().insert(index, (range, mask));
    }

    /// Removes a chunk. Offsets of other chunks stay the same.
    pub fn remove(&mut self, var: VarId, index: u64) {
        self.vars[var.index()].listed().remove(&index).unwrap();
    }

    /// Stores chunks of the elements at their coordinates, which may be beyond the extent. `mask` returns the filter mask of a
    /// chunk, or `None` for a missing chunk. The filters are those of [`add_filter`](super::add_filter).
    pub fn store(
        &mut self,
        var: VarId,
        mask: impl Fn(u64) -> Option<u32>,
        element: impl Fn(&[u64]) -> Vec<u8>,
    ) {
        let layout = self.layout_mut(var).clone();
        for index in 0..layout.grid().iter().product() {
            let Some(mask) = mask(index) else { continue };
            let block = layout.block(index);
            let mut bytes: Vec<u8> = coordinates(&block).flat_map(|at| element(&at)).collect();
            apply(&layout.filters, mask, &mut bytes);
            self.put(var, index, mask, &bytes);
        }
    }

    /// Stores values in chunks, as [`MemoryDataset::store`] does. Elements beyond the extent are zeros.
    pub fn store_values(&mut self, var: VarId, mask: impl Fn(u64) -> Option<u32>, values: &Values) {
        let (extent, element) = (self.schema.shape(var), self.layout_mut(var).element);
        let (mut bytes, size) = (vec![], element.size as usize);
        elements::encode(values, element.order, &mut bytes).unwrap();
        self.store(var, mask, |at| {
            let start = row_major(at, &extent).map_or(usize::MAX, |n| n as usize * size);
            let element = bytes.get(start..start.saturating_add(size));
            element.map_or(vec![0; size], <[u8]>::to_vec)
        });
    }

    /// Stores all chunks of the grid; `bytes` returns the bytes of a chunk. The layout has no filters.
    pub fn compute(&mut self, var: VarId, bytes: impl Fn(u64) -> Vec<u8> + Send + Sync + 'static) {
        self.vars[var.index()].chunks = Chunks::Computed(Box::new(bytes));
    }

    /// Resolves the number that an element with heap data stores to a list with its value.
    pub fn set_heap(&mut self, var: VarId, value: impl Fn(u64) -> Values + Send + Sync + 'static) {
        self.vars[var.index()].heap = Some(Box::new(value));
    }

    /// Has the reader assemble a variable; `elements` returns the elements of a block.
    pub fn assemble(
        &mut self,
        var: VarId,
        elements: impl Fn(&Block) -> Vec<u8> + Send + Sync + 'static,
    ) {
        self.vars[var.index()].assemble = Some(Box::new(elements));
    }

    /// The number of stored chunks of a variable.
    #[must_use]
    pub fn stored(&self, var: VarId) -> u64 {
        match &self.vars[var.index()].chunks {
            Chunks::Listed(chunks) => chunks.len() as u64,
            Chunks::Computed(_) => self.vars[var.index()].layout.grid().iter().product(),
        }
    }

    /// Returns the number of requests and resets it.
    pub fn take_counts(&self) -> Counts {
        std::mem::take(&mut *self.counts.lock().unwrap())
    }
}

impl StoredVariable {
    fn listed(&mut self) -> &mut BTreeMap<u64, (Range<u64>, u32)> {
        match &mut self.chunks {
            Chunks::Listed(chunks) => chunks,
            Chunks::Computed(_) => panic!("the chunks are computed"),
        }
    }
}

/// The coordinates of all elements of a block, in row-major order.
pub fn coordinates(block: &Block) -> impl Iterator<Item = Vec<u64>> {
    let numbers = 0..block.count.iter().product();
    numbers.map(|n| {
        let at = place(n, &block.count).into_iter().zip(&block.start);
        at.map(|(at, start)| start + at).collect()
    })
}

/// The row-major number of coordinates; `None` beyond the shape.
#[must_use]
pub fn row_major(at: &[u64], shape: &[u64]) -> Option<u64> {
    let mut lines = at.iter().zip(shape);
    lines.try_fold(0, |n, (&at, &len)| (at < len).then_some(n * len + at))
}
