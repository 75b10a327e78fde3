//! What a region needs of its chunks: it is fetched in groups, and put in place.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::canvas::Canvas;
use super::gather::{Variable, is_dense};
use crate::arithmetic::{Amount, length};
use crate::chunk::engine::{ChunkElements, ChunkFlight, Claim, Found};
use crate::chunk::layout::ChunkRef;
use crate::chunk::scatter::{Block, Run, runs};
use crate::error::Result;
use crate::model::Region;
use crate::runtime::Item;
use crate::runtime::buffers::LARGE;

/// Parts fetched at a time.
const BATCH: usize = 1 << 14;
/// Bytes fetched at a time, roughly.
const BYTES: u64 = 1 << 20;
/// Chunks of at least this many bytes are worth a thread each; smaller ones are fetched together.
const SPREAD: u64 = 64 << 10;
/// Elements at least this many bytes apart are not read together.
const APART: u64 = 4 << 10;

/// Something to fetch.
enum Want<'a> {
    /// A whole chunk; others may wait for it.
    Chunk(ChunkRef, Option<Claim<'a>>),
    /// A part of a chunk without filters, and the run that it becomes.
    Part(ChunkRef, Run),
}

impl Want<'_> {
    fn place(&self) -> &ChunkRef {
        let (Want::Chunk(chunk, _) | Want::Part(chunk, _)) = self;
        chunk
    }
}

/// Collects the elements of one region.
pub(super) struct Gather<'a> {
    variable: &'a Variable<'a>,
    region: &'a Region,
    pub(super) canvas: Canvas,
    wants: Vec<Want<'a>>,
    /// Bytes to fetch.
    bytes: u64,
    /// Chunks that others decode.
    awaited: Vec<(ChunkRef, Arc<ChunkFlight>)>,
    /// The chunks that turned out not to be stored.
    pub(super) missing: BTreeSet<u64>,
}

impl<'a> Gather<'a> {
    pub(super) fn new(variable: &'a Variable<'a>, region: &'a Region) -> Result<Self> {
        Ok(Self {
            variable,
            region,
            canvas: variable.canvas(&region.count)?,
            wants: vec![],
            bytes: 0,
            awaited: vec![],
            missing: BTreeSet::new(),
        })
    }

    /// Takes what the region needs of a chunk, now or with the next group.
    pub(super) fn chunk(&mut self, chunk: ChunkRef) -> Result<()> {
        let layout = self.variable.layout;
        if !layout.filters.is_empty() {
            return self.want(Want::Chunk(chunk, None));
        }
        let (block, region) = (layout.block(chunk.index), self.region);
        runs(&block, region, |run| self.run(&chunk, run))
    }

    /// Takes what the region needs of chunks. Several large ones that are still to be decoded are so on several threads. The caller
    /// holds no lock.
    pub(super) fn chunks(&mut self, chunks: Vec<ChunkRef>) -> Result<()> {
        let variable = self.variable;
        let whole = variable.layout.chunk_bytes().unwrap_or_default() as u64;
        let unknown = |chunk: &&ChunkRef| {
            let usage = variable.usage.as_ref();
            usage.is_none_or(|usage| usage.find(chunk).is_none())
        };
        let plain = variable.layout.filters.is_empty() || whole < SPREAD;
        if plain || chunks.iter().filter(unknown).take(2).count() < 2 {
            return chunks.into_iter().try_for_each(|chunk| {
                variable.set.env.cancel.check()?;
                self.chunk(chunk)
            });
        }
        let bytes = |chunk: &ChunkRef| (Amount::of(whole) + length(&chunk.range)).get();
        let items = chunks.into_iter().map(|c| Ok(Item::new(bytes(&c), c)));
        let decode = |chunk: ChunkRef| Ok((variable.elements(&chunk)?, chunk));
        let put = |(elements, chunk): (Option<ChunkElements>, ChunkRef)| match elements {
            Some(elements) => self.put_chunk(&chunk, elements),
            None => {
                self.missing.insert(chunk.index);
                Ok(())
            }
        };
        variable.set.runtime().ordered(items, decode, put)
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

    fn want(&mut self, want: Want<'a>) -> Result<()> {
        let bytes = length(&want.place().range);
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

    /// Takes the rest. The caller holds no lock.
    pub(super) fn finish(&mut self) -> Result<()> {
        self.flush()?;
        // All claims have ended, so that nobody waits for this thread.
        for (chunk, flight) in std::mem::take(&mut self.awaited) {
            let runtime = self.variable.set.runtime();
            let elements = match runtime.wait(|| flight.wait()) {
                Some(elements) => Some(ChunkElements::Shared(elements?)),
                None => self.variable.elements(&chunk)?,
            };
            match elements {
                Some(elements) => self.put_chunk(&chunk, elements)?,
                None => {
                    self.missing.insert(chunk.index);
                }
            }
        }
        Ok(())
    }

    /// Fetches what was requested, and puts it in place.
    fn flush(&mut self) -> Result<()> {
        let wants = self.without_kept()?;
        let chunks: Vec<ChunkRef> = wants.iter().map(|want| want.place().clone()).collect();
        if chunks.is_empty() {
            return Ok(());
        }
        let mut fetched = self.variable.fetch(&chunks)?;
        for (want, bytes) in wants.into_iter().zip(fetched.bytes.drain(..)) {
            let Some(bytes) = bytes else {
                self.missing.insert(want.place().index);
                continue;
            };
            match want {
                Want::Chunk(chunk, claim) => {
                    let bytes = self.variable.decoder.decode(&chunk, bytes);
                    let elements = match claim {
                        Some(claim) => ChunkElements::Shared(claim.publish(bytes)?),
                        None => ChunkElements::Own(bytes?),
                    };
                    self.put_chunk(&chunk, elements)?;
                }
                Want::Part(chunk, run) => self.put_run(&chunk, run, bytes)?,
            }
        }
        Ok(())
    }

    /// Takes out what was requested, and puts what is kept of it in place. Of the rest, the chunks that are to be kept
    /// are claimed, except those that others decode.
    fn without_kept(&mut self) -> Result<Vec<Want<'a>>> {
        let wants = std::mem::take(&mut self.wants);
        self.bytes = 0;
        let Some(usage) = &self.variable.usage else {
            return Ok(wants);
        };
        let mut left = Vec::with_capacity(wants.len());
        for want in wants {
            let Want::Chunk(chunk, None) = want else {
                left.push(want);
                continue;
            };
            let found = match usage.keeps(self.variable.layout, &chunk) {
                true => Some(usage.claim(&chunk)),
                false => usage.find(&chunk).map(Found::Kept),
            };
            match found {
                Some(Found::Kept(bytes)) => self.put_chunk(&chunk, ChunkElements::Shared(bytes))?,
                Some(Found::Nothing(claim)) => left.push(Want::Chunk(chunk, Some(claim))),
                Some(Found::Flight(flight)) => self.awaited.push((chunk, flight)),
                None => left.push(Want::Chunk(chunk, None)),
            }
        }
        Ok(left)
    }

    pub(super) fn put_chunk(
        &mut self,
        chunk: &ChunkRef,
        mut elements: ChunkElements,
    ) -> Result<()> {
        let block = self.variable.layout.block(chunk.index);
        if is_block(self.region, &block)
            && let ChunkElements::Own(bytes) = elements
        {
            match self.canvas.take(bytes) {
                Ok(()) => return Ok(()),
                Err(back) => elements = ChunkElements::Own(back),
            }
        }
        let put = self.canvas.put_part(&block, &elements, self.region);
        elements.give_back(&self.variable.decoder.buffers);
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

/// True if the region is exactly the box.
fn is_block(region: &Region, block: &Block) -> bool {
    is_dense(region) && region.start == block.start && region.count == block.count
}
