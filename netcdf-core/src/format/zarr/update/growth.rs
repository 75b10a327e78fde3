//! Growth of a variable: chunks and elements that were outside its shape become visible.
//!
//! A foreign program may have left chunks outside the shape, and other values than fill values outside the shape in edge chunks. A new file
//! would have fill values there.

use super::ZarrUpdate;
use crate::arithmetic::{Amount, exact};
use crate::chunk::decode::fill;
use crate::chunk::encode::ChunkEncoder;
use crate::chunk::layout::Layout;
use crate::chunk::scatter::{Block, number, place, spread};
use crate::chunk::{Dataset, Placement, Reader as _, Update as _, elements};
use crate::error::{Error, OrInternal as _, Result};
use crate::io::patched_store::KeyLevel;
use crate::model::region::product;
use crate::model::{Region, VarId};

/// The maximum number of keys that are looked up one by one. The array is listed for more keys.
const LOOKED_UP: u64 = 1 << 20;

impl ZarrUpdate {
    /// Removes chunks and elements outside the old shape, which have become visible.
    ///
    /// # Errors
    /// Returns store errors, and errors of decoding edge chunks.
    pub(super) fn clear_outside(&mut self, var: VarId, old: &[u64]) -> Result<()> {
        let layout = self.reader.data(var)?.array.layout.clone();
        for index in self.stray_chunks(var, &layout, old)? {
            let key = self.reader.chunks(var)?.keys.key(index);
            let prefix = self.reader.data(var)?.array.prefix.clone();
            self.store.remove((KeyLevel::Chunk, &prefix), &key)?;
            self.reader.forget_listing(var);
        }
        for index in edges(&layout, old)? {
            self.clean_edge(var, &layout, (index, old))?;
        }
        Ok(())
    }

    /// Returns the stored chunks outside the old shape.
    fn stray_chunks(&self, var: VarId, layout: &Layout, old: &[u64]) -> Result<Vec<u64>> {
        let grid = layout.grid();
        let old_grid = cells(old, &layout.chunk);
        let is_new = |at: &[u64]| at.iter().zip(&old_grid).any(|(at, cells)| at >= cells);
        let (keys, view) = (self.reader.chunks(var)?.keys, self.store.view());
        let is_stray = |index: u64| Ok::<_, Error>(view.size(&keys.key(index))?.is_some());
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
        view.walk(prefix, &mut |key, _| {
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
        if self.store.view().size(&key)?.is_none() {
            return Ok(());
        }
        let region = layout.chunk_region(index);
        let set = Dataset::new(&self.reader, &self.env);
        let mut bytes = vec![];
        elements::encode(&set.read(var, &region)?, layout.element.order, &mut bytes)?;
        let fill = fill(self.reader.schema(), var, layout)?;
        if clear_rows((&region, old), &mut bytes, &fill)? {
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

/// Writes fill values to the elements of a region that are outside a shape. Returns whether they were fill values before.
fn clear_rows((region, old): (&Region, &[u64]), bytes: &mut [u8], fill: &[u8]) -> Result<bool> {
    let (Some((len, outer)), Some(start), Some(end)) =
        (region.count.split_last(), region.start.last(), old.last())
    else {
        return Ok(true);
    };
    let mut blank = vec![0; (exact(*len) * fill.len() as u64).index()?];
    spread(fill, &mut blank);
    let inside = (Amount::of(*end) - *start).get().min(*len);
    let inside = (exact(inside) * fill.len() as u64).index()?;
    let mut was_clear = true;
    for (n, row) in (0u64..).zip(bytes.chunks_exact_mut(blank.len().max(1))) {
        let at = place(n, outer);
        let mut at = at.iter().zip(&region.start).zip(old);
        let is_outside = at.any(|((at, start), len)| at + start >= *len);
        let from = if is_outside { 0 } else { inside };
        let (Some(tail), Some(blank)) = (row.get_mut(from..), blank.get(from..)) else {
            continue;
        };
        if tail != blank {
            tail.copy_from_slice(blank);
            was_clear = false;
        }
    }
    Ok(was_clear)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_elements_outside_are_cleared() {
        let region = Region::boxed(vec![2, 3], vec![3, 4]);
        let mut bytes: Vec<u8> = (1..=24).collect();
        assert!(!clear_rows((&region, &[4, 5]), &mut bytes, &[9, 8]).unwrap());
        let (own, blank) = ([1, 2, 3, 4], [9, 8].repeat(2));
        assert_eq!(bytes[..8], [&own[..], &blank].concat());
        assert_eq!(bytes[16..], [9, 8].repeat(4));
        assert!(clear_rows((&region, &[4, 5]), &mut bytes, &[9, 8]).unwrap());
        assert!(clear_rows((&region, &[9, 9]), &mut [7; 24], &[9, 8]).unwrap());
    }

    #[test]
    fn new_blocks_have_the_cells_outside_once() {
        let (grid, old) = ([3, 4], [2, 2]);
        let mut found = vec![];
        for block in new_blocks(&grid, &old) {
            found.extend(indices(&block, &grid).unwrap());
        }
        found.sort_unstable();
        assert_eq!(found, [2, 3, 6, 7, 8, 9, 10, 11]);
    }
}
