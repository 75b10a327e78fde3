//! Fetches the chunks and parts of chunks that a region needs, in groups, and copies their elements.

use std::collections::BTreeSet;

use super::canvas::Canvas;
use super::chunk_elements::FoundElements;
use super::variable::{ReadVariable, is_dense};
use crate::arithmetic::{Amount, length};
use crate::chunk::layout::ChunkRef;
use crate::chunk::read_cache::ChunkElements;
use crate::chunk::scatter::{Block, ElementRun, runs};
use crate::error::{Error, OrInternal as _, Result};
use crate::model::Region;
use crate::runtime::buffers::LARGE;

/// The maximum number of parts per fetch.
const BATCH: usize = 1 << 14;
/// The approximate number of bytes per fetch without latency.
const BYTES: u64 = 1 << 20;
/// The minimum size of chunks that are decoded on several threads, in bytes. Smaller chunks are fetched together.
const SPREAD: u64 = 64 << 10;
/// The distance in bytes from which elements are fetched separately.
const APART: u64 = 4 << 10;

/// A queued fetch.
enum QueuedFetch {
    /// A whole chunk.
    Chunk(ChunkRef),
    /// A part of a chunk without filters, and its run in the region.
    Part(ChunkRef, ElementRun),
}

impl QueuedFetch {
    fn chunk_ref(&self) -> &ChunkRef {
        let (QueuedFetch::Chunk(chunk) | QueuedFetch::Part(chunk, _)) = self;
        chunk
    }
}

/// Collects the elements of one region.
pub(super) struct Gather<'a> {
    variable: &'a ReadVariable<'a>,
    region: &'a Region,
    pub(super) canvas: Canvas,
    queue: Vec<QueuedFetch>,
    /// The number of queued bytes, and its approximate maximum.
    bytes: u64,
    most: u64,
    /// The candidates that turned out to be missing.
    pub(super) missing: BTreeSet<u64>,
}

impl<'a> Gather<'a> {
    pub(super) fn new(variable: &'a ReadVariable<'a>, region: &'a Region) -> Result<Self> {
        Ok(Self {
            variable,
            region,
            canvas: variable.canvas(&region.count)?,
            queue: vec![],
            bytes: 0,
            most: match variable.set.runtime() {
                runtime if runtime.asks_ahead() => BYTES.max(runtime.memory() / 4),
                _ => BYTES,
            },
            missing: BTreeSet::new(),
        })
    }

    /// Copies the region's elements of a chunk, now or with the next group.
    pub(super) fn chunk(&mut self, chunk: ChunkRef) -> Result<()> {
        let layout = self.variable.layout;
        if !layout.filters.is_empty() {
            return self.enqueue(QueuedFetch::Chunk(chunk));
        }
        let (block, region) = (layout.block(chunk.index), self.region);
        runs(&block, region, |run| self.run(&chunk, run))
    }

    /// Copies the region's elements of chunks. Several large chunks that are not cached are decoded on several threads. The caller must
    /// hold no lock.
    pub(super) fn chunks(&mut self, chunks: Vec<ChunkRef>) -> Result<()> {
        let variable = self.variable;
        let (set, runtime) = (variable.set, variable.set.runtime());
        let whole = variable.layout.chunk_bytes().unwrap_or_default() as u64;
        let unknown = |chunk: &&ChunkRef| {
            let usage = variable.usage.as_ref();
            usage.is_none_or(|usage| usage.find(chunk).is_none())
        };
        let plain = variable.layout.filters.is_empty() || whole < SPREAD;
        if plain || chunks.iter().filter(unknown).take(2).count() < 2 {
            return chunks.into_iter().try_for_each(|chunk| {
                set.env.cancel.check()?;
                self.chunk(chunk)
            });
        }
        let items = set.in_groups(chunks, |chunk| {
            (Amount::of(whole) + length(&chunk.range)).get()
        });
        let decode = |group: Vec<ChunkRef>| {
            let mut ready = Vec::with_capacity(group.len());
            variable.elements_of(&group, |n, elements| {
                ready.push((n, elements?));
                Ok(())
            })?;
            Ok((group, ready))
        };
        runtime.ordered(items.map(Ok), decode, |(group, ready)| {
            let mut ready = ready.into_iter();
            ready.try_for_each(|(n, elements)| self.take(group.get(n), elements))
        })
    }

    /// Copies the elements of a whole chunk.
    fn take(&mut self, chunk: Option<&ChunkRef>, elements: FoundElements) -> Result<()> {
        let chunk = chunk.or_internal("a requested chunk")?;
        match elements {
            Some(elements) => self.put_chunk(chunk, elements),
            None => {
                self.missing.insert(chunk.index);
                Ok(())
            }
        }
    }

    /// Queues a run of a chunk without filters, element by element if they are far apart.
    fn run(&mut self, chunk: &ChunkRef, run: ElementRun) -> Result<()> {
        let size = self.variable.layout.element.size;
        let apart = Amount::of(run.step) * size > APART.into();
        let (times, len) = if apart { (run.len, 1) } else { (1, run.len) };
        for n in 0..times {
            let from = run.from + n * run.step;
            let range = self
                .variable
                .stored(chunk, ElementRun { from, len, ..run })?;
            let part = ChunkRef {
                range,
                ..chunk.clone()
            };
            let run = ElementRun {
                from: 0,
                to: run.to + n,
                len,
                step: run.step,
            };
            self.enqueue(QueuedFetch::Part(part, run))?;
        }
        Ok(())
    }

    fn enqueue(&mut self, fetch: QueuedFetch) -> Result<()> {
        let bytes = length(&fetch.chunk_ref().range);
        if bytes >= LARGE as u64 {
            // Fetch this chunk alone, into reused memory.
            self.flush()?;
            self.queue.push(fetch);
            return self.flush();
        }
        self.bytes += bytes;
        self.queue.push(fetch);
        if self.queue.len() >= BATCH || self.bytes >= self.most {
            return self.flush();
        }
        Ok(())
    }

    /// Fetches the queue, and copies the elements. The caller must hold no lock.
    pub(super) fn flush(&mut self) -> Result<()> {
        self.bytes = 0;
        let queue = std::mem::take(&mut self.queue);
        let chunks: Vec<ChunkRef> = queue
            .iter()
            .map(|fetch| fetch.chunk_ref().clone())
            .collect();
        let variable = self.variable;
        match queue.first() {
            None => Ok(()),
            Some(QueuedFetch::Chunk(_)) => {
                variable.elements_of(&chunks, |n, elements| self.take(chunks.get(n), elements?))
            }
            Some(QueuedFetch::Part(..)) => self.put_parts(&queue, &chunks),
        }
    }

    /// Fetches parts of chunks without filters, and copies the elements.
    fn put_parts(&mut self, queue: &[QueuedFetch], chunks: &[ChunkRef]) -> Result<()> {
        let mut fetched = self.variable.fetch(chunks)?;
        for (fetch, bytes) in queue.iter().zip(fetched.bytes.drain(..)) {
            match (fetch, bytes) {
                (QueuedFetch::Part(chunk, run), Some(bytes)) => self.put_run(chunk, *run, bytes)?,
                (fetch, None) => {
                    self.missing.insert(fetch.chunk_ref().index);
                }
                (QueuedFetch::Chunk(_), Some(_)) => {
                    return Err(Error::internal("a chunk among parts"));
                }
            }
        }
        Ok(())
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

    fn put_run(&mut self, chunk: &ChunkRef, run: ElementRun, mut bytes: Vec<u8>) -> Result<()> {
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

/// Returns true if the region is exactly the box.
fn is_block(region: &Region, block: &Block) -> bool {
    is_dense(region) && region.start == block.start && region.count == block.count
}
