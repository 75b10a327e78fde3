//! Growth of a variable: chunks and elements that were outside its shape become visible.
//!
//! A foreign program may have left chunks outside the shape, and other values than fill values outside the shape in edge chunks. A new file
//! would have fill values there.

use super::ZarrUpdate;
use crate::arithmetic::exact;
use crate::chunk::decode::fill;
use crate::chunk::encode::ChunkEncoder;
use crate::chunk::layout::Layout;
use crate::chunk::scatter::{Block, number, place, spread};
use crate::chunk::{Dataset, Placement, Reader as _, Update as _, elements};
use crate::error::{Error, OrInternal as _, Result};
use crate::io::patched_store::KeyLevel;
use crate::model::VarId;
use crate::model::region::product;

/// The maximum number of keys that are looked up one by one. The array is listed for more keys.
const LOOKED_UP: u64 = 4096;

impl ZarrUpdate {
    /// Removes old chunks and elements from the part of a variable that becomes visible, unless they are written.
    ///
    /// # Errors
    /// Returns store errors, and errors of decoding edge chunks.
    pub(super) fn complete(&mut self, var: VarId) -> Result<()> {
        let layout = self.reader.data(var)?.array.layout.clone();
        let old = self
            .shapes
            .get(var.index())
            .or_internal("a variable")?
            .clone();
        if old == layout.extent {
            return Ok(());
        }
        for index in self.stray_chunks(var, &layout, &old)? {
            let key = self.reader.chunks(var)?.keys.key(index);
            let prefix = self.reader.data(var)?.array.prefix.clone();
            self.store.remove((KeyLevel::Chunk, &prefix), &key)?;
            self.reader.forget_listing(var);
        }
        let clean = self.has_clean_edges.get(var.index()).copied();
        if clean != Some(true) {
            for index in edges(&layout, &old)? {
                self.clean_edge(var, &layout, (index, &old))?;
            }
            if let Some(clean) = self.has_clean_edges.get_mut(var.index()) {
                *clean = true;
            }
        }
        Ok(())
    }

    /// Returns the stored chunks outside the old shape that are not written.
    fn stray_chunks(&self, var: VarId, layout: &Layout, old: &[u64]) -> Result<Vec<u64>> {
        let grid = layout.grid();
        let old_grid = cells(old, &layout.chunk);
        let is_new = |at: &[u64]| at.iter().zip(&old_grid).any(|(at, cells)| at >= cells);
        let keys = self.reader.chunks(var)?.keys;
        let is_stray = |index: u64| {
            let key = keys.key(index);
            Ok::<_, Error>(!self.store.is_changed(&key) && self.store.base().size(&key)?.is_some())
        };
        let total = product(&grid).or_internal("chunks")?;
        let kept = product(&old_grid).or_internal("chunks")?;
        let mut found = vec![];
        if total - kept.min(total) <= LOOKED_UP {
            for block in new_blocks(&grid, &old_grid) {
                for index in indices(&block, &grid)? {
                    if is_stray(index)? {
                        found.push(index);
                    }
                }
            }
            return Ok(found);
        }
        let described = &self.reader.data(var)?.array.described;
        let prefix = &self.reader.data(var)?.array.prefix;
        let mut all = vec![];
        self.store.base().walk(prefix, &mut |key, _| {
            let rest = key.strip_prefix(prefix.as_str()).unwrap_or_default();
            all.extend(described.keys.index(rest, &grid));
            Ok(())
        })?;
        for index in all
            .into_iter()
            .filter(|index| is_new(&place(*index, &grid)))
        {
            if is_stray(index)? {
                found.push(index);
            }
        }
        Ok(found)
    }

    /// Writes fill values to the elements of a stored edge chunk that were outside the old shape.
    fn clean_edge(&mut self, var: VarId, layout: &Layout, edge: (u64, &[u64])) -> Result<()> {
        let (index, old) = edge;
        let key = self.reader.chunks(var)?.keys.key(index);
        if self.store.is_changed(&key) || self.store.base().size(&key)?.is_none() {
            return Ok(());
        }
        let region = layout.chunk_region(index);
        let set = Dataset::new(&self.reader, &self.env);
        let mut bytes = vec![];
        elements::encode(&set.read(var, &region)?, layout.element.order, &mut bytes)?;
        let size = exact(layout.element.size).index()?;
        let mut blank = vec![0; size];
        spread(&fill(self.reader.schema(), var, layout)?, &mut blank);
        let mut is_clean = true;
        for (n, element) in (0u64..).zip(bytes.chunks_exact_mut(size.max(1))) {
            let at = place(n, &region.count);
            let at = at.iter().zip(&region.start).map(|(at, start)| at + start);
            if at.zip(old).any(|(at, len)| at >= *len) && *element != *blank {
                element.copy_from_slice(&blank);
                is_clean = false;
            }
        }
        if is_clean {
            return Ok(());
        }
        let target = (self.reader.schema(), self.rules(var));
        let encoder = ChunkEncoder::of(target, &self.env, var, layout)?;
        let encoded = encoder.encode(&region, bytes)?;
        match self.put_chunk(var, index, encoded.mask, &encoded.bytes)? {
            Placement::InPlace => Ok(()),
            Placement::Anew(reason) => Err(Error::internal(reason)),
        }
    }
}

/// Returns the numbers of cells per dimension.
fn cells(lens: &[u64], chunk: &[u64]) -> Vec<u64> {
    let pairs = lens.iter().zip(chunk);
    pairs
        .map(|(len, chunk)| len.div_ceil((*chunk).max(1)))
        .collect()
}

/// Returns disjoint blocks with all cells of a grid outside an older grid.
fn new_blocks(grid: &[u64], old: &[u64]) -> Vec<Block> {
    let mut found = vec![];
    // The first axis on which a cell is outside determines its block.
    for axis in 0..grid.len() {
        let mut block = Block::whole(grid);
        let lens = block.count.iter_mut().zip(old);
        lens.take(axis)
            .for_each(|(own, old)| *own = (*old).min(*own));
        let start = old.get(axis).copied().unwrap_or(0);
        if let (Some(from), Some(count)) = (block.start.get_mut(axis), block.count.get_mut(axis)) {
            *from = start.min(*count);
            *count -= *from;
        }
        found.push(block);
    }
    found
}

/// Returns the numbers of the chunks in a block of the grid.
fn indices(block: &Block, grid: &[u64]) -> Result<Vec<u64>> {
    let count = product(&block.count).or_internal("chunks")?;
    let one = |n| {
        let inside = place(n, &block.count);
        let at = inside
            .iter()
            .zip(&block.start)
            .map(|(at, start)| at + start);
        number(&at.collect::<Vec<u64>>(), grid)
    };
    (0..count).map(one).collect()
}

/// Returns the chunks with elements inside and outside the old shape.
fn edges(layout: &Layout, old: &[u64]) -> Result<Vec<u64>> {
    let grid = layout.grid();
    let old_grid = cells(old, &layout.chunk);
    let mut found = std::collections::BTreeSet::new();
    let axes = old
        .iter()
        .zip(&layout.chunk)
        .zip(&layout.extent)
        .enumerate();
    for (axis, ((len, chunk), new)) in axes {
        if new == len || len.is_multiple_of((*chunk).max(1)) {
            continue;
        }
        let mut block = Block {
            start: vec![0; grid.len()],
            count: old_grid.clone(),
        };
        if let (Some(start), Some(count)) = (block.start.get_mut(axis), block.count.get_mut(axis)) {
            *start = len / (*chunk).max(1);
            *count = 1;
        }
        found.extend(indices(&block, &grid)?);
    }
    Ok(found.into_iter().collect())
}
