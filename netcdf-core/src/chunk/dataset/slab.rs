//! Slabs: the chunks of a part of a region, decoded by several threads, and the parts cut from them.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::assembly::placeholder;
use super::ordered_slab::OrderedSlab;
use super::tiles::SlabTiles;
use super::variable::{BoxElements, ReadVariable};
use crate::arithmetic::{Amount, length};
use crate::chunk::layout::ChunkRef;
use crate::chunk::plan::{PlanCell, PlanCells};
use crate::chunk::scatter::Block;
use crate::chunk::visit::Locate;
use crate::error::{Error, ErrorKind, Result};
use crate::model::Region;
use crate::runtime::buffers::Buffers;

/// The minimum size of a work item in bytes of decoded chunks.
const GROUP: u64 = 256 << 10;

/// The elements of a slab's chunks.
enum KeptElements {
    /// The elements of each chunk in row-major order, or its error; `None` for a missing chunk.
    Plain(Vec<OnceLock<Result<Option<Vec<u8>>>>>),
    /// The elements of the slab's blocks, in the order of the parts.
    Ordered(Box<OrderedSlab>),
}

/// A part of a region with its chunks. First, work items load the groups of chunks. Later items cut bands from the slab.
pub(super) struct Slab {
    pub(super) region: Region,
    cells: PlanCells,
    /// The located chunks, by number. Candidates may turn out to be missing.
    chunks: Vec<(PlanCell, ChunkRef)>,
    /// The groups, as index ranges of the chunks.
    groups: Vec<Range<usize>>,
    kept: KeptElements,
    /// The buffers that take back the memory.
    buffers: Arc<Buffers>,
}

impl Slab {
    /// Creates the slab of a region, with located chunks. `tile` is the shape of the parts that will be cut from the slab, if they have one
    /// shape.
    pub(super) fn new(
        variable: &ReadVariable<'_>,
        region: Region,
        width: usize,
        tile: Option<&[u64]>,
    ) -> Result<Self> {
        let cells = PlanCells::new(&region, variable.layout);
        let tiles = tile.and_then(|t| SlabTiles::new(&region, &cells.stored, variable.layout, t));
        let mut chunks = Vec::new();
        if variable.assembly.is_some() {
            chunks.extend(cells.iter().map(|cell| {
                let chunk = placeholder(variable.var, cell.index);
                (cell, chunk)
            }));
        } else {
            let which = match &tiles {
                Some(_) => Locate::Stored,
                None => Locate::Candidates,
            };
            let located = variable.located(&cells, which)?;
            let cells = located.into_iter().map(|c| (cells.cell(c.index), c));
            chunks.extend(cells.filter_map(|(cell, chunk)| Some((cell?, chunk))));
        }
        chunks.sort_by_key(|(cell, _)| cell.index);
        chunks.dedup_by_key(|(cell, _)| cell.index);
        let bytes = match &tiles {
            Some(_) => largest(&chunks) * variable.layout.element.size,
            None => variable.layout.chunk_bytes().into(),
        };
        let group = most_in_group(variable, bytes, (chunks.len(), width));
        let kept = match tiles {
            Some(tiles) => {
                KeptElements::Ordered(Box::new(OrderedSlab::new(tiles, &chunks, group)?))
            }
            None => KeptElements::Plain(chunks.iter().map(|_| OnceLock::new()).collect()),
        };
        let groups: Vec<Range<usize>> = match &kept {
            KeptElements::Ordered(ordered) => ordered.groups().collect(),
            KeptElements::Plain(_) if variable.is_ahead() => {
                let refs: Vec<_> = chunks.iter().map(|(_, chunk)| chunk.clone()).collect();
                let whole = variable.layout.chunk_bytes();
                let bytes = |chunk: &ChunkRef| (Amount::of(whole) + length(&chunk.range)).get();
                variable.set.request_groups(&refs, bytes)
            }
            KeptElements::Plain(_) => {
                let starts = (0..chunks.len()).step_by(group);
                starts.map(|n| n..(n + group).min(chunks.len())).collect()
            }
        };
        Ok(Self {
            region,
            cells,
            chunks,
            groups,
            kept,
            buffers: Arc::clone(&variable.decoder.buffers),
        })
    }

    /// Returns the memory in bytes that loading each group takes on top of its decoded chunks.
    pub(super) fn groups(&self, variable: &ReadVariable<'_>) -> Vec<u64> {
        let layout = variable.layout;
        let whole = Amount::of(layout.chunk_bytes());
        let ordered = matches!(self.kept, KeptElements::Ordered(_));
        let assembly = variable.assembly_bytes();
        let bytes = |group: &Range<usize>| {
            let group = self.chunks.get(group.clone()).unwrap_or_default();
            let stored = group.iter().map(|(_, c)| Amount::of(length(&c.range)));
            let trimmed = |(cell, _): &(PlanCell, ChunkRef)| cell.place.count != layout.chunk;
            let twice = ordered || group.iter().any(trimmed);
            let copies = match ordered && variable.is_ahead() {
                true => 1 + group.len() as u64,
                false if twice => 2,
                false => 1,
            };
            match layout.filters.len() {
                0 if ordered && variable.reads_small() => stored.sum::<Amount>().get(),
                0 if ordered => (assembly + largest(group) * layout.element.size).get(),
                0 => assembly.get(),
                _ => (whole * copies + stored.sum::<Amount>()).get(),
            }
        };
        self.groups.iter().map(bytes).collect()
    }

    /// Loads a group of chunks. The error of a chunk is returned when the chunk is used.
    pub(super) fn load(&self, variable: &ReadVariable<'_>, group: usize) {
        match &self.kept {
            KeptElements::Ordered(ordered) => {
                ordered.load(variable, (&self.region, &self.chunks), group)
            }
            KeptElements::Plain(loaded) => {
                let range = self.groups.get(group).cloned().unwrap_or_default();
                let group = self.chunks.get(range.clone()).unwrap_or_default();
                let loaded = loaded.get(range).unwrap_or_default();
                self.load_plain(variable, group, loaded);
            }
        }
    }

    /// Loads a group of chunks without reordering.
    fn load_plain(
        &self,
        variable: &ReadVariable<'_>,
        group: &[(PlanCell, ChunkRef)],
        loaded: &[OnceLock<Result<Option<Vec<u8>>>>],
    ) {
        if !variable.is_filtered() {
            for ((cell, chunk), slot) in group.iter().zip(loaded) {
                // Only one item sets each slot.
                let _ = slot.set(variable.cell(&self.region, cell, chunk.clone()));
            }
            return;
        }
        let refs: Vec<_> = group.iter().map(|(_, chunk)| chunk.clone()).collect();
        // Errors are in the slots.
        let _ = variable.elements_of(&refs, |n, elements| {
            if let (Some((cell, chunk)), Some(slot)) = (group.get(n), loaded.get(n)) {
                let bytes = elements.and_then(|elements| {
                    let cell = |elements| variable.cell_from(&self.region, (cell, chunk), elements);
                    elements.map(cell).transpose()
                });
                let _ = slot.set(bytes);
            }
            Ok(())
        });
    }

    /// Returns the elements of a band, which is relative to the slab.
    pub(super) fn band(&self, variable: &ReadVariable<'_>, band: &Region) -> Result<BoxElements> {
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
            // If few of many chunks are stored, iterate over the chunks instead of the cells.
            KeptElements::Plain(loaded)
                if self.cells.count_within(&part) / 4 > loaded.len() as u64 =>
            {
                let whole = PlanCell::whole(&self.cells.stored);
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

    /// Returns the elements of a chunk; `None` for a missing chunk.
    fn loaded<'a>(
        &self,
        loaded: &'a [OnceLock<Result<Option<Vec<u8>>>>],
        index: u64,
    ) -> Result<Option<&'a [u8]>> {
        let at = (self.chunks).binary_search_by_key(&index, |(cell, _)| cell.index);
        let Ok(at) = at else {
            return Ok(None);
        };
        match loaded.get(at).and_then(OnceLock::get) {
            Some(Ok(bytes)) => Ok(bytes.as_deref()),
            Some(Err(e)) => Err(e.again()),
            None => Err(Error::new(ErrorKind::Cancelled, "a chunk was not loaded")),
        }
    }
}

impl Drop for Slab {
    fn drop(&mut self) {
        match &mut self.kept {
            KeptElements::Ordered(ordered) => ordered.give_back(&self.buffers),
            KeptElements::Plain(loaded) => {
                let loaded = loaded.drain(..).filter_map(OnceLock::into_inner);
                loaded
                    .flatten()
                    .flatten()
                    .for_each(|b| self.buffers.give_large(b));
            }
        }
    }
}

/// Returns the maximum number of chunks per group, where each chunk takes `bytes`. All workers should have groups, and a group should be
/// worth a work item. If requests take long, each group may be one request.
fn most_in_group(
    variable: &ReadVariable<'_>,
    bytes: Amount,
    (chunks, width): (usize, usize),
) -> usize {
    let runtime = variable.set.runtime();
    let (memory, groups) = match runtime.requests() {
        Some(requests) => (runtime.memory() / requests as u64, requests),
        None => (GROUP, 4 * width),
    };
    let most = (Amount::of(memory) / bytes).count();
    most.min(chunks / groups.max(1)).max(1)
}

/// Returns the number of elements in the largest cell of a group.
fn largest(group: &[(PlanCell, ChunkRef)]) -> Amount {
    let counts = group
        .iter()
        .map(|(cell, _)| Amount::product(&cell.place.count));
    counts.max().unwrap_or_default()
}

/// Returns the intersection of a cell with `part`, relative to the start of `part`.
fn within(cell: PlanCell, part: &Block) -> PlanCell {
    let (mut start, mut count) = (Vec::new(), Vec::new());
    let dims = cell.place.start.iter().zip(&cell.place.count);
    for ((&first, &len), (&from, &n)) in dims.zip(part.start.iter().zip(&part.count)) {
        let begin = first.max(from);
        let end = (first + len).min(from + n);
        start.push(begin - from);
        count.push(end.saturating_sub(begin));
    }
    let place = Block { start, count };
    PlanCell { place, ..cell }
}
