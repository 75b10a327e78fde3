//! An open store: its schema, and the location of its data.

use std::sync::{Arc, OnceLock};

use super::chunks::{ChunkFinder, Listing, ShardId, gone};
use super::grid::coarse;
use super::meta::Metadata;
use super::schema::{Array, StoreBuilder};
use super::shard::ShardIndex;
use super::strings;
use super::values::decode;
use super::variable::no_variable;
use crate::arithmetic::length;
use crate::chunk::layout::{ChunkRef, Layout};
use crate::chunk::scatter::{Block, runs};
use crate::chunk::{Provenance, Reader};
use crate::env::Env;
use crate::error::{Context as _, Error, ErrorKind, OrInternal as _, Result};
use crate::filter::Chain;
use crate::format::recent::{Most, Recent, once};
use crate::io::store::{Content, KeyParts, KeyRanges};
use crate::io::{Source, Store};
use crate::limits::zeros;
use crate::model::region::product;
use crate::model::{Region, Schema, Values, VarId, ZarrVersion};

/// `NC_NETCDF4`.
const MODE_NETCDF4: u32 = 0x1000;
/// Bytes that a stored chunk may have beyond twice the size of its elements.
const SPARE: u64 = 1 << 20;
/// Bytes that small chunks with codecs may have beyond their elements.
const LITTLE: u64 = 1 << 10;
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
    store: Arc<dyn Store>,
    schema: Schema,
    provenance: Provenance,
    /// Parallel to `schema.vars`.
    vars: Vec<ArrayData>,
    indexes: Recent<ShardId, Arc<ShardIndex>>,
    texts: Recent<(usize, u64), ChunkTexts>,
    decoded: Recent<(usize, u64), Arc<Vec<u8>>>,
}

/// The data of a variable.
struct ArrayData {
    array: Array,
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
        let schema = builder.schema;
        Ok(Self {
            store: Arc::clone(&store),
            schema,
            provenance,
            vars,
            indexes: kept(INDEXES),
            texts: kept(TEXTS),
            decoded: kept(DECODED),
        })
    }

    fn data(&self, var: usize) -> Result<&ArrayData> {
        self.vars.get(var).ok_or_else(no_variable)
    }

    fn chunks(&self, var: usize) -> Result<ChunkFinder<'_>> {
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
    fn var_of(chunk: &ChunkRef) -> Result<usize> {
        let var = chunk.object.checked_sub(1).ok_or_else(no_variable)?;
        usize::try_from(var).map_err(|_| no_variable())
    }

    /// The texts of a chunk.
    fn texts(&self, var: usize, chunk: &ChunkRef) -> Result<ChunkTexts> {
        let key = (var, chunk.index);
        if let Some(known) = self.texts.get(&key) {
            return Ok(known);
        }
        let data = self.data(var)?;
        let stored = self
            .fetch(std::slice::from_ref(chunk))?
            .pop()
            .ok_or_else(gone)?;
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
        Ok(self.texts.put(key, Arc::new(texts), size))
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
        let mut last = None;
        let mut values = Vec::with_capacity(bytes.len() / 16);
        for element in bytes.as_chunks::<16>().0 {
            let Some((chunk, n)) = strings::place(element) else {
                values.push(Some(fill.as_slice().into()));
                continue;
            };
            let texts = match &last {
                Some((known, texts)) if *known == chunk => Arc::clone(texts),
                _ => self.texts_of(var, chunk)?,
            };
            values.push(texts.get(n).cloned());
            last = Some((chunk, texts));
        }
        Ok(Values::String(values))
    }

    /// Checks that a chunk of `have` bytes is not far larger than its elements: no codec produces such chunks.
    fn check_size(&self, chunk: &ChunkRef, have: u64) -> Result<()> {
        let array = &self.data(Self::var_of(chunk)?)?.array;
        let whole = array.layout.chunk_bytes().map_or(u64::MAX, |n| n as u64);
        if array.heap().is_some() || have <= whole.saturating_mul(2).saturating_add(SPARE) {
            return Ok(());
        }
        let what = format!("a chunk of {have} bytes, but its elements have {whole}");
        Err(Error::new(ErrorKind::Limit, what).of(self.store.name()))
    }

    /// Checks that a chunk without codecs has no more than its elements in `have` bytes. Too few bytes are noticed when the elements are
    /// read.
    fn check_raw(&self, chunk: &ChunkRef, have: u64) -> Result<()> {
        let array = &self.data(Self::var_of(chunk)?)?.array;
        let whole = array.layout.chunk_bytes().map_or(u64::MAX, |n| n as u64);
        if array.heap().is_some() || !array.layout.filters.is_empty() || have <= whole {
            return Ok(());
        }
        let what = format!("a chunk of {have} bytes, but its elements have {whole}");
        let origin = self.origin(chunk);
        let name = origin.as_ref().unwrap_or_else(|| self.store.name());
        Err(Error::new(ErrorKind::Corrupt, what).of(name))
    }

    /// The key of a chunk.
    fn key(&self, chunk: &ChunkRef) -> Result<String> {
        let chunks = self.chunks(Self::var_of(chunk)?)?;
        Ok(chunks.key(chunk.index))
    }

    /// True if a chunk is all there is under its key, and all of it is wanted.
    fn is_key(&self, chunk: &ChunkRef) -> bool {
        let data = Self::var_of(chunk).and_then(|var| self.data(var));
        data.is_ok_and(|ArrayData { array, .. }| {
            let whole = array.layout.chunk_bytes().map(|n| n as u64);
            let all = !array.layout.filters.is_empty() || whole == Some(chunk.range.end);
            array.described.shards.is_empty() && chunk.range.start == 0 && all
        })
    }

    /// The bytes of chunks that are keys, asked for together; once more for those that are longer than expected.
    fn fetch_keys(&self, chunks: &[&ChunkRef]) -> Result<Vec<Option<Vec<u8>>>> {
        let keys = chunks.iter().map(|chunk| self.key(chunk));
        let keys: Vec<String> = keys.collect::<Result<_>>()?;
        let most = chunks.iter().map(|chunk| most(length(&chunk.range)));
        let got = self.get_many(&keys, most.fold(0, u64::saturating_add))?;
        let (mut longer, mut bytes) = (vec![], 0u64);
        for ((chunk, key), content) in chunks.iter().zip(&keys).zip(&got) {
            let size = match content {
                Content::Missing => continue,
                Content::Bytes(bytes) => bytes.len() as u64,
                Content::Longer(size) => {
                    longer.push(key.clone());
                    bytes = bytes.saturating_add(*size);
                    *size
                }
            };
            self.check_raw(chunk, size)?;
            self.check_size(chunk, size).in_object(|| key.clone())?;
        }
        let mut again = self.get_many(&longer, bytes)?.into_iter();
        let bytes = got.into_iter().zip(&keys).map(|(content, key)| {
            let content = match content {
                Content::Longer(_) => again.next().or_internal("an answer for a key")?,
                Content::Missing | Content::Bytes(_) => content,
            };
            match content {
                Content::Missing => Ok(None),
                Content::Bytes(bytes) => Ok(Some(bytes)),
                Content::Longer(_) => {
                    let what = "the chunk became longer while it was read";
                    let e = Error::new(ErrorKind::Corrupt, what).in_object(key);
                    Err(e.of(self.store.name()))
                }
            }
        });
        bytes.collect()
    }

    /// The contents of keys, none of which may be an error.
    fn get_many(&self, keys: &[String], most: u64) -> Result<Vec<Content>> {
        if keys.is_empty() {
            return Ok(vec![]);
        }
        let got = self.store.get_many(keys, most).into_iter().zip(keys);
        got.map(|(content, key)| content.in_object(|| key.clone()))
            .collect()
    }

    /// Parts of chunks that are in the same key, if the store has them.
    fn parts_of(&self, chunks: &[ChunkRef]) -> Result<(KeyRanges, Option<KeyParts>)> {
        let first = chunks.first().or_internal("a chunk to fetch")?;
        let key = self.key(first)?;
        let mut sizes = chunks.iter();
        let sizes = sizes.try_for_each(|chunk| self.check_size(chunk, length(&chunk.range)));
        sizes.in_object(|| key.clone())?;
        let ranges: Vec<_> = chunks.iter().map(|c| c.range.clone()).collect();
        let finder = self.chunks(Self::var_of(first)?)?;
        let known = finder.parts(first.index, &ranges);
        let known = known.in_object(|| key.clone())?.map(Some);
        Ok((KeyRanges { key, ranges }, known))
    }

    /// The stored bytes of chunks; `None` for those that are not there. A store with latency is asked for all keys together, and for all
    /// parts of keys.
    fn fetched(&self, chunks: &[ChunkRef]) -> Result<Vec<Option<Vec<u8>>>> {
        let latency = self.store.latency();
        let alone = |chunk: &ChunkRef| latency && self.is_key(chunk);
        let whole: Vec<_> = chunks.iter().filter(|chunk| alone(chunk)).collect();
        let mut whole = self.fetch_keys(&whole)?.into_iter();
        let mut batches = vec![];
        for batch in chunks.chunk_by(|a, b| !alone(a) && !alone(b) && self.share_key(a, b)) {
            batches.push((batch, batch.first().is_some_and(alone)));
        }
        let parts = batches.iter().filter(|(_, alone)| !alone);
        let parts: Vec<&[ChunkRef]> = parts.map(|(batch, _)| *batch).collect();
        let mut parts = self.fetch_parts(&parts)?.into_iter();
        let mut out = Vec::with_capacity(chunks.len());
        for (batch, alone) in batches {
            match alone {
                true => out.push(whole.next().or_internal("a key that was fetched")?),
                false => match parts.next().or_internal("parts that were fetched")? {
                    Some(read) => out.extend(read.into_iter().map(Some)),
                    None => out.extend(batch.iter().map(|_| None)),
                },
            }
        }
        Ok(out)
    }

    /// The parts of each batch of chunks, which are in the same key.
    fn fetch_parts(&self, batches: &[&[ChunkRef]]) -> Result<Vec<KeyParts>> {
        let found = batches.iter().map(|batch| self.parts_of(batch));
        let found: Vec<_> = found.collect::<Result<_>>()?;
        let unknown = found.iter().filter(|(_, known)| known.is_none());
        let unknown: Vec<_> = unknown.map(|(of, _)| of.clone()).collect();
        let read = match unknown.as_slice() {
            [] => vec![],
            unknown => self.store.get_parts(unknown),
        };
        let mut read = read.into_iter();
        let parts = found.into_iter().map(|(of, known)| match known {
            Some(known) => Ok(known),
            None => {
                let read = read.next().or_internal("an answer for a key").flatten();
                read.in_object(|| of.key)
            }
        });
        parts.collect()
    }

    /// True if chunks are in the same key.
    fn share_key(&self, a: &ChunkRef, b: &ChunkRef) -> bool {
        let data = Self::var_of(a).and_then(|var| self.data(var));
        let shards = data.is_ok_and(|data| !data.array.described.shards.is_empty());
        let key = |chunk| self.key(chunk).ok();
        a.object == b.object && (a.index == b.index || shards && key(a) == key(b))
    }

    /// The error for a chunk that has disappeared.
    fn lost(&self, chunk: &ChunkRef) -> Error {
        match self.key(chunk) {
            Ok(key) => gone().in_object(&key).of(self.store.name()),
            Err(e) => e,
        }
    }

    /// Builds the filters for chunks of texts, if not done yet.
    fn prepare(&self, data: &ArrayData, env: &Env) -> Result<()> {
        let layout = &data.array.layout;
        let context = || strings::context(&self.schema, layout);
        let chain = || env.filters.chain(&layout.filters, &context());
        once(&data.chain, chain).map(|_| ())
    }
}

/// Most bytes of a stored chunk that is expected to have this many: codecs make chunks a little larger if they do not make them smaller.
fn most(bytes: u64) -> u64 {
    bytes.saturating_add(bytes / 64).saturating_add(LITTLE)
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
        found.locate(chunks, &mut |chunk| {
            self.check_raw(&chunk, length(&chunk.range))?;
            visit(chunk)
        })
    }

    fn candidates(
        &self,
        var: VarId,
        chunks: &Block,
        visit: &mut dyn FnMut(ChunkRef) -> Result<()>,
    ) -> Result<()> {
        let found = self.chunks(var.index())?;
        found.array.readable()?;
        found.candidates(chunks, &mut |chunk| {
            self.check_raw(&chunk, length(&chunk.range))?;
            visit(chunk)
        })
    }

    fn fetch(&self, chunks: &[ChunkRef]) -> Result<Vec<Vec<u8>>> {
        let found = self.fetched(chunks)?.into_iter().zip(chunks);
        let bytes = found.map(|(bytes, chunk)| match bytes {
            Some(bytes) => Ok(bytes),
            None => Err(self.lost(chunk)),
        });
        bytes.collect()
    }

    fn fetch_stored(&self, chunks: &[ChunkRef]) -> Result<Vec<Option<Vec<u8>>>> {
        let found = self.fetched(chunks)?;
        for (chunk, bytes) in chunks.iter().zip(&found) {
            if bytes.is_none() && !self.chunks(Self::var_of(chunk)?)?.is_unsure() {
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
