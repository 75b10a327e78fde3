//! Compact storage of chunk locations, in columns.

use crate::arithmetic::length;
use crate::chunk::layout::{ChunkHolder, ChunkRef};
use crate::chunk::scatter::{Block, advance};
use crate::chunk::visit::{Visit, Visited};
use crate::model::VarId;
use crate::model::region::product;

/// The size of a chunk location in bytes, with all columns.
pub(super) const ROW: u64 = 28;
/// The approximate memory overhead of the columns, in bytes.
pub(super) const HEAD: u64 = 256;

/// The stored chunks of some sections, in row-major order. A column that can be computed is empty.
#[derive(Debug)]
pub(in crate::chunk) struct ChunkLocations {
    var: VarId,
    /// The number of chunks per dimension of the whole grid.
    grid: Vec<u64>,
    /// The grid number of the sections' first chunk, stored or missing.
    first: u64,
    /// The chunk numbers in the grid; empty if all chunks from the first are stored.
    numbers: Vec<u64>,
    starts: Vec<u64>,
    lengths: Vec<u32>,
    /// The holders ([`code`]) and masks; empty if all are 0.
    rest: Vec<(u32, u32)>,
}

/// The code of [`ChunkHolder::Temporary`].
const TEMPORARY: u32 = u32::MAX - 1;

/// Returns a holder in four bytes: the number of a source, or one of the two largest numbers.
fn code(holder: ChunkHolder) -> u32 {
    match holder {
        ChunkHolder::Source(n) => n,
        ChunkHolder::Key => u32::MAX,
        ChunkHolder::Temporary => TEMPORARY,
    }
}

/// Decodes a [`code`].
fn holder(code: u32) -> ChunkHolder {
    match code {
        u32::MAX => ChunkHolder::Key,
        TEMPORARY => ChunkHolder::Temporary,
        n => ChunkHolder::Source(n),
    }
}

impl ChunkLocations {
    /// Creates empty columns for sections that begin with this chunk of a grid.
    pub(super) fn new(var: VarId, grid: &[u64], first: u64) -> Self {
        Self {
            var,
            grid: grid.to_vec(),
            first,
            numbers: vec![],
            starts: vec![],
            lengths: vec![],
            rest: vec![],
        }
    }

    /// Returns the size in memory, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        let longs = self.numbers.capacity() + self.starts.capacity() + self.rest.capacity();
        let columns = longs * size_of::<u64>() + self.lengths.capacity() * size_of::<u32>();
        HEAD + columns as u64
    }

    /// Returns the number of stored chunks.
    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    /// Frees the capacity for more chunks.
    pub(super) fn shrink(&mut self) {
        self.numbers.shrink_to_fit();
        self.starts.shrink_to_fit();
        self.lengths.shrink_to_fit();
        self.rest.shrink_to_fit();
    }

    /// Returns the number of the `at`th chunk.
    fn number(&self, at: usize) -> Option<u64> {
        match self.numbers.is_empty() {
            true => (at < self.len()).then(|| self.first + at as u64),
            false => self.numbers.get(at).copied(),
        }
    }

    fn get(&self, at: usize) -> Option<ChunkRef> {
        let start = *self.starts.get(at)?;
        let (code, mask) = self.rest.get(at).copied().unwrap_or_default();
        Some(ChunkRef {
            variable: self.var,
            index: self.number(at)?,
            holder: holder(code),
            range: start..start + u64::from(*self.lengths.get(at)?),
            mask,
        })
    }

    /// Returns the index of the first chunk with at least this number.
    fn first_from(&self, number: u64) -> usize {
        let behind = |n: u64| usize::try_from(n).map_or(self.len(), |n| n.min(self.len()));
        match self.numbers.is_empty() {
            true => number.checked_sub(self.first).map_or(0, behind),
            false => self.numbers.partition_point(|&n| n < number),
        }
    }

    /// Adds a chunk. Returns false if the chunk is too long for the columns, or does not follow the last chunk.
    #[must_use]
    pub(super) fn push(&mut self, chunk: &ChunkRef) -> bool {
        let Ok(len) = u32::try_from(length(&chunk.range)) else {
            return false;
        };
        let at = self.len();
        let last = at.checked_sub(1).and_then(|last| self.number(last));
        if chunk.index < self.first || last.is_some_and(|last| last >= chunk.index) {
            return false;
        }
        let next = self.first + at as u64;
        if self.numbers.is_empty() && chunk.index != next {
            self.numbers.extend(self.first..next);
        }
        if chunk.index != next || !self.numbers.is_empty() {
            self.numbers.push(chunk.index);
        }
        let rest = (code(chunk.holder), chunk.mask);
        if self.rest.is_empty() && rest != (0, 0) {
            self.rest.resize(at, (0, 0));
        }
        if rest != (0, 0) || !self.rest.is_empty() {
            self.rest.push(rest);
        }
        self.starts.push(chunk.range.start);
        self.lengths.push(len);
        true
    }

    /// Visits the chunks in a box of the grid, in row-major order.
    ///
    /// # Errors
    /// Returns errors from `visit`.
    pub(super) fn visit(&self, chunks: &Block, visit: Visit<'_>) -> Visited {
        let whole = chunks.count == self.grid;
        let rows = chunks.count.split_last().map(|(_, outer)| outer);
        if chunks.count.contains(&0) {
            return Ok(());
        }
        if whole || rows.and_then(product).is_none_or(|n| n > self.len() as u64) {
            let all = (0..self.len()).filter_map(|at| self.get(at));
            let mut inside = all.filter(|chunk| whole || self.is_in(chunks, chunk.index));
            return inside.try_for_each(visit);
        }
        self.visit_rows(chunks, visit)
    }

    fn is_in(&self, chunks: &Block, mut number: u64) -> bool {
        let lines = chunks.ranges().zip(&self.grid).rev();
        lines.into_iter().all(|(range, &cells)| {
            let at = number % cells.max(1);
            number /= cells.max(1);
            range.contains(&at)
        })
    }

    /// Visits the chunks of a box row by row.
    fn visit_rows(&self, chunks: &Block, visit: Visit<'_>) -> Visited {
        let Some((&len, outer)) = chunks.count.split_last() else {
            return self.get(0).map_or(Ok(()), visit);
        };
        let mut row = vec![0; outer.len()];
        loop {
            let at = row.iter().chain(std::iter::once(&0)).zip(&chunks.start);
            let number = at.zip(&self.grid);
            let number = number.fold(0, |n, ((at, start), cells)| n * cells + at + start);
            let mut at = self.first_from(number);
            while let Some(chunk) = self.get(at).filter(|chunk| chunk.index < number + len) {
                visit(chunk)?;
                at += 1;
            }
            if !advance(&mut row, outer) {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn chunk(index: u64, irregular: bool) -> ChunkRef {
        let start = 1000 - 3 * index;
        ChunkRef {
            variable: VarId(3),
            index,
            holder: ChunkHolder::Source(u32::from(irregular)),
            range: start..start + index % 5,
            mask: u32::from(irregular) * 3,
        }
    }

    /// Returns the locations of these chunks, if they can be stored in columns.
    fn locations(grid: &[u64], first: u64, chunks: &[ChunkRef]) -> Option<ChunkLocations> {
        let mut locations = ChunkLocations::new(VarId(3), grid, first);
        let all = chunks.iter().all(|chunk| locations.push(chunk));
        all.then(|| {
            locations.shrink();
            locations
        })
    }

    proptest! {
        #[test]
        fn boxes_have_the_chunks_that_a_walk_found(
            lens in prop::collection::vec((1u64..5, 0u64..5, 0u64..5), 0..4),
            stored in prop::collection::vec(any::<(bool, bool)>(), 256),
            (all, plain) in any::<(bool, bool)>(),
            (from, to) in (0u64..40, 0u64..40),
        ) {
            let grid: Vec<u64> = lens.iter().map(|d| d.0).collect();
            let start: Vec<u64> = lens.iter().map(|d| d.1.min(d.0 - 1)).collect();
            let ends = lens.iter().zip(&start);
            let count: Vec<u64> = ends.map(|(d, start)| d.2.min(d.0 - start)).collect();
            let part = Block { start, count };
            let most = grid.iter().product::<u64>();
            let numbers = from.min(most)..(from + to).min(most);
            let chunks = numbers.filter(|&n| all || stored[n as usize].0);
            let chunks: Vec<_> = chunks.map(|n| chunk(n, !plain && stored[n as usize].1)).collect();
            let locations = locations(&grid, from.min(most), &chunks).unwrap();
            for part in [&part, &Block::whole(&grid)] {
                let mut found = vec![];
                let mut visit = |chunk| {
                    found.push(chunk);
                    Ok(())
                };
                locations.visit(part, &mut visit).unwrap();
                let inside = chunks.iter().filter(|c| locations.is_in(part, c.index));
                prop_assert_eq!(found, inside.cloned().collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn what_is_odd_or_large_is_not_kept() {
        let chunks: Vec<_> = (50..150).map(|n| chunk(n, false)).collect();
        assert_eq!(locations(&[300], 50, &chunks).unwrap().bytes(), HEAD + 1200);
        assert_eq!(locations(&[300], 40, &chunks).unwrap().bytes(), HEAD + 2000);
        assert!(locations(&[300], 51, &chunks).is_none());
        let twice = [chunk(1, false), chunk(1, false)];
        assert!(locations(&[100], 0, &twice).is_none());
        let large = ChunkRef {
            range: 0..1 << 32,
            ..chunk(1, false)
        };
        assert!(locations(&[100], 0, &[large]).is_none());
        assert_eq!(locations(&[100], 0, &[]).unwrap().len(), 0);
    }
}
