//! An open store: the schema, and the data locations.

use std::sync::Arc;

use super::array_keys::{ArrayKeys, Listing};
use super::chunks::ChunkFinder;
use super::grid::coarse;
use super::meta::MetadataReader;
use super::schema::{Array, StoreBuilder};
use super::shard_reader::ShardCache;
use super::values::decode;
use super::variable::no_variable;
use crate::chunk::layout::{ChunkRef, Layout};
use crate::chunk::scatter::{Block, runs};
use crate::chunk::texts::{self, Texts};
use crate::chunk::visit::ended;
use crate::chunk::{
    Assembly, ChunkBytes, Locate, MetadataExtent as Place, Provenance, Reader, Visit, Visited,
};
use crate::env::Env;
use crate::error::{Error, ErrorKind, Result};
use crate::io::merge::CoalesceLimits;
use crate::io::reference::{Reference, SourceState};
use crate::io::store::KeyContent;
use crate::io::{Source, Store};
use crate::limits::zeros;
use crate::model::region::product;
use crate::model::{Region, Schema, Values, VarId, ZarrVersion};
use crate::notes::Notes;

/// `NC_NETCDF4`.
const MODE_NETCDF4: u32 = 0x1000;

/// An open store.
#[derive(Debug)]
pub struct ZarrReader {
    pub(super) store: Arc<dyn Store>,
    /// The store with all later changes. `store` may be its state before an unfinished change.
    pub(super) origin: Arc<dyn Store>,
    pub(super) version: ZarrVersion,
    schema: Schema,
    provenance: Provenance,
    /// Whether consolidated metadata was used; `None` if the store has none.
    consolidated: Option<bool>,
    /// Parallel to `schema.vars`.
    vars: Vec<ArrayData>,
    shards: ShardCache,
    pub(super) notes: Arc<Notes>,
}

/// The data of a variable.
pub(super) struct ArrayData {
    pub(super) array: Array,
    listing: Listing,
}

impl std::fmt::Debug for ArrayData {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.array.fmt(f)
    }
}

impl ZarrReader {
    /// Reads all metadata.
    ///
    /// # Errors
    /// Returns damage that is not tolerated, with the store and key, or store errors.
    pub fn open(store: Arc<dyn Store>, version: ZarrVersion, env: &Env) -> Result<Self> {
        let mut builder = StoreBuilder::new(MetadataReader::open(&store, version, env)?, version)?;
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
        };
        let vars = std::mem::take(&mut builder.arrays)
            .into_iter()
            .map(data)
            .collect();
        let consolidated = (!builder.objects).then_some(!builder.meta.has_objects());
        let schema = builder.schema;
        Ok(Self {
            origin: Arc::clone(&store),
            store,
            version,
            schema,
            provenance,
            consolidated,
            vars,
            shards: ShardCache::default(),
            notes: Arc::clone(&env.notes),
        })
    }

    pub(super) fn data(&self, var: VarId) -> Result<&ArrayData> {
        self.vars.get(var.index()).ok_or_else(no_variable)
    }

    /// Returns the reader with another receiver of notes.
    pub(super) fn with_notes(mut self, notes: &Arc<Notes>) -> Self {
        self.notes = Arc::clone(notes);
        self
    }

    /// Returns the reader of a state of `origin`.
    pub(super) fn with_origin(mut self, origin: &Arc<dyn Store>) -> Self {
        self.origin = Arc::clone(origin);
        self
    }

    /// Returns the cached list of keys of a variable.
    pub(super) fn listing_mut(&mut self, var: VarId) -> Option<&mut Listing> {
        self.vars.get_mut(var.index()).map(|data| &mut data.listing)
    }

    /// Returns the variable path.
    pub(super) fn path(&self, var: VarId) -> String {
        self.schema.var_path(var)
    }

    pub(super) fn chunks(&self, var: VarId) -> Result<ChunkFinder<'_>> {
        let data = self.data(var)?;
        let keys = ArrayKeys {
            store: &self.store,
            var,
            array: &data.array,
            listing: &data.listing,
        };
        let read = &self.shards;
        Ok(ChunkFinder { keys, read })
    }
}

/// Writes the element numbers in the intersection of a chunk and a block to the positions in the block.
///
/// # Errors
/// Returns the errors of [`runs`].
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
            let place = place.ok_or_else(|| Error::internal("an element outside the block"))?;
            *place = texts::element(chunk, run.from + n * run.step);
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
        let array = &self.data(var)?.array;
        array.readable()?;
        Ok(array.layout.clone())
    }

    fn locate(&self, var: VarId, chunks: &Block, which: Locate, visit: Visit<'_>) -> Visited {
        let found = self.chunks(var)?;
        found.keys.array.readable()?;
        let mut cut = |chunk| visit(self.cut(chunk)?);
        match which {
            Locate::Candidates => found.candidates(chunks, &mut cut),
            Locate::Stored | Locate::Again => found.locate(chunks, &mut cut),
        }
    }

    fn bytes(&self) -> &dyn ChunkBytes {
        self
    }

    fn assembly(&self, var: VarId) -> Option<&dyn Assembly> {
        self.texts(var).map(|_| self as &dyn Assembly)
    }

    fn texts(&self, var: VarId) -> Option<&Texts> {
        self.data(var).ok()?.array.texts.as_ref()
    }

    fn resolve(&self, var: VarId, bytes: &[u8], _env: &Env) -> Result<Values> {
        let data = self.data(var)?;
        let ty = self.schema.var(var).map(|v| v.ty).ok_or_else(no_variable)?;
        decode(&self.schema, &data.array.described.stored, ty, bytes)
    }
}

impl ChunkBytes for ZarrReader {
    fn fetch(&self, chunks: &[ChunkRef]) -> Result<Vec<KeyContent>> {
        let found = self.fetch_stored_bytes(chunks)?;
        for (chunk, content) in chunks.iter().zip(&found) {
            let missing = *content == KeyContent::Missing;
            if missing && self.chunks(chunk.variable)?.keys.is_known(chunk.index) {
                return Err(self.disappeared(chunk));
            }
        }
        Ok(found)
    }

    fn source(&self, _: &ChunkRef) -> Option<Arc<dyn Source>> {
        None
    }

    fn reference(&self, chunk: &ChunkRef) -> Result<Option<Reference>> {
        self.chunk_reference(chunk)
    }

    fn source_state(&self, _: &ChunkRef, url: &str) -> Option<SourceState> {
        self.store.source_state(url)
    }

    fn has_sources(&self) -> bool {
        false
    }

    fn latency(&self) -> bool {
        self.store.latency()
    }

    fn is_spread(&self) -> bool {
        self.store.is_spread()
    }

    fn coalesce_limits(&self, a: &ChunkRef, b: &ChunkRef) -> Option<CoalesceLimits> {
        (self.store.latency() && self.share_key(a, b)).then_some(CoalesceLimits::FAR)
    }

    fn name(&self, chunk: &ChunkRef) -> Option<Arc<str>> {
        let chunks = self.chunks(chunk.variable).ok()?;
        Some(format!("{}/{}", self.store.name(), chunks.keys.key(chunk.index)).into())
    }

    fn changed(&self) -> Option<Arc<str>> {
        self.later_change()
    }
}

/// The elements of text variables, as references to the texts.
impl Assembly for ZarrReader {
    fn read_box(&self, var: VarId, part: &Block, env: &Env) -> Result<Vec<u8>> {
        let data = self.data(var)?;
        let layout = &data.array.layout;
        let Some(texts) = &data.array.texts else {
            let what = "the elements of this variable are stored in chunks";
            return Err(Error::new(ErrorKind::Unsupported, what));
        };
        data.array.readable()?;
        env.filters.check(&texts.filters, 0)?;
        let bytes = product(&part.count).and_then(|n| n.checked_mul(texts::SIZE));
        let bytes = bytes.ok_or_else(|| Error::new(ErrorKind::Limit, "a region of 2^64 bytes"))?;
        let mut out = zeros(env.limits.item(bytes, "a region")?, "a region")?;
        let missing = texts::missing();
        for element in out.as_chunks_mut::<16>().0 {
            element.copy_from_slice(&missing);
        }
        if product(&part.count) == Some(0) {
            return Ok(out);
        }
        let chunks = coarse(part, &layout.chunk);
        let located = self.chunks(var)?.locate(&chunks, &mut |chunk| {
            env.cancel.check()?;
            Ok(number(layout, chunk.index, part, &mut out)?)
        });
        ended(located)?;
        Ok(out)
    }
}
