//! Variables with few stored chunks.

use crate::arithmetic::Amount;
use crate::chunk::dataset::Dataset;
use crate::chunk::grid::ChunkGrid;
use crate::chunk::layout::{ChunkRef, Layout};
use crate::chunk::visit::{Locate, VisitStop};
use crate::error::Result;
use crate::model::{Region, VarId};

/// Fewer than one chunk in this number is considered few.
const FEW: u64 = 4;

/// The memory for a chunk number during sorting, in bytes.
const NUMBER: u64 = 16;

/// The chunks of a grid that intersect stored chunks, if they are few.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AffectedChunks {
    /// The chunk numbers in the grid, ascending.
    numbers: Vec<u64>,
}

impl AffectedChunks {
    /// Finds the variable's stored chunks that intersect `within`, a box of whole chunks of the grid. Returns `None` if they intersect so
    /// many chunks of the grid that processing all is better, or that the list would exceed its share of the memory.
    ///
    /// # Errors
    /// Returns errors from [`Dataset::locate_chunks`].
    pub fn of(
        (set, var): (Dataset<'_>, VarId),
        from: &Layout,
        (grid, within): (&ChunkGrid, &Region),
    ) -> Result<Option<Self>> {
        let memory = set.env.memory.0 / (8 * NUMBER);
        let made = Amount::product(&grid.touched(within).count).get();
        let most = (made / FEW).min(memory);
        let mut numbers = vec![];
        let mut many = false;
        let mut visit = |chunk: ChunkRef| {
            let place = from.block(chunk.index).region();
            let around = grid.touched(&overlap(&place, within));
            let found = Amount::product(&around.count);
            many = (found + numbers.len()).get() > most;
            if many {
                return Err(VisitStop::Enough);
            }
            numbers.extend(grid.numbers(&around));
            Ok(())
        };
        set.locate_chunks(var, &from.touched(within), Locate::Again, &mut visit)?;
        if many {
            return Ok(None);
        }
        numbers.sort_unstable();
        numbers.dedup();
        Ok(Some(Self { numbers }))
    }

    /// Returns true if the list contains the chunk at the start of a box.
    #[must_use]
    pub fn has(&self, grid: &ChunkGrid, place: &Region) -> bool {
        self.numbers.binary_search(&grid.index(place)).is_ok()
    }

    /// Returns true if the list contains a chunk of a box, whose chunks are consecutive in row-major order.
    pub(super) fn any(&self, grid: &ChunkGrid, slab: &Region) -> bool {
        let first = grid.index(slab);
        let ends = slab.start.iter().zip(&slab.count);
        let last = ends.map(|(start, n)| start + n.saturating_sub(1));
        let last = grid.index(&Region::boxed(last.collect(), vec![1; slab.count.len()]));
        let at = self.numbers.partition_point(|&n| n < first);
        self.numbers.get(at).is_some_and(|&n| n <= last)
    }

    /// Returns the chunks in row-major order.
    pub(super) fn chunks<'a>(&'a self, grid: &'a ChunkGrid) -> impl Iterator<Item = Region> + 'a {
        self.numbers.iter().map(|&n| grid.numbered(n))
    }

    /// Returns true if the chunks are so few that filling all missing chunks would be wasteful.
    pub(super) fn is_nearly_empty(&self, grid: &ChunkGrid) -> bool {
        (self.numbers.len() as u64) < grid.len().div_ceil(64)
    }
}

/// Returns the intersection of two boxes.
fn overlap(a: &Region, b: &Region) -> Region {
    let (mut start, mut count) = (vec![], vec![]);
    let dims = a.start.iter().zip(&a.count);
    for ((&at, &n), (&from, &len)) in dims.zip(b.start.iter().zip(&b.count)) {
        let first = at.max(from);
        start.push(first);
        count.push((at + n).min(from + len).saturating_sub(first));
    }
    Region::boxed(start, count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::layout::tests::layout;

    #[test]
    fn slabs_and_chunks_that_are_met() {
        let shape = [5, 7];
        let grid = ChunkGrid::new(&layout(&shape, &[2, 3]), &shape);
        let met = AffectedChunks {
            numbers: vec![1, 5],
        };
        let chunks: Vec<_> = grid.boxes(1).collect();
        let has: Vec<_> = chunks.iter().map(|c| met.has(&grid, c)).collect();
        let expected = [false, true, false, false, false, true, false, false, false];
        assert_eq!(has, expected);
        let mine: Vec<_> = met.chunks(&grid).collect();
        assert_eq!(mine, [chunks[1].clone(), chunks[5].clone()]);
        for most in 1..9 {
            for slab in grid.boxes(most) {
                let inside = grid.boxes(1).filter(|c| {
                    let dims = c.start.iter().zip(&slab.start).zip(&slab.count);
                    dims.into_iter().all(|((c, s), n)| c >= s && *c < s + n)
                });
                let any = inside.into_iter().any(|c| met.has(&grid, &c));
                assert_eq!(met.any(&grid, &slab), any, "{slab:?}");
            }
        }
    }

    #[test]
    fn chunks_are_found_by_what_they_touch() {
        let wide = layout(&[5, 12], &[2, 3]);
        let grid = ChunkGrid::new(&wide, &[5, 7]);
        let touched = grid.touched(&Region::boxed(vec![1, 2], vec![2, 2]));
        assert_eq!(touched, Region::boxed(vec![0, 0], vec![2, 2]));
        assert!(grid.numbers(&touched).eq([0, 1, 4, 5]));
        for chunk in grid.boxes(1) {
            assert_eq!(grid.numbered(grid.index(&chunk)), chunk);
        }
        let nothing = grid.touched(&Region::boxed(vec![1, 2], vec![0, 2]));
        assert_eq!(grid.numbers(&nothing).count(), 0);
    }
}
