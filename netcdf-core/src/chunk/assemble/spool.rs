//! Collects the elements of a variable in a temporary file before they are cut into chunks.

use std::sync::Arc;

use super::{Assembler, CutChunk, FILLED, out_of_order};
use crate::arithmetic::{Amount, Exact, exact};
use crate::chunk::column::ColumnReader;
use crate::chunk::dataset::{BoxElements, Dataset};
use crate::chunk::encode::ChunkEncoder;
use crate::chunk::scatter::spread;
use crate::chunk::{Writer, rechunk};
use crate::env::Env;
use crate::error::{Error, ErrorKind, Result};
use crate::io::file::Scratch;
use crate::model::{Region, VarId};

/// The maximum fill in bytes between two runs of elements. More fill could use up the disk.
const GAP: u64 = 1 << 40;
/// The size of a write in bytes.
const PIECE: usize = 1 << 20;

/// Elements in row-major order in a file.
pub(super) struct ElementSpool {
    file: Scratch,
    /// The number of added bytes.
    len: u64,
    /// The bytes that are not yet written.
    waiting: Vec<u8>,
    /// A buffer of fill.
    fill: Vec<u8>,
    /// Whether each unwritten element needs its own heap data.
    heap_fill: bool,
    size: u64,
    rows: StoredRows,
}

/// The rows of chunks to store: rows with elements, and short gaps between them.
struct StoredRows {
    /// Elements per row.
    each: u64,
    /// The first row and the end of each run, in order.
    runs: Vec<(u64, u64)>,
}

impl StoredRows {
    /// Records added elements `start..end`, which must follow the elements of the previous call.
    fn note(&mut self, start: u64, end: u64) {
        let (first, last) = (start / self.each, end.div_ceil(self.each));
        match self.runs.last_mut() {
            Some((_, before)) if *before >= first => *before = last.max(*before),
            Some(_) | None => self.runs.push((first, last)),
        }
    }

    fn has(&self, row: u64) -> bool {
        let behind = self.runs.partition_point(|&(start, _)| start <= row);
        let run = behind.checked_sub(1).and_then(|n| self.runs.get(n));
        run.is_some_and(|&(_, end)| row < end)
    }
}

impl ElementSpool {
    /// Creates a spool for rows of chunks of `row` elements.
    pub(super) fn new(env: &Env, encoder: &ChunkEncoder, row: u64) -> Result<Self> {
        let size = encoder.fill().len().max(1);
        let mut fill = vec![0; (PIECE / size).max(1) * size];
        spread(encoder.fill(), &mut fill);
        Ok(Self {
            file: Scratch::new(env.scratch.as_deref())?,
            len: 0,
            waiting: vec![],
            fill,
            heap_fill: encoder.heap_fill(),
            size: size as u64,
            rows: StoredRows {
                each: row.max(1),
                runs: vec![],
            },
        })
    }

    pub(super) fn put_run(
        &mut self,
        element: u64,
        bytes: &[u8],
        output: (&mut dyn Writer, VarId),
    ) -> Result<()> {
        let end = self.len / self.size;
        let left = element.checked_sub(end);
        let left = left.ok_or_else(|| out_of_order(element, end))?;
        let gap = Amount::of(left) * self.size;
        if gap > GAP.into() {
            let what = format!("a row of chunks needs {left} elements of fill");
            let remedy = "make the dimensions or the chunks shorter";
            return Err(Error::new(ErrorKind::Limit, what).with_remedy(remedy));
        }
        match self.heap_fill {
            true => self.put_heap_fill(element, output)?,
            false => self.put_fill(gap.get())?,
        }
        let elements = bytes.len() as u64 / self.size;
        if elements > 0 {
            let start = match gap > FILLED.into() {
                true => element,
                false => end,
            };
            self.rows.note(start, (exact(element) + elements).get()?);
        }
        self.put(bytes)
    }

    fn put_fill(&mut self, mut left: u64) -> Result<()> {
        let fill = std::mem::take(&mut self.fill);
        while left > 0 {
            let now = Amount::of(left).count().min(fill.len());
            self.put(fill.get(..now).unwrap_or_default())?;
            left -= now as u64;
        }
        self.fill = fill;
        Ok(())
    }

    /// Adds unwritten elements up to an element. Elements in rows that are not stored need no heap data.
    fn put_heap_fill(&mut self, end: u64, (writer, var): (&mut dyn Writer, VarId)) -> Result<()> {
        let start = self.len / self.size;
        let is_long = Amount::of(end - start) * self.size > FILLED.into();
        let row_end = start.checked_next_multiple_of(self.rows.each);
        let first = row_end.filter(|_| is_long).unwrap_or(end).min(end);
        let last = (end - end % self.rows.each).max(first);
        self.put_heap_copies(first - start, (writer, var))?;
        self.put_fill((exact(last - first) * self.size).get()?)?;
        self.put_heap_copies(end - last, (writer, var))
    }

    fn put_heap_copies(
        &mut self,
        mut left: u64,
        (writer, var): (&mut dyn Writer, VarId),
    ) -> Result<()> {
        while left > 0 {
            let now = left.min(PIECE as u64 / self.size).max(1);
            let fill = writer.put_fill(var, now)?;
            self.put(&fill)?;
            left -= now;
        }
        Ok(())
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.len = (exact(self.len) + bytes.len()).get()?;
        self.waiting.extend_from_slice(bytes);
        if self.waiting.len() >= PIECE {
            return self.flush();
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        self.file.append(&self.waiting)?;
        self.waiting.clear();
        Ok(())
    }

    /// Cuts the elements into chunks.
    pub(super) fn finish(mut self, of: &Assembler<'_>, writer: &mut dyn Writer) -> Result<()> {
        let row = Exact::product(&of.inner).get()?.max(1);
        let rows = (self.len / self.size).div_ceil(row);
        let rows = rows.next_multiple_of(of.layout.chunk.first().copied().unwrap_or(1).max(1));
        let end = (exact(rows) * row).get()?;
        self.put_run(end, &[], (&mut *writer, of.var))?;
        self.flush()?;
        let shape = [&[rows][..], &of.inner].concat();
        let schema = writer.schema().clone();
        let range = 0..self.len;
        let column = ColumnReader::new(&schema, (&of.layout, &shape), (Arc::new(self.file), range));
        rechunk_column(&column, &self.rows, of, writer)
    }
}

/// Builds only the rows of chunks with elements.
fn rechunk_column(
    column: &ColumnReader<'_>,
    rows: &StoredRows,
    of: &Assembler<'_>,
    writer: &mut dyn Writer,
) -> Result<()> {
    let variable = rechunk::RechunkVariable {
        from: column.layout(),
        to: &of.layout,
        shape: &column.layout().extent,
        assembled: false,
    };
    let budget = rechunk::RechunkBudget {
        memory: of.env.memory.0,
        threads: of.env.runtime.threads(),
    };
    let plan = rechunk::plan(variable, &budget);
    let grid = variable.grid();
    let set = Dataset::new(column, of.env);
    let length = of.layout.chunk.first().copied().unwrap_or(1).max(1);
    let work = |place: &Region, part: BoxElements| {
        let row = place.start.first().map_or(0, |start| start / length);
        if !rows.has(row) {
            return Ok(None);
        }
        Ok(Some((grid.index(place), of.encode(place, part.bytes)?)))
    };
    let sink = |made: Option<(u64, CutChunk)>| match made {
        Some((index, cut)) => of.put(index, cut, writer),
        None => Ok(()),
    };
    let what = rechunk::Rechunking {
        set,
        var: of.var,
        grid: &grid,
        within: &grid.whole(),
        plan: &plan,
        met: None,
    };
    rechunk::run(&what, work, sink)
}
