//! The `Reader` of a dataset in editing.

use std::sync::Arc;

use super::elements::ReferencedValues;
use super::heap::REFERENCE;
use super::tiles::StagedTiles;
use super::{Staged, elements};
use crate::arithmetic::{exact, indices};
use crate::chunk::form::ElementForm;
use crate::chunk::layout::{ChunkRef, Layout};
use crate::chunk::scatter::{Block, put, runs, spread};
use crate::chunk::{Assembly, ChunkBytes, Locate, Provenance, Reader, Visit, Visited};
use crate::env::Env;
use crate::error::{Error, ErrorKind, OrInternal as _, Result};
use crate::io::Source;
use crate::io::store::KeyContent;
use crate::limits::zeros;
use crate::model::region::product;
use crate::model::{Region, Schema, StoredElement, Values, VarId};

impl Staged {
    /// Returns the original dataset if it has the variable and the variable has no staged data.
    fn untouched(&self, var: VarId) -> Option<(&dyn Reader, VarId)> {
        self.base_of(var).filter(|_| self.tiles_of(var).is_none())
    }

    /// Returns the staged data of a variable outside the original dataset.
    fn staged_tiles(&self, var: VarId) -> Result<std::borrow::Cow<'_, StagedTiles>> {
        Ok(match self.tiles_of(var) {
            Some(tiles) => std::borrow::Cow::Borrowed(tiles),
            None => std::borrow::Cow::Owned(self.blank(var)?),
        })
    }

    /// Returns the source of the values that tiles of a variable refer to.
    pub(super) fn referenced_values<'a>(
        &'a self,
        var: VarId,
        env: &'a Env,
    ) -> ReferencedValues<'a> {
        let original = self.base_of(var).zip(self.base_set(env));
        ReferencedValues {
            spool: self.spool.as_ref(),
            original: original.map(|((_, id), set)| (set, id)),
        }
    }

    /// Refers to the original elements of a block in `out`, for elements without a plain form.
    fn refer_to_original(&self, var: VarId, part: &Block, out: &mut [u8]) -> Result<()> {
        let Some((base, id)) = self.base_of(var) else {
            return Ok(());
        };
        let shape = base.schema().shape(id);
        runs(&Block::whole(&shape), &part.region(), |run| {
            let place = indices(exact(run.to) * REFERENCE, exact(run.len) * REFERENCE)?;
            let place = out.get_mut(place).or_internal("elements of a region")?;
            for (n, reference) in (0u64..).zip(place.as_chunks_mut().0) {
                let number = (exact(n) * run.step + run.from).get()?;
                *reference = elements::original_reference(number);
            }
            Ok(())
        })
    }

    /// Copies the original elements of a block over `out`, for elements with a plain form.
    pub(super) fn read_original(
        &self,
        var: VarId,
        part: &Block,
        out: &mut [u8],
        env: &Env,
    ) -> Result<()> {
        let (Some((base, id)), Some(set)) = (self.base_of(var), self.base_set(env)) else {
            return Ok(());
        };
        let layout = self.original_layout(var, (base, id))?;
        if layout.element.plain_type().is_none() {
            return Ok(());
        }
        let shape = base.schema().shape(id);
        let lines = part.start.iter().zip(&part.count).zip(&shape);
        let count: Vec<u64> = lines
            .map(|((start, count), len)| len.saturating_sub(*start).min(*count))
            .collect();
        if count.contains(&0) {
            return Ok(());
        }
        let region = Region::boxed(part.start.clone(), count);
        let bytes = set.read_stored(id, &layout, &region)?;
        let short = || Error::new(ErrorKind::Corrupt, "fewer elements than the region has");
        runs(&Block::of(&region), &part.region(), |run| {
            put(run, layout.element.size, &bytes, out).ok_or_else(short)
        })
    }
}

impl Reader for Staged {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn provenance(&self) -> Provenance {
        match &self.base {
            Some(base) => base.original.reader().provenance(),
            None => Provenance::default(),
        }
    }

    fn layout(&self, var: VarId) -> Result<Layout> {
        match self.untouched(var) {
            Some(base) => self.original_layout(var, base),
            None => Ok(self.staged_tiles(var)?.layout(&self.schema.shape(var))),
        }
    }

    fn locate(&self, var: VarId, chunks: &Block, _: Locate, visit: Visit<'_>) -> Visited {
        match self.untouched(var) {
            Some((base, id)) => base.locate(id, chunks, Locate::Stored, &mut |chunk| {
                visit(ChunkRef {
                    variable: var,
                    ..chunk
                })
            }),
            None => match self.tiles_of(var) {
                Some(tiles) => tiles.locate((var, &self.schema.shape(var)), chunks, visit),
                None => Ok(()),
            },
        }
    }

    fn has_index(&self, var: VarId) -> bool {
        let base = self.untouched(var);
        base.is_some_and(|(base, id)| base.has_index(id))
    }

    fn bytes(&self) -> &dyn ChunkBytes {
        self
    }

    fn assembly(&self, var: VarId) -> Option<&dyn Assembly> {
        let made = match self.tiles_of(var) {
            Some(tiles) => tiles.over,
            None => self
                .base_of(var)
                .is_some_and(|(base, id)| base.assembles(id)),
        };
        made.then_some(self)
    }

    fn resolve(&self, var: VarId, bytes: &[u8], env: &Env) -> Result<Values> {
        match self.untouched(var).zip(self.base_set(env)) {
            Some(((_, id), base)) => base.resolve(id, bytes),
            None => {
                let from = self.referenced_values(var, env);
                elements::resolve(&self.schema, var, bytes, from)
            }
        }
    }

    fn form(&self, var: VarId) -> Result<Option<ElementForm>> {
        match self.untouched(var) {
            Some((base, id)) => base.form(id),
            None => Ok(None),
        }
    }
}

impl Staged {
    /// Converts a chunk to the reference that the original uses; `None` for a tile.
    fn original_chunk(&self, chunk: &ChunkRef) -> Option<ChunkRef> {
        let (_, variable) = self.untouched(chunk.variable)?;
        Some(ChunkRef {
            variable,
            ..chunk.clone()
        })
    }

    /// Returns access to the chunk bytes of the original.
    fn original_bytes(&self) -> Option<&dyn ChunkBytes> {
        Some(self.base.as_ref()?.original.reader().bytes())
    }
}

impl ChunkBytes for Staged {
    fn fetch(&self, chunks: &[ChunkRef]) -> Result<Vec<KeyContent>> {
        let back: Option<Vec<_>> = chunks
            .iter()
            .map(|chunk| self.original_chunk(chunk))
            .collect();
        if let Some((back, base)) = back.zip(self.original_bytes()) {
            return base.fetch(&back);
        }
        let spool = self.spool.as_ref().ok_or_else(|| {
            let what = "chunks of a missing dataset";
            Error::new(ErrorKind::NotFound, what)
        })?;
        let ranges: Vec<_> = chunks.iter().map(|c| c.range.clone()).collect();
        let read = spool.source().read_ranges(&ranges)?;
        Ok(read.into_iter().map(KeyContent::Bytes).collect())
    }

    fn source(&self, chunk: &ChunkRef) -> Option<Arc<dyn Source>> {
        match self.original_chunk(chunk) {
            Some(back) => self.original_bytes()?.source(&back),
            None => self.spool.as_ref().map(|spool| Arc::clone(spool.source())),
        }
    }

    fn has_sources(&self) -> bool {
        self.original_bytes().is_some_and(ChunkBytes::has_sources)
    }

    fn latency(&self) -> bool {
        self.original_bytes().is_some_and(ChunkBytes::latency)
    }

    fn changed(&self) -> Option<Arc<str>> {
        self.original_bytes()?.changed()
    }
}

impl Assembly for Staged {
    fn read_box(&self, var: VarId, part: &Block, env: &Env) -> Result<Vec<u8>> {
        if let Some((base, id)) = self.untouched(var)
            && let Some(base) = base.assembly(id)
        {
            return base.read_box(id, part, env);
        }
        let tiles = self.staged_tiles(var)?;
        let StoredElement { size, .. } = tiles.element;
        let bytes = product(&part.count).and_then(|n| n.checked_mul(size));
        let bytes = bytes.unwrap_or(u64::MAX);
        let mut out = zeros(env.limits.item(bytes, "a region")?, "a region")?;
        spread(&tiles.fill, &mut out);
        if tiles.element.plain_type().is_none() {
            self.refer_to_original(var, part, &mut out)?;
        } else {
            self.read_original(var, part, &mut out, env)?;
        }
        if let Some(spool) = &self.spool {
            tiles.copy_tiles(part, spool, &mut out)?;
        }
        Ok(out)
    }
}
