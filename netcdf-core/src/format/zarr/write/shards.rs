//! Shards: several chunks under one key, followed by an index (Zarr version 3, "sharding codec").

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use crate::arithmetic::{Exact, exact, span};
use crate::error::{Error, ErrorKind, OrInternal as _, Result};
use crate::format::zarr::grid::cells;
use crate::format::zarr::shard::crc32c;
use crate::io::file::Scratch;
use crate::io::source::read_range;
use crate::limits::room;

/// Maximum size of chunks in memory, for all shards of a variable, in bytes.
const MAX_MEMORY: usize = 64 << 20;

/// The index entry of a missing chunk.
const MISSING: u64 = u64::MAX;

/// The shards of one variable. Chunks arrive in row-major order. The chunks of a row of shards stay in memory until the next row begins, or
/// in a temporary file if they exceed the memory limit.
#[derive(Debug)]
pub(crate) struct Shards {
    /// Number of chunks in a shard, per dimension.
    chunks: Vec<u64>,
    /// The directory of temporary files.
    folder: Option<PathBuf>,
    /// The chunks of each open shard, by index in the shard.
    open: BTreeMap<Vec<u64>, BTreeMap<u64, WaitingChunk>>,
    /// Bytes in memory.
    held: usize,
    /// The temporary file of chunks beyond the memory limit.
    scratch: Option<Scratch>,
}

/// A waiting chunk.
#[derive(Debug)]
enum WaitingChunk {
    Held(Vec<u8>),
    Waiting(Range<u64>),
}

/// A complete shard: the position in the shard grid, and the bytes.
pub(crate) type Complete = (Vec<u64>, Vec<u8>);

impl Shards {
    /// Creates the collector for shards with this number of chunks per dimension.
    #[must_use]
    pub(crate) fn new(chunks: Vec<u64>, folder: Option<PathBuf>) -> Self {
        Self {
            chunks,
            folder,
            open: BTreeMap::new(),
            held: 0,
            scratch: None,
        }
    }

    /// Adds the chunk at a position in the chunk grid, and returns the shards that are now complete.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Argument`] for a chunk of a shard that is already complete, [`ErrorKind::Io`], or [`ErrorKind::Limit`].
    pub(crate) fn put(&mut self, place: &[u64], bytes: &[u8]) -> Result<Vec<Complete>> {
        let pairs = || place.iter().zip(&self.chunks);
        let shard = cells(place, &self.chunks);
        let within = |at: Exact, (n, per): (&u64, &u64)| at * *per + n % (*per).max(1);
        let number = pairs().fold(exact(0u64), within).get()?;
        let row = self
            .open
            .keys()
            .next()
            .and_then(|open| open.first().copied());
        let done = match row {
            Some(row) if shard.first().is_some_and(|&n| n > row) => self.complete()?,
            Some(_) | None => vec![],
        };
        let chunk = self.keep(bytes)?;
        let open = self.open.entry(shard).or_default();
        open.insert(number, chunk);
        Ok(done)
    }

    /// Returns all open shards, complete or incomplete.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Io`], or [`ErrorKind::Limit`] for a shard beyond available memory.
    pub(crate) fn complete(&mut self) -> Result<Vec<Complete>> {
        let open = std::mem::take(&mut self.open).into_iter();
        let made = open.map(|(place, chunks)| Ok((place, self.made(chunks)?)));
        let made = made.collect::<Result<_>>()?;
        (self.held, self.scratch) = (0, None);
        Ok(made)
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<WaitingChunk> {
        if self.held + bytes.len() <= MAX_MEMORY {
            self.held += bytes.len();
            return Ok(WaitingChunk::Held(bytes.to_vec()));
        }
        let scratch = match &mut self.scratch {
            Some(scratch) => scratch,
            none => none.insert(Scratch::new(self.folder.as_deref())?),
        };
        let start = scratch.append(bytes)?;
        Ok(WaitingChunk::Waiting(span(start, bytes.len() as u64)?))
    }

    /// Assembles a shard: the chunks, then the index.
    fn made(&self, chunks: BTreeMap<u64, WaitingChunk>) -> Result<Vec<u8>> {
        let all = self.chunks.iter().try_fold(1_u64, |n, c| n.checked_mul(*c));
        let all = all.and_then(|n| usize::try_from(n).ok());
        let size = all.and_then(|n| n.checked_mul(16));
        let (all, size) = all.zip(size).ok_or_else(too_large)?;
        room(size, "the index of a shard")?;
        let mut index = vec![(MISSING, MISSING); all];
        let mut bytes = vec![];
        for (number, chunk) in chunks {
            let start = bytes.len() as u64;
            match chunk {
                WaitingChunk::Held(chunk) => bytes.extend_from_slice(&chunk),
                WaitingChunk::Waiting(range) => {
                    let scratch = self.scratch.as_ref().ok_or_else(too_large)?;
                    bytes.extend_from_slice(&read_range(scratch, &range)?);
                }
            }
            let entry = usize::try_from(number).ok().and_then(|n| index.get_mut(n));
            let entry = entry.ok_or_else(|| Error::internal("a chunk outside the shard"))?;
            *entry = (start, bytes.len() as u64 - start);
        }
        let at = bytes.len();
        bytes.reserve(size);
        for (offset, len) in index {
            bytes.extend(offset.to_le_bytes());
            bytes.extend(len.to_le_bytes());
        }
        let sum = crc32c(bytes.get(at..).or_internal("a shard without an index")?);
        bytes.extend(sum.to_le_bytes());
        Ok(bytes)
    }
}

fn too_large() -> Error {
    let what = "a shard beyond the memory of this machine";
    Error::new(ErrorKind::Limit, what).with_remedy("give smaller shards")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::Source as _;

    fn index(shard: &[u8], chunks: usize) -> Vec<(u64, u64)> {
        let (body, sum) = shard.split_at(shard.len() - 4);
        let index = &body[body.len() - 16 * chunks..];
        assert_eq!(crc32c(index).to_le_bytes(), sum);
        let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap());
        let entries = index.chunks(16);
        entries
            .map(|e| (number(&e[..8]), number(&e[8..])))
            .collect()
    }

    #[test]
    fn a_row_of_shards_is_complete_when_the_next_one_begins() {
        let mut shards = Shards::new(vec![2, 2], None);
        for (place, bytes) in [([0, 0], "a"), ([0, 2], "bb"), ([1, 1], "c"), ([1, 2], "")] {
            assert!(shards.put(&place, bytes.as_bytes()).unwrap().is_empty());
        }
        let done = shards.put(&[2, 3], b"dd").unwrap();
        let places: Vec<_> = done.iter().map(|(place, _)| place.clone()).collect();
        assert_eq!(places, [[0, 0], [0, 1]]);
        let m = (MISSING, MISSING);
        assert!(done[0].1.starts_with(b"ac"));
        assert_eq!(index(&done[0].1, 4), [(0, 1), m, m, (1, 1)]);
        assert_eq!(index(&done[1].1, 4), [(0, 2), m, (2, 0), m]);
        let last = shards.complete().unwrap();
        assert_eq!(
            (&last[0].0, index(&last[0].1, 4)),
            (&vec![1, 1], vec![m, (0, 2), m, m])
        );
    }

    #[test]
    fn what_is_too_much_for_memory_waits_elsewhere() {
        let mut shards = Shards::new(vec![4], None);
        let large = |n: u8| vec![n; MAX_MEMORY / 2 + 1];
        for n in 0..3 {
            assert!(shards.put(&[n.into()], &large(n)).unwrap().is_empty());
        }
        let waiting = shards.scratch.as_ref().unwrap().len();
        assert_eq!(waiting, 2 * large(0).len() as u64);
        let done = shards.complete().unwrap();
        let len = large(0).len();
        for n in 0..3_u8 {
            assert_eq!(done[0].1[usize::from(n) * len], n);
        }
    }
}
