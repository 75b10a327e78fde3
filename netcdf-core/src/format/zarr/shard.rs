//! Shards: chunks that are sets of chunks, with an index of where each is.
//!
//! Specification: Zarr extension "sharding codec", version 1.0.

use std::ops::Range;

use super::array::Shard;
use crate::error::{Error, ErrorKind, Result};

/// Where the chunks of a shard are within its key; `None` for those that are not stored.
pub type Index = Vec<Option<Range<u64>>>;

/// Bytes of an entry: where a chunk starts, and how many bytes it has.
const ENTRY: usize = 16;

impl Shard {
    /// How many chunks of a shape are in the shard, per dimension.
    #[must_use]
    pub fn cells(&self, inner: &[u64]) -> Vec<u64> {
        let cells = self.shape.iter().zip(inner);
        cells
            .map(|(outer, inner)| outer / (*inner).max(1))
            .collect()
    }

    /// Where the index is in a shard of these bytes of its key.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] if the shard has fewer bytes than its index.
    pub fn index_range(&self, cells: &[u64], shard: &Range<u64>) -> Result<Range<u64>> {
        let entries = crate::model::region::product(cells);
        let sum = if self.checksum { 4 } else { 0 };
        let len = entries.and_then(|n| n.checked_mul(ENTRY as u64)?.checked_add(sum));
        let have = shard.end.saturating_sub(shard.start);
        let len = len.filter(|&len| len <= have).ok_or_else(|| {
            let what = format!("a shard of {have} bytes has no room for its index");
            Error::new(ErrorKind::Corrupt, what)
        })?;
        Ok(match self.index_first {
            true => shard.start..shard.start + len,
            false => shard.end - len..shard.end,
        })
    }

    /// The entries of an index.
    ///
    /// # Errors
    /// [`ErrorKind::Checksum`]; [`ErrorKind::Corrupt`] for chunks outside of the shard.
    pub fn index(&self, bytes: &[u8], shard: &Range<u64>) -> Result<Index> {
        let entries = match self.checksum {
            false => bytes,
            true => {
                let (entries, sum) = bytes.split_last_chunk::<4>().unwrap_or((&[], &[0; 4]));
                if u32::from_le_bytes(*sum) != crc32c(entries) {
                    let what = "the checksum of the index of a shard does not match";
                    return Err(Error::new(ErrorKind::Checksum, what));
                }
                entries
            }
        };
        let number = |bytes: &[u8; 8]| match self.big_endian {
            true => u64::from_be_bytes(*bytes),
            false => u64::from_le_bytes(*bytes),
        };
        let numbers = entries.as_chunks::<8>().0.iter().map(number);
        let numbers: Vec<u64> = numbers.collect();
        let pairs = numbers.as_chunks::<2>().0.iter();
        pairs
            .map(|&[start, len]| place(start, len, shard))
            .collect()
    }
}

/// The bytes of a chunk within the key.
fn place(start: u64, len: u64, shard: &Range<u64>) -> Result<Option<Range<u64>>> {
    if start == u64::MAX && len == u64::MAX {
        return Ok(None);
    }
    let from = shard.start.checked_add(start);
    let end = from.and_then(|from| from.checked_add(len));
    match from.zip(end.filter(|&end| end <= shard.end)) {
        Some((from, end)) => Ok(Some(from..end)),
        None => {
            let have = shard.end.saturating_sub(shard.start);
            let what = format!("a chunk of {len} bytes from byte {start} on in a shard of {have}");
            Err(Error::new(ErrorKind::Corrupt, what))
        }
    }
}

/// The checksum of Castagnoli's polynomial.
#[must_use]
pub fn crc32c(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            (crc >> 1) ^ (0x82f6_3b78 & 0u32.wrapping_sub(crc & 1))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shard(checksum: bool) -> Shard {
        Shard {
            shape: vec![4, 4],
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
        let index = s.index(&bytes, &(100..146)).unwrap();
        assert_eq!(index, [Some(103..110), None]);
        bytes[0] ^= 1;
        let e = s.index(&bytes, &(100..146)).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Checksum);
    }

    #[test]
    fn damage_is_found() {
        let s = shard(false);
        assert!(s.index_range(&[1, 2], &(0..31)).is_err());
        assert!(s.index_range(&[1 << 40, 1 << 40], &(0..31)).is_err());
        for (start, len) in [(40, 1), (0, 41), (u64::MAX, 1), (1, u64::MAX)] {
            let bytes = [start, len].map(u64::to_le_bytes).concat();
            assert!(s.index(&bytes, &(0..40)).is_err(), "{start} {len}");
        }
    }

    #[test]
    fn the_checksum_is_castagnolis() {
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
    }
}
