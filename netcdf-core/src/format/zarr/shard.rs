//! Shards: chunks that consist of inner chunks, with an index of chunk locations.
//!
//! Specification: Zarr extension "sharding codec", version 1.0.

use std::ops::Range;

use super::array::Shard;
use super::grid;
use crate::arithmetic::length;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::{Limits, room};

/// The locations of inner chunks within the key. Entries stay in stored form, because a shard may have many entries.
#[derive(Debug, Default)]
pub struct ShardIndex {
    entries: Vec<u8>,
    big_endian: bool,
    /// The byte range of the shard in the key.
    shard: Range<u64>,
}

/// The size of an index entry in bytes: offset and length of a chunk.
const ENTRY: usize = 16;
/// The name of an index in messages.
const INDEX: &str = "the index of a shard";

impl Shard {
    /// Returns the number of chunks of a shape in the shard, per index dimension.
    #[must_use]
    pub fn cells(&self, inner: &[u64]) -> Vec<u64> {
        grid::cells(&self.shape, inner)
    }

    /// Returns the entry number of the chunk at a position in a chunk grid.
    #[must_use]
    pub fn number(&self, place: &[u64], cells: &[u64]) -> Option<usize> {
        let turned = |of: &[u64]| -> Vec<u64> {
            let each = self.order.iter();
            each.filter_map(|n| of.get(*n).copied()).collect()
        };
        usize::try_from(grid::number(&turned(place), &turned(cells))?).ok()
    }

    /// Returns the position in a chunk grid for an entry number.
    #[must_use]
    pub fn place(&self, number: u64, cells: &[u64]) -> Vec<u64> {
        let each = self.order.iter();
        let turned: Vec<u64> = each.filter_map(|n| cells.get(*n).copied()).collect();
        let mut place = vec![0; cells.len()];
        for (dim, at) in self.order.iter().zip(grid::place(number, &turned)) {
            if let Some(to) = place.get_mut(*dim) {
                *to = at;
            }
        }
        place
    }

    /// Returns the byte range of the index for a shard at this byte range of the key.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Corrupt`] if the shard is smaller than the index, or [`ErrorKind::Limit`] if the index does not fit into
    /// memory.
    pub fn index_range(&self, cells: &[u64], shard: &Range<u64>) -> Result<Range<u64>> {
        let entries = crate::model::region::product(cells);
        let sum = if self.checksum { 4 } else { 0 };
        let len = entries.and_then(|n| n.checked_mul(ENTRY as u64)?.checked_add(sum));
        let have = length(shard);
        let len = len.filter(|&len| len <= have).ok_or_else(|| {
            let what = format!("a shard of {have} bytes is smaller than the index");
            Error::new(ErrorKind::Corrupt, what)
        })?;
        room(Limits::default().metadata(len, INDEX)?, INDEX)?;
        Ok(match self.index_first {
            true => shard.start..shard.start + len,
            false => shard.end - len..shard.end,
        })
    }

    /// Reads an index.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Checksum`], or [`ErrorKind::Corrupt`] for chunks outside the shard.
    pub fn index(&self, mut bytes: Vec<u8>, shard: &Range<u64>) -> Result<ShardIndex> {
        if self.checksum {
            let (entries, sum) = bytes.split_last_chunk::<4>().unwrap_or((&[], &[0; 4]));
            if u32::from_le_bytes(*sum) != crc32c(entries) && !cfg!(fuzzing) {
                let what = "the checksum of the index of a shard does not match";
                return Err(Error::new(ErrorKind::Checksum, what));
            }
            bytes.truncate(entries.len());
        }
        let index = ShardIndex {
            entries: bytes,
            big_endian: self.big_endian,
            shard: shard.clone(),
        };
        let mut entries = index.entries.as_chunks::<ENTRY>().0.iter();
        entries.try_for_each(|entry| index.place(entry).map(|_| ()))?;
        Ok(index)
    }
}

impl ShardIndex {
    /// Returns the chunk byte range within the key, or `None` for a missing chunk.
    #[must_use]
    pub fn get(&self, chunk: usize) -> Option<Range<u64>> {
        let entry = self.entries.as_chunks::<ENTRY>().0.get(chunk)?;
        self.place(entry).ok().flatten()
    }

    /// Returns the index size in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.entries.len()
    }

    /// Returns the range that an entry describes.
    fn place(&self, entry: &[u8; ENTRY]) -> Result<Option<Range<u64>>> {
        let number = |bytes: &[u8; 8]| match self.big_endian {
            true => u64::from_be_bytes(*bytes),
            false => u64::from_le_bytes(*bytes),
        };
        match entry.as_chunks::<8>().0 {
            [start, len] => place(number(start), number(len), &self.shard),
            _ => Ok(None),
        }
    }
}

/// Returns the chunk byte range within the key.
fn place(start: u64, len: u64, shard: &Range<u64>) -> Result<Option<Range<u64>>> {
    if start == u64::MAX && len == u64::MAX {
        return Ok(None);
    }
    let from = shard.start.checked_add(start);
    let end = from.and_then(|from| from.checked_add(len));
    match from.zip(end.filter(|&end| end <= shard.end)) {
        Some((from, end)) => Ok(Some(from..end)),
        None => {
            let have = length(shard);
            let what = format!("a chunk of {len} bytes at byte {start} of a shard of {have}");
            Err(Error::new(ErrorKind::Corrupt, what))
        }
    }
}

/// Returns the checksum with Castagnoli's polynomial.
#[must_use]
pub(super) fn crc32c(bytes: &[u8]) -> u32 {
    ::crc32c::crc32c(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shard(checksum: bool) -> Shard {
        Shard {
            shape: vec![4, 4],
            order: vec![0, 1],
            index_first: false,
            big_endian: false,
            checksum,
        }
    }

    #[test]
    fn indexes() {
        let s = shard(true);
        assert_eq!(s.cells(&[4, 2]), [1, 2]);
        let mut bytes = [3u64, 7, u64::MAX, u64::MAX].map(u64::to_le_bytes).concat();
        bytes.extend(crc32c(&bytes).to_le_bytes());
        let range = s.index_range(&[1, 2], &(100..146)).unwrap();
        assert_eq!(range, 110..146);
        let index = s.index(bytes.clone(), &(100..146)).unwrap();
        let found = [0, 1, 2].map(|n| index.get(n));
        assert_eq!(found, [Some(103..110), None, None]);
        assert_eq!(index.bytes(), 32, "the size of the stored index");
        bytes[0] ^= 1;
        let e = s.index(bytes, &(100..146)).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Checksum);
    }

    #[test]
    fn indexes_may_be_transposed() {
        let mut s = shard(false);
        assert_eq!(s.number(&[1, 2], &[2, 3]), Some(5));
        s.order = vec![1, 0];
        assert_eq!(s.number(&[1, 2], &[2, 3]), Some(5));
        assert_eq!(s.number(&[0, 1], &[2, 3]), Some(2));
        assert_eq!(s.place(2, &[2, 3]), [0, 1]);
        assert_eq!(s.place(5, &[2, 3]), [1, 2]);
    }

    #[test]
    fn damage_is_found() {
        let s = shard(false);
        assert!(s.index_range(&[1, 2], &(0..31)).is_err());
        assert!(s.index_range(&[1 << 40, 1 << 40], &(0..31)).is_err());
        for (start, len) in [(40, 1), (0, 41), (u64::MAX, 1), (1, u64::MAX)] {
            let bytes = [start, len].map(u64::to_le_bytes).concat();
            assert!(s.index(bytes, &(0..40)).is_err(), "{start} {len}");
        }
    }

    /// A sparse file occupies no disk space.
    #[test]
    fn an_index_beyond_the_limit_is_refused_before_it_is_read() {
        let cells = [1u64 << 30];
        let e = shard(true).index_range(&cells, &(0..1 << 40)).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Limit);
    }

    #[test]
    fn the_checksum_is_castagnolis() {
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
    }
}
