//! Reads a region from the chunks of a variable.

use std::ops::Range;

use super::Dataset;
use super::canvas::Canvas;
use super::requests::Fetched;
use super::wants::Gather;
use crate::arithmetic::{Amount, Exact, exact, length};
use crate::chunk::decode::Decoder;
use crate::chunk::layout::{ChunkRef, Layout};
use crate::chunk::plan::{Cell, Cells};
use crate::chunk::read_cache::{ChunkElements, Usage};
use crate::chunk::reader::Assembly;
use crate::chunk::scatter::{Block, Run, single};
use crate::chunk::visit::Locate;
use crate::error::{Error, ErrorKind, Result};
use crate::io::source::present;
use crate::model::{Region, VarId};
use crate::runtime::buffers::LARGE;

/// From this many chunks of a region on, the region may be filled before its chunks are read.
const MANY: u64 = 1 << 10;

/// Elements of a box, in stored form, row-major.
#[derive(Debug)]
pub struct BoxElements {
    /// Their bytes.
    pub bytes: Vec<u8>,
    /// False if all are fill because none of their chunks is stored.
    pub stored: bool,
}

/// Data shared by all regions of a variable.
pub(super) struct Variable<'a> {
    pub(super) set: Dataset<'a>,
    pub(super) var: VarId,
    pub(super) layout: &'a Layout,
    /// The reader, if it makes the elements itself.
    pub(super) assembly: Option<&'a dyn Assembly>,
    pub(super) decoder: Decoder<'a>,
    /// The chunks that are kept, if any may be.
    pub(super) usage: Option<Usage<'a>>,
}

impl Variable<'_> {
    /// True if chunks are decoded as a whole.
    pub(super) fn is_filtered(&self) -> bool {
        self.assembly.is_none() && !self.layout.filters.is_empty()
    }

    /// Bytes of memory for chunks that the reader decodes to make a box.
    pub(super) fn assembly_bytes(&self) -> Amount {
        let bytes = self.assembly.map(|assembly| assembly.memory(self.var));
        bytes.unwrap_or_default().into()
    }

    /// True if several chunks are decoded after they were asked for together.
    pub(super) fn is_ahead(&self) -> bool {
        self.is_filtered() && self.set.runtime().asks_ahead()
    }

    /// A canvas for a region.
    pub(super) fn canvas(&self, shape: &[u64]) -> Result<Canvas> {
        let size = self.layout.element.size;
        let elements = crate::model::region::product(shape);
        let bytes = elements.and_then(|n| n.checked_mul(size));
        let bytes = bytes.ok_or_else(|| Error::new(ErrorKind::Limit, "a region of 2^64 bytes"))?;
        let len = self.set.env.limits.item(bytes, "a region")?;
        Canvas::new(shape, (size, len), &self.decoder.buffers)
    }

    /// The elements of a region, row-major.
    pub(super) fn read(&self, region: &Region) -> Result<Vec<u8>> {
        Ok(self.read_part(region, None)?.bytes)
    }

    /// The elements of a region, and whether any are stored. Its chunks may have been located before.
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
        let cells = Cells::new(region, self.layout);
        let found = match found {
            _ if self.layout.element.size == 0 => vec![],
            Some(found) => found,
            None => self.located(&cells, Locate::Candidates)?,
        };
        // Of many chunks, so few may be stored that the missing ones are not worth looking up.
        let sparse = cells.len() >= MANY && found.len() as u64 <= cells.len() / 4;
        if sparse {
            let whole = Cell::whole(&cells.stored);
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

    /// Chunks of a region.
    pub(super) fn located(&self, cells: &Cells, which: Locate) -> Result<Vec<ChunkRef>> {
        let mut found = vec![];
        if cells.is_empty() {
            return Ok(found);
        }
        let mut visit = |chunk: ChunkRef| {
            found.extend(Some(chunk).filter(|chunk| cells.cell(chunk.index).is_some()));
            Ok(())
        };
        let set = self.set;
        set.locate_chunks(self.var, &cells.grid_box(), which, &mut visit)?;
        Ok(found)
    }

    /// The elements of a region that lie in a chunk, where `cell` is their place; `None` if it turns out that it is not stored.
    pub(super) fn cell(
        &self,
        region: &Region,
        cell: &Cell,
        chunk: ChunkRef,
    ) -> Result<Option<Vec<u8>>> {
        self.cell_of(&region.part(&cell.place.region()), chunk)
    }

    /// As [`Variable::cell`], from the elements of the chunk.
    pub(super) fn cell_from(
        &self,
        region: &Region,
        (cell, chunk): (&Cell, &ChunkRef),
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

    /// As [`Variable::cell`] for a region without gaps, or more elements of the chunk if they are available:
    /// those of a box, which is returned, too. Those of a chunk with filters may have been read before.
    pub(super) fn around(
        &self,
        (region, cell): (&Region, &Cell),
        chunk: ChunkRef,
        read: Option<Result<Option<ChunkElements>>>,
    ) -> Result<(Block, ChunkElements)> {
        let part = region.part(&cell.place.region());
        let block = self.layout.block(chunk.index);
        if self.is_filtered() {
            let elements = read.unwrap_or_else(|| self.elements(&chunk))?;
            return Ok((block, elements.ok_or_else(lost)?));
        }
        let source = self.set.reader.bytes().source(&chunk);
        let only = single(&block, &part).filter(|_| self.assembly.is_none());
        let bytes = match (only, source) {
            (Some(run), Some(source)) => {
                let range = self.stored(&chunk, run)?;
                let mut bytes = self.decoder.memory(present(&**source, &range)?)?;
                self.set.read_at(&**source, range.start, &mut bytes)?;
                bytes
            }
            _ => self.cell_of(&part, chunk)?.ok_or_else(lost)?,
        };
        let (start, count) = (part.start, part.count);
        Ok((Block { start, count }, ChunkElements::Own(bytes)))
    }

    /// Where the elements of a run are stored in a chunk without filters.
    pub(super) fn stored(&self, chunk: &ChunkRef, run: Run) -> Result<Range<u64>> {
        let size = self.layout.element.size;
        let elements = exact(run.len.saturating_sub(1)) * run.step + 1u64;
        let byte = |n: Exact| (n * size + chunk.range.start).get().ok();
        match (byte(run.from.into()), byte(elements + run.from)) {
            (Some(start), Some(end)) if end <= chunk.range.end => Ok(start..end),
            _ => Err(self.short(chunk)),
        }
    }

    /// The stored bytes of chunks or parts of them; `None` for one that is not stored. A single large one, the usual case, goes into
    /// reused memory.
    pub(super) fn fetch(&self, chunks: &[ChunkRef]) -> Result<Fetched> {
        let set = self.set;
        let large = |chunk: &&ChunkRef| length(&chunk.range) >= LARGE as u64;
        let [only] = chunks else {
            return set.fetch_stored(chunks);
        };
        let source = Some(only).filter(large);
        let Some(source) = source.and_then(|chunk| set.reader.bytes().source(chunk)) else {
            return set.fetch_stored(chunks);
        };
        let mut bytes = self.decoder.memory(present(&**source, &only.range)?)?;
        set.read_at(&**source, only.range.start, &mut bytes)?;
        Ok(Fetched::one(bytes))
    }

    /// The error for a chunk with too few elements.
    pub(super) fn short(&self, chunk: &ChunkRef) -> Error {
        let what = match self.layout.chunk_bytes() {
            Some(want) => format!("fewer bytes than the {want} that its shape asks for"),
            None => "fewer bytes than its shape asks for".to_owned(),
        };
        let e = Error::new(ErrorKind::Corrupt, what);
        self.decoder.in_chunk(e, chunk)
    }
}

/// The error for a chunk that was there when it was located.
pub(super) fn lost() -> Error {
    Error::new(ErrorKind::NotFound, "a chunk is no longer there")
}

/// True if the region has no gaps.
pub(super) fn is_dense(region: &Region) -> bool {
    let mut strides = region.stride.iter().zip(&region.count);
    strides.all(|(&stride, &count)| stride == 1 || count == 1)
}
