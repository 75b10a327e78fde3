//! Ranges of a file with new bytes.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::arithmetic::{claimed, exact, indices};
use crate::error::{OrInternal as _, Result};

/// Disjoint ranges with bytes, sorted by offset. Adjacent ranges are merged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Patches {
    ranges: BTreeMap<u64, Vec<u8>>,
    bytes: u64,
}

impl Patches {
    /// Returns whether there is no range.
    pub(super) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Returns the number of bytes in all ranges.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the ranges in order: offset and bytes.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.ranges
            .iter()
            .map(|(&offset, bytes)| (offset, bytes.as_slice()))
    }

    /// Returns the range from the first to the last byte; `None` without bytes.
    pub(super) fn extent(&self) -> Option<Range<u64>> {
        let (&first, _) = self.ranges.first_key_value()?;
        let (&last, bytes) = self.ranges.last_key_value()?;
        Some(first..last.checked_add(bytes.len() as u64)?)
    }

    /// Sets the bytes at `offset`. Later bytes replace earlier ones.
    pub(super) fn put(&mut self, offset: u64, bytes: &[u8]) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let (start, mut merged) = self.take_before(offset)?;
        let inside = indices(exact(offset) - start, bytes.len())?;
        if merged.len() < inside.end {
            merged.resize(inside.end, 0);
        }
        let place = merged.get_mut(inside);
        place.or_internal("a patch")?.copy_from_slice(bytes);
        self.take_behind(start, &mut merged)?;
        self.bytes = (exact(self.bytes) + merged.len()).get()?;
        self.ranges.insert(start, merged);
        Ok(())
    }

    /// Removes and returns the range that contains or ends at `offset`, or an empty range there.
    fn take_before(&mut self, offset: u64) -> Result<(u64, Vec<u8>)> {
        let before = self.ranges.range(..=offset).next_back();
        let before = before.map(|(&start, bytes)| (start, bytes.len() as u64));
        match before {
            Some((start, len)) if (exact(start) + len).get()? >= offset => {
                self.bytes = (exact(self.bytes) - len).get()?;
                let bytes = self.ranges.remove(&start);
                Ok((start, bytes.or_internal("a patch")?))
            }
            Some(_) | None => Ok((offset, vec![])),
        }
    }

    /// Moves ranges that begin within or at the end of `merged`, a range at `start`, to its end.
    fn take_behind(&mut self, start: u64, merged: &mut Vec<u8>) -> Result<()> {
        loop {
            let end = (exact(start) + merged.len()).get()?;
            let Some((&next, _)) = self.ranges.range(start..=end).next() else {
                return Ok(());
            };
            let bytes = self.ranges.remove(&next).or_internal("a patch")?;
            self.bytes = (exact(self.bytes) - bytes.len()).get()?;
            let known = (exact(end) - next).index()?;
            merged.extend_from_slice(bytes.get(known..).unwrap_or_default());
        }
    }

    /// Copies the bytes of the ranges over `buf`, the bytes of the file at `offset`.
    pub(super) fn lay_over(&self, offset: u64, buf: &mut [u8]) -> Result<()> {
        let end = (exact(offset) + buf.len()).get()?;
        let before = self.ranges.range(..=offset).next_back();
        let first = before.map_or(offset, |(&start, _)| start);
        for (&start, bytes) in self.ranges.range(first..end) {
            let from = start.max(offset);
            let to = (exact(start) + bytes.len()).get()?.min(end);
            if from >= to {
                continue;
            }
            let source = bytes.get(indices(exact(from) - start, exact(to) - from)?);
            let place = buf.get_mut(indices(exact(from) - offset, exact(to) - from)?);
            let (source, place) = source.zip(place).or_internal("a patch")?;
            place.copy_from_slice(source);
        }
        Ok(())
    }

    /// Returns whether a range has bytes of a file range.
    pub(super) fn touches(&self, range: &Range<u64>) -> bool {
        let before = self.ranges.range(..range.end).next_back();
        before.is_some_and(|(&start, bytes)| {
            claimed(start, bytes.len() as u64).end > range.start && !range.is_empty()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patches_agree_with_an_array() {
        let mut seed = 11u64;
        for _ in 0..300 {
            let (mut patches, mut bytes) = (Patches::default(), [0u8; 64]);
            let mut known = [false; 64];
            for value in 1..12u8 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let (at, n) = ((seed >> 33) % 58, (seed >> 50) % 7);
                patches.put(at, &vec![value; n as usize]).unwrap();
                for i in at..at + n {
                    (bytes[i as usize], known[i as usize]) = (value, true);
                }
            }
            for (at, n) in [(0, 64), (5, 20), (33, 1), (63, 1)] {
                let mut read = vec![0; n];
                patches.lay_over(at as u64, &mut read).unwrap();
                assert_eq!(read, bytes[at..at + n]);
                let range = at as u64..(at + n) as u64;
                let any = known[at..at + n].iter().any(|known| *known);
                assert_eq!(patches.touches(&range), any);
            }
            let count = known.iter().filter(|known| **known).count();
            assert_eq!(patches.bytes(), count as u64);
            let mut ends = patches.iter().map(|(at, b)| (at, at + b.len() as u64));
            let first = ends.next().unwrap();
            ends.fold(first, |last, next| {
                assert!(last.1 < next.0, "{last:?} and {next:?} are apart");
                next
            });
        }
    }
}
