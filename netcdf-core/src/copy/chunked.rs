//! How the data of a variable gets into chunks.

use std::sync::Arc;

use super::Job;
use super::methods::{self, object};
use crate::arithmetic::{exact, length};
use crate::chunk::dataset::BoxElements;
use crate::chunk::encode::{EncodedChunk, Encoder};
use crate::chunk::grid::Grid;
use crate::chunk::layout::ChunkRef;
use crate::chunk::rechunk::{self, Met, RechunkPlan, RechunkWay};
use crate::chunk::{Dataset, Writer};
use crate::env::Progress;
use crate::error::{Context as _, Error, ErrorKind, Result};
use crate::io::source::present;
use crate::model::region::product;
use crate::model::{Region, Values};

/// What becomes of the elements of a chunk.
enum ChunkResult {
    /// The chunk.
    Chunk(EncodedChunk),
    /// Values with heap data, which is written in order.
    Values(Values),
    /// Nothing: the chunk is all fill, so it is not stored.
    Nothing,
}

/// Reports how much of a variable is done; when dropped, reports the rest.
struct Meter<'a> {
    progress: &'a Progress,
    left: u64,
}

impl Meter<'_> {
    fn advance(&mut self, bytes: u64) {
        let bytes = bytes.min(self.left);
        self.left -= bytes;
        self.progress.advance(bytes);
    }
}

impl Drop for Meter<'_> {
    fn drop(&mut self) {
        // Chunks that are left out count as done.
        self.progress.advance(self.left);
    }
}

/// Where it is known which elements are stored: the input and the job on it, also if the elements come from elsewhere.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub set: Dataset<'a>,
    pub job: &'a Job,
}

/// A variable that is written in chunks.
struct Output<'a> {
    job: &'a Job,
    set: Dataset<'a>,
    /// Where it is known which elements are stored.
    known: Known<'a>,
    grid: Grid,
    encoder: Encoder,
    /// Bytes per chunk as reported to progress.
    each: u64,
    /// The chunks with stored elements, if they are few.
    met: Option<Arc<Met>>,
    /// True if some chunks are not stored, and reading them does not say which.
    unknown: bool,
}

impl Job {
    /// Moves the stored chunks unchanged; returns the bytes moved. Chunks that are not stored are fill in the
    /// output, too.
    pub(super) fn chunks_moved(&self, set: Dataset<'_>, writer: &mut dyn Writer) -> Result<u64> {
        let encoder = match writer.needs_all_filters() {
            true => Some(Encoder::new(writer, set.env, self.pair.to, &self.to)?),
            false => None,
        };
        let grid = Grid::new(&self.to, &self.shape);
        let each = self.bytes() / grid.len().max(1);
        let mut meter = self.meter(set);
        let mut stored = 0u64;
        let within = self.from.touched(&self.region);
        if set.reader.latency() || !set.reader.has_sources() {
            set.stored_chunks(self.pair.from, &within, |chunk, bytes| {
                let place = self.place(&chunk);
                let bytes = match &encoder {
                    Some(encoder) if chunk.mask != 0 => self.completed(set, &place, encoder)?,
                    Some(_) | None => {
                        self.check_length(bytes.len() as u64)?;
                        bytes
                    }
                };
                stored += bytes.len() as u64;
                writer.put_chunk(self.pair.to, grid.index(&place), 0, &bytes)?;
                meter.advance(each);
                Ok(())
            })?;
            return Ok(stored);
        }
        let one = |chunk: ChunkRef| {
            self.check_length(length(&chunk.range))?;
            let place = self.place(&chunk);
            let index = grid.index(&place);
            if let Some(encoder) = encoder.as_ref().filter(|_| chunk.mask != 0) {
                let bytes = self.completed(set, &place, encoder)?;
                stored += bytes.len() as u64;
                writer.put_chunk(self.pair.to, index, 0, &bytes)?;
            } else {
                stored += length(&chunk.range);
                let source = object(set, chunk.object)?;
                present(&**source, &chunk.range)?;
                writer.move_chunk(self.pair.to, &ChunkRef { index, ..chunk }, source)?;
            }
            meter.advance(each);
            Ok(())
        };
        set.each_chunk(self.pair.from, &within, one)?;
        Ok(stored)
    }

    /// A chunk that skipped some filter, encoded with all of them.
    fn completed(&self, set: Dataset<'_>, place: &Region, encoder: &Encoder) -> Result<Vec<u8>> {
        let ends = place.start.iter().zip(&place.count).zip(&self.from.extent);
        let count = ends
            .map(|((start, count), end)| Ok((exact(*end) - *start).get()?.min(*count)))
            .collect::<Result<_>>()?;
        let part = Region::boxed(place.start.clone(), count);
        let bytes = set.read_stored(self.pair.from, &self.from, &part)?;
        Ok(encoder.encode(&part, bytes)?.bytes)
    }

    /// Checks that a chunk without filters has as many bytes as its shape needs.
    fn check_length(&self, found: u64) -> Result<()> {
        let whole = self.from.chunk_bytes();
        if !self.from.filters.is_empty() || whole.is_some_and(|n| n as u64 == found) {
            return Ok(());
        }
        let what = format!("a chunk of {found} bytes, which does not match its shape");
        Err(Error::new(ErrorKind::Corrupt, what))
    }

    /// The elements of a chunk of the input.
    fn place(&self, chunk: &ChunkRef) -> Region {
        self.from.block(chunk.index).region()
    }

    fn meter<'a>(&self, set: Dataset<'a>) -> Meter<'a> {
        Meter {
            progress: &set.env.progress,
            left: self.bytes_copied(),
        }
    }

    /// Decodes the stored chunks, and encodes them with other filters or in another byte order; returns the
    /// bytes stored.
    pub(super) fn recoded(&self, set: Dataset<'_>, writer: &mut dyn Writer) -> Result<u64> {
        let output = Output::new(self, set, Known { set, job: self }, writer)?;
        let mut meter = self.meter(set);
        let mut stored = 0u64;
        let path = || set.reader.schema().var_path(self.pair.from);
        let work = |chunk: &ChunkRef, bytes: Vec<u8>| {
            let bytes = self.encoded(set, bytes).in_object(path)?;
            output.encoder.encode(&self.place(chunk), bytes)
        };
        let sink = |chunk: ChunkRef, made: EncodedChunk| {
            stored += output.put(writer, &self.place(&chunk), made)?;
            meter.advance(output.each);
            Ok(())
        };
        let within = self.from.touched(&self.region);
        set.chunks(self.pair.from, &within, work, sink)?;
        Ok(stored)
    }

    /// Makes each chunk from the elements it needs; returns the bytes stored.
    pub(super) fn rechunked(
        &self,
        set: Dataset<'_>,
        plan: &RechunkPlan,
        writer: &mut dyn Writer,
    ) -> Result<u64> {
        self.rechunked_from((set, plan), Known { set, job: self }, writer)
    }

    /// As [`Job::rechunked`], with elements from a dataset that stores all of them.
    pub(super) fn rechunked_from(
        &self,
        (set, plan): (Dataset<'_>, &RechunkPlan),
        known: Known<'_>,
        writer: &mut dyn Writer,
    ) -> Result<u64> {
        let mut output = Output::new(self, set, known, writer)?;
        if output.has_gaps()? {
            let (made, of) = ((&output.grid, &self.region), known.job);
            output.met = Met::of((known.set, of.pair.from), &of.from, made)?.map(Arc::new);
            output.unknown = plan.way == RechunkWay::Spill || !std::ptr::eq(of, self);
        }
        let output = output;
        let mut meter = self.meter(set);
        let mut stored = 0u64;
        let work =
            |place: &Region, part: BoxElements| Ok((place.clone(), output.made(place, part)?));
        let sink = |(place, made): (Region, ChunkResult)| {
            stored += output.finish(writer, &place, made)?;
            meter.advance(output.each);
            Ok(())
        };
        let what = rechunk::Rechunking {
            set,
            var: self.pair.from,
            grid: &output.grid,
            within: &self.region,
            plan,
            met: output.met.as_ref(),
        };
        rechunk::run(&what, work, sink)?;
        Ok(stored)
    }
}

impl<'a> Output<'a> {
    fn new(job: &'a Job, set: Dataset<'a>, known: Known<'a>, writer: &dyn Writer) -> Result<Self> {
        let grid = Grid::new(&job.to, &job.shape);
        Ok(Self {
            encoder: Encoder::new(writer, set.env, job.pair.to, &job.to)?,
            each: job.bytes() / grid.len().max(1),
            met: None,
            unknown: false,
            job,
            set,
            known,
            grid,
        })
    }

    /// True if some chunks of the input that have elements to copy are not stored.
    fn has_gaps(&self) -> Result<bool> {
        let Known { set, job: of } = self.known;
        if !self.job.same_fill || set.reader.assembles(of.pair.from) {
            return Ok(false);
        }
        let within = of.from.touched(&self.job.region);
        let stored = set.chunks_stored_in(of.pair.from, &within)?;
        Ok(product(&within.count) != Some(stored))
    }

    /// True if any element of a chunk is stored in the input.
    fn is_stored(&self, place: &Region, part: &BoxElements) -> Result<bool> {
        if !self.unknown {
            return Ok(part.stored);
        }
        if let Some(met) = &self.met {
            return Ok(met.has(&self.grid, place));
        }
        let Known { set, job: of } = self.known;
        set.is_stored(of.pair.from, &of.from, place)
    }

    /// What becomes of the elements of a chunk.
    fn made(&self, place: &Region, part: BoxElements) -> Result<ChunkResult> {
        let (job, set) = (self.job, self.set);
        if job.same_fill && !self.is_stored(place, &part)? {
            set.env.buffers.give_large(part.bytes);
            return Ok(ChunkResult::Nothing);
        }
        let path = || set.reader.schema().var_path(job.pair.from);
        let bytes = match job.converts(set, part.bytes).in_object(path)? {
            methods::ElementFate::Bytes(bytes) => bytes,
            methods::ElementFate::Values(values) => return Ok(ChunkResult::Values(values)),
        };
        self.encoder.encode(place, bytes).map(ChunkResult::Chunk)
    }

    /// Writes a chunk; returns the bytes stored.
    fn finish(&self, writer: &mut dyn Writer, place: &Region, made: ChunkResult) -> Result<u64> {
        let stored = match made {
            ChunkResult::Chunk(stored) => stored,
            ChunkResult::Nothing => return Ok(0),
            ChunkResult::Values(values) => {
                let bytes = self.job.put_heap(self.set, writer, &values)?;
                self.encoder.encode(place, bytes)?
            }
        };
        self.put(writer, place, stored)
    }

    /// Writes an encoded chunk; returns its length in bytes.
    fn put(&self, writer: &mut dyn Writer, place: &Region, made: EncodedChunk) -> Result<u64> {
        let index = self.grid.index(place);
        writer.put_chunk(self.job.pair.to, index, made.mask, &made.bytes)?;
        let stored = made.bytes.len() as u64;
        self.set.env.buffers.give_large(made.bytes);
        Ok(stored)
    }
}
