//! Copies a variable as runs of elements: moved, or converted band by band.

use std::ops::Range;
use std::sync::Arc;

use super::CopyJob;
use super::conversion::ElementConversion;
use crate::arithmetic::{claimed, exact, length};
use crate::chunk::InBands;
use crate::chunk::scatter::steps;
use crate::chunk::{ChunkRef, Dataset, Runs, Writer, elements};
use crate::error::{Context, Error, ErrorKind, Result};
use crate::io::Source;
use crate::io::source::present;
use crate::model::{Atomic, Region, Values};

/// The output form of a run of elements.
pub(super) enum ElementFate {
    /// Stored bytes.
    Bytes(Vec<u8>),
    /// Values with heap data, which is written in order.
    Values(Values),
}

/// Maximum bytes moved between two checks for cancellation.
const PIECE: u64 = 64 << 20;
/// Approximate bytes converted and written at a time.
const BAND: u64 = 1 << 20;
/// Bytes swapped at a time before the write.
const CACHED: usize = 512 << 10;

impl CopyJob {
    /// Moves the variable's bytes. Returns their number. The chunks are slices along the first dimension.
    pub(super) fn moved(&self, set: Dataset<'_>, writer: &mut dyn Writer) -> Result<u64> {
        if set.reader.bytes().latency() {
            // Band reads run concurrently.
            return self.converted(set, writer);
        }
        let rows = self.from.chunk.first().copied().unwrap_or(1);
        let step = exact(rows) * self.per_record();
        let mut next = 0;
        let one = |chunk: ChunkRef| {
            let element = (step * chunk.index).get()?;
            if element == next {
                next = self.elements().min((step + element).get()?);
                self.piece(set, writer, element..next, &chunk)?;
            }
            Ok(())
        };
        set.each_chunk(self.pair.from, &self.from.touched(&self.region), one)?;
        if next < self.elements() {
            // Missing chunks are fill values, which band reads supply.
            return self.converted(set, writer);
        }
        Ok(self.bytes())
    }

    /// Moves elements of one chunk of the variable.
    pub(super) fn piece(
        &self,
        set: Dataset<'_>,
        writer: &mut dyn Writer,
        elements: Range<u64>,
        chunk: &ChunkRef,
    ) -> Result<()> {
        let size = self.from.element.size.max(1);
        let source = set.reader.bytes().source(chunk);
        let bytes = (exact(length(&elements)) * size).get()?;
        let range = chunk.range.start..claimed(chunk.range.start, bytes).end.min(chunk.range.end);
        match &source {
            Some(source) => {
                present(&**source, &range)?;
            }
            None if length(&range) < bytes => return Err(short(set, chunk, bytes)),
            None => {}
        }
        let (mut at, mut element) = (range.start, elements.start);
        let step = (PIECE - PIECE % size).max(size);
        while at < range.end {
            set.env.cancel.check()?;
            let stop = claimed(at, step).end.min(range.end);
            match &source {
                Some(source) => writer.move_run(self.pair.to, element, source, at..stop)?,
                None => {
                    let range = at..stop;
                    let part = ChunkRef { range, ..*chunk };
                    let bytes = set.fetch_one(&part)?;
                    writer.put_run(self.pair.to, element, &bytes)?;
                }
            }
            set.env.progress.advance(stop - at);
            element = (exact(element) + step / size).get()?;
            at = stop;
        }
        Ok(())
    }

    /// Reads, converts and writes the variable band by band. Returns the bytes stored.
    pub(super) fn converted(&self, set: Dataset<'_>, writer: &mut dyn Writer) -> Result<u64> {
        let runs = match writer.bulk() {
            Some(bulk) if !self.has_heap() => bulk.runs(self.pair.to)?,
            Some(_) | None => None,
        };
        match runs {
            Some(runs) => self.converted_apart(set, writer, &*runs)?,
            None => self.converted_in_order(set, writer)?,
        }
        Ok(self.bytes_copied())
    }

    /// Writes the bands in order.
    fn converted_in_order(&self, set: Dataset<'_>, writer: &mut dyn Writer) -> Result<()> {
        let path = || set.reader.schema().var_path(self.pair.from);
        let size = self.to.element.size.max(1);
        let mut element = self.first_of(&self.region)?;
        set.bands(
            self.pair.from,
            InBands::new(Region::clone(&self.region), BAND / size),
            |_, bytes| self.converts(set, bytes).in_object(path),
            |made| {
                let bytes = match made {
                    ElementFate::Bytes(bytes) => bytes,
                    ElementFate::Values(values) => self.put_heap(set, writer, &values)?,
                };
                writer.put_run(self.pair.to, element, &bytes)?;
                element = (exact(element) + bytes.len() as u64 / size).get()?;
                set.env.progress.advance(bytes.len() as u64);
                set.env.buffers.give_large(bytes);
                Ok(())
            },
        )
    }

    /// Lets each thread write its own bands.
    fn converted_apart(
        &self,
        set: Dataset<'_>,
        writer: &mut dyn Writer,
        runs: &dyn Runs,
    ) -> Result<()> {
        let size = self.to.element.size.max(1);
        let mut element = self.first_of(&self.region)?;
        let work = |band: &Region, bytes: Vec<u8>| {
            self.put_apart(set, (self.first_of(band)?, bytes), runs)
        };
        let sink = |bytes: u64| {
            if let Some(bulk) = writer.bulk() {
                bulk.ran(self.pair.to, element, bytes)?;
            }
            element = (exact(element) + bytes / size).get()?;
            set.env.progress.advance(bytes);
            Ok(())
        };
        let bands = InBands {
            // Conversion needs memory for values in addition to the elements.
            large: self.alike,
            ..InBands::new(Region::clone(&self.region), BAND / size)
        };
        set.bands(self.pair.from, bands, work, sink)
    }

    /// Returns the row-major number of a region's first element.
    fn first_of(&self, region: &Region) -> Result<u64> {
        let steps = steps(&self.shape)?;
        let places = region.start.iter().zip(&steps);
        let number = places.fold(exact(0u64), |all, (n, step)| exact(*n) * *step + all);
        number.get()
    }

    /// Writes stored input elements from the variable's element `first` on. Returns the bytes written. Elements are swapped in blocks small
    /// enough for the processor cache.
    fn put_apart(
        &self,
        set: Dataset<'_>,
        (first, bytes): (u64, Vec<u8>),
        runs: &dyn Runs,
    ) -> Result<u64> {
        let path = || set.reader.schema().var_path(self.pair.from);
        let swaps = self.alike && self.from.element.order != self.to.element.order;
        let mut bytes = match swaps {
            true => bytes,
            false => self.encoded(set, bytes).in_object(path)?,
        };
        let to = self.to.element.plain_type().filter(|_| swaps);
        let size = exact(self.to.element.size).index()?.max(1);
        let mut element = first;
        for part in bytes.chunks_mut((CACHED / size).max(1) * size) {
            elements::swap(part, to.and_then(Atomic::size).unwrap_or(1));
            runs.put(element, part)?;
            element = (exact(element) + part.len() / size).get()?;
        }
        let made = bytes.len() as u64;
        set.env.buffers.give_large(bytes);
        Ok(made)
    }

    /// Returns the output form of stored elements.
    pub(super) fn converts(&self, set: Dataset<'_>, bytes: Vec<u8>) -> Result<ElementFate> {
        if self.has_heap() {
            return self.values(set, &bytes).map(ElementFate::Values);
        }
        self.encoded(set, bytes).map(ElementFate::Bytes)
    }

    /// Decodes stored input elements into values.
    pub(super) fn values(&self, set: Dataset<'_>, bytes: &[u8]) -> Result<Values> {
        self.conversion().values(set, bytes)
    }

    /// Converts stored input elements to stored output elements.
    pub(super) fn encoded(&self, set: Dataset<'_>, bytes: Vec<u8>) -> Result<Vec<u8>> {
        self.conversion().encoded(set, bytes)
    }

    fn conversion(&self) -> ElementConversion {
        ElementConversion {
            var: self.pair.from,
            from: self.from.element,
            to: self.to.element,
            alike: self.alike,
        }
    }
}

/// Returns the error for a chunk with too few bytes.
fn short(set: Dataset<'_>, chunk: &ChunkRef, want: u64) -> Error {
    let have = length(&chunk.range);
    let what = format!("a chunk of {have} bytes, expected {want}");
    let e = Error::new(ErrorKind::Corrupt, what);
    match set.reader.bytes().name(chunk) {
        Some(origin) => e.at(&origin, chunk.range.start),
        None => e,
    }
}

/// Returns the source of a chunk.
pub(super) fn source_of(set: Dataset<'_>, chunk: &ChunkRef) -> Result<Arc<dyn Source>> {
    let missing = || Error::new(ErrorKind::NotFound, "a chunk without a source");
    set.reader.bytes().source(chunk).ok_or_else(missing)
}
