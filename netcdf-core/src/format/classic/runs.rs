//! Runs of a variable's bytes: their places in the file, and writing them from several threads.

use std::ops::Range;
use std::sync::Arc;

use super::layout::VariablePlace;
use crate::arithmetic::{exact, indices, length};
use crate::chunk::Runs;
use crate::error::{Error, ErrorKind, Result};
use crate::io::Hand;

/// Fewest bytes of a run in the file that are worth a write of their own.
const LARGE: u64 = 64 << 10;

/// A part of a variable's bytes that is contiguous in the file.
pub(super) struct FileRun {
    /// Its place in the file.
    pub(super) offset: u64,
    /// Its range in the given bytes.
    pub(super) bytes: Range<u64>,
    /// Whether padding follows it.
    pub(super) padded: bool,
}

impl FileRun {
    /// Its bytes, of those given.
    pub(super) fn of<'a>(&self, bytes: &'a [u8]) -> Result<&'a [u8]> {
        let place = indices(self.bytes.start, length(&self.bytes))?;
        let part = bytes.get(place);
        part.ok_or_else(|| Error::internal("a part of a variable beyond the bytes given"))
    }
}

/// The parts that a variable consists of.
#[derive(Debug, Clone, Copy)]
pub(super) struct VariableParts {
    pub(super) place: VariablePlace,
    /// True if its records lie between those of other variables.
    pub(super) apart: bool,
    /// Bytes from one record to the next.
    pub(super) record_size: u64,
    /// True if padding follows it, or each of its records.
    pub(super) padded: bool,
}

impl VariableParts {
    /// Calls `part` with each part of the variable's bytes `range`.
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

    /// True if the parts are worth writes of their own.
    pub(super) fn are_large(&self) -> bool {
        self.place.slab >= LARGE || (self.place.record && !self.apart)
    }
}

/// The error for bytes beyond the end of a variable.
pub(super) fn beyond() -> Error {
    Error::new(ErrorKind::Argument, "data beyond the end of the variable")
}

/// Writes a variable from several threads.
pub(super) struct SharedVariable {
    pub(super) hand: Arc<dyn Hand>,
    pub(super) parts: VariableParts,
    /// The padding after the variable, or after each of its records.
    pub(super) padding: Vec<u8>,
    /// The variable's path.
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
            self.hand.write_at(part.offset, bytes)?;
            match part.padded {
                true => {
                    let end = (exact(part.offset) + bytes.len()).get()?;
                    self.hand.write_at(end, &self.padding)
                }
                false => Ok(()),
            }
        })
    }
}
