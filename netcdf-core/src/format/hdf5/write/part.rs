//! Metadata bytes with unresolved addresses and checksums.

use std::ops::Range;

use super::plan::ObjectId;
use super::space::PagedSpace;
use crate::arithmetic::exact;
use crate::bytes::ByteSink;
use crate::bytes::sums::lookup3;
use crate::cancel::Cancel;
use crate::error::{Error, ErrorKind, OrInternal as _, Result};

/// The undefined address.
pub(super) const UNDEFINED: u64 = u64::MAX;

/// Capacity in bytes that suffices for most messages.
pub(super) const USUAL: usize = 64;

/// The target of an unresolved address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hole {
    /// The header of an object.
    Object(ObjectId),
    /// A global heap collection, by its offset among the metadata collections.
    Heap(u64),
    /// Dense links or attributes, by their offset in the object's parts.
    Own(u64),
}

/// A checksum to compute once the bytes are final.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Sum {
    /// The covered range.
    range: Range<usize>,
    /// Offset of the checksum.
    at: usize,
}

/// Metadata bytes and their unresolved parts.
#[derive(Debug, Clone, Default)]
pub(crate) struct MetadataPart {
    /// The bytes, with zeros for unresolved addresses and checksums.
    pub sink: ByteSink,
    holes: Vec<(usize, Hole)>,
    sums: Vec<Sum>,
    /// The page layout for structures, if the part begins at a page start or lies within a page.
    pages: Option<PagedSpace>,
}

impl MetadataPart {
    /// An empty part with capacity for `bytes` bytes.
    pub(super) fn with_room(bytes: usize) -> Self {
        Self {
            sink: ByteSink::with_room(bytes),
            ..Self::default()
        }
    }

    /// A part that begins with these bytes and has capacity for a usual message.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let mut part = Self::with_room(bytes.len().max(USUAL));
        part.sink.put(bytes);
        part
    }

    /// An empty part of a file with these pages.
    pub(super) fn in_pages(pages: Option<PagedSpace>) -> Self {
        Self {
            pages,
            ..Self::default()
        }
    }

    /// Pads up to the offset of a structure with length `len`. The part starts `before` bytes after a page start. Returns the structure's
    /// offset.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Internal`] beyond the address space.
    pub(super) fn begin(&mut self, before: u64, len: usize) -> Result<u64> {
        self.sink.align(8);
        let at = (exact(before) + self.len()).get()?;
        if let Some(pages) = self.pages {
            let padding = pages.padding(at, len as u64);
            self.sink.zeros(exact(padding).index()?);
        }
        Ok(self.len() as u64)
    }

    /// Length in bytes.
    pub(super) fn len(&self) -> usize {
        self.sink.len()
    }

    /// Appends an unresolved address.
    pub(super) fn address(&mut self, of: Hole) {
        self.hole(self.len(), of);
        self.sink.u64(0);
    }

    /// Overwrites eight bytes with an unresolved address.
    pub(super) fn hole(&mut self, at: usize, of: Hole) {
        self.holes.push((at, of));
    }

    /// Appends the checksum of all bytes from `start` on.
    pub(super) fn checksum(&mut self, start: usize) {
        let at = self.len();
        let range = start..at;
        self.sums.push(Sum { range, at });
        self.sink.u32(0);
    }

    /// Overwrites four bytes of a range with the range's checksum. The four bytes count as zero.
    pub(super) fn checksum_within(&mut self, range: Range<usize>, at: usize) {
        self.sums.push(Sum { range, at });
    }

    /// Appends another part.
    pub(super) fn append(&mut self, other: &Self) {
        let start = self.len();
        self.sink.put(&other.sink.bytes);
        self.take_over(start, other);
    }

    /// Overwrites the bytes from `start` on with another part. Zeros fill a gap before `start`.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`] beyond the address space.
    pub(super) fn overlay(&mut self, start: u64, other: &Self) -> Result<()> {
        let beyond = || Error::new(ErrorKind::Limit, "metadata beyond the address space");
        let start = usize::try_from(start).map_err(|_| beyond())?;
        let end = start.checked_add(other.len()).ok_or_else(beyond)?;
        self.sink.zeros(end.saturating_sub(self.len()));
        self.sink.patch(start, &other.sink.bytes)?;
        self.take_over(start, other);
        Ok(())
    }

    fn take_over(&mut self, start: usize, other: &Self) {
        let holes = other.holes.iter().map(|&(at, of)| (start + at, of));
        self.holes.extend(holes);
        let sums = other.sums.iter().map(|sum| Sum {
            range: start + sum.range.start..start + sum.range.end,
            at: start + sum.at,
        });
        self.sums.extend(sums);
    }

    /// Resolves the holes with known addresses, starting at hole number `first`.
    ///
    /// # Errors
    /// Returns errors from `address`.
    pub(super) fn fill(
        &mut self,
        first: usize,
        mut address: impl FnMut(Hole) -> Result<Option<u64>>,
    ) -> Result<()> {
        let first = first.min(self.holes.len());
        for (at, of) in self.holes.split_off(first) {
            match address(of)? {
                Some(known) => self.sink.patch(at, &known.to_le_bytes())?,
                None => self.holes.push((at, of)),
            }
        }
        Ok(())
    }

    /// Number of unresolved holes.
    pub(super) fn holes(&self) -> usize {
        self.holes.len()
    }

    /// Computes the checksums. Returns the bytes.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Argument`] for an unresolved address.
    pub(crate) fn finish(self) -> Result<Vec<u8>> {
        self.finish_unless(&Cancel::default())
    }

    /// Like [`MetadataPart::finish`], but can be cancelled.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Cancelled`] after cancellation, and errors from [`MetadataPart::finish`].
    pub(super) fn finish_unless(mut self, cancel: &Cancel) -> Result<Vec<u8>> {
        if let Some((_, of)) = self.holes.first() {
            let what = format!("the address of {of:?} is not known");
            return Err(Error::new(ErrorKind::Argument, what));
        }
        for sum in &self.sums {
            cancel.check()?;
            let bytes = self.sink.bytes.get(sum.range.clone());
            let value = lookup3(bytes.or_internal("a checksum of missing bytes")?);
            self.sink.patch(sum.at, &value.to_le_bytes())?;
        }
        Ok(self.sink.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn appended_parts_retain_holes_and_checksums() {
        let mut inner = MetadataPart::of(b"ab");
        inner.address(Hole::Own(5));
        inner.address(Hole::Object(ObjectId(1)));
        inner.checksum(0);
        let mut part = MetadataPart::of(b"xyz");
        part.append(&inner);
        let own = |of| match of {
            Hole::Own(n) => Ok(Some(100 + n)),
            Hole::Object(_) | Hole::Heap(_) => Ok(None),
        };
        part.fill(0, own).unwrap();
        assert_eq!(part.holes(), 1);
        assert!(part.clone().finish().is_err());
        part.fill(0, |_| Ok(Some(7))).unwrap();
        let mut expected = b"ab".to_vec();
        expected.extend([105, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0]);
        let sum = lookup3(&expected).to_le_bytes();
        let bytes = part.finish().unwrap();
        assert_eq!(bytes, [b"xyz", &expected[..], &sum].concat());
    }
}
