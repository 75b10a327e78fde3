//! Moves stored chunks to the output.
//!
//! A chunk moves to a dataset of another kind in the strict form of its filters. Readers of both kinds accept this form. Other chunks are
//! encoded again.

use super::CopyJob;
use super::chunked::VariableMeter;
use super::runs::source_of;
use crate::arithmetic::{Amount, length};
use crate::chunk::dataset::StoredChunks;
use crate::chunk::decode::{chain, complete, is_enough, other_length};
use crate::chunk::encode::{ChunkEncoder, EncodedChunk};
use crate::chunk::grid::ChunkGrid;
use crate::chunk::layout::ChunkRef;
use crate::chunk::{Dataset, Writer};
use crate::error::{Error, ErrorKind, Result};
use crate::filter::strict::Rewrap;
use crate::filter::{FilterChain, StrictCheck};
use crate::io::source::present;

/// Approximate number of copies of a decoded chunk in memory during a check.
const COPIES: u64 = 3;

/// Approximate maximum ratio of decoded bytes to stored bytes; deflate reaches 1032.
const RATIO: usize = 1 << 10;

/// The chunks of a variable on their way to the output.
struct Mover<'a> {
    job: &'a CopyJob,
    set: Dataset<'a>,
    /// The filters of the input.
    chain: FilterChain,
    encoder: ChunkEncoder,
    /// The deflate filter with a new container.
    rewrap: Option<Rewrap>,
    /// The effort of checking whether a chunk can move unchanged.
    check: StrictCheck,
    /// Whether all chunks must have gone through all filters.
    complete: bool,
    grid: ChunkGrid,
}

impl CopyJob {
    /// Moves the stored chunks. Returns the bytes stored. Missing chunks stay missing.
    pub(super) fn chunks_moved(&self, set: Dataset<'_>, writer: &mut dyn Writer) -> Result<u64> {
        let mover = Mover::new(self, set, writer)?;
        let meter = self.meter(set);
        let fetched = set.reader.bytes().latency() || !set.reader.bytes().has_sources();
        match fetched || mover.check != StrictCheck::Nothing {
            true => mover.fetched(writer, meter),
            false => mover.located(writer, meter),
        }
    }
}

impl<'a> Mover<'a> {
    fn new(job: &'a CopyJob, set: Dataset<'a>, writer: &dyn Writer) -> Result<Self> {
        let chain = chain(set.reader, set.env, job.pair.from, &job.from)?;
        let rewrap = Rewrap::of(&job.from.filters, &job.to.filters);
        let check = match (rewrap, job.other_kind) {
            (Some(_), _) => StrictCheck::Decoding,
            (None, true) => chain.strict_check(),
            (None, false) => StrictCheck::Nothing,
        };
        Ok(Self {
            encoder: ChunkEncoder::new(writer, set.env, job.pair.to, &job.to)?,
            complete: writer.rules(job.pair.to).all_filters,
            grid: ChunkGrid::new(&job.to, &job.shape),
            job,
            set,
            chain,
            rewrap,
            check,
        })
    }

    /// Bytes per chunk as reported to progress.
    fn each(&self) -> u64 {
        self.job.bytes() / self.grid.len().max(1)
    }

    /// Reads several chunks at a time, and puts the chunks into the output.
    fn fetched(&self, writer: &mut dyn Writer, mut meter: VariableMeter<'_>) -> Result<u64> {
        let decoded = Amount::of(self.job.from.chunk_bytes()) * COPIES;
        let chunks = StoredChunks {
            var: self.job.pair.from,
            within: self.job.from.touched(&self.job.region),
            memory: match self.check {
                StrictCheck::Nothing | StrictCheck::Headers => 0,
                StrictCheck::Decoding => decoded.get(),
            },
        };
        let work = |chunk: &ChunkRef, bytes: Vec<u8>| self.stored(chunk, bytes);
        let mut stored = 0u64;
        self.set.stored_chunks(&chunks, work, |chunk, made| {
            stored += self.put(writer, &chunk, made)?;
            meter.advance(self.each());
            Ok(())
        })?;
        Ok(stored)
    }

    /// Lets the output take the chunks from the files of the input.
    fn located(&self, writer: &mut dyn Writer, mut meter: VariableMeter<'_>) -> Result<u64> {
        let within = self.job.from.touched(&self.job.region);
        let mut stored = 0u64;
        self.set.each_chunk(self.job.pair.from, &within, |chunk| {
            stored += self.moved(writer, chunk)?;
            meter.advance(self.each());
            Ok(())
        })?;
        Ok(stored)
    }

    /// Lets the output take an unchanged chunk from its file.
    fn moved(&self, writer: &mut dyn Writer, chunk: ChunkRef) -> Result<u64> {
        let found = length(&chunk.range);
        if self.lacks_filters(&chunk) || !self.has_length(&chunk, found) {
            let bytes = self.set.fetch_one(&chunk)?;
            let made = self.stored(&chunk, bytes)?;
            return self.put(writer, &chunk, made);
        }
        let source = source_of(self.set, &chunk)?;
        present(&*source, &chunk.range)?;
        let index = self.grid.index(&self.job.place(&chunk));
        writer.move_chunk(self.job.pair.to, &ChunkRef { index, ..chunk }, &source)?;
        Ok(found)
    }

    /// Writes a chunk. Returns its length in bytes.
    fn put(&self, writer: &mut dyn Writer, chunk: &ChunkRef, made: EncodedChunk) -> Result<u64> {
        let index = self.grid.index(&self.job.place(chunk));
        writer.put_chunk(self.job.pair.to, index, made.mask, &made.bytes)?;
        let stored = made.bytes.len() as u64;
        self.set.env.buffers.give_large(made.bytes);
        Ok(stored)
    }

    /// Returns the stored form of a chunk in the output.
    fn stored(&self, chunk: &ChunkRef, bytes: Vec<u8>) -> Result<EncodedChunk> {
        let made = match self.is_kept(chunk, &bytes) {
            Ok(true) => {
                let mask = chunk.mask;
                return Ok(EncodedChunk { mask, bytes });
            }
            Ok(false) => self.changed(chunk, bytes),
            // The chunk length may differ from the shape.
            Err(e) if e.kind() == ErrorKind::Corrupt => self.changed(chunk, bytes),
            Err(e) => Err(e),
        };
        made.map_err(|e| self.in_chunk(e, chunk))
    }

    /// Returns whether a chunk stays unchanged.
    fn is_kept(&self, chunk: &ChunkRef, bytes: &[u8]) -> Result<bool> {
        if self.lacks_filters(chunk)
            || !self.has_length(chunk, bytes.len() as u64)
            || self.rewrap.is_some()
        {
            return Ok(false);
        }
        match self.check {
            StrictCheck::Nothing => Ok(true),
            StrictCheck::Headers | StrictCheck::Decoding => {
                let mut scratch = self.scratch(bytes.len())?;
                let strict = self.chain.is_strict(bytes, &mut scratch);
                self.set.env.buffers.give(scratch);
                strict
            }
        }
    }

    /// Returns a chunk in another container, or a newly encoded chunk.
    fn changed(&self, chunk: &ChunkRef, bytes: Vec<u8>) -> Result<EncodedChunk> {
        let mut scratch = self.scratch(bytes.len())?;
        if let Some(bytes) = self.rewrapped(chunk, &bytes, &mut scratch)? {
            self.set.env.buffers.give(scratch);
            return Ok(EncodedChunk { mask: 0, bytes });
        }
        let elements = self
            .chain
            .decode_any_length(chunk.mask, bytes, &mut scratch)?;
        self.set.env.buffers.give(scratch);
        let elements = self.whole(chunk, elements)?;
        self.encoder.encode(&self.job.place(chunk), elements)
    }

    /// Returns a chunk in another container, or `None` if the chunk must be encoded again.
    fn rewrapped(
        &self,
        chunk: &ChunkRef,
        bytes: &[u8],
        scratch: &mut Vec<u8>,
    ) -> Result<Option<Vec<u8>>> {
        let Some(rewrap) = self.rewrap.filter(|_| chunk.mask == 0) else {
            return Ok(None);
        };
        let chains = (rewrap, self.encoder.chain());
        match self.chain.rewrapped(chains, bytes, scratch) {
            // The chunk length may differ from the shape.
            Err(e) if e.kind() == ErrorKind::Corrupt => Ok(None),
            made => made,
        }
    }

    /// Returns a chunk with exactly the elements of the chunk shape. `elements` may lack elements beyond the extent.
    fn whole(&self, chunk: &ChunkRef, mut elements: Vec<u8>) -> Result<Vec<u8>> {
        let (found, whole) = (elements.len(), self.encoder.chunk_bytes());
        if !is_enough(&self.job.from, chunk.index, whole, found) {
            let what = format!("{found} bytes, its shape needs {whole}");
            return Err(Error::new(ErrorKind::Corrupt, what));
        }
        if found != whole && !self.chain.is_empty() {
            let path = self.set.reader.schema().var_path(self.job.pair.from);
            self.set.env.notes.remark(other_length(path));
        }
        complete(&mut elements, whole, self.encoder.fill())?;
        Ok(elements)
    }

    /// Allocates memory for a decoded chunk, unless the stored bytes are too short for a chunk.
    fn scratch(&self, stored: usize) -> Result<Vec<u8>> {
        let whole = self.encoder.chunk_bytes();
        let possible = whole / RATIO <= stored;
        self.set.env.buffers.take(if possible { whole } else { 0 })
    }

    /// Returns whether a chunk skipped a filter, which the output does not allow.
    fn lacks_filters(&self, chunk: &ChunkRef) -> bool {
        self.complete && chunk.mask != 0
    }

    /// Returns whether a chunk may have this length. Some filters leave the length unknown.
    fn has_length(&self, chunk: &ChunkRef, found: u64) -> bool {
        let whole = || self.job.from.chunk_bytes();
        !self.chain.skips_all(chunk.mask) || whole().is_some_and(|n| n as u64 == found)
    }

    /// Adds the chunk's position in the grid and in its file to an error.
    fn in_chunk(&self, e: Error, chunk: &ChunkRef) -> Error {
        let place = self.job.from.place(chunk.index);
        let place: Vec<String> = place.iter().map(u64::to_string).collect();
        let e = e.within(&format!("chunk ({})", place.join(", ")));
        match self.set.reader.bytes().name(chunk) {
            Some(name) => e.at(&name, chunk.range.start),
            None => e,
        }
    }
}
