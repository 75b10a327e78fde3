//! Iteration over the stored chunks of a variable.

use super::Dataset;
use super::requests::lost;
use crate::arithmetic::{Amount, length};
use crate::chunk::decode::fill;
use crate::chunk::layout::{ChunkRef, Layout};
use crate::chunk::plan::PlanCells;
use crate::chunk::scatter::Block;
use crate::chunk::visit::{Locate, VisitStop};
use crate::error::{Context as _, OrInternal as _, Result};
use crate::model::region::product;
use crate::model::{Region, StorageLayout, VarId};
use crate::runtime::WorkItem;

/// Approximate number of stored chunks per location batch.
const BATCH: usize = 4096;
/// The factor by which boxes of the grid grow while few chunks are stored.
const GROWTH: u64 = 16;

/// Approximate number of copies of a chunk in memory while it is processed.
const COPIES: u64 = 4;

/// Stored chunks of a variable, and the memory to process them.
#[derive(Debug, Clone)]
pub struct StoredChunks {
    /// The variable.
    pub var: VarId,
    /// The box of the chunk grid.
    pub within: Block,
    /// The memory for a chunk in addition to its stored bytes, in bytes.
    pub memory: u64,
}

impl Dataset<'_> {
    /// Decodes the variable's stored chunks within a box of the chunk grid, in parallel, and passes the results of `work` to `sink` in
    /// row-major order.
    ///
    /// # Errors
    /// Returns the first error from reading, `work` or `sink`.
    pub fn chunks<R: Send>(
        &self,
        var: VarId,
        within: &Block,
        work: impl Fn(&ChunkRef, Vec<u8>) -> Result<R> + Sync,
        mut sink: impl FnMut(ChunkRef, R) -> Result<()>,
    ) -> Result<()> {
        let layout = self.layout(var)?;
        let path = || self.reader.schema().var_path(var);
        let variable = self.variable(var, &layout, None).in_object(path)?;
        let whole = Amount::of(layout.chunk_bytes());
        let bytes = |chunk: &ChunkRef| (whole * COPIES + length(&chunk.range)).get();
        let items = self.each_group(var, within, bytes);
        let decode = |group: Vec<ChunkRef>| {
            let mut all: Vec<_> = group.iter().map(|_| None).collect();
            variable.elements_of(&group, |n, elements| {
                let elements = elements.and_then(|elements| elements.ok_or_else(lost));
                let chunk = group.get(n).or_internal("a requested chunk")?;
                let made = work(chunk, elements.in_object(path)?.into_own())?;
                all.get_mut(n).map(|slot| slot.replace(made));
                Ok(())
            })?;
            Ok(group.into_iter().zip(all))
        };
        let runtime = self.runtime().with_memory(self.env.memory.0);
        runtime.ordered(items, decode, |mut made| {
            made.try_for_each(|(chunk, made)| sink(chunk, made.or_internal("an assembled chunk")?))
        })
    }

    /// Returns the elements of one chunk without filters; `None` for a missing chunk. `index` is the chunk's number in `layout`.
    ///
    /// # Errors
    /// Returns errors from reading.
    pub(crate) fn stored_elements(
        &self,
        var: VarId,
        layout: &Layout,
        index: u64,
    ) -> Result<Option<Vec<u8>>> {
        let position = layout.place(index);
        let one = Block {
            count: vec![1; position.len()],
            start: position,
        };
        let mut found = None;
        let sink = |_, elements| {
            found = Some(elements);
            Ok(())
        };
        self.chunks(var, &one, |_, elements| Ok(elements), sink)?;
        Ok(found)
    }

    /// Fetches stored chunks, several per request. Passes their bytes to `work` in parallel, and the results to `sink` in row-major order.
    ///
    /// # Errors
    /// Returns the first error from reading, `work` or `sink`.
    pub fn stored_chunks<R: Send>(
        &self,
        chunks: &StoredChunks,
        work: impl Fn(&ChunkRef, Vec<u8>) -> Result<R> + Sync,
        mut sink: impl FnMut(ChunkRef, R) -> Result<()>,
    ) -> Result<()> {
        let path = || self.reader.schema().var_path(chunks.var);
        let bytes = |chunk: &ChunkRef| (Amount::of(chunks.memory) + length(&chunk.range)).get();
        let items = self.each_group(chunks.var, &chunks.within, bytes);
        let fetch = |group: Vec<ChunkRef>| {
            let bytes = self.fetch(&group).in_object(path)?;
            let made = group.into_iter().zip(bytes).map(|(chunk, bytes)| {
                let made = work(&chunk, bytes).in_object(path)?;
                Ok((chunk, made))
            });
            made.collect::<Result<Vec<_>>>()
        };
        let runtime = self.runtime();
        runtime.ordered(items, fetch, |made| {
            made.into_iter()
                .try_for_each(|(chunk, made)| sink(chunk, made))
        })
    }

    /// Returns the box of a variable's whole chunk grid.
    ///
    /// # Errors
    /// Returns errors from [`Dataset::layout`].
    pub fn whole_grid(&self, var: VarId) -> Result<Block> {
        Ok(Block::whole(&self.layout(var)?.grid()))
    }

    /// Visits the variable's stored chunks within a box of the chunk grid, in row-major order. `visit` may read or run jobs, because no
    /// request to the reader is open.
    ///
    /// # Errors
    /// Returns errors from [`Dataset::locate_chunks`].
    pub fn each_chunk(
        &self,
        var: VarId,
        within: &Block,
        mut visit: impl FnMut(ChunkRef) -> Result<()>,
    ) -> Result<()> {
        for chunk in self.each_stored(var, within) {
            self.env.cancel.check()?;
            visit(chunk?).in_object(|| self.reader.schema().var_path(var))?;
        }
        Ok(())
    }

    /// Returns the variable's stored chunks within a box of the grid in row-major order, located in batches.
    fn each_stored<'s>(
        &'s self,
        var: VarId,
        within: &Block,
    ) -> impl Iterator<Item = Result<ChunkRef>> + use<'s> {
        self.batches(var, within).flat_map(|batch| match batch {
            Ok(found) => found.into_iter().map(Ok).collect(),
            Err(e) => vec![Err(e)],
        })
    }

    /// Returns the variable's stored chunks within a box of the grid as work items, in row-major order. One request fetches the chunks of
    /// an item. A chunk takes `bytes` of memory.
    fn each_group<'s, F: Fn(&ChunkRef) -> u64 + 's>(
        &'s self,
        var: VarId,
        within: &Block,
        bytes: F,
    ) -> impl Iterator<Item = Result<WorkItem<Vec<ChunkRef>>>> + use<'s, F> {
        self.batches(var, within)
            .flat_map(move |batch| match batch {
                Ok(found) => self.in_groups(found, &bytes).map(Ok).collect(),
                Err(e) => vec![Err(e)],
            })
    }

    fn batches<'s>(
        &'s self,
        var: VarId,
        within: &Block,
    ) -> impl Iterator<Item = Result<Vec<ChunkRef>>> + use<'s> {
        let mut batches = Batches::new(within.clone());
        std::iter::from_fn(move || batches.next(self, var))
    }

    /// Returns the number of a variable's stored chunks.
    ///
    /// # Errors
    /// Returns errors from [`Dataset::locate_chunks`].
    pub fn chunks_stored(&self, var: VarId) -> Result<u64> {
        self.chunks_stored_in(var, &self.whole_grid(var)?)
    }

    /// Returns the number of a variable's stored chunks within a box of the chunk grid.
    ///
    /// # Errors
    /// Returns errors from [`Dataset::locate_chunks`].
    pub fn chunks_stored_in(&self, var: VarId, within: &Block) -> Result<u64> {
        let mut stored = 0u64;
        self.locate_chunks(var, within, Locate::Again, &mut |_| {
            stored += 1;
            Ok(())
        })?;
        Ok(stored)
    }

    /// Returns the size of a variable's stored chunks in bytes, after filters and without heap data. Without filters, all elements count.
    ///
    /// # Errors
    /// Returns errors from [`Dataset::locate_chunks`].
    pub fn stored_bytes(&self, var: VarId) -> Result<u64> {
        let layout = self.layout(var)?;
        if layout.filters.is_empty() && !self.is_chunked(var) {
            let elements = Amount::product(&self.reader.schema().shape(var));
            return Ok((elements * layout.element.size).get());
        }
        let mut stored = Amount::default();
        let all = Block::whole(&layout.grid());
        self.locate_chunks(var, &all, Locate::Again, &mut |chunk| {
            stored = stored + length(&chunk.range);
            Ok(())
        })?;
        Ok(stored.get())
    }

    /// Returns true if the dataset stores a variable in chunks of its own.
    fn is_chunked(&self, var: VarId) -> bool {
        let stored = self.reader.schema().var(var);
        let layout = stored.and_then(|stored| stored.storage.layout.as_ref());
        matches!(layout, Some(StorageLayout::Chunked(_))) && !self.reader.assembles(var)
    }

    /// Returns true if any chunk of a variable is stored.
    ///
    /// # Errors
    /// Returns errors from [`Dataset::locate_chunks`].
    pub fn has_chunks(&self, var: VarId) -> Result<bool> {
        let mut any = false;
        let all = self.whole_grid(var)?;
        self.locate_chunks(var, &all, Locate::Again, &mut |_| {
            any = true;
            Err(VisitStop::Enough)
        })?;
        Ok(any)
    }

    /// Returns true if any chunk with elements of a region is stored.
    ///
    /// # Errors
    /// Returns errors from reading the index.
    pub fn is_stored(&self, var: VarId, layout: &Layout, region: &Region) -> Result<bool> {
        let cells = PlanCells::new(region, layout);
        if self.reader.assembles(var) || cells.is_empty() {
            return Ok(!cells.is_empty());
        }
        let mut any = false;
        let mut visit = |chunk: ChunkRef| {
            any = cells.cell(chunk.index).is_some();
            if any { Err(VisitStop::Enough) } else { Ok(()) }
        };
        self.locate_chunks(var, &cells.grid_box(), Locate::Stored, &mut visit)?;
        Ok(any)
    }

    /// Returns the stored form of a variable's missing element.
    ///
    /// # Errors
    /// Returns [`Limit`](crate::ErrorKind::Limit) for elements too large for this machine's memory.
    pub fn fill(&self, var: VarId, layout: &Layout) -> Result<Vec<u8>> {
        fill(self.reader.schema(), var, layout).in_object(|| self.reader.schema().var_path(var))
    }
}

/// Boxes of a chunk grid in row-major order. Each box is large enough for about 4096 stored chunks, because a huge grid may have few.
struct Batches {
    /// The remaining boxes in reverse order.
    left: Vec<Block>,
    /// The number of chunks per box.
    most: u64,
}

impl Batches {
    fn new(within: Block) -> Self {
        Self {
            left: match within.count.contains(&0) {
                true => vec![],
                false => vec![within],
            },
            most: BATCH as u64,
        }
    }

    /// Returns the stored chunks of the next box.
    fn next(&mut self, set: &Dataset<'_>, var: VarId) -> Option<Result<Vec<ChunkRef>>> {
        let part = self.left.pop()?;
        if let Some((first, rest)) = parted(&part, self.most) {
            self.left.extend([rest, first]);
            return self.next(set, var);
        }
        let mut found = Vec::new();
        let mut full = false;
        let most = self.most;
        let mut visit = |chunk| {
            full = found.len() >= BATCH && most > BATCH as u64;
            if full {
                return Err(VisitStop::Enough);
            }
            found.push(chunk);
            Ok(())
        };
        let located = set.locate_chunks(var, &part, Locate::Stored, &mut visit);
        if full {
            self.left.push(part);
            self.most = (most / GROWTH).max(BATCH as u64);
            return self.next(set, var);
        }
        if found.len() < BATCH / 16 {
            self.most = (Amount::of(most) * GROWTH).get();
        }
        Some(located.map(|()| found))
    }
}

/// Splits a box of more than `most` chunks in two, in row-major order.
fn parted(part: &Block, most: u64) -> Option<(Block, Block)> {
    if product(&part.count).is_some_and(|n| n <= most) {
        return None;
    }
    let dim = part.count.iter().position(|&n| n > 1)?;
    let inner = Amount::product(part.count.get(dim + 1..)?);
    let len = *part.count.get(dim)?;
    let rows = (Amount::of(most) / inner).get().clamp(1, len - 1);
    let (mut first, mut rest) = (part.clone(), part.clone());
    *first.count.get_mut(dim)? = rows;
    *rest.count.get_mut(dim)? = len - rows;
    *rest.start.get_mut(dim)? += rows;
    Some((first, rest))
}
