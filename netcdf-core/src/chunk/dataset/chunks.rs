//! The stored chunks of a variable, one by one.

use super::Dataset;
use super::gather::Variable;
use crate::chunk::decode::fill;
use crate::chunk::layout::{ChunkRef, Layout};
use crate::chunk::plan::{Bands, Cells};
use crate::chunk::pool::{Item, Pool};
use crate::chunk::scatter::Block;
use crate::error::{Context as _, Result};
use crate::model::{Region, VarId};

/// Chunks that are located at a time.
const BATCH: u64 = 4096;

/// Copies of a chunk that are in memory while it is worked on, about.
const COPIES: u64 = 4;

impl Dataset<'_> {
    /// Decodes the stored chunks of a variable, in parallel, and hands on what `work` makes of them,
    /// in row-major order. `memory` is what items under way may take.
    ///
    /// # Errors
    /// The first error of reading, `work` or `sink`.
    pub fn chunks<R: Send>(
        &self,
        var: VarId,
        memory: u64,
        work: impl Fn(&ChunkRef, Vec<u8>) -> Result<R> + Sync,
        mut sink: impl FnMut(ChunkRef, R) -> Result<()>,
    ) -> Result<()> {
        let layout = self.layout(var)?;
        let path = || self.reader.schema().var_path(var);
        let variable = self.variable(var, &layout).in_object(path)?;
        let whole = layout.chunk_bytes().unwrap_or(usize::MAX) as u64;
        let batches = Bands::new(Region::whole(&layout.grid()), &[], BATCH);
        let items = batches.flat_map(|batch| self.located(&variable, batch));
        let items = items.map(|chunk| {
            self.env.cancel.check()?;
            let chunk = chunk.in_object(path)?;
            let stored = chunk.range.end.saturating_sub(chunk.range.start);
            let bytes = whole.saturating_mul(COPIES).saturating_add(stored);
            Ok(Item {
                bytes,
                value: chunk,
            })
        });
        let decode = |chunk: ChunkRef| {
            let bytes = variable.chunk(&chunk).in_object(path)?;
            let made = work(&chunk, bytes)?;
            Ok((chunk, made))
        };
        let pool = Pool {
            memory,
            ..self.env.pool.clone()
        };
        pool.ordered(items, decode, |(chunk, made)| sink(chunk, made))
    }

    /// Visits the stored chunks of a variable, in row-major order, without reading them.
    ///
    /// # Errors
    /// Those of reading the index, and of `visit`.
    pub fn locate(&self, var: VarId, visit: &mut dyn FnMut(ChunkRef) -> Result<()>) -> Result<()> {
        let grid = self.layout(var)?.grid();
        let all = Block {
            start: vec![0; grid.len()],
            count: grid,
        };
        let mut visit = |chunk: ChunkRef| {
            self.env.cancel.check()?;
            visit(chunk)
        };
        let located = self.reader.locate(var, &all, &mut visit);
        located.in_object(|| self.reader.schema().var_path(var))
    }

    /// True if any chunk is stored that has elements of a region.
    ///
    /// # Errors
    /// Those of reading the index.
    pub fn is_stored(&self, var: VarId, layout: &Layout, region: &Region) -> Result<bool> {
        let cells = Cells::new(region, layout);
        if self.reader.assembles(var) || cells.is_empty() {
            return Ok(!cells.is_empty());
        }
        let mut any = false;
        let mut visit = |chunk: ChunkRef| {
            any |= cells.cell(chunk.index).is_some();
            Ok(())
        };
        let located = self.reader.locate(var, &cells.grid_box(), &mut visit);
        located.in_object(|| self.reader.schema().var_path(var))?;
        Ok(any)
    }

    /// The stored form of an element of a variable that is not stored.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`](crate::ErrorKind::Limit) for elements beyond the memory of this machine.
    pub fn fill(&self, var: VarId, layout: &Layout) -> Result<Vec<u8>> {
        fill(self.reader.schema(), self.env, var, layout)
            .in_object(|| self.reader.schema().var_path(var))
    }

    /// The chunks in a box of the grid, or why there are none.
    fn located(&self, variable: &Variable<'_>, batch: Region) -> Vec<Result<ChunkRef>> {
        let batch = Block {
            start: batch.start,
            count: batch.count,
        };
        let mut found = Vec::new();
        let mut visit = |chunk| {
            found.push(Ok(chunk));
            Ok(())
        };
        if let Err(e) = self.reader.locate(variable.var, &batch, &mut visit) {
            found.push(Err(e));
        }
        found
    }
}

impl Variable<'_> {
    /// The elements of a whole chunk.
    fn chunk(&self, chunk: &ChunkRef) -> Result<Vec<u8>> {
        let fetched = self.reader.fetch(std::slice::from_ref(chunk))?;
        self.decoder
            .decode(chunk, fetched.into_iter().next().unwrap_or_default())
    }
}
