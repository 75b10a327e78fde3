//! A part of a dataset as a dataset, with its own schema and selected indices of dimensions.

mod selection;
mod variable;

pub use selection::{DimSelection, IndexRun};

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use self::selection::RunPart;
use self::variable::ViewVariable;
use super::layout::{ChunkRef, Layout};
use super::scatter::{Block, advance, put, runs};
use super::visit::{Locate, Visit, Visited};
use super::{
    Assembly, ChunkBytes, Dataset, ElementForm, MetadataExtent, NamedFiles, Provenance, ReadCache,
    Reader,
};
use crate::arithmetic::Amount;
use crate::env::Env;
use crate::error::{Error, ErrorKind, OrInternal as _, Result};
use crate::io::Source;
use crate::io::merge::CoalesceLimits;
use crate::io::reference::{Reference, SourceState};
use crate::io::store::KeyContent;
use crate::limits::zeros;
use crate::model::region::product;
use crate::model::{DimId, Region, Schema, StorageLayout, Values, VarId};

/// A dataset with the variables of a base dataset, but only selected indices of its dimensions. A chunk stays a chunk if all its elements
/// are selected.
pub struct SubsetReader<'a> {
    base: &'a dyn Reader,
    /// The cache of the base.
    cache: &'a ReadCache,
    schema: Schema,
    /// The selected indices of dimensions that are not selected as a whole.
    selected: BTreeMap<DimId, DimSelection>,
    variables: Mutex<BTreeMap<VarId, Arc<ViewVariable>>>,
}

impl<'a> SubsetReader<'a> {
    /// Creates the view of `base` with these indices of dimensions. `cache` is the cache of `base`. `schema` has the variables and
    /// dimensions of the base under the same ids; their lengths become the lengths of the view.
    #[must_use]
    pub fn new(
        (base, cache): (&'a dyn Reader, &'a ReadCache),
        mut schema: Schema,
        selected: BTreeMap<DimId, DimSelection>,
    ) -> Self {
        for (id, dim) in (0..).map(DimId).zip(&mut schema.dims) {
            dim.len = selected.get(&id).map_or(dim.len, DimSelection::len);
        }
        Self {
            base,
            cache,
            schema,
            selected,
            variables: Mutex::default(),
        }
    }

    /// Returns the view with different names and attributes: `schema` has the variables and dimensions of the view under the same ids.
    #[must_use]
    pub fn with_schema(mut self, schema: Schema) -> Self {
        self.schema = schema;
        self
    }

    /// Returns the view with chunks that are not longer than its fixed dimensions, as netCDF requires.
    #[must_use]
    pub fn with_fitting_chunks(mut self) -> Self {
        let dims = &self.schema.dims;
        for var in &mut self.schema.vars {
            let Some(StorageLayout::Chunked(lengths)) = &mut var.storage.layout else {
                continue;
            };
            for (length, dim) in lengths.iter_mut().zip(&var.dims) {
                if let Some(dim) = dims.get(dim.index()).filter(|dim| !dim.unlimited) {
                    *length = (*length).clamp(1, dim.len.max(1));
                }
            }
        }
        self
    }

    /// Returns the base with its cache.
    fn set<'s>(&'s self, env: &'s Env) -> Dataset<'s> {
        Dataset::new(self.base, env).with(self.cache)
    }

    /// Returns the selection of each dimension of a variable.
    fn selections(&self, var: VarId) -> Result<Vec<Option<&DimSelection>>> {
        let var = self.base.schema().var(var);
        let dims = &var.or_internal("a variable of the base")?.dims;
        Ok(dims.iter().map(|dim| self.selected.get(dim)).collect())
    }

    /// Returns the variable's layouts in the base and in the view.
    fn variable(&self, var: VarId) -> Result<Arc<ViewVariable>> {
        let known = || {
            self.variables
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        if let Some(variable) = known().get(&var) {
            return Ok(Arc::clone(variable));
        }
        let how = (&*self.selections(var)?, self.schema.shape(var));
        let variable = Arc::new(ViewVariable::new(self.base, var, how)?);
        known().insert(var, Arc::clone(&variable));
        Ok(variable)
    }

    /// Converts a chunk of the view to a chunk of the base.
    fn back(&self, chunk: &ChunkRef) -> Result<ChunkRef> {
        let index = self.variable(chunk.variable)?.back(chunk.index)?;
        Ok(ChunkRef {
            index,
            ..chunk.clone()
        })
    }

    /// Returns the elements of a box of a variable, piece by piece.
    fn elements(&self, var: VarId, part: &Block, env: &Env) -> Result<Vec<u8>> {
        let set = self.set(env);
        let layout = set.layout(var)?;
        let selected = self.selections(var)?;
        let dims = selected.iter().zip(part.start.iter().zip(&part.count));
        let pieces: Vec<Vec<RunPart>> = dims
            .map(|(selected, (&start, &count))| match selected {
                Some(selected) => selected.pieces(start, count),
                None => vec![whole(start, count)],
            })
            .collect();
        let bytes = product(&part.count).and_then(|n| n.checked_mul(layout.element.size));
        let bytes = bytes.ok_or_else(|| Error::new(ErrorKind::Limit, "a region of 2^64 bytes"))?;
        let mut out = zeros(env.limits.item(bytes, "a region")?, "a region")?;
        let counts: Vec<u64> = pieces.iter().map(|all| all.len() as u64).collect();
        let mut at = vec![0; pieces.len()];
        loop {
            let one = |(&n, all): (&u64, &Vec<RunPart>)| all.get(usize::try_from(n).ok()?).copied();
            let chosen: Option<Vec<RunPart>> = at.iter().zip(&pieces).map(one).collect();
            let Some(chosen) = chosen else {
                return Ok(out);
            };
            let region = region(&chosen);
            let read = set.read_stored(var, &layout, &region)?;
            if read.len() == out.len() {
                return Ok(read);
            }
            let block = Block {
                start: chosen.iter().map(|piece| piece.at).collect(),
                count: region.count,
            };
            runs(&block, &Region::whole(&part.count), |run| {
                put(run, layout.element.size, &read, &mut out).or_internal("elements of a piece")
            })?;
            if !advance(&mut at, &counts) {
                return Ok(out);
            }
        }
    }
}

impl Reader for SubsetReader<'_> {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn provenance(&self) -> Provenance {
        self.base.provenance()
    }

    fn metadata(&self, env: &Env) -> Result<Option<MetadataExtent>> {
        self.base.metadata(env)
    }

    fn named_files(&self, var: VarId) -> Option<&dyn NamedFiles> {
        self.base.named_files(var)
    }

    fn borders(&self, var: VarId) -> Vec<u64> {
        let selections = self.selections(var).unwrap_or_default();
        match selections.first() {
            Some(None) => self.base.borders(var),
            // A selection moves the borders.
            Some(Some(_)) | None => vec![],
        }
    }

    fn layout(&self, var: VarId) -> Result<Layout> {
        Ok(self.variable(var)?.layout.clone())
    }

    fn locate(&self, var: VarId, chunks: &Block, which: Locate, visit: Visit<'_>) -> Visited {
        let variable = self.variable(var)?;
        let within = variable.within(chunks)?;
        self.base.locate(var, &within, which, &mut |chunk| {
            let index = variable.out(chunk.index)?;
            visit(ChunkRef { index, ..chunk })
        })
    }

    fn has_index(&self, var: VarId) -> bool {
        self.base.has_index(var)
    }

    fn bytes(&self) -> &dyn ChunkBytes {
        self
    }

    fn assembly(&self, var: VarId) -> Option<&dyn Assembly> {
        let by_elements = || {
            self.variable(var)
                .is_ok_and(|variable| variable.first.is_none())
        };
        (self.base.assembles(var) || by_elements()).then_some(self)
    }

    fn resolve(&self, var: VarId, bytes: &[u8], env: &Env) -> Result<Values> {
        self.set(env).resolve(var, bytes)
    }

    fn form(&self, var: VarId) -> Result<Option<ElementForm>> {
        self.base.form(var)
    }
}

impl ChunkBytes for SubsetReader<'_> {
    fn fetch(&self, chunks: &[ChunkRef]) -> Result<Vec<KeyContent>> {
        let chunks = chunks.iter().map(|chunk| self.back(chunk));
        self.base
            .bytes()
            .fetch(&chunks.collect::<Result<Vec<_>>>()?)
    }

    fn source(&self, chunk: &ChunkRef) -> Option<Arc<dyn Source>> {
        self.base.bytes().source(&self.back(chunk).ok()?)
    }

    fn reference(&self, chunk: &ChunkRef) -> Result<Option<Reference>> {
        self.base.bytes().reference(&self.back(chunk)?)
    }

    fn source_state(&self, chunk: &ChunkRef, url: &str) -> Option<SourceState> {
        let chunk = self.back(chunk).ok()?;
        self.base.bytes().source_state(&chunk, url)
    }

    fn has_sources(&self) -> bool {
        self.base.bytes().has_sources()
    }

    fn latency(&self) -> bool {
        self.base.bytes().latency()
    }

    fn coalesce_limits(&self, a: &ChunkRef, b: &ChunkRef) -> Option<CoalesceLimits> {
        let (a, b) = (self.back(a).ok()?, self.back(b).ok()?);
        self.base.bytes().coalesce_limits(&a, &b)
    }

    fn name(&self, chunk: &ChunkRef) -> Option<Arc<str>> {
        self.base.bytes().name(&self.back(chunk).ok()?)
    }

    fn changed(&self) -> Option<Arc<str>> {
        self.base.bytes().changed()
    }

    fn is_spread(&self) -> bool {
        self.base.bytes().is_spread()
    }
}

impl Assembly for SubsetReader<'_> {
    fn read_box(&self, var: VarId, part: &Block, env: &Env) -> Result<Vec<u8>> {
        match (self.variable(var)?.whole, self.base.assembly(var)) {
            (true, Some(base)) => base.read_box(var, part, env),
            (_, _) => self.elements(var, part, env),
        }
    }

    fn memory(&self, var: VarId) -> u64 {
        let base = self.base.assembly(var).map(|base| base.memory(var));
        let base = base.unwrap_or_default();
        match self.variable(var) {
            Ok(variable) if variable.first.is_none() => {
                (Amount::of(base) + variable.decoding()).get()
            }
            Ok(_) | Err(_) => base,
        }
    }

    fn stored(&self, var: VarId, enough: u64, env: &Env) -> Result<u64> {
        match (self.variable(var)?.whole, self.base.assembly(var)) {
            (true, Some(base)) => base.stored(var, enough, env),
            (_, _) => Ok(u64::MAX),
        }
    }
}

/// Returns a whole range of indices.
fn whole(start: u64, count: u64) -> RunPart {
    let run = IndexRun {
        start,
        count,
        stride: 1,
    };
    RunPart { at: 0, run }
}

/// Returns the region of the base for one index range per dimension.
fn region(pieces: &[RunPart]) -> Region {
    let all = |of: fn(&IndexRun) -> u64| pieces.iter().map(|piece| of(&piece.run)).collect();
    Region {
        start: all(|run| run.start),
        count: all(|run| run.count),
        stride: all(|run| run.stride),
    }
}

#[cfg(test)]
mod tests;
