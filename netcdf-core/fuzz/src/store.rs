//! A store with keys from the input.

use std::ops::Range;
use std::sync::Arc;

use netcdf_core::io::Store;
use netcdf_core::io::memory_store::MemoryStore;
use netcdf_core::io::store::{Hints, VisitKey, range_of};
use netcdf_core::{Error, ErrorKind, Result};

/// Metadata under keys, and the same bytes for every chunk.
#[derive(Debug)]
pub struct Keys {
    metadata: MemoryStore,
    hints: Hints,
    chunk: Vec<u8>,
}

impl Keys {
    /// Parses an input: a byte (1, 2, 4 for the hints; the number of metadata items in the upper
    /// half), each item as a key, a line feed, text and a zero byte. The remaining bytes are the
    /// chunk. Metadata keys outside `known` are skipped.
    #[must_use]
    pub fn new(input: &[u8], known: &[&str]) -> Option<Self> {
        let (flags, rest) = input.split_first()?;
        let metadata = MemoryStore::new("fuzz");
        let count = usize::from(flags >> 4);
        let mut parts = rest.splitn(count + 1, |byte| *byte == 0);
        for part in parts.by_ref().take(count) {
            let end = part.iter().position(|byte| *byte == b'\n')?;
            let (key, text) = part.split_at(end);
            let key = std::str::from_utf8(key).ok()?;
            if known.contains(&last(key)) {
                let _ = metadata.put(key, &text[1..]);
            }
        }
        Some(Self {
            metadata,
            hints: Hints {
                pure: flags & 1 != 0,
                no_xarray: flags & 2 != 0,
                consolidated: flags & 4 != 0,
            },
            chunk: parts.next().unwrap_or_default().to_vec(),
        })
    }

    /// Returns the chunk for a possible chunk key.
    fn chunk(&self, key: &str) -> Option<&[u8]> {
        let last = last(key);
        let is_chunk = last.starts_with(|c: char| c.is_ascii_digit()) || last.starts_with("c.");
        (is_chunk || last == "c")
            .then_some(&*self.chunk)
            .filter(|bytes| !bytes.is_empty())
    }
}

fn last(key: &str) -> &str {
    key.rsplit('/').next().unwrap_or(key)
}

fn fixed(key: &str) -> Error {
    Error::new(ErrorKind::Unsupported, "a store that is only read").in_object(key)
}

/// Listed chunk keys below each prefix.
const LISTED: [&str; 8] = ["0", "1", "0.0", "0/0", "1.0", "c/0", "c/0/0", "c/1/0"];

impl Store for Keys {
    fn name(&self) -> &Arc<str> {
        self.metadata.name()
    }

    fn hints(&self) -> Hints {
        self.hints
    }

    fn get(&self, key: &str) -> Result<Option<Vec<u8>>> {
        let chunk = || self.chunk(key).map(<[u8]>::to_vec);
        Ok(self.metadata.get(key)?.or_else(chunk))
    }

    fn get_ranges(&self, key: &str, ranges: &[Range<u64>]) -> Result<Option<Vec<Vec<u8>>>> {
        let found = self.metadata.get_ranges(key, ranges)?;
        let Some(chunk) = self.chunk(key).filter(|_| found.is_none()) else {
            return Ok(found);
        };
        let parts = ranges
            .iter()
            .map(|r| range_of(chunk, r).map(<[u8]>::to_vec));
        parts.collect::<Result<_>>().map(Some)
    }

    fn size(&self, key: &str) -> Result<Option<u64>> {
        let chunk = || self.chunk(key).map(|bytes| bytes.len() as u64);
        Ok(self.metadata.size(key)?.or_else(chunk))
    }

    fn children(&self, prefix: &str) -> Result<Vec<String>> {
        self.metadata.children(prefix)
    }

    fn walk(&self, prefix: &str, visit: VisitKey<'_>) -> Result<()> {
        self.metadata.walk(prefix, visit)?;
        let size = self.chunk.len() as u64;
        let mut listed = LISTED.iter().filter(|_| size > 0);
        listed.try_for_each(|key| visit(&format!("{prefix}{key}"), size))
    }

    fn put(&self, key: &str, _: &[u8]) -> Result<()> {
        Err(fixed(key))
    }

    fn put_if_absent(&self, key: &str, _: &[u8]) -> Result<()> {
        Err(fixed(key))
    }

    fn delete(&self, key: &str) -> Result<()> {
        Err(fixed(key))
    }
}
