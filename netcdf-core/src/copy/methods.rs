//! How the data of a variable gets from one dataset to another.

use std::ops::Range;
use std::sync::Arc;

use super::Job;
use crate::arithmetic::{claimed, exact, length};
use crate::chunk::InBands;
use crate::chunk::layout::Layout;
use crate::chunk::scatter::steps;
use crate::chunk::{ChunkRef, Dataset, Runs, Writer, elements, rechunk};
use crate::error::{Context, Error, ErrorKind, Result};
use crate::filter::strict::Rewrap;
use crate::filter::substitutes::decodes_alike;
use crate::io::Source;
use crate::io::source::present;
use crate::model::{Atomic, FilterSpec, Region, Values, convert};

/// How the data of a variable is copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Stored bytes are moved unchanged, run by run.
    Move,
    /// As [`Method::Move`], but the runs are records that lie between those of other variables: such variables
    /// are copied together.
    Rows,
    /// Bands of elements are decoded, converted and encoded.
    Convert,
    /// Stored chunks are moved unchanged.
    Chunks,
    /// Chunks are decoded, and encoded again in the same shape.
    Recode,
    /// Chunks are made from chunks of another shape, or from data without chunks.
    Rechunk(rechunk::RechunkPlan),
}

/// What becomes of elements.
pub(super) enum ElementFate {
    /// They are stored as these bytes.
    Bytes(Vec<u8>),
    /// They have heap data, which is written in order.
    Values(Values),
}

/// Most bytes moved between two checks for cancellation.
const PIECE: u64 = 64 << 20;

/// Bytes converted and written at a time, roughly.
const BAND: u64 = 1 << 20;

/// Bytes swapped at a time before they are written.
const CACHED: usize = 512 << 10;

/// The method for a variable of this shape that is not written as chunks; `from` and `to` are its layouts in the
/// input and the output. `alike` means that an element has the same bytes in both, apart from the byte order of
/// numbers.
#[must_use]
pub fn choose(from: &Layout, to: &Layout, shape: &[u64], alike: bool) -> Method {
    let plain = from.filters.is_empty() && to.filters.is_empty() && to.quantize.is_none();
    let same = alike && from.element == to.element && from.extent == shape;
    match from.chunk.split_first() {
        _ if !plain || !same => Method::Convert,
        None => Method::Move,
        Some((1, rest)) if from.extent.get(1..) == Some(rest) && shape.first() > Some(&1) => {
            Method::Rows
        }
        Some((_, rest)) if from.extent.get(1..) == Some(rest) => Method::Move,
        Some(_) => Method::Convert,
    }
}

/// The method for a variable that is written as chunks. `alike` is as for [`choose`]; `same_fill` means that
/// elements that are not stored read the same in both datasets; `budget` is what may be used.
#[must_use]
pub fn choose_chunks(
    variable: rechunk::Variable<'_>,
    (alike, same_fill): (bool, bool),
    budget: &rechunk::Budget,
) -> Method {
    let (from, to) = (variable.from, variable.to);
    let grid = from.chunk == to.chunk && ends_in_whole_chunks(from, variable.shape);
    if !grid || !alike || !same_fill || variable.assembled {
        return Method::Rechunk(rechunk::plan(variable, budget));
    }
    let same = moves(&from.filters, &to.filters) && from.element == to.element;
    match same && to.quantize.is_none() {
        true => Method::Chunks,
        false => Method::Recode,
    }
}

/// True if chunks move from the filters `from` to the filters `to`: they decode alike, or only the container of deflate differs.
pub(super) fn moves(from: &[FilterSpec], to: &[FilterSpec]) -> bool {
    undone_alike(from, to) || Rewrap::of(from, to).is_some()
}

/// True if the filters `to` decode what the filters `from` encoded.
fn undone_alike(from: &[FilterSpec], to: &[FilterSpec]) -> bool {
    let alike = |(a, b): (&FilterSpec, &FilterSpec)| decodes_alike(a, b);
    from.len() == to.len() && from.iter().zip(to).all(alike)
}

/// True if the elements of a variable of this shape that are not stored lie beyond its stored chunks, and the
/// stored extent cuts off none of these: what a chunk holds beyond the extent is not known.
fn ends_in_whole_chunks(from: &Layout, shape: &[u64]) -> bool {
    let dims = from.extent.iter().zip(&from.chunk).zip(shape);
    dims.into_iter()
        .all(|((extent, chunk), len)| extent == len || extent.is_multiple_of((*chunk).max(1)))
}

impl Job {
    /// Moves the variable's bytes; returns how many. Its chunks are slices along the first dimension.
    pub(super) fn moved(&self, set: Dataset<'_>, writer: &mut dyn Writer) -> Result<u64> {
        if set.reader.bytes().latency() {
            // Bands are read many at a time.
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
            // Chunks that are not stored are fill, which reading by bands supplies.
            return self.converted(set, writer);
        }
        Ok(self.bytes())
    }

    /// Moves elements of the variable, all of them in one chunk.
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
        match source {
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
            match source {
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

    /// Reads, converts and writes the variable band by band; returns the bytes stored.
    pub(super) fn converted(&self, set: Dataset<'_>, writer: &mut dyn Writer) -> Result<u64> {
        let runs = match self.has_heap() {
            true => None,
            false => writer.runs(self.pair.to)?,
        };
        match runs {
            Some(runs) => self.converted_apart(set, writer, &*runs)?,
            None => self.converted_in_order(set, writer)?,
        }
        Ok(self.bytes_copied())
    }

    /// Writes the bands one after the other.
    fn converted_in_order(&self, set: Dataset<'_>, writer: &mut dyn Writer) -> Result<()> {
        let path = || set.reader.schema().var_path(self.pair.from);
        let size = self.to.element.size.max(1);
        let mut element = self.first_of(&self.region)?;
        set.bands(
            self.pair.from,
            InBands::new(self.region.clone(), BAND / size),
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

    /// Lets each thread write the bands that it made.
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
            writer.ran(self.pair.to, element, bytes)?;
            element = (exact(element) + bytes / size).get()?;
            set.env.progress.advance(bytes);
            Ok(())
        };
        let bands = InBands {
            // Converting takes memory for values on top of the elements.
            large: self.alike,
            ..InBands::new(self.region.clone(), BAND / size)
        };
        set.bands(self.pair.from, bands, work, sink)
    }

    /// The row-major number of the first element of a region.
    fn first_of(&self, region: &Region) -> Result<u64> {
        let steps = steps(&self.shape)?;
        let places = region.start.iter().zip(&steps);
        let number = places.fold(exact(0u64), |all, (n, step)| exact(*n) * *step + all);
        number.get()
    }

    /// Writes stored elements of the input, from element `first` of the variable on; returns the bytes written.
    /// They are swapped in parts small enough to stay in the processor's cache until written.
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

    /// What becomes of stored elements of the input.
    pub(super) fn converts(&self, set: Dataset<'_>, bytes: Vec<u8>) -> Result<ElementFate> {
        if self.has_heap() {
            return self.values(set, &bytes).map(ElementFate::Values);
        }
        self.encoded(set, bytes).map(ElementFate::Bytes)
    }

    /// The values of stored elements of the input.
    pub(super) fn values(&self, set: Dataset<'_>, bytes: &[u8]) -> Result<Values> {
        match self.from.element.plain_type() {
            Some(ty) => elements::decode(ty, self.from.element.order, bytes),
            None => set.resolve(self.pair.from, bytes),
        }
    }

    /// Stored elements of the input as stored elements of the output.
    pub(super) fn encoded(&self, set: Dataset<'_>, mut bytes: Vec<u8>) -> Result<Vec<u8>> {
        let to = self.to.element.plain_type();
        if self.alike {
            if self.from.element.order != self.to.element.order {
                elements::swap(&mut bytes, to.and_then(Atomic::size).unwrap_or(1));
            }
            return Ok(bytes);
        }
        let to = to.ok_or_else(|| Error::new(ErrorKind::BadType, "not a type of fixed size"))?;
        let values = match self.values(set, &bytes)? {
            Values::Enum(_, base) => *base,
            other => other,
        };
        let values = if values.data_type() == Some(to) {
            values
        } else {
            convert::convert(&values, to)?
        };
        let mut out = Vec::new();
        elements::encode(&values, self.to.element.order, &mut out)?;
        Ok(out)
    }
}

/// The error for a chunk with fewer bytes than needed.
fn short(set: Dataset<'_>, chunk: &ChunkRef, want: u64) -> Error {
    let have = length(&chunk.range);
    let what = format!("a chunk of {have} bytes, its shape asks for {want}");
    let e = Error::new(ErrorKind::Corrupt, what);
    match set.reader.bytes().name(chunk) {
        Some(origin) => e.at(&origin, chunk.range.start),
        None => e,
    }
}

/// The source that holds a chunk.
pub(super) fn source_of<'a>(set: Dataset<'a>, chunk: &ChunkRef) -> Result<&'a Arc<dyn Source>> {
    let missing = || Error::new(ErrorKind::NotFound, "a chunk without a source");
    set.reader.bytes().source(chunk).ok_or_else(missing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::ids::ZSTD;

    #[test]
    fn chains_that_are_undone_alike() {
        let spec = |id, params: &[u32]| FilterSpec {
            id,
            params: params.to_vec(),
        };
        let alike = |a: &FilterSpec, b: &FilterSpec| {
            undone_alike(std::slice::from_ref(a), std::slice::from_ref(b))
        };
        assert!(alike(&spec(ZSTD, &[3, 1]), &spec(ZSTD, &[3])));
        assert!(!alike(&spec(ZSTD, &[3, 1]), &spec(ZSTD, &[4])));
        assert!(!alike(&spec(ZSTD, &[3]), &spec(1, &[3])));
        assert!(!alike(&spec(1, &[3, 1]), &spec(1, &[3])));
        assert!(!undone_alike(&[], &[spec(1, &[3])]));
    }
}
