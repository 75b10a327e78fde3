//! Metadata placement in a file: among data, at the front, or in separate pages.

use std::ops::{Range, RangeInclusive};

use super::argument;
use crate::arithmetic::{Exact, exact};
use crate::error::Result;
use crate::model::FileSpace;

/// Range of page sizes when the metadata length determines the page size.
const CHOSEN: RangeInclusive<u64> = 64 << 10..=8 << 20;
/// Page sizes that HDF5 allows.
const ALLOWED: RangeInclusive<u64> = 512..=1 << 30;
/// The pages of a file (file space strategy PAGE). A structure shorter than a page lies within one page. Any other structure begins at a
/// page start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PagedSpace {
    /// Page size in bytes: a power of two.
    size: u64,
}

impl PagedSpace {
    /// The pages of a paged file. A page size that is not yet known is the maximum; metadata beyond the maximum takes several pages.
    ///
    /// # Errors
    /// Returns [`crate::ErrorKind::Argument`] for a size that is not a power of two, or that HDF5 does not allow.
    pub(super) fn of(space: FileSpace) -> Result<Option<Self>> {
        let size = match space {
            FileSpace::Mixed | FileSpace::Front => return Ok(None),
            FileSpace::Paged(size) => size.unwrap_or(*CHOSEN.end()),
        };
        if size.is_power_of_two() && ALLOWED.contains(&size) {
            return Ok(Some(Self { size }));
        }
        let what =
            format!("pages of {size} bytes, expected a power of two from 512 bytes to 1 GiB");
        Err(argument(what))
    }

    /// The final pages: a fixed page size is retained, otherwise the smallest page that contains all metadata up to `end`.
    #[must_use]
    pub(super) fn chosen(self, space: FileSpace, end: u64) -> Self {
        match space {
            FileSpace::Paged(None) => {
                let size = end
                    .clamp(*CHOSEN.start(), *CHOSEN.end())
                    .next_power_of_two();
                Self { size }
            }
            FileSpace::Paged(Some(_)) | FileSpace::Mixed | FileSpace::Front => self,
        }
    }

    /// Page size in bytes.
    pub(super) fn size(self) -> u64 {
        self.size
    }

    /// The bytes from an offset to the page end.
    fn left(self, at: u64) -> u64 {
        self.size - at % self.size
    }

    /// The padding at an offset before a structure of this length.
    pub(super) fn padding(self, at: u64, len: u64) -> u64 {
        match self.left(at) {
            left if left < len => left % self.size,
            _ => 0,
        }
    }

    /// The bytes taken by `count` structures of equal length from `start` on. The length must be a multiple of eight.
    pub(super) fn run(self, start: u64, len: u64, count: u64) -> Exact {
        let Some(last) = count.checked_sub(1) else {
            return exact(0u64);
        };
        if len > self.size {
            return exact(last) * len.div_ceil(self.size) * self.size + len;
        }
        let here = self.left(start) / len.max(1);
        let Some(last) = last.checked_sub(here) else {
            return exact(count) * len;
        };
        let each = self.size / len.max(1);
        let pages = exact(self.left(start)) + exact(last / each) * self.size;
        pages + exact(last % each + 1) * len
    }
}

/// A file range reserved for structures.
#[derive(Debug)]
pub(super) struct ReservedSpace {
    /// The unused range.
    pub left: Range<u64>,
    /// The pages of the file.
    pub pages: Option<PagedSpace>,
}

impl ReservedSpace {
    /// Takes space for a structure, at a multiple of eight.
    pub(super) fn take(&mut self, len: u64) -> Option<u64> {
        let at = self.left.start.checked_next_multiple_of(8)?;
        let padding = self.pages.map_or(0, |pages| pages.padding(at, len));
        let at = at.checked_add(padding)?;
        let end = at.checked_add(len).filter(|&end| end <= self.left.end)?;
        self.left.start = end;
        Some(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(size: u64) -> PagedSpace {
        PagedSpace::of(FileSpace::Paged(Some(size)))
            .unwrap()
            .unwrap()
    }

    #[test]
    fn structures_lie_within_a_page_or_begin_with_one() {
        let pages = pages(512);
        for (at, len, padding) in [
            (0, 512, 0),
            (0, 5000, 0),
            (8, 504, 0),
            (8, 505, 504),
            (8, 5000, 504),
            (511, 1, 0),
            (511, 2, 1),
            (512, 512, 0),
        ] {
            assert_eq!(pages.padding(at, len), padding, "{len} bytes at {at}");
        }
    }

    /// A run takes the same space as its structures one by one.
    #[test]
    fn runs() {
        let pages = pages(1024);
        for len in [8, 24, 504, 512, 520, 1024, 1032, 2048, 3000] {
            for start in [0u64, 8, 512, 1000, 1016, 4096] {
                let start = start + pages.padding(start, len);
                let mut reserved = ReservedSpace {
                    left: start..u64::MAX,
                    pages: Some(pages),
                };
                for count in 0..40 {
                    let bytes = pages.run(start, len, count).get().unwrap();
                    assert_eq!(
                        start + bytes,
                        reserved.left.start,
                        "{count} of {len} at {start}"
                    );
                    // Multiples of eight, so that only pages pad.
                    let _ = reserved.take(len).unwrap();
                }
            }
        }
        assert!(pages.run(0, 1 << 40, 1 << 40).get().is_err());
    }

    #[test]
    fn sizes() {
        for size in [0, 511, 513, 1000, 2 << 30, u64::MAX] {
            let e = PagedSpace::of(FileSpace::Paged(Some(size))).unwrap_err();
            assert_eq!(e.kind(), crate::ErrorKind::Argument, "{size}");
        }
        let any = FileSpace::Paged(None);
        for (end, size) in [
            (1, 64 << 10),
            (64 << 10, 64 << 10),
            ((64 << 10) + 1, 128 << 10),
            (5 << 20, 8 << 20),
            (1 << 40, 8 << 20),
        ] {
            let chosen = PagedSpace::of(any).unwrap().unwrap().chosen(any, end);
            assert_eq!(chosen.size(), size, "{end}");
        }
        assert_eq!(
            pages(512).chosen(FileSpace::Paged(Some(512)), 9000).size(),
            512
        );
    }
}
