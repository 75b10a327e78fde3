//! Slabs: the chunks of a part of a region, decoded by several threads, and the parts cut from them.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use super::assembled::made;
use super::gather::{BoxElements, Variable};
use super::ordered::Ordered;
use super::tiles::Tiles;
use crate::arithmetic::{Amount, length};
use crate::chunk::layout::ChunkRef;
use crate::chunk::plan::{Cell, Cells};
use crate::chunk::scatter::Block;
use crate::error::{Error, ErrorKind, Result};
use crate::model::Region;
use crate::runtime::buffers::Buffers;

/// Bytes of decoded chunks that are worth a work item.
const GROUP: u64 = 256 << 10;

/// Limits the slabs in memory. They have numbers, and enter in that order: a slab that entered before an earlier
/// one could keep it out while waiting for it.
pub(super) struct Gate {
    most: u64,
    state: Mutex<SlabState>,
    left: Condvar,
}

#[derive(Default)]
struct SlabState {
    /// Number of the next slab.
    next: u64,
    /// The lowest number of a slab that has not left yet.
    first: u64,
    /// Slabs that left before an earlier one.
    gone: BTreeSet<u64>,
}

impl Gate {
    /// A gate that admits this many slabs at a time.
    pub(super) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self {
            most: most.max(1) as u64,
            state: Mutex::default(),
            left: Condvar::new(),
        })
    }

    /// The number for a new slab.
    fn number(&self) -> u64 {
        let mut state = lock(&self.state);
        state.next += 1;
        state.next - 1
    }

    /// Waits until fewer than the limit of earlier slabs remain.
    fn enter(&self, number: u64) {
        let mut state = lock(&self.state);
        while number >= state.first + self.most {
            state = self
                .left
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn leave(&self, number: u64) {
        let mut state = lock(&self.state);
        state.gone.insert(number);
        while state.gone.first() == Some(&state.first) {
            state.gone.pop_first();
            state.first += 1;
        }
        drop(state);
        self.left.notify_all();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The elements of a slab's chunks.
enum KeptElements {
    /// The elements of each chunk, row-major, or why they are missing.
    Plain(Vec<OnceLock<Result<Vec<u8>>>>),
    /// The elements of its blocks, in the order of the parts.
    Ordered(Box<Ordered>),
}

/// A part of a region with its chunks. First each group of chunks is loaded by a work item; later items cut
/// bands from the slab. Because items start in order, a band waits only for items in progress.
pub(super) struct Slab {
    pub(super) region: Region,
    cells: Cells,
    /// The stored chunks, by number.
    chunks: Vec<(Cell, ChunkRef)>,
    /// The groups, as ranges of the chunks.
    groups: Vec<Range<usize>>,
    kept: KeptElements,
    /// Number of groups not loaded yet.
    waiting: Mutex<usize>,
    ready: Condvar,
    /// Its number at the gate.
    number: u64,
    gate: Arc<Gate>,
    /// Where its memory is returned.
    buffers: Arc<Buffers>,
}

impl Slab {
    /// The slab of a region; its chunks are located, not read. `tile` is the shape of the parts that will be cut
    /// from it, if they are all alike.
    pub(super) fn new(
        variable: &Variable<'_>,
        region: Region,
        (gate, threads): (&Arc<Gate>, usize),
        tile: Option<&[u64]>,
    ) -> Result<Self> {
        let cells = Cells::new(&region, variable.layout);
        let tiles = tile.and_then(|t| Tiles::new(&region, &cells.stored, variable.layout, t));
        let mut chunks = Vec::new();
        if variable.assembled {
            chunks.extend(cells.iter().map(|cell| {
                let chunk = made(cell.index);
                (cell, chunk)
            }));
        } else if !cells.is_empty() {
            let mut visit = |chunk: ChunkRef| {
                variable.env.cancel.check()?;
                chunks.extend(cells.cell(chunk.index).map(|cell| (cell, chunk)));
                Ok(())
            };
            variable
                .reader
                .locate(variable.var, &cells.grid_box(), &mut visit)?;
        }
        chunks.sort_by_key(|(cell, _)| cell.index);
        chunks.dedup_by_key(|(cell, _)| cell.index);
        let bytes = match &tiles {
            Some(_) => largest(&chunks) * variable.layout.element.size,
            None => variable.layout.chunk_bytes().into(),
        };
        let most = (Amount::of(GROUP) / bytes).count();
        let group = most.min(chunks.len() / (4 * threads).max(1)).max(1);
        let kept = match tiles {
            Some(tiles) => KeptElements::Ordered(Box::new(Ordered::new(tiles, &chunks, group)?)),
            None => KeptElements::Plain(chunks.iter().map(|_| OnceLock::new()).collect()),
        };
        let groups: Vec<Range<usize>> = match &kept {
            KeptElements::Ordered(ordered) => ordered.groups().collect(),
            KeptElements::Plain(_) => {
                let starts = (0..chunks.len()).step_by(group);
                starts.map(|n| n..(n + group).min(chunks.len())).collect()
            }
        };
        Ok(Self {
            waiting: Mutex::new(groups.len()),
            region,
            cells,
            chunks,
            groups,
            kept,
            ready: Condvar::new(),
            number: gate.number(),
            gate: Arc::clone(gate),
            buffers: Arc::clone(&variable.decoder.buffers),
        })
    }

    /// The groups of chunks, each with the bytes that loading it takes on top of what is kept.
    pub(super) fn groups(&self, variable: &Variable<'_>) -> Vec<u64> {
        let layout = variable.layout;
        let whole = Amount::of(layout.chunk_bytes());
        let ordered = matches!(self.kept, KeptElements::Ordered(_));
        let bytes = |group: &Range<usize>| {
            let group = self.chunks.get(group.clone()).unwrap_or_default();
            let stored = group.iter().map(|(_, c)| length(&c.range));
            let trimmed = |(cell, _): &(Cell, ChunkRef)| cell.place.count != layout.chunk;
            let twice = ordered || group.iter().any(trimmed);
            let copies = if twice { 2u64 } else { 1 };
            match layout.filters.len() {
                0 if ordered => (largest(group) * layout.element.size).get(),
                0 => 0,
                _ => (whole * copies + stored.max().unwrap_or(0)).get(),
            }
        };
        self.groups.iter().map(bytes).collect()
    }

    /// Loads a group of chunks. Errors are returned to those who need the chunk.
    pub(super) fn load(&self, variable: &Variable<'_>, group: usize) {
        let _done = MarkLoaded(self);
        self.gate.enter(self.number);
        match &self.kept {
            KeptElements::Ordered(ordered) => {
                ordered.load(variable, (&self.region, &self.chunks), group)
            }
            KeptElements::Plain(loaded) => {
                let range = self.groups.get(group).cloned().unwrap_or_default();
                let chunks = self.chunks.iter().zip(loaded);
                for ((cell, chunk), slot) in chunks.skip(range.start).take(range.len()) {
                    let bytes = variable.cell(&self.region, cell, chunk.clone());
                    // Each slot is set by one item only.
                    let _ = slot.set(bytes);
                }
            }
        }
    }

    /// The elements of a band, which is relative to the slab.
    pub(super) fn band(&self, variable: &Variable<'_>, band: &Region) -> Result<BoxElements> {
        self.wait();
        let part = Block {
            start: band.start.clone(),
            count: band.count.clone(),
        };
        let mut canvas = variable.canvas(&band.count)?;
        let (mut missing, mut any) = (Vec::new(), false);
        match &self.kept {
            KeptElements::Ordered(ordered) => {
                any = ordered.put(&self.chunks, (band, canvas.all()?), &mut missing)?;
            }
            // If few of many chunks are stored, search these.
            KeptElements::Plain(loaded)
                if self.cells.count_within(&part) / 4 > loaded.len() as u64 =>
            {
                let whole = Cell::whole(&self.cells.stored);
                canvas.fill_cell(variable.decoder.fills().0, &within(whole, &part))?;
                for (cell, _) in &self.chunks {
                    if within(cell.clone(), &part).place.count.contains(&0) {
                        continue;
                    }
                    if let Some(bytes) = self.loaded(loaded, cell.index)? {
                        any = true;
                        canvas.put_part(&cell.place, bytes, band)?;
                    }
                }
            }
            KeptElements::Plain(loaded) => {
                for cell in self.cells.within(&part) {
                    match self.loaded(loaded, cell.index)? {
                        Some(bytes) => {
                            any = true;
                            canvas.put_part(&cell.place, bytes, band)?;
                        }
                        None => missing.push(within(cell, &part)),
                    }
                }
            }
        }
        let stored = self.cells.stored.iter().zip(&band.start);
        let stored: Vec<u64> = stored.map(|(n, start)| n.saturating_sub(*start)).collect();
        canvas.fill(variable.decoder.fills(), missing.into_iter(), &stored)?;
        Ok(BoxElements {
            bytes: canvas.into_bytes()?,
            stored: any,
        })
    }

    /// The elements of a chunk; `None` if it is not stored.
    fn loaded<'a>(
        &self,
        loaded: &'a [OnceLock<Result<Vec<u8>>>],
        index: u64,
    ) -> Result<Option<&'a [u8]>> {
        let at = (self.chunks).binary_search_by_key(&index, |(cell, _)| cell.index);
        let Ok(at) = at else {
            return Ok(None);
        };
        match loaded.get(at).and_then(OnceLock::get) {
            Some(Ok(bytes)) => Ok(Some(bytes)),
            Some(Err(e)) => Err(e.again()),
            None => Err(Error::new(
                ErrorKind::Cancelled,
                "a chunk that was not loaded",
            )),
        }
    }

    /// Waits until all chunks are loaded.
    fn wait(&self) {
        let mut waiting = lock(&self.waiting);
        while *waiting > 0 {
            waiting = self
                .ready
                .wait(waiting)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Slab {
    fn drop(&mut self) {
        match &mut self.kept {
            KeptElements::Ordered(ordered) => ordered.give_back(&self.buffers),
            KeptElements::Plain(loaded) => {
                let loaded = loaded.drain(..).filter_map(OnceLock::into_inner);
                loaded.flatten().for_each(|b| self.buffers.give_large(b));
            }
        }
        self.gate.leave(self.number);
    }
}

/// Elements of the largest cell of a group.
fn largest(group: &[(Cell, ChunkRef)]) -> Amount {
    let counts = group
        .iter()
        .map(|(cell, _)| Amount::product(&cell.place.count));
    counts.max().unwrap_or_default()
}

/// Marks a group as loaded, even after a panic, so that nobody waits for ever.
struct MarkLoaded<'a>(&'a Slab);

impl Drop for MarkLoaded<'_> {
    fn drop(&mut self) {
        *lock(&self.0.waiting) -= 1;
        self.0.ready.notify_all();
    }
}

/// The elements of a cell that lie in `part`, relative to its start.
fn within(cell: Cell, part: &Block) -> Cell {
    let (mut start, mut count) = (Vec::new(), Vec::new());
    let dims = cell.place.start.iter().zip(&cell.place.count);
    for ((&first, &len), (&from, &n)) in dims.zip(part.start.iter().zip(&part.count)) {
        let begin = first.max(from);
        let end = (first + len).min(from + n);
        start.push(begin - from);
        count.push(end.saturating_sub(begin));
    }
    let place = Block { start, count };
    Cell { place, ..cell }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_slab_never_keeps_an_earlier_one_out() {
        let gate = Gate::new(2);
        let numbers = [gate.number(), gate.number(), gate.number()];
        assert_eq!(numbers, [0, 1, 2]);
        let waits = |number: u64| number >= lock(&gate.state).first + gate.most;
        assert_eq!(numbers.map(waits), [false, false, true]);
        gate.leave(1);
        assert_eq!(numbers.map(waits), [false, false, true], "0 is still there");
        gate.leave(0);
        assert!(!waits(2) && !waits(3) && waits(4));
    }
}
