//! The dataset: a schema, and a layout and stored chunks per variable.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};

use super::filter::apply;
use crate::chunk::scatter::{Block, place};
use crate::chunk::{ChunkRef, Layout, Provenance, elements};
use crate::error::Result;
use crate::io::Source;
use crate::io::store::KeyContent;
use crate::model::{
    Atomic, DataType, DimId, Endianness, GroupId, Kind, Schema, Storage, StoredElement, Values,
    VarId, Variable,
};

/// Leading source bytes that belong to no chunk. A chunk at offset 0 is then a mistake.
const HEAD: [u8; 3] = [1, 2, 3];

/// Makes the elements of a block.
type MakeBlock = Box<dyn Fn(&Block) -> Vec<u8> + Send + Sync>;

/// A hook that computes a result from a chunk location.
type ChunkHook<T> = Box<dyn Fn(&ChunkRef) -> T + Send + Sync>;

/// An in-memory dataset. The [`Reader`](crate::chunk::Reader) implementation counts requests.
pub struct MemoryDataset {
    /// The schema.
    pub schema: Schema,
    /// The provenance.
    pub provenance: Provenance,
    /// The source name. Each variable defined from now on has a source; `None`: the dataset has no sources.
    pub source: Option<&'static str>,
    /// The byte order for variables defined from now on.
    pub order: Endianness,
    /// The result for [`Reader::has_index`](crate::chunk::Reader::has_index).
    pub has_index: bool,
    /// Whether messages name each chunk `chunk INDEX`.
    pub names_chunks: bool,
    /// Bytes missing from the length of each located candidate.
    pub shortfall: u64,
    /// Runs before each chunk fetch; may sleep, fail or panic.
    pub before_fetch: Option<ChunkHook<Result<()>>>,
    /// Replaces the fetched content of a chunk.
    pub content: Option<ChunkHook<Option<KeyContent>>>,
    pub(super) vars: Vec<StoredVariable>,
    pub(super) counts: Mutex<RequestCounts>,
}

/// Request counts.
#[derive(Debug, Clone, Default)]
pub struct RequestCounts {
    /// Calls to `locate`.
    pub calls: u64,
    /// Located chunks by variable.
    pub located: BTreeMap<VarId, u64>,
    /// Fetches by variable and chunk index.
    pub fetched: BTreeMap<(VarId, u64), u64>,
    /// Assembled elements by variable and row-major element number.
    pub assembled: BTreeMap<(VarId, u64), u64>,
}

/// The layout and the stored chunks of a variable.
pub(super) struct StoredVariable {
    pub(super) layout: Layout,
    pub(super) chunks: MemoryChunks,
    /// All chunk bytes.
    pub(super) bytes: Vec<u8>,
    pub(super) source: OnceLock<Arc<dyn Source>>,
    /// Returns the value behind an index that an element with heap data stores.
    pub(super) heap: Option<Box<dyn Fn(u64) -> Values + Send + Sync>>,
    /// Returns block elements, if the reader assembles the variable.
    pub(super) assemble: Option<MakeBlock>,
}

/// The stored chunks of a variable.
pub(super) enum MemoryChunks {
    /// Ranges and filter masks, by chunk index.
    Listed(BTreeMap<u64, (Range<u64>, u32)>),
    /// All grid chunks; the function returns chunk bytes.
    Computed(Box<dyn Fn(u64) -> Vec<u8> + Send + Sync>),
}

impl MemoryDataset {
    /// Creates an empty dataset.
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

    /// Defines a variable without stored chunks. The layout has one chunk and no filters.
    pub fn define(
        &mut self,
        (group, var): (GroupId, &str),
        ty: impl Into<DataType>,
        dims: &[DimId],
    ) -> VarId {
        let ty = ty.into();
        let id = self.schema.add_var(Variable {
            name: super::words::name(var),
            group,
            ty,
            dims: dims.to_vec(),
            attributes: vec![],
            storage: Storage::default(),
        });
        self.add_layout(self.one_chunk(id, ty));
        id
    }

    /// Adds the layout for the next schema variable, if the schema was copied from another dataset.
    pub fn add_layout(&mut self, layout: Layout) {
        self.vars.push(StoredVariable {
            layout,
            chunks: MemoryChunks::Listed(BTreeMap::new()),
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
            element: StoredElement {
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

    /// Defines a variable and stores values in one chunk, which is too short if values are missing. For types without an atomic
    /// size, each element stores the index of a value.
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

    /// Returns the layout of a variable.
    pub fn layout_mut(&mut self, var: VarId) -> &mut Layout {
        &mut self.vars[var.index()].layout
    }

    /// Returns the definition of a variable.
    pub fn variable(&mut self, var: VarId) -> &mut Variable {
        &mut self.schema.vars[var.index()]
    }

    /// Stores chunk bytes, which replace an earlier chunk with the same index.
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

    /// Stores chunks: `element` returns the element at some coordinates, also beyond the extent. `mask` returns the filter mask
    /// per chunk, or `None` for a missing chunk. All filters come from [`add_filter`](super::add_filter).
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

    /// Stores values in chunks like [`MemoryDataset::store`], with zeros beyond the extent.
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

    /// Stores all grid chunks; `bytes` returns chunk bytes by index. The layout has no filters.
    pub fn compute(&mut self, var: VarId, bytes: impl Fn(u64) -> Vec<u8> + Send + Sync + 'static) {
        self.vars[var.index()].chunks = MemoryChunks::Computed(Box::new(bytes));
    }

    /// Sets the function that returns the value behind an index, as a list with one value.
    pub fn set_heap(&mut self, var: VarId, value: impl Fn(u64) -> Values + Send + Sync + 'static) {
        self.vars[var.index()].heap = Some(Box::new(value));
    }

    /// Makes the reader assemble a variable; `elements` returns block elements.
    pub fn assemble(
        &mut self,
        var: VarId,
        elements: impl Fn(&Block) -> Vec<u8> + Send + Sync + 'static,
    ) {
        self.vars[var.index()].assemble = Some(Box::new(elements));
    }

    /// Returns the number of stored chunks.
    #[must_use]
    pub fn stored(&self, var: VarId) -> u64 {
        match &self.vars[var.index()].chunks {
            MemoryChunks::Listed(chunks) => chunks.len() as u64,
            MemoryChunks::Computed(_) => self.vars[var.index()].layout.grid().iter().product(),
        }
    }

    /// Returns the request counts and resets them.
    pub fn take_counts(&self) -> RequestCounts {
        std::mem::take(&mut *self.counts.lock().unwrap())
    }
}

impl StoredVariable {
    fn listed(&mut self) -> &mut BTreeMap<u64, (Range<u64>, u32)> {
        match &mut self.chunks {
            MemoryChunks::Listed(chunks) => chunks,
            MemoryChunks::Computed(_) => panic!("the chunks are computed"),
        }
    }
}

/// Returns the coordinates of all block elements in row-major order.
pub fn coordinates(block: &Block) -> impl Iterator<Item = Vec<u64>> {
    let numbers = 0..block.count.iter().product();
    numbers.map(|n| {
        let at = place(n, &block.count).into_iter().zip(&block.start);
        at.map(|(at, start)| start + at).collect()
    })
}

/// Returns the row-major element number, or `None` beyond the shape.
#[must_use]
pub fn row_major(at: &[u64], shape: &[u64]) -> Option<u64> {
    let mut lines = at.iter().zip(shape);
    lines.try_fold(0, |n, (&at, &len)| (at < len).then_some(n * len + at))
}
