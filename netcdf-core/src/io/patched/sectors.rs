//! Sectors: the unit that a disk writes atomically.

use std::ops::Range;

use crate::arithmetic::{Amount, exact, indices, length};
use crate::error::{OrInternal as _, Result};
use crate::io::raw_file::RawFile;

/// The sector length in bytes.
pub(super) const SECTOR: u64 = 512;

/// Returns the parts of a range by sector.
pub(super) fn parts(range: Range<u64>) -> impl Iterator<Item = Range<u64>> {
    let mut at = range.start;
    std::iter::from_fn(move || {
        if at >= range.end {
            return None;
        }
        let start = at;
        let next = (Amount::of(start / SECTOR) + 1u64) * SECTOR;
        at = next.get().min(range.end);
        Some(start..at)
    })
}

/// Returns whether all bytes of a range are in one sector.
pub(super) fn is_one(range: &Range<u64>) -> bool {
    !range.is_empty() && range.start / SECTOR == (range.end - 1) / SECTOR
}

/// The bytes of a sector or of adjacent sectors, from the first to the last changed byte.
#[derive(Debug)]
pub(super) struct FileImage {
    pub(super) offset: u64,
    pub(super) bytes: Vec<u8>,
}

impl FileImage {
    /// Reads the bytes of a file range.
    pub(super) fn read(raw: &dyn RawFile, range: &Range<u64>) -> std::io::Result<Self> {
        let mut image = Self::blank(range);
        raw.read_at(range.start, &mut image.bytes)?;
        Ok(image)
    }

    /// Returns zeros for a file range.
    pub(super) fn blank(range: &Range<u64>) -> Self {
        Self {
            offset: range.start,
            bytes: vec![0; usize::try_from(length(range)).unwrap_or(0)],
        }
    }

    /// Replaces the bytes at a file offset.
    pub(super) fn put(&mut self, offset: u64, bytes: &[u8]) -> Result<()> {
        let inside = indices(exact(offset) - self.offset, bytes.len())?;
        let place = self.bytes.get_mut(inside);
        place
            .or_internal("bytes of a sector")?
            .copy_from_slice(bytes);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_divided_at_sectors() {
        let all = |range| parts(range).collect::<Vec<_>>();
        assert_eq!(all(5..5), []);
        assert_eq!(all(5..512).first(), Some(&(5..512)));
        assert_eq!(all(5..1030), [5..512, 512..1024, 1024..1030]);
        assert!(is_one(&(0..512)) && is_one(&(1023..1024)));
        assert!(!is_one(&(511..513)) && !is_one(&(7..7)));
    }
}
