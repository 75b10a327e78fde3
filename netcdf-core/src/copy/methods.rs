//! The ways in which the data of a variable gets from one dataset to another.

use std::ops::Range;
use std::sync::Arc;

use super::Job;
use crate::chunk::layout::Layout;
use crate::chunk::scatter::Block;
use crate::chunk::{ChunkRef, Dataset, elements};
use crate::error::{Context, Error, ErrorKind, Result};
use crate::format::Writer;
use crate::io::Source;
use crate::io::source::present;
use crate::model::{DataType, Region, convert};

/// How the data of a variable is copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Stored bytes are moved as they are, run by run.
    Move,
    /// As [`Method::Move`]; the runs are records, which lie between those of other variables, so
    /// that such variables are copied together.
    Rows,
    /// Bands of elements are decoded, converted and encoded.
    Convert,
}

/// Bytes moved at most between two looks at whether the run was cancelled.
const PIECE: u64 = 64 << 20;

/// Bytes converted and written at a time, about.
const BAND: u64 = 1 << 20;

/// The method for a variable of this shape that is stored as `from` says and will be as `to` says.
#[must_use]
pub fn choose(from: &Layout, to: &Layout, shape: &[u64]) -> Method {
    let plain = from.filters.is_empty() && to.filters.is_empty() && from.fill.is_none();
    let same = from.element == to.element && from.extent == shape;
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

impl Job {
    /// Moves the variable's bytes. Its chunks are parts of the first dimension.
    pub(super) fn moved(&self, set: Dataset<'_>, writer: &mut dyn Writer) -> Result<()> {
        let path = || set.reader.schema().var_path(self.pair.from);
        let rows = self.from.chunk.first().copied().unwrap_or(1);
        let step = rows.saturating_mul(self.per_record());
        let mut next = 0;
        let mut one = |chunk: ChunkRef| {
            let element = chunk.index.saturating_mul(step);
            if element == next {
                next = self.elements().min(element.saturating_add(step));
                self.piece(set, writer, (element, next), &chunk)?;
            }
            Ok(())
        };
        let all = Block {
            start: vec![0; self.from.chunk.len()],
            count: self.from.grid(),
        };
        set.reader
            .locate(self.pair.from, &all, &mut one)
            .in_object(path)?;
        if next < self.elements() {
            // Chunks that are not stored are fill, which the bands know how to make.
            return self.converted(set, writer);
        }
        Ok(())
    }

    /// Moves the elements `first..end` of the variable, which a chunk holds.
    pub(super) fn piece(
        &self,
        set: Dataset<'_>,
        writer: &mut dyn Writer,
        (first, end): (u64, u64),
        chunk: &ChunkRef,
    ) -> Result<()> {
        let size = self.from.element.size.max(1);
        let source = object(set, chunk.object)?;
        let bytes = end.saturating_sub(first).saturating_mul(size);
        let range = chunk.range.start..chunk.range.start.saturating_add(bytes).min(chunk.range.end);
        present(&**source, &range)?;
        let (mut at, mut element) = (range.start, first);
        let step = (PIECE - PIECE % size).max(size);
        while at < range.end {
            set.env.cancel.check()?;
            let stop = at.saturating_add(step).min(range.end);
            writer.move_run(self.pair.to, element, source, at..stop)?;
            set.env.progress.advance(stop - at);
            element = element.saturating_add(step / size);
            at = stop;
        }
        Ok(())
    }

    /// Reads, converts and writes the variable band by band.
    pub(super) fn converted(&self, set: Dataset<'_>, writer: &mut dyn Writer) -> Result<()> {
        let path = || set.reader.schema().var_path(self.pair.from);
        let size = self.to.element.size.max(1);
        let mut element = 0;
        set.bands(
            self.pair.from,
            (Region::whole(&self.shape), BAND / size),
            |_, bytes| self.encoded(set, bytes).in_object(path),
            |bytes| {
                writer.put_run(self.pair.to, element, &bytes)?;
                element = element.saturating_add(bytes.len() as u64 / size);
                set.env.progress.advance(bytes.len() as u64);
                set.env.buffers.give_large(bytes);
                Ok(())
            },
        )
    }

    /// Stored elements of the input as stored elements of the output.
    fn encoded(&self, set: Dataset<'_>, mut bytes: Vec<u8>) -> Result<Vec<u8>> {
        let DataType::Atomic(to) = self.to.element.ty else {
            let what = "user-defined types are not copied yet";
            return Err(Error::new(ErrorKind::Unsupported, what));
        };
        let element = self.from.element;
        let values = match element.plain_type() {
            Some(from) if from == to => {
                if element.order != self.to.element.order {
                    elements::swap(&mut bytes, from.size().unwrap_or(1));
                }
                return Ok(bytes);
            }
            Some(from) => elements::decode(from, element.order, &bytes)?,
            None => set.reader.resolve(self.pair.from, &bytes)?,
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

/// The source behind an object number.
pub(super) fn object<'a>(set: Dataset<'a>, object: u32) -> Result<&'a Arc<dyn Source>> {
    let missing = || Error::new(ErrorKind::NotFound, format!("no object {object}"));
    set.reader.object(object).ok_or_else(missing)
}

/// Length of a range.
pub(super) fn length(range: &Range<u64>) -> u64 {
    range.end.saturating_sub(range.start)
}
