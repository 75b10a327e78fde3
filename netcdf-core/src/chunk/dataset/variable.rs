//! The variable of a read.

use std::ops::Range;

use super::Dataset;
use super::canvas::Canvas;
use super::requests::Fetched;
use crate::arithmetic::{Amount, Exact, exact, length};
use crate::chunk::decode::ChunkDecoder;
use crate::chunk::layout::{ChunkRef, Layout};
use crate::chunk::plan::PlanCells;
use crate::chunk::read_cache::Usage;
use crate::chunk::reader::Assembly;
use crate::chunk::scatter::ElementRun;
use crate::chunk::visit::Locate;
use crate::error::{Error, ErrorKind, Result};
use crate::io::source::present;
use crate::model::{Region, VarId};
use crate::runtime::buffers::LARGE;

/// The elements of a box, in stored form and row-major order.
#[derive(Debug)]
pub struct BoxElements {
    /// The bytes of the elements.
    pub bytes: Vec<u8>,
    /// False if no chunk of the box is stored, so that all elements are fill.
    pub stored: bool,
}

/// The data that all regions of a variable share.
pub(super) struct ReadVariable<'a> {
    pub(super) set: Dataset<'a>,
    pub(super) var: VarId,
    pub(super) layout: &'a Layout,
    /// The reader, if it assembles the elements itself.
    pub(super) assembly: Option<&'a dyn Assembly>,
    pub(super) decoder: ChunkDecoder<'a>,
    /// The use of the cache, if chunks may be cached.
    pub(super) usage: Option<Usage<'a>>,
}

impl ReadVariable<'_> {
    /// Returns true if chunks are decoded as a whole.
    pub(super) fn is_filtered(&self) -> bool {
        self.assembly.is_none() && !self.layout.filters.is_empty()
    }

    /// Returns the memory in bytes for chunks that the reader decodes to assemble a box.
    pub(super) fn assembly_bytes(&self) -> Amount {
        let bytes = self.assembly.map(|assembly| assembly.memory(self.var));
        bytes.unwrap_or_default().into()
    }

    /// Returns true if one request fetches several chunks before they are decoded.
    pub(super) fn is_ahead(&self) -> bool {
        self.is_filtered() && self.set.runtime().asks_ahead()
    }

    /// Creates a canvas for a region.
    pub(super) fn canvas(&self, shape: &[u64]) -> Result<Canvas> {
        let size = self.layout.element.size;
        let elements = crate::model::region::product(shape);
        let bytes = elements.and_then(|n| n.checked_mul(size));
        let bytes = bytes.ok_or_else(|| Error::new(ErrorKind::Limit, "a region of 2^64 bytes"))?;
        let len = self.set.env.limits.item(bytes, "a region")?;
        Canvas::new(shape, (size, len), &self.decoder.buffers)
    }

    /// Returns the chunks of a region.
    pub(super) fn located(&self, cells: &PlanCells, which: Locate) -> Result<Vec<ChunkRef>> {
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

    /// Returns the byte range of a run in a chunk without filters.
    pub(super) fn stored(&self, chunk: &ChunkRef, run: ElementRun) -> Result<Range<u64>> {
        let size = self.layout.element.size;
        let elements = exact(run.len.saturating_sub(1)) * run.step + 1u64;
        let byte = |n: Exact| (n * size + chunk.range.start).get().ok();
        match (byte(run.from.into()), byte(elements + run.from)) {
            (Some(start), Some(end)) if end <= chunk.range.end => Ok(start..end),
            _ => Err(self.short(chunk)),
        }
    }

    /// Returns the stored bytes of chunks or of parts; `None` for a missing chunk. A single large chunk, the usual case, goes into reused
    /// memory.
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
        let mut bytes = self.decoder.memory(present(&*source, &only.range)?)?;
        set.read_at(&*source, only.range.start, &mut bytes)?;
        Ok(Fetched::one(bytes))
    }

    /// Returns the error for a chunk with too few elements.
    pub(super) fn short(&self, chunk: &ChunkRef) -> Error {
        let what = match self.layout.chunk_bytes() {
            Some(want) => format!("fewer bytes than the {want} of its shape"),
            None => "fewer bytes than its shape needs".to_owned(),
        };
        let e = Error::new(ErrorKind::Corrupt, what);
        self.decoder.in_chunk(e, chunk)
    }
}

/// Returns true if the region has no gaps.
pub(super) fn is_dense(region: &Region) -> bool {
    let mut strides = region.stride.iter().zip(&region.count);
    strides.all(|(&stride, &count)| stride == 1 || count == 1)
}
