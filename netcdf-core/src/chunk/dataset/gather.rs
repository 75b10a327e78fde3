//! Reads a region from the chunks of a variable.

use super::fetch_queue::Gather;
use super::requests::lost;
use super::variable::{BoxElements, ReadVariable};
use crate::chunk::layout::ChunkRef;
use crate::chunk::plan::{PlanCell, PlanCells};
use crate::chunk::read_cache::ChunkElements;
use crate::chunk::scatter::{Block, single};
use crate::chunk::visit::Locate;
use crate::error::Result;
use crate::io::source::present;
use crate::model::Region;

/// The minimum number of chunks for which a region may be filled before its chunks are read.
const MANY: u64 = 1 << 10;

impl ReadVariable<'_> {
    /// Returns the elements of a region in row-major order.
    pub(super) fn read(&self, region: &Region) -> Result<Vec<u8>> {
        Ok(self.read_part(region, None)?.bytes)
    }

    /// Returns the elements of a region, and whether any are stored. `found` has the chunks if they are already located.
    pub(super) fn read_part(
        &self,
        region: &Region,
        found: Option<Vec<ChunkRef>>,
    ) -> Result<BoxElements> {
        if self.assembly.is_some() {
            let bytes = self.assemble(region)?;
            return Ok(BoxElements {
                bytes,
                stored: true,
            });
        }
        let mut gather = Gather::new(self, region)?;
        let cells = PlanCells::new(region, self.layout);
        let found = match found {
            _ if self.layout.element.size == 0 => vec![],
            Some(found) => found,
            None => self.located(&cells, Locate::Candidates)?,
        };
        // If only a few of many chunks are stored, filling the region costs less than looking up the missing chunks.
        let sparse = cells.len() >= MANY && found.len() as u64 <= cells.len() / 4;
        if sparse {
            let whole = PlanCell::whole(&cells.stored);
            gather.canvas.fill_cell(self.decoder.fills().0, &whole)?;
        }
        let mut visited: Vec<u64> = found.iter().map(|chunk| chunk.index).collect();
        gather.chunks(found)?;
        gather.flush()?;
        visited.sort_unstable();
        visited.dedup();
        visited.retain(|index| !gather.missing.contains(index));
        let complete = sparse || visited.len() as u64 == cells.len();
        let all = cells.iter().take(if complete { 0 } else { usize::MAX });
        let missing = all.filter(|cell| visited.binary_search(&cell.index).is_err());
        let mut canvas = gather.canvas;
        canvas.fill(self.decoder.fills(), missing, &cells.stored)?;
        Ok(BoxElements {
            bytes: canvas.into_bytes()?,
            stored: !visited.is_empty(),
        })
    }

    /// Returns the region's elements within a chunk, where `cell` is their position in the region; `None` for a missing chunk.
    pub(super) fn cell(
        &self,
        region: &Region,
        cell: &PlanCell,
        chunk: ChunkRef,
    ) -> Result<Option<Vec<u8>>> {
        self.cell_of(&region.part(&cell.place.region()), chunk)
    }

    /// Returns the elements of [`ReadVariable::cell`] from the decoded chunk.
    pub(super) fn cell_from(
        &self,
        region: &Region,
        (cell, chunk): (&PlanCell, &ChunkRef),
        elements: ChunkElements,
    ) -> Result<Vec<u8>> {
        let part = region.part(&cell.place.region());
        let mut gather = Gather::new(self, &part)?;
        gather.put_chunk(chunk, elements)?;
        gather.canvas.into_bytes()
    }

    fn cell_of(&self, part: &Region, chunk: ChunkRef) -> Result<Option<Vec<u8>>> {
        if self.assembly.is_some() {
            return self.assemble(part).map(Some);
        }
        let mut gather = Gather::new(self, part)?;
        gather.chunk(chunk)?;
        gather.flush()?;
        match gather.missing.is_empty() {
            true => gather.canvas.into_bytes().map(Some),
            false => Ok(None),
        }
    }

    /// Like [`ReadVariable::cell`], for a region without gaps. May return more elements of the chunk, and returns the box of the returned
    /// elements. `read` has the elements if the caller has read the chunk.
    pub(super) fn around(
        &self,
        (region, cell): (&Region, &PlanCell),
        chunk: ChunkRef,
        read: Option<Result<Option<ChunkElements>>>,
    ) -> Result<(Block, ChunkElements)> {
        let block = self.layout.block(chunk.index);
        if let Some(read) = read {
            return Ok((block, read?.ok_or_else(lost)?));
        }
        if self.is_filtered() {
            return Ok((block, self.elements(&chunk)?.ok_or_else(lost)?));
        }
        let part = region.part(&cell.place.region());
        let source = self.set.reader.bytes().source(&chunk);
        let only = single(&block, &part).filter(|_| self.assembly.is_none());
        let bytes = match (only, source) {
            (Some(run), Some(source)) => {
                let range = self.stored(&chunk, run)?;
                let mut bytes = self.decoder.memory(present(&*source, &range)?)?;
                self.set.read_at(&*source, range.start, &mut bytes)?;
                bytes
            }
            _ => self.cell_of(&part, chunk)?.ok_or_else(lost)?,
        };
        let (start, count) = (part.start, part.count);
        Ok((Block { start, count }, ChunkElements::Own(bytes)))
    }
}
