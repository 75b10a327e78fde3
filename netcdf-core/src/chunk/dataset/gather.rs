//! Reads a region from the chunks of a variable.

use std::collections::BTreeSet;
use std::ops::Range;

use super::canvas::Canvas;
use crate::arithmetic::{Amount, Exact, exact, length};
use crate::chunk::Reader;
use crate::chunk::decode::Decoder;
use crate::chunk::layout::{ChunkRef, Layout};
use crate::chunk::plan::{Cell, Cells};
use crate::chunk::scatter::{Block, Run, runs, single};
use crate::env::Env;
use crate::error::{Error, ErrorKind, Result};
use crate::io::source::present;
use crate::limits;
use crate::model::{Region, VarId};
use crate::runtime::Runtime;
use crate::runtime::buffers::LARGE;

/// Parts fetched at a time.
const BATCH: usize = 1 << 14;
/// Bytes fetched at a time, roughly.
const BYTES: u64 = 1 << 20;
/// From this many chunks of a region on, the stored ones are counted first.
const MANY: u64 = 1 << 10;
/// Elements at least this many bytes apart are not read together.
const APART: u64 = 4 << 10;

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
    pub(super) reader: &'a dyn Reader,
    pub(super) env: &'a Env,
    /// The threads and memory for reading it.
    pub(super) runtime: Runtime,
    pub(super) var: VarId,
    pub(super) layout: &'a Layout,
    /// True if the reader makes the elements itself.
    pub(super) assembled: bool,
    pub(super) decoder: Decoder<'a>,
}

/// Something to fetch.
enum Want {
    /// A whole chunk.
    Chunk(ChunkRef),
    /// A part of a chunk without filters, and the run that it becomes.
    Part(ChunkRef, Run),
}

impl Variable<'_> {
    /// A canvas for a region.
    pub(super) fn canvas(&self, shape: &[u64]) -> Result<Canvas> {
        let size = self.layout.element.size;
        let elements = crate::model::region::product(shape);
        let bytes = elements.and_then(|n| n.checked_mul(size));
        let bytes = bytes.ok_or_else(|| Error::new(ErrorKind::Limit, "a region of 2^64 bytes"))?;
        let len = self.env.limits.item(bytes, "a region")?;
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
        located: Option<Vec<ChunkRef>>,
    ) -> Result<BoxElements> {
        if self.assembled {
            let bytes = self.assemble(region)?;
            return Ok(BoxElements {
                bytes,
                stored: true,
            });
        }
        let mut gather = Gather::new(self, region)?;
        let cells = Cells::new(region, self.layout);
        let sparse = self.is_sparse(&cells)?;
        if sparse {
            let whole = Cell::whole(&cells.stored);
            gather.canvas.fill_cell(self.decoder.fills().0, &whole)?;
        }
        let mut visited = Vec::new();
        if self.layout.element.size > 0 {
            let located = located.map_or_else(|| self.candidates(&cells), Ok)?;
            for chunk in located {
                self.env.cancel.check()?;
                visited.push(chunk.index);
                gather.chunk(chunk)?;
            }
        }
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

    /// The stored chunks of a region.
    pub(super) fn located(&self, cells: &Cells) -> Result<Vec<ChunkRef>> {
        self.found(cells, |place, visit| self.reader.locate(self.var, place, visit))
    }

    /// The chunks of a region that may be stored ([`Reader::candidates`]).
    pub(super) fn candidates(&self, cells: &Cells) -> Result<Vec<ChunkRef>> {
        self.found(cells, |place, visit| {
            self.reader.candidates(self.var, place, visit)
        })
    }

    /// The chunks of a region that `find` visits.
    fn found(
        &self,
        cells: &Cells,
        find: impl FnOnce(&Block, &mut dyn FnMut(ChunkRef) -> Result<()>) -> Result<()>,
    ) -> Result<Vec<ChunkRef>> {
        let mut found = vec![];
        if cells.is_empty() {
            return Ok(found);
        }
        let mut visit = |chunk: ChunkRef| {
            self.env.cancel.check()?;
            if cells.cell(chunk.index).is_some() {
                found.push(chunk);
            }
            Ok(())
        };
        let locate = || find(&cells.grid_box(), &mut visit);
        self.runtime.ask(locate)?;
        Ok(found)
    }

    /// True if so few of many chunks are stored that the missing ones are not worth looking up.
    fn is_sparse(&self, cells: &Cells) -> Result<bool> {
        if cells.len() < MANY {
            return Ok(false);
        }
        let most = cells.len() / 4;
        let mut stored = 0u64;
        let mut visit = |_| {
            stored += 1;
            match stored > most {
                true => Err(Error::new(ErrorKind::Limit, "more chunks than wanted")),
                false => self.env.cancel.check(),
            }
        };
        let locate = || (self.reader).locate(self.var, &cells.grid_box(), &mut visit);
        let counted = self.runtime.ask(locate);
        match counted {
            Err(_) if stored > most => Ok(false),
            counted => counted.map(|()| true),
        }
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

    /// As [`Variable::cell`], from the stored bytes of a chunk with filters.
    pub(super) fn cell_from(
        &self,
        region: &Region,
        (cell, chunk): (&Cell, &ChunkRef),
        stored: Vec<u8>,
    ) -> Result<Vec<u8>> {
        let part = region.part(&cell.place.region());
        let mut gather = Gather::new(self, &part)?;
        let bytes = self.decoder.decode(chunk, stored)?;
        gather.put_chunk(chunk, bytes)?;
        gather.canvas.into_bytes()
    }

    /// The stored bytes of chunks with filters, asked for together; none if there is only one, or if some cannot be read.
    pub(super) fn fetched_together(
        &self,
        chunks: &[(Cell, ChunkRef)],
    ) -> std::vec::IntoIter<Option<Vec<u8>>> {
        let apart = chunks.len() < 2 || self.assembled || self.layout.filters.is_empty();
        let refs = chunks.iter().map(|(_, chunk)| chunk.clone());
        let stored = match apart {
            true => vec![],
            // Who needs a chunk that cannot be read meets the error.
            false => (self.fetch(&refs.collect::<Vec<_>>())).unwrap_or_default(),
        };
        stored.into_iter()
    }

    fn cell_of(&self, part: &Region, chunk: ChunkRef) -> Result<Option<Vec<u8>>> {
        if self.assembled {
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
    /// those of a box, which is returned, too. They may be in `memory`, whose content is arbitrary.
    pub(super) fn around(
        &self,
        (region, cell): (&Region, &Cell),
        chunk: ChunkRef,
        memory: &mut Vec<u8>,
    ) -> Result<(Block, Vec<u8>)> {
        let part = region.part(&cell.place.region());
        let block = self.layout.block(chunk.index);
        if !self.assembled && !self.layout.filters.is_empty() {
            let stored = self.fetch(std::slice::from_ref(&chunk))?.pop();
            let stored = stored.flatten().ok_or_else(lost)?;
            let bytes = self.decoder.decode(&chunk, stored)?;
            return Ok((block, bytes));
        }
        let source = self.reader.object(chunk.object);
        let only = single(&block, &part).filter(|_| !self.assembled);
        let bytes = match (only, source) {
            (Some(run), Some(source)) => {
                let range = self.stored(&chunk, run)?;
                let mut bytes = std::mem::take(memory);
                let len = present(&**source, &range)?;
                let more = len.saturating_sub(bytes.len());
                limits::reserve(&mut bytes, more, "a part of a chunk")?;
                bytes.resize(len, 0);
                (self.runtime).ask(|| source.read_at(range.start, &mut bytes))?;
                bytes
            }
            _ => self.cell_of(&part, chunk)?.ok_or_else(lost)?,
        };
        let (start, count) = (part.start, part.count);
        Ok((Block { start, count }, bytes))
    }

    /// Where the elements of a run are stored in a chunk without filters.
    fn stored(&self, chunk: &ChunkRef, run: Run) -> Result<Range<u64>> {
        let size = self.layout.element.size;
        let elements = exact(run.len.saturating_sub(1)) * run.step + 1u64;
        let byte = |n: Exact| (n * size + chunk.range.start).get().ok();
        match (byte(run.from.into()), byte(elements + run.from)) {
            (Some(start), Some(end)) if end <= chunk.range.end => Ok(start..end),
            _ => Err(self.short(chunk)),
        }
    }

    /// The stored bytes of chunks or parts of them; `None` for one that is not stored. A single large one, the usual case, goes into reused memory.
    pub(super) fn fetch(&self, chunks: &[ChunkRef]) -> Result<Vec<Option<Vec<u8>>>> {
        self.runtime.ask(|| self.fetch_now(chunks))
    }

    fn fetch_now(&self, chunks: &[ChunkRef]) -> Result<Vec<Option<Vec<u8>>>> {
        let reader = self.reader;
        let large = |chunk: &&ChunkRef| length(&chunk.range) >= LARGE as u64;
        let [only] = chunks else {
            return reader.fetch_stored(chunks);
        };
        let source = Some(only).filter(large);
        let Some(source) = source.and_then(|c| reader.object(c.object)) else {
            return reader.fetch_stored(chunks);
        };
        let mut bytes = self.decoder.memory(present(&**source, &only.range)?)?;
        source.read_at(only.range.start, &mut bytes)?;
        Ok(vec![Some(bytes)])
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

/// Collects the elements of one region.
struct Gather<'a> {
    variable: &'a Variable<'a>,
    region: &'a Region,
    canvas: Canvas,
    wants: Vec<Want>,
    /// Bytes to fetch.
    bytes: u64,
    /// The chunks that turned out not to be stored.
    missing: BTreeSet<u64>,
}

impl<'a> Gather<'a> {
    fn new(variable: &'a Variable<'a>, region: &'a Region) -> Result<Self> {
        Ok(Self {
            variable,
            region,
            canvas: variable.canvas(&region.count)?,
            wants: vec![],
            bytes: 0,
            missing: BTreeSet::new(),
        })
    }

    fn chunk(&mut self, chunk: ChunkRef) -> Result<()> {
        let layout = self.variable.layout;
        if !layout.filters.is_empty() {
            return self.want(Want::Chunk(chunk));
        }
        let (block, region) = (layout.block(chunk.index), self.region);
        runs(&block, region, |run| self.run(&chunk, run))
    }

    /// Requests a run of a chunk without filters, element by element if they are far apart.
    fn run(&mut self, chunk: &ChunkRef, run: Run) -> Result<()> {
        let size = self.variable.layout.element.size;
        let apart = Amount::of(run.step) * size > APART.into();
        let (times, len) = if apart { (run.len, 1) } else { (1, run.len) };
        for n in 0..times {
            let from = run.from + n * run.step;
            let range = self.variable.stored(chunk, Run { from, len, ..run })?;
            let part = ChunkRef {
                range,
                ..chunk.clone()
            };
            let run = Run {
                from: 0,
                to: run.to + n,
                len,
                step: run.step,
            };
            self.want(Want::Part(part, run))?;
        }
        Ok(())
    }

    fn want(&mut self, want: Want) -> Result<()> {
        let (Want::Chunk(chunk) | Want::Part(chunk, _)) = &want;
        let bytes = length(&chunk.range);
        if bytes >= LARGE as u64 {
            // It is read alone, into reused memory.
            self.flush()?;
            self.wants.push(want);
            return self.flush();
        }
        self.bytes += bytes;
        self.wants.push(want);
        if self.wants.len() >= BATCH || self.bytes >= BYTES {
            return self.flush();
        }
        Ok(())
    }

    /// Fetches what was requested, and puts it in place.
    fn flush(&mut self) -> Result<()> {
        let wants = std::mem::take(&mut self.wants);
        self.bytes = 0;
        let of = |want: &Want| match want {
            Want::Chunk(chunk) | Want::Part(chunk, _) => chunk.clone(),
        };
        let refs: Vec<ChunkRef> = wants.iter().map(of).collect();
        if refs.is_empty() {
            return Ok(());
        }
        let fetched = self.variable.fetch(&refs)?;
        if fetched.len() != wants.len() {
            return Err(Error::internal("parts of chunks that were not fetched"));
        }
        for (want, bytes) in wants.into_iter().zip(fetched) {
            let Some(bytes) = bytes else {
                self.missing.insert(of(&want).index);
                continue;
            };
            match want {
                Want::Chunk(chunk) => {
                    let bytes = self.variable.decoder.decode(&chunk, bytes)?;
                    self.put_chunk(&chunk, bytes)?;
                }
                Want::Part(chunk, run) => self.put_run(&chunk, run, bytes)?,
            }
        }
        Ok(())
    }

    fn put_chunk(&mut self, chunk: &ChunkRef, mut bytes: Vec<u8>) -> Result<()> {
        let block = self.variable.layout.block(chunk.index);
        if is_block(self.region, &block) {
            match self.canvas.take(bytes) {
                Ok(()) => return Ok(()),
                Err(back) => bytes = back,
            }
        }
        let put = self.canvas.put_part(&block, &bytes, self.region);
        self.variable.decoder.buffers.give_large(bytes);
        put
    }

    fn put_run(&mut self, chunk: &ChunkRef, run: Run, mut bytes: Vec<u8>) -> Result<()> {
        if run.step == 1 && run.to == 0 {
            match self.canvas.take(bytes) {
                Ok(()) => return Ok(()),
                Err(back) => bytes = back,
            }
        }
        let put = self.canvas.put(run, &bytes)?;
        put.ok_or_else(|| self.variable.short(chunk))
    }
}

fn lost() -> Error {
    Error::new(ErrorKind::NotFound, "a chunk is no longer there")
}

/// True if the region is exactly the box.
fn is_block(region: &Region, block: &Block) -> bool {
    is_dense(region) && region.start == block.start && region.count == block.count
}

/// True if the region has no gaps.
pub(super) fn is_dense(region: &Region) -> bool {
    let mut strides = region.stride.iter().zip(&region.count);
    strides.all(|(&stride, &count)| stride == 1 || count == 1)
}
