//! Cuts elements in row-major order into chunks.
//!
//! Elements are collected in a *window* of as many rows of chunks as memory allows. A row is all chunks at the same
//! position along the first dimension. A full window is cut into chunks, which are encoded on all threads. If the
//! memory is smaller than one row, the elements go through a temporary file.

mod spool;

use super::encode::{ChunkEncoder, EncodedChunk};
use super::grid::ChunkGrid;
use super::layout::Layout;
use super::scatter::{Block, put_back, spread};
use crate::arithmetic::{Amount, Exact, exact};
use crate::chunk::Writer;
use crate::env::Env;
use crate::error::{Context as _, Error, ErrorKind, Result};
use crate::limits::reserve;
use crate::model::region::check_lengths;
use crate::model::{Region, VarId};
use crate::runtime::WorkItem;
use spool::ElementSpool;

/// The maximum size of a window in bytes. Larger windows are no faster.
const WINDOW: u64 = 32 << 20;

/// The maximum fill in bytes stored in a row. Longer fill is omitted if it covers whole rows of chunks.
pub const FILLED: u64 = 64 << 20;
/// Approximate number of copies of a chunk in memory during encoding.
const COPIES: u64 = 3;

/// A chunk that was cut from the elements.
enum CutChunk {
    Encoded(EncodedChunk),
    /// The elements at a region, where unwritten elements need heap data, which is written in order.
    Elements(Region, Vec<u8>),
}

/// Builds the chunks of one variable, up to the last row of chunks with elements. Missing elements are filled. Rows
/// of chunks without elements are omitted if they have more than [`FILLED`] bytes.
pub struct Assembler<'a> {
    env: &'a Env,
    var: VarId,
    layout: Layout,
    encoder: ChunkEncoder,
    /// The lengths of all dimensions except the first.
    inner: Vec<u64>,
    /// The maximum number of elements in the window.
    most: u64,
    /// The first element of the window.
    start: u64,
    /// The elements from the start of the window to the last written element.
    window: Vec<u8>,
    /// The temporary file, if a window would be too large.
    spool: Option<ElementSpool>,
}

impl<'a> Assembler<'a> {
    /// Creates an assembler for a chunked variable of this shape, within `memory` bytes. The first dimension may
    /// still grow.
    ///
    /// # Errors
    /// Returns errors from the writer, the filters and the temporary file.
    pub fn new(
        writer: &dyn Writer,
        var: VarId,
        shape: &[u64],
        (env, memory): (&'a Env, u64),
    ) -> Result<Self> {
        let path = || writer.schema().var_path(var);
        let layout = writer.layout(var).in_object(path)?;
        let encoder = ChunkEncoder::new(writer, env, var, &layout)?;
        check_lengths(shape).in_object(path)?;
        let inner = shape.get(1..).unwrap_or_default().to_vec();
        let elements = row_of_chunks(&layout, &inner);
        let row = (Amount::of(elements) * layout.element.size.max(1)).get();
        // Copies of some chunks exist during encoding.
        let half = memory / 2;
        let rows = (half.min(WINDOW) / row.max(1)).max(1);
        let spool = match row > half.max(encoder.chunk_bytes() as u64) {
            true => Some(ElementSpool::new(env, &encoder, elements)?),
            false => None,
        };
        Ok(Self {
            env,
            var,
            most: (Amount::of(rows) * elements).get(),
            inner,
            layout,
            encoder,
            start: 0,
            window: vec![],
            spool,
        })
    }

    /// Adds elements in stored form from row-major element number `element`, which must not precede the end of the
    /// previous elements.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Argument`] for elements out of order, and errors from filters and writer.
    pub fn put_run(
        &mut self,
        element: u64,
        mut bytes: &[u8],
        writer: &mut dyn Writer,
    ) -> Result<()> {
        if let Some(spool) = &mut self.spool {
            return spool.put_run(element, bytes, (writer, self.var));
        }
        if self.most == 0 {
            return Ok(());
        }
        self.skip(element, writer)?;
        while !bytes.is_empty() {
            let room = (Amount::of(self.bytes(self.most)) - self.window.len()).count();
            let (now, later) = bytes.split_at(room.min(bytes.len()));
            self.window.extend_from_slice(now);
            bytes = later;
            if now.len() == room {
                self.flush(writer)?;
            }
        }
        Ok(())
    }

    /// Writes the remaining elements.
    ///
    /// # Errors
    /// Returns errors from filters and writer.
    pub fn finish(mut self, writer: &mut dyn Writer) -> Result<()> {
        match self.spool.take() {
            Some(spool) => spool.finish(&self, writer),
            None => self.flush(writer),
        }
    }

    /// Adds fill up to an element.
    fn skip(&mut self, element: u64, writer: &mut dyn Writer) -> Result<()> {
        let size = self.layout.element.size.max(1);
        loop {
            let end = (exact(self.start) + self.window.len() as u64 / size).get()?;
            let left = element.checked_sub(end);
            let left = left.ok_or_else(|| out_of_order(element, end))?;
            if left == 0 {
                return Ok(());
            }
            self.env.cancel.check()?;
            let row = row_of_chunks(&self.layout, &self.inner).max(1);
            let rest = (end - self.start).next_multiple_of(row) - (end - self.start);
            let empty = left.saturating_sub(rest) / row;
            if empty > 0 && Amount::of(left) * size > FILLED.into() {
                self.fill(rest, writer)?;
                self.flush(writer)?;
                self.start = (exact(empty) * row + self.start).get()?;
                continue;
            }
            let room = (Amount::of(self.start) + self.most - end).get();
            self.fill(left.min(room), writer)?;
            if left >= room {
                self.flush(writer)?;
            }
        }
    }

    /// Adds fill for this number of elements to the window.
    fn fill(&mut self, elements: u64, writer: &mut dyn Writer) -> Result<()> {
        if self.encoder.heap_fill() {
            let fill = writer.put_fill(self.var, elements)?;
            self.window.extend_from_slice(&fill);
            return Ok(());
        }
        let len = self.window.len();
        let end = (exact(len) + self.bytes(elements)).index()?;
        reserve(&mut self.window, end - len, "a row of chunks")?;
        self.window.resize(end, 0);
        let added = self.window.get_mut(len..).unwrap_or_default();
        if self.encoder.fill().iter().any(|&b| b != 0) {
            spread(self.encoder.fill(), added);
        }
        Ok(())
    }

    fn bytes(&self, elements: u64) -> usize {
        (Amount::of(elements) * self.layout.element.size.max(1)).count()
    }

    /// Cuts the window into chunks, and writes the chunks.
    fn flush(&mut self, writer: &mut dyn Writer) -> Result<()> {
        if self.window.is_empty() {
            return Ok(());
        }
        let row = row_of_chunks(&self.layout, &self.inner).max(1);
        let size = self.layout.element.size.max(1);
        let used = (self.window.len() as u64).div_ceil(size);
        let rows = used.div_ceil(row);
        self.fill((exact(rows) * row - used).get()?, writer)?;
        let window = self.region(rows, row);
        let grid = ChunkGrid::new(&self.layout, &self.shape(&window));
        let each = (Amount::of(self.encoder.chunk_bytes()) * COPIES).get();
        let chunks = grid.inside(&window).boxes(1).map(|value| {
            self.env.cancel.check()?;
            Ok(WorkItem::new(each, value))
        });
        let runtime = self.env.runtime.with_memory(self.env.memory.0 / 2);
        let first = &window;
        runtime.ordered(
            chunks,
            |chunk| Ok((grid.index(&first.part(&chunk)), self.cut(&chunk, first)?)),
            |(index, cut)| self.put(index, cut, writer),
        )?;
        self.start = (exact(rows) * row + self.start).get()?;
        self.window.clear();
        Ok(())
    }

    /// Returns the region of the next rows of chunks at the start of the window.
    fn region(&self, rows: u64, row: u64) -> Region {
        let mut region = Region::whole(&self.inner);
        if let Some(&length) = self.layout.chunk.first() {
            let at = self.start / row;
            region.start.insert(0, at * length.max(1));
            region.count.insert(0, rows * length.max(1));
            region.stride.insert(0, 1);
        }
        region
    }

    /// Returns the variable's shape, up to the end of the window.
    fn shape(&self, window: &Region) -> Vec<u64> {
        let ends = window.start.iter().zip(&window.count);
        ends.map(|(s, n)| s + n).collect()
    }

    /// Encodes a chunk of the window.
    fn cut(&self, chunk: &Region, window: &Region) -> Result<CutChunk> {
        let size = self.layout.element.size;
        let elements = Exact::product(&chunk.count);
        let mut bytes = self.env.buffers.zeros((elements * size).index()?)?;
        let whole = Region::whole(&window.count);
        put_back(&Block::of(chunk), &whole, size, &self.window, &mut bytes)?;
        self.encode(&window.part(chunk), bytes)
    }

    /// Encodes a chunk, unless the writer must store heap data first.
    fn encode(&self, place: &Region, bytes: Vec<u8>) -> Result<CutChunk> {
        if self.encoder.needs_heap(place) {
            return Ok(CutChunk::Elements(place.clone(), bytes));
        }
        self.encoder.encode(place, bytes).map(CutChunk::Encoded)
    }

    /// Writes a chunk.
    fn put(&self, index: u64, cut: CutChunk, writer: &mut dyn Writer) -> Result<()> {
        let stored = match cut {
            CutChunk::Encoded(stored) => stored,
            CutChunk::Elements(place, bytes) => {
                let put_fill = |count| writer.put_fill(self.var, count);
                self.encoder.encode_in_order(&place, bytes, put_fill)?
            }
        };
        writer.put_chunk(self.var, index, stored.mask, &stored.bytes)?;
        self.env.buffers.give_large(stored.bytes);
        Ok(())
    }
}

/// Returns the number of elements in a row of chunks.
fn row_of_chunks(layout: &Layout, inner: &[u64]) -> u64 {
    let rows = layout.chunk.first().copied().unwrap_or(1).max(1);
    (Amount::product(inner) * rows).get()
}

fn out_of_order(element: u64, end: u64) -> Error {
    let what = format!("element {element} precedes the end of the written elements, {end}");
    Error::new(ErrorKind::Argument, what)
}
