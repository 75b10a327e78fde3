//! The reader of a file that is changed: the chunks in the file, and the chunks that are new.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::reader::Netcdf4Reader;
use crate::chunk::form::ElementForm;
use crate::chunk::layout::{ChunkRef, Layout};
use crate::chunk::scatter::{Block, number};
use crate::chunk::visit::{Locate, Visit, Visited};
use crate::chunk::{Assembly, ChunkBytes, ChunkHolder, NamedFiles, Provenance, Reader};
use crate::env::Env;
use crate::error::Result;
use crate::format::hdf5::update::{NewChunk, NewHeap};
use crate::model::{Schema, Values, VarId};

/// The new chunks of a variable, by position in the grid.
pub(super) type NewChunks = BTreeMap<Vec<u64>, NewChunk>;

/// A dataset with new chunks.
#[derive(Debug)]
pub(super) struct UpdatedReader {
    pub(super) base: Netcdf4Reader,
    /// New chunks, which the chunk indexes do not have yet.
    pub(super) new: BTreeMap<VarId, NewChunks>,
    /// New heap data.
    pub(super) heap: Mutex<NewHeap>,
}

impl UpdatedReader {
    pub(super) fn heap(&self) -> MutexGuard<'_, NewHeap> {
        self.heap.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the new chunks in a block of the grid, in row-major order.
    fn found(&self, var: VarId, block: &Block) -> Result<Vec<ChunkRef>> {
        let Some(new) = self.new.get(&var) else {
            return Ok(vec![]);
        };
        let grid = self.base.layout(var)?.grid();
        let within = |at: &[u64]| {
            let ranges = block.ranges();
            at.iter().zip(ranges).all(|(at, range)| range.contains(at))
        };
        let wanted = new.iter().filter(|(at, _)| within(at));
        let chunk = |(at, chunk): (&Vec<u64>, &NewChunk)| {
            Ok(ChunkRef {
                variable: var,
                index: number(at, &grid)?,
                holder: ChunkHolder::Source(0),
                range: chunk.place..chunk.place.saturating_add(chunk.size),
                mask: chunk.mask,
            })
        };
        wanted.map(chunk).collect()
    }
}

impl Reader for UpdatedReader {
    fn schema(&self) -> &Schema {
        self.base.schema()
    }

    fn provenance(&self) -> Provenance {
        self.base.provenance()
    }

    fn named_files(&self, var: VarId) -> Option<&dyn NamedFiles> {
        self.base.named_files(var)
    }

    fn layout(&self, var: VarId) -> Result<Layout> {
        self.base.layout(var)
    }

    fn locate(&self, var: VarId, chunks: &Block, which: Locate, visit: Visit<'_>) -> Visited {
        let mut new = self.found(var, chunks)?.into_iter().peekable();
        self.base.locate(var, chunks, which, &mut |stored| {
            while let Some(chunk) = new.next_if(|chunk| chunk.index < stored.index) {
                visit(chunk)?;
            }
            match new.next_if(|chunk| chunk.index == stored.index) {
                Some(chunk) => visit(chunk),
                None => visit(stored),
            }
        })?;
        new.try_for_each(visit)
    }

    fn has_index(&self, var: VarId) -> bool {
        self.base.has_index(var)
    }

    fn bytes(&self) -> &dyn ChunkBytes {
        self.base.bytes()
    }

    fn assembly(&self, var: VarId) -> Option<&dyn Assembly> {
        self.base.assembly(var)
    }

    fn resolve(&self, var: VarId, bytes: &[u8], env: &Env) -> Result<Values> {
        self.heap().finish()?;
        self.base.resolve(var, bytes, env)
    }

    fn form(&self, var: VarId) -> Result<Option<ElementForm>> {
        self.base.form(var)
    }
}
