//! Writes a variable's data as chunks.

use std::sync::Arc;

use super::CopyJob;
use super::job::StoredElements;
use super::runs::ElementFate;
use crate::chunk::dataset::BoxElements;
use crate::chunk::encode::{ChunkEncoder, EncodedChunk};
use crate::chunk::grid::ChunkGrid;
use crate::chunk::layout::ChunkRef;
use crate::chunk::rechunk::{self, AffectedChunks, RechunkPlan, RechunkWay};
use crate::chunk::{Dataset, Writer};
use crate::env::Progress;
use crate::error::{Context as _, Result};
use crate::model::region::product;
use crate::model::{Region, Values};

/// The encoded form of one output chunk.
enum ChunkResult {
    /// An encoded chunk.
    Chunk(EncodedChunk),
    /// Values with heap data, which is written in order.
    Values(Values),
    /// No data: all elements equal the fill value, so the chunk stays missing.
    Nothing,
}

/// Reports a variable's progress. Dropping the meter reports the remaining bytes.
pub(super) struct VariableMeter<'a> {
    progress: &'a Progress,
    left: u64,
}

impl VariableMeter<'_> {
    pub(super) fn advance(&mut self, bytes: u64) {
        let bytes = bytes.min(self.left);
        self.left -= bytes;
        self.progress.advance(bytes);
    }
}

impl Drop for VariableMeter<'_> {
    fn drop(&mut self) {
        // Missing chunks count as done.
        self.progress.advance(self.left);
    }
}

/// A variable that is written in chunks.
struct ChunkedOutput<'a> {
    job: &'a CopyJob,
    set: Dataset<'a>,
    /// The dataset and job that determine which elements are stored.
    known: StoredElements<'a>,
    grid: ChunkGrid,
    encoder: ChunkEncoder,
    /// Bytes per chunk as reported to progress.
    chunk_bytes: u64,
    /// The output chunks that overlap stored input chunks, if these chunks are few.
    affected: Option<Arc<AffectedChunks>>,
    /// True if some input chunks are missing, and the chunk index does not list the missing chunks.
    unknown: bool,
}

impl CopyJob {
    /// Returns the elements of an input chunk.
    pub(super) fn place(&self, chunk: &ChunkRef) -> Region {
        self.from.block(chunk.index).region()
    }

    pub(super) fn meter<'a>(&self, set: Dataset<'a>) -> VariableMeter<'a> {
        VariableMeter {
            progress: &set.env.progress,
            left: self.bytes_copied(),
        }
    }

    /// Decodes the stored chunks, and encodes them with different filters or in another byte order. Returns the bytes stored.
    pub(super) fn recoded(&self, set: Dataset<'_>, writer: &mut dyn Writer) -> Result<u64> {
        let output = ChunkedOutput::new(self, set, StoredElements { set, job: self }, writer)?;
        let mut meter = self.meter(set);
        let mut stored = 0u64;
        let path = || set.reader.schema().var_path(self.pair.from);
        let work = |chunk: &ChunkRef, bytes: Vec<u8>| {
            let bytes = self.encoded(set, bytes).in_object(path)?;
            output.encoder.encode(&self.place(chunk), bytes)
        };
        let sink = |chunk: ChunkRef, made: EncodedChunk| {
            stored += output.put(writer, &self.place(&chunk), made)?;
            meter.advance(output.chunk_bytes);
            Ok(())
        };
        let within = self.from.touched(&self.region);
        set.chunks(self.pair.from, &within, work, sink)?;
        Ok(stored)
    }

    /// Builds each output chunk from the input elements it covers. Returns the bytes stored.
    pub(super) fn rechunked(
        &self,
        set: Dataset<'_>,
        plan: &RechunkPlan,
        writer: &mut dyn Writer,
    ) -> Result<u64> {
        self.rechunked_from((set, plan), StoredElements { set, job: self }, writer)
    }

    /// Like [`CopyJob::rechunked`], but reads from a dataset that stores all elements.
    pub(super) fn rechunked_from(
        &self,
        (set, plan): (Dataset<'_>, &RechunkPlan),
        known: StoredElements<'_>,
        writer: &mut dyn Writer,
    ) -> Result<u64> {
        let mut output = ChunkedOutput::new(self, set, known, writer)?;
        if output.has_gaps()? {
            let (made, of) = ((&output.grid, &*self.region), known.job);
            output.affected =
                AffectedChunks::of((known.set, of.pair.from), &of.from, made)?.map(Arc::new);
            output.unknown = plan.way == RechunkWay::Spill || !std::ptr::eq(of, self);
        }
        let output = output;
        let mut meter = self.meter(set);
        let mut stored = 0u64;
        let work = |place: &Region, part: BoxElements| {
            Ok((place.clone(), output.encoded_chunk(place, part)?))
        };
        let sink = |(place, made): (Region, ChunkResult)| {
            stored += output.finish(writer, &place, made)?;
            meter.advance(output.chunk_bytes);
            Ok(())
        };
        let what = rechunk::Rechunking {
            set,
            var: self.pair.from,
            grid: &output.grid,
            within: &self.region,
            plan,
            met: output.affected.as_ref(),
        };
        rechunk::run(&what, work, sink)?;
        Ok(stored)
    }
}

impl<'a> ChunkedOutput<'a> {
    fn new(
        job: &'a CopyJob,
        set: Dataset<'a>,
        known: StoredElements<'a>,
        writer: &dyn Writer,
    ) -> Result<Self> {
        let grid = ChunkGrid::new(&job.to, &job.shape);
        Ok(Self {
            encoder: ChunkEncoder::new(writer, set.env, job.pair.to, &job.to)?,
            chunk_bytes: job.bytes() / grid.len().max(1),
            affected: None,
            unknown: false,
            job,
            set,
            known,
            grid,
        })
    }

    /// Returns whether some chunks with elements to copy are missing in the input.
    fn has_gaps(&self) -> Result<bool> {
        let StoredElements { set, job: of } = self.known;
        if !self.job.same_fill || set.reader.assembles(of.pair.from) {
            return Ok(false);
        }
        let within = of.from.touched(&self.job.region);
        let stored = set.chunks_stored_in(of.pair.from, &within)?;
        Ok(product(&within.count) != Some(stored))
    }

    /// Returns whether the input stores any element of a chunk.
    fn is_stored(&self, place: &Region, part: &BoxElements) -> Result<bool> {
        if !self.unknown {
            return Ok(part.stored);
        }
        if let Some(met) = &self.affected {
            return Ok(met.has(&self.grid, place));
        }
        let StoredElements { set, job: of } = self.known;
        set.is_stored(of.pair.from, &of.from, place)
    }

    /// Encodes the elements of one output chunk.
    fn encoded_chunk(&self, place: &Region, part: BoxElements) -> Result<ChunkResult> {
        let (job, set) = (self.job, self.set);
        if job.same_fill && !self.is_stored(place, &part)? {
            set.env.buffers.give_large(part.bytes);
            return Ok(ChunkResult::Nothing);
        }
        let path = || set.reader.schema().var_path(job.pair.from);
        let bytes = match job.converts(set, part.bytes).in_object(path)? {
            ElementFate::Bytes(bytes) => bytes,
            ElementFate::Values(values) => return Ok(ChunkResult::Values(values)),
        };
        self.encoder.encode(place, bytes).map(ChunkResult::Chunk)
    }

    /// Writes a chunk. Returns the bytes stored.
    fn finish(&self, writer: &mut dyn Writer, place: &Region, made: ChunkResult) -> Result<u64> {
        let stored = match made {
            ChunkResult::Chunk(stored) => stored,
            ChunkResult::Nothing => return Ok(0),
            ChunkResult::Values(values) => {
                let bytes = self.job.put_heap(self.set, writer, &values)?;
                let put_fill = |count| writer.put_fill(self.job.pair.to, count);
                self.encoder.encode_in_order(place, bytes, put_fill)?
            }
        };
        self.put(writer, place, stored)
    }

    /// Writes an encoded chunk. Returns its length in bytes.
    fn put(&self, writer: &mut dyn Writer, place: &Region, made: EncodedChunk) -> Result<u64> {
        let index = self.grid.index(place);
        writer.put_chunk(self.job.pair.to, index, made.mask, &made.bytes)?;
        let stored = made.bytes.len() as u64;
        self.set.env.buffers.give_large(made.bytes);
        Ok(stored)
    }
}
