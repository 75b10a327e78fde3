//! An open store: its schema, and the location of its data.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use super::chunks::{ChunkFinder, Listing, ShardId, gone};
use super::grid::coarse;
use super::meta::Metadata;
use super::schema::{Array, StoreBuilder};
use super::shard::ShardIndex;
use super::strings;
use super::values::decode;
use super::variable::no_variable;
use crate::chunk::layout::{ChunkRef, Layout};
use crate::chunk::scatter::{Block, runs};
use crate::chunk::{Metadata as Place, Provenance, Reader};
use crate::env::Env;
use crate::error::{Error, ErrorKind, Result};
use crate::filter::Chain;
use crate::format::recent::{Most, Recent, once};
use crate::io::merge::Near;
use crate::io::store::Content;
use crate::io::{Source, Store};
use crate::limits::zeros;
use crate::model::region::product;
use crate::model::{Region, Schema, Values, VarId, ZarrVersion};
use crate::notes::Notes;

/// `NC_NETCDF4`.
const MODE_NETCDF4: u32 = 0x1000;
/// Chunks of texts read together: fewer than are kept.
const TOGETHER: usize = 16;
/// Most bytes of decoded texts to keep.
const TEXTS: usize = 64 << 20;
/// Most bytes to keep of decoded shards that were encoded as a whole.
const DECODED: usize = 128 << 20;
/// Most bytes of shard indexes to keep.
const INDEXES: usize = 16 << 20;

/// The texts of a chunk.
type ChunkTexts = Arc<Vec<Box<[u8]>>>;

/// An open store.
#[derive(Debug)]
pub struct ZarrReader {
    pub(super) store: Arc<dyn Store>,
    schema: Schema,
    provenance: Provenance,
    /// Whether consolidated metadata was used, if it could be.
    consolidated: Option<bool>,
    /// Parallel to `schema.vars`.
    vars: Vec<ArrayData>,
    indexes: Recent<ShardId, Arc<ShardIndex>>,
    texts: Recent<(usize, u64), ChunkTexts>,
    decoded: Recent<(usize, u64), Arc<Vec<u8>>>,
    pub(super) notes: Arc<Notes>,
}

/// The data of a variable.
pub(super) struct ArrayData {
    pub(super) array: Array,
    listing: Listing,
    /// The filters of chunks with texts of variable length.
    chain: OnceLock<Chain>,
}

impl std::fmt::Debug for ArrayData {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.array.fmt(f)
    }
}

/// A cache for decoded data of about `bytes` bytes in total.
fn kept<K: PartialEq, V: Clone>(bytes: usize) -> Recent<K, V> {
    Recent::new(Most { count: 32, bytes })
}

impl ZarrReader {
    /// Reads all metadata.
    ///
    /// # Errors
    /// Damage that is not tolerated, with the store and key; those of the store.
    pub fn open(store: Arc<dyn Store>, version: ZarrVersion, env: &Env) -> Result<Self> {
        let mut builder = StoreBuilder::new(Metadata::open(&store, version, env)?, version)?;
        builder.build()?;
        let pure = builder.zarr.pure;
        let provenance = Provenance {
            model: if pure { "Zarr" } else { "NCZarr" },
            mode: MODE_NETCDF4,
            properties: builder.properties.take(),
            superblock: Some(builder.superblock),
            is_netcdf4: Some(true),
        };
        let data = |array| ArrayData {
            array,
            listing: Listing::default(),
            chain: OnceLock::new(),
        };
        let vars = std::mem::take(&mut builder.arrays)
            .into_iter()
            .map(data)
            .collect();
        let consolidated = (!builder.objects).then_some(!builder.meta.has_objects());
        let schema = builder.schema;
        Ok(Self {
            store: Arc::clone(&store),
            schema,
            provenance,
            consolidated,
            vars,
            indexes: kept(INDEXES),
            texts: kept(TEXTS),
            decoded: kept(DECODED),
            notes: Arc::clone(&env.notes),
        })
    }

    pub(super) fn data(&self, var: usize) -> Result<&ArrayData> {
        self.vars.get(var).ok_or_else(no_variable)
    }

    /// Returns the path of a variable.
    pub(super) fn path(&self, var: usize) -> String {
        let id = u32::try_from(var).unwrap_or(u32::MAX);
        self.schema.var_path(VarId(id))
    }

    pub(super) fn chunks(&self, var: usize) -> Result<ChunkFinder<'_>> {
        let data = self.data(var)?;
        Ok(ChunkFinder {
            store: &self.store,
            var,
            array: &data.array,
            listing: &data.listing,
            indexes: &self.indexes,
            decoded: &self.decoded,
        })
    }

    /// The number of the variable that a chunk belongs to.
    pub(super) fn var_of(chunk: &ChunkRef) -> Result<usize> {
        let var = chunk.object.checked_sub(1).ok_or_else(no_variable)?;
        usize::try_from(var).map_err(|_| no_variable())
    }

    /// The texts of a chunk.
    fn texts(&self, var: usize, chunk: &ChunkRef) -> Result<ChunkTexts> {
        let key = (var, chunk.index);
        if let Some(known) = self.texts.get(&key) {
            return Ok(known);
        }
        let stored = self
            .fetch(std::slice::from_ref(chunk))?
            .pop()
            .ok_or_else(gone)?;
        self.decoded_texts(var, chunk, stored)
    }

    /// Decodes the texts of a chunk, and keeps them.
    fn decoded_texts(&self, var: usize, chunk: &ChunkRef, stored: Vec<u8>) -> Result<ChunkTexts> {
        let data = self.data(var)?;
        let read = || {
            let bytes = match data.chain.get() {
                Some(chain) => chain.decode(chunk.mask, stored, &mut Vec::new())?,
                None => stored,
            };
            let texts = strings::decode(&data.array.described, &bytes)?;
            let size = bytes.len().saturating_add(texts.len().saturating_mul(16));
            Ok((texts, size))
        };
        let (texts, size) = read().map_err(|e: Error| match self.origin(chunk) {
            Some(origin) => e.at(&origin, chunk.range.start),
            None => e,
        })?;
        let key = (var, chunk.index);
        Ok(self.texts.put(key, Arc::new(texts), size))
    }

    /// Reads the texts of chunks together, and keeps them. Errors come again when a chunk is needed.
    fn texts_together(&self, var: usize, chunks: &[u64]) -> Result<()> {
        let finder = self.chunks(var)?;
        let unknown = |chunk: &&u64| self.texts.get(&(var, **chunk)).is_none();
        let chunks = chunks.iter().filter(unknown);
        let mut wanted: Vec<_> = chunks.map(|&chunk| finder.candidate(chunk)).collect();
        // Once more for those that are longer than usual.
        for _ in 0..2 {
            let fetched = self.fetched(&wanted).unwrap_or_default();
            let mut longer = vec![];
            for (chunk, content) in wanted.into_iter().zip(fetched) {
                match content {
                    Content::Missing => {}
                    Content::Bytes(stored) => drop(self.decoded_texts(var, &chunk, stored)),
                    Content::Longer(bytes) => {
                        let range = 0..bytes;
                        longer.push(ChunkRef { range, ..chunk });
                    }
                }
            }
            wanted = longer;
        }
        Ok(())
    }

    /// The chunks that elements refer to, in the order of their first elements, if they are better read together.
    fn texts_ahead(&self, var: usize, bytes: &[u8]) -> Result<Vec<u64>> {
        let sharded = !self.data(var)?.array.described.shards.is_empty();
        if sharded || !self.store.latency() {
            return Ok(vec![]);
        }
        let (mut seen, mut order) = (BTreeSet::new(), vec![]);
        for element in bytes.as_chunks::<16>().0 {
            let chunk = strings::place(element).map(|(chunk, _)| chunk);
            order.extend(chunk.filter(|&chunk| seen.insert(chunk)));
        }
        Ok(order)
    }

    /// The texts of the chunk with this row-major number.
    fn texts_of(&self, var: usize, chunk: u64) -> Result<ChunkTexts> {
        if let Some(known) = self.texts.get(&(var, chunk)) {
            return Ok(known);
        }
        let start = self.data(var)?.array.layout.place(chunk);
        let count = vec![1; start.len()];
        let mut found = None;
        self.chunks(var)?
            .locate(&Block { start, count }, &mut |chunk| {
                found = Some(chunk);
                Ok(())
            })?;
        self.texts(var, &found.ok_or_else(gone)?)
    }

    /// The texts that elements refer to.
    fn resolve_texts(&self, var: usize, bytes: &[u8]) -> Result<Values> {
        let fill = strings::fill_text(&self.data(var)?.array);
        let ahead = self.texts_ahead(var, bytes)?;
        let (mut last, mut next) = (None, 0);
        let mut values = Vec::with_capacity(bytes.len() / 16);
        for element in bytes.as_chunks::<16>().0 {
            let Some((chunk, n)) = strings::place(element) else {
                values.push(Some(fill.as_slice().into()));
                continue;
            };
            let texts = match &last {
                Some((known, texts)) if *known == chunk => Arc::clone(texts),
                _ => {
                    if ahead.get(next) == Some(&chunk) {
                        let some = ahead.iter().skip(next).take(TOGETHER).copied();
                        let some: Vec<_> = some.collect();
                        next += some.len();
                        self.texts_together(var, &some)?;
                    }
                    self.texts_of(var, chunk)?
                }
            };
            values.push(texts.get(n).cloned());
            last = Some((chunk, texts));
        }
        Ok(Values::String(values))
    }

    /// Builds the filters for chunks of texts, if not done yet.
    fn prepare(&self, data: &ArrayData, env: &Env) -> Result<()> {
        let layout = &data.array.layout;
        let context = || strings::context(&self.schema, layout);
        let chain = || env.filters.chain(&layout.filters, &context());
        once(&data.chain, chain).map(|_| ())
    }
}

/// Puts the numbers of the elements that a chunk and a box have in common in their places in the box.
///
/// # Errors
/// Those of [`runs`].
fn number(layout: &Layout, chunk: u64, part: &Block, out: &mut [u8]) -> Result<()> {
    let (places, _) = out.as_chunks_mut::<16>();
    let region = Region {
        start: part.start.clone(),
        count: part.count.clone(),
        stride: vec![1; part.count.len()],
    };
    runs(&layout.block(chunk), &region, |run| {
        for n in 0..run.len {
            let to = usize::try_from(run.to + n).ok();
            let place = to.and_then(|to| places.get_mut(to));
            let place = place.ok_or_else(|| Error::internal("an element outside of its box"))?;
            *place = strings::element(chunk, run.from + n * run.step);
        }
        Ok(())
    })
}

impl Reader for ZarrReader {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn provenance(&self) -> Provenance {
        self.provenance.clone()
    }

    fn metadata(&self, _env: &Env) -> Result<Option<Place>> {
        Ok(Some(Place::Keys {
            consolidated: self.consolidated,
        }))
    }

    fn layout(&self, var: VarId) -> Result<Layout> {
        let array = &self.data(var.index())?.array;
        array.readable()?;
        let mut layout = array.layout.clone();
        if array.heap().is_some() {
            layout.filters.clear();
        }
        Ok(layout)
    }

    fn locate(
        &self,
        var: VarId,
        chunks: &Block,
        visit: &mut dyn FnMut(ChunkRef) -> Result<()>,
    ) -> Result<()> {
        let found = self.chunks(var.index())?;
        found.array.readable()?;
        found.locate(chunks, &mut |chunk| visit(self.cut(chunk)?))
    }

    fn candidates(
        &self,
        var: VarId,
        chunks: &Block,
        visit: &mut dyn FnMut(ChunkRef) -> Result<()>,
    ) -> Result<()> {
        let found = self.chunks(var.index())?;
        found.array.readable()?;
        found.candidates(chunks, &mut |chunk| visit(self.cut(chunk)?))
    }

    fn fetch(&self, chunks: &[ChunkRef]) -> Result<Vec<Vec<u8>>> {
        let found = self.fetched(chunks)?.into_iter().zip(chunks);
        let bytes = found.map(|(content, chunk)| match content {
            Content::Bytes(bytes) => Ok(bytes),
            Content::Missing => Err(self.lost(chunk)),
            Content::Longer(_) => Err(self.grown(chunk)),
        });
        bytes.collect()
    }

    fn fetch_stored(&self, chunks: &[ChunkRef]) -> Result<Vec<Content>> {
        let found = self.fetched(chunks)?;
        for (chunk, content) in chunks.iter().zip(&found) {
            if *content == Content::Missing
                && self.chunks(Self::var_of(chunk)?)?.is_known(chunk.index)
            {
                return Err(self.lost(chunk));
            }
        }
        Ok(found)
    }

    fn latency(&self) -> bool {
        self.store.latency()
    }

    fn object(&self, _object: u32) -> Option<&Arc<dyn Source>> {
        None
    }

    fn near(&self, a: &ChunkRef, b: &ChunkRef) -> Option<Near> {
        (self.latency() && self.share_key(a, b)).then_some(Near::FAR)
    }

    fn has_sources(&self) -> bool {
        false
    }

    fn changed(&self) -> Option<Arc<str>> {
        self.store.changed()
    }

    fn origin(&self, chunk: &ChunkRef) -> Option<Arc<str>> {
        let chunks = self.chunks(Self::var_of(chunk).ok()?).ok()?;
        Some(format!("{}/{}", self.store.name(), chunks.key(chunk.index)).into())
    }

    fn assembles(&self, var: VarId) -> bool {
        self.data(var.index())
            .is_ok_and(|d| d.array.heap().is_some())
    }

    fn read_box(&self, var: VarId, part: &Block, env: &Env) -> Result<Vec<u8>> {
        let data = self.data(var.index())?;
        let layout = &data.array.layout;
        if data.array.heap().is_none() {
            let what = "the elements of this variable are stored in chunks";
            return Err(Error::new(ErrorKind::Unsupported, what));
        }
        data.array.readable()?;
        self.prepare(data, env)?;
        let bytes = product(&part.count).and_then(|n| n.checked_mul(strings::SIZE));
        let bytes = bytes.ok_or_else(|| Error::new(ErrorKind::Limit, "a region of 2^64 bytes"))?;
        let mut out = zeros(env.limits.item(bytes, "a region")?, "a region")?;
        let missing = strings::missing();
        for element in out.as_chunks_mut::<16>().0 {
            element.copy_from_slice(&missing);
        }
        if product(&part.count) == Some(0) {
            return Ok(out);
        }
        let chunks = coarse(part, &layout.chunk);
        self.chunks(var.index())?.locate(&chunks, &mut |chunk| {
            env.cancel.check()?;
            number(layout, chunk.index, part, &mut out)
        })?;
        Ok(out)
    }

    fn resolve(&self, var: VarId, bytes: &[u8]) -> Result<Values> {
        let data = self.data(var.index())?;
        if data.array.heap().is_some() {
            return self.resolve_texts(var.index(), bytes);
        }
        let ty = self.schema.var(var).map(|v| v.ty).ok_or_else(no_variable)?;
        decode(&self.schema, &data.array.described.stored, ty, bytes)
    }
}
