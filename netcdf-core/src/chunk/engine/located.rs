//! Where the stored chunks of variables are: an index that was once walked as a whole is not walked again.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::arithmetic::length;
use crate::chunk::layout::ChunkRef;
use crate::chunk::scatter::{Block, advance, place};
use crate::error::Result;
use crate::model::VarId;
use crate::runtime::{Runtime, SpareBytes};

/// The places of the stored chunks of a dataset's variables, as long as they take few bytes.
#[derive(Debug)]
pub(super) struct LocatedChunks {
    runtime: Runtime,
    /// Most bytes kept.
    most: u64,
    vars: Mutex<BTreeMap<VarId, KeptPlaces>>,
}

#[derive(Debug)]
struct KeptPlaces {
    places: Arc<Places>,
    spare: SpareBytes,
}

/// The stored chunks of a variable, in row-major order. Columns that say nothing are empty.
#[derive(Debug, Default)]
pub(in crate::chunk) struct Places {
    /// Chunks per dimension.
    grid: Vec<u64>,
    /// Numbers in the grid; none if all chunks from the first on are stored.
    numbers: Vec<u64>,
    starts: Vec<u64>,
    lengths: Vec<u32>,
    /// Object and mask; none if all are 0.
    rest: Vec<(u32, u32)>,
}

impl Places {
    fn bytes(&self) -> u64 {
        let longs = self.numbers.capacity() + self.starts.capacity() + self.rest.capacity();
        (longs * size_of::<u64>() + self.lengths.capacity() * size_of::<u32>()) as u64
    }

    fn len(&self) -> usize {
        self.starts.len()
    }

    /// The number of the `at`th chunk.
    fn number(&self, at: usize) -> Option<u64> {
        match self.numbers.is_empty() {
            true => Some(at as u64).filter(|_| at < self.len()),
            false => self.numbers.get(at).copied(),
        }
    }

    fn get(&self, at: usize) -> Option<ChunkRef> {
        let start = *self.starts.get(at)?;
        let (object, mask) = self.rest.get(at).copied().unwrap_or_default();
        Some(ChunkRef {
            index: self.number(at)?,
            object,
            range: start..start + u64::from(*self.lengths.get(at)?),
            mask,
        })
    }

    /// Which is the first chunk from this number on.
    fn first_from(&self, number: u64) -> usize {
        match self.numbers.is_empty() {
            true => usize::try_from(number).map_or(self.len(), |n| n.min(self.len())),
            false => self.numbers.partition_point(|&n| n < number),
        }
    }

    /// Adds a chunk; false if it cannot be added.
    fn push(&mut self, chunk: &ChunkRef) -> bool {
        let Ok(len) = u32::try_from(length(&chunk.range)) else {
            return false;
        };
        let at = self.len();
        let last = at.checked_sub(1).and_then(|last| self.number(last));
        if last.is_some_and(|last| last >= chunk.index) {
            return false;
        }
        if self.numbers.is_empty() && chunk.index != at as u64 {
            self.numbers.extend(0..at as u64);
        }
        if chunk.index != at as u64 || !self.numbers.is_empty() {
            self.numbers.push(chunk.index);
        }
        let rest = (chunk.object, chunk.mask);
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

    /// Visits the chunks of a box of the grid, in row-major order.
    ///
    /// # Errors
    /// Those of `visit`.
    pub(in crate::chunk) fn visit(
        &self,
        chunks: &Block,
        visit: &mut dyn FnMut(ChunkRef) -> Result<()>,
    ) -> Result<()> {
        let whole = chunks.count == self.grid;
        let rows = chunks.count.split_last().map(|(_, outer)| outer);
        let rows = rows.and_then(crate::model::region::product);
        if chunks.count.contains(&0) {
            return Ok(());
        }
        if whole || rows.is_none_or(|n| n > self.len() as u64) {
            let all = (0..self.len()).filter_map(|at| self.get(at));
            let mut inside = all.filter(|chunk| whole || self.is_in(chunks, chunk.index));
            return inside.try_for_each(visit);
        }
        self.visit_rows(chunks, visit)
    }

    fn is_in(&self, chunks: &Block, number: u64) -> bool {
        let place = place(number, &self.grid);
        chunks
            .ranges()
            .zip(place)
            .all(|(range, at)| range.contains(&at))
    }

    /// Visits the chunks of a box row by row.
    fn visit_rows(
        &self,
        chunks: &Block,
        visit: &mut dyn FnMut(ChunkRef) -> Result<()>,
    ) -> Result<()> {
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

/// The walk of a whole index, which is kept if it is small.
pub(in crate::chunk) struct Walk<'a> {
    located: &'a LocatedChunks,
    var: VarId,
    /// `None` once it is too large, or odd.
    places: Option<Places>,
}

impl Walk<'_> {
    /// Takes note of the next chunk.
    pub(in crate::chunk) fn push(&mut self, chunk: &ChunkRef) {
        let most = self.located.most;
        let fits = |places: &mut Places| places.push(chunk) && places.bytes() <= most;
        if !self.places.as_mut().is_some_and(fits) {
            self.places = None;
        }
    }

    /// Keeps the places, after the last chunk.
    pub(in crate::chunk) fn end(self) {
        if let Some(places) = self.places {
            self.located.keep(self.var, places);
        }
    }
}

impl LocatedChunks {
    pub(super) fn new(runtime: &Runtime, most: u64) -> Self {
        Self {
            runtime: runtime.clone(),
            most,
            vars: Mutex::default(),
        }
    }

    /// The stored chunks of a variable, if they are known.
    pub(super) fn of(&self, var: VarId) -> Option<Arc<Places>> {
        let vars = self.vars.lock().unwrap_or_else(PoisonError::into_inner);
        vars.get(&var).map(|kept| Arc::clone(&kept.places))
    }

    /// Begins a walk of all stored chunks of a variable.
    pub(super) fn walk(&self, var: VarId, grid: &[u64]) -> Walk<'_> {
        let grid = grid.to_vec();
        Walk {
            located: self,
            var,
            places: Some(Places {
                grid,
                ..Places::default()
            }),
        }
    }

    /// Keeps the places if there is room.
    fn keep(&self, var: VarId, mut places: Places) {
        places.numbers.shrink_to_fit();
        places.starts.shrink_to_fit();
        places.lengths.shrink_to_fit();
        places.rest.shrink_to_fit();
        let bytes = places.bytes();
        let Some(spare) = self.runtime.keep(bytes, self.runtime.tick()) else {
            return;
        };
        let mut vars = self.vars.lock().unwrap_or_else(PoisonError::into_inner);
        let kept: u64 = vars.values().map(|kept| kept.spare.get()).sum();
        if kept + bytes <= self.most {
            let places = Arc::new(places);
            vars.entry(var).or_insert(KeptPlaces { places, spare });
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn chunk(index: u64, odd: bool) -> ChunkRef {
        let start = 1000 - 3 * index;
        ChunkRef {
            index,
            object: u32::from(odd),
            range: start..start + index % 5,
            mask: u32::from(odd) * 3,
        }
    }

    /// The places of these chunks, if they are kept.
    fn walked(chunks: &[ChunkRef], grid: &[u64], most: u64) -> Option<Arc<Places>> {
        let located = LocatedChunks::new(&Runtime::sized(1, 1 << 20), most);
        let mut walk = located.walk(VarId(1), grid);
        chunks.iter().for_each(|chunk| walk.push(chunk));
        walk.end();
        assert!(located.of(VarId(0)).is_none());
        located.of(VarId(1))
    }

    proptest! {
        #[test]
        fn boxes_have_the_chunks_that_a_walk_found(
            lens in prop::collection::vec((1u64..5, 0u64..5, 0u64..5), 0..4),
            stored in prop::collection::vec(any::<(bool, bool)>(), 256),
            (all, plain) in any::<(bool, bool)>(),
        ) {
            let grid: Vec<u64> = lens.iter().map(|d| d.0).collect();
            let start: Vec<u64> = lens.iter().map(|d| d.1.min(d.0 - 1)).collect();
            let ends = lens.iter().zip(&start);
            let count: Vec<u64> = ends.map(|(d, start)| d.2.min(d.0 - start)).collect();
            let part = Block { start, count };
            let numbers = 0..grid.iter().product::<u64>();
            let chunks = numbers.filter(|&n| all || stored[n as usize].0);
            let chunks: Vec<_> = chunks.map(|n| chunk(n, !plain && stored[n as usize].1)).collect();
            let places = walked(&chunks, &grid, 1 << 16).unwrap();
            for part in [&part, &Block::whole(&grid)] {
                let mut found = vec![];
                let mut visit = |chunk| {
                    found.push(chunk);
                    Ok(())
                };
                places.visit(part, &mut visit).unwrap();
                let inside = chunks.iter().filter(|c| places.is_in(part, c.index));
                prop_assert_eq!(found, inside.cloned().collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn what_is_odd_or_large_is_not_kept() {
        let chunks: Vec<_> = (0..100).map(|n| chunk(n, false)).collect();
        assert_eq!(walked(&chunks, &[100], 1 << 20).unwrap().bytes(), 1200);
        assert!(walked(&chunks, &[100], 1199).is_none());
        let twice = [chunk(1, false), chunk(1, false)];
        assert!(walked(&twice, &[100], 1 << 20).is_none());
        let large = ChunkRef {
            range: 0..1 << 32,
            ..chunk(1, false)
        };
        assert!(walked(&[large], &[100], 1 << 20).is_none());
        assert_eq!(walked(&[], &[100], 1 << 20).unwrap().len(), 0);
    }
}
