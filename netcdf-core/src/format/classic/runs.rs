//! Byte runs of a variable: locations in the file, and concurrent writes.

use std::ops::Range;
use std::sync::Arc;

use super::layout::{VariablePlace, VariablePlaces};
use crate::arithmetic::{exact, indices, length};
use crate::chunk::Runs;
use crate::error::{Error, ErrorKind, Result};
use crate::io::ConcurrentWriter;

/// The minimum run length in bytes for a separate write.
const LARGE: u64 = 64 << 10;

/// A range of a variable's bytes that is contiguous in the file.
pub(super) struct FileRun {
    /// The byte offset in the file.
    pub(super) offset: u64,
    /// The range in the given bytes.
    pub(super) bytes: Range<u64>,
    /// Whether padding follows the run.
    pub(super) padded: bool,
}

impl FileRun {
    /// Returns the bytes of the run from the given bytes.
    pub(super) fn of<'a>(&self, bytes: &'a [u8]) -> Result<&'a [u8]> {
        let place = indices(self.bytes.start, length(&self.bytes))?;
        let part = bytes.get(place);
        part.ok_or_else(|| Error::internal("a part of a variable beyond the bytes given"))
    }
}

/// The runs of a variable.
#[derive(Debug, Clone, Copy)]
pub(super) struct VariableParts {
    pub(super) place: VariablePlace,
    /// Whether records of other variables separate the records of the variable.
    pub(super) apart: bool,
    /// Bytes from one record to the next.
    pub(super) record_size: u64,
    /// Whether padding follows the variable, or each record.
    pub(super) padded: bool,
}

impl VariableParts {
    /// Returns the runs of a variable. `padded`: padding follows the variable, or each record.
    pub(super) fn new(places: &VariablePlaces, place: VariablePlace, padded: bool) -> Self {
        Self {
            apart: place.record && !places.is_single_record(&place),
            record_size: places.record_size,
            padded,
            place,
        }
    }

    /// Calls `part` with each run in `range`, a range of the variable's bytes.
    pub(super) fn of(
        &self,
        range: Range<u64>,
        part: &mut dyn FnMut(FileRun) -> Result<()>,
    ) -> Result<()> {
        let (place, from) = (&self.place, range.start);
        if !self.apart {
            return part(FileRun {
                offset: (exact(place.begin) + from).get()?,
                bytes: 0..length(&range),
                padded: self.padded && range.end == place.slab,
            });
        }
        let mut at = from;
        while at < range.end {
            let (record, inside) = (at / place.slab, at % place.slab);
            let n = (place.slab - inside).min(range.end - at);
            let offset = record.checked_mul(self.record_size);
            let offset = offset.and_then(|o| o.checked_add(place.begin)?.checked_add(inside));
            part(FileRun {
                offset: offset.ok_or_else(beyond)?,
                bytes: at - from..at - from + n,
                padded: self.padded && inside + n == place.slab,
            })?;
            at += n;
        }
        Ok(())
    }

    /// Checks whether the runs are large enough for separate writes.
    pub(super) fn are_large(&self) -> bool {
        self.place.slab >= LARGE || (self.place.record && !self.apart)
    }
}

/// Returns the error for bytes beyond the end of a variable.
pub(super) fn beyond() -> Error {
    Error::new(ErrorKind::Argument, "data beyond the end of the variable")
}

/// Writes a variable from several threads.
pub(super) struct SharedVariable {
    pub(super) writer: Arc<dyn ConcurrentWriter>,
    pub(super) parts: VariableParts,
    /// The padding after the variable or after each record.
    pub(super) padding: Vec<u8>,
    /// The variable path.
    pub(super) path: String,
}

impl Runs for SharedVariable {
    fn put(&self, element: u64, bytes: &[u8]) -> Result<()> {
        let beyond = || beyond().in_object(&self.path);
        let place = &self.parts.place;
        let from = element.checked_mul(place.ty.size().unwrap_or(1) as u64);
        let end = from.and_then(|from| from.checked_add(bytes.len() as u64));
        let (Some(from), Some(end)) = (from, end) else {
            return Err(beyond());
        };
        if !place.record && end > place.slab {
            return Err(beyond());
        }
        self.parts.of(from..end, &mut |part| {
            let bytes = part.of(bytes)?;
            self.writer.write_at(part.offset, bytes)?;
            match part.padded {
                true => {
                    let end = (exact(part.offset) + bytes.len()).get()?;
                    self.writer.write_at(end, &self.padding)
                }
                false => Ok(()),
            }
        })
    }
}
