//! Global heaps ("III.E. Disk Format: Level 1E"): variable-length strings, sequences and references.

use std::ops::{Deref, Range};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::file_bytes::{FileBytes, StructureBytes};
use crate::error::{ErrorKind, Result};
use crate::format::recent::{CacheLimits, Recent};

/// A cache of the most recently used collections.
#[derive(Debug)]
pub(crate) struct GlobalHeap {
    recent: Recent<u64, Arc<Collection>>,
    /// Remaining byte limit for collections.
    left: AtomicU64,
}

/// A collection of objects.
#[derive(Debug)]
pub(crate) struct Collection {
    bytes: StructureBytes,
    /// Index and byte range of each object, sorted by index.
    objects: Vec<(u16, Range<usize>)>,
}

/// An object of a collection; cheap to clone.
#[derive(Debug, Clone)]
pub struct CollectionObject {
    collection: Arc<Collection>,
    range: Range<usize>,
}

/// Cache limits: sufficient for strings written slightly out of order.
const CACHE_LIMITS: CacheLimits = CacheLimits {
    count: 64,
    bytes: 16 << 20,
};

/// Bytes of collections allowed per requested object. libhdf5 makes larger collections only for single large objects. Objects in libhdf5
/// files can therefore be read in any order and any number of times.
const FOR_EACH: u64 = 1 << 16;
/// Additional byte limit as a multiple of the file length, for libraries that store many objects in a large collection, slightly out of
/// order. Without a limit, overlapping collections could cost the square of the file length.
const READ_OFTEN: u64 = 4;
/// Additional byte limit, independent of the file length.
const READ_MORE: u64 = 1 << 28;

/// Returns the byte limit for collections of a file with `len` bytes.
fn limit(len: u64) -> u64 {
    len.saturating_mul(READ_OFTEN).saturating_add(READ_MORE)
}

impl Default for GlobalHeap {
    fn default() -> Self {
        Self::new(0)
    }
}

impl GlobalHeap {
    /// Creates the heap for a file with `len` bytes.
    #[must_use]
    pub(crate) fn new(len: u64) -> Self {
        Self {
            recent: Recent::new(CACHE_LIMITS),
            left: AtomicU64::new(limit(len)),
        }
    }

    /// Forgets the collections in memory, after a file with `len` bytes changed.
    pub(crate) fn forget(&self, len: u64) {
        self.recent.clear();
        self.left.store(limit(len), Relaxed);
    }

    /// Returns the object with an index in the collection at an address. Returns `None` for index 0, address 0 and the undefined address,
    /// which mean "no object".
    ///
    /// # Errors
    /// Returns read errors, [`ErrorKind::Corrupt`] if the collection does not contain the object, and [`ErrorKind::Limit`] if the requested
    /// objects are scattered over collections far larger than the objects.
    pub(crate) fn object(
        &self,
        file: &FileBytes,
        address: u64,
        index: u32,
    ) -> Result<Option<CollectionObject>> {
        if index == 0 || address == 0 || address == u64::MAX {
            return Ok(None);
        }
        let collection = self.collection(file, address)?;
        match collection.range(index) {
            Some(range) => {
                self.earn(range.len() as u64);
                Ok(Some(CollectionObject { collection, range }))
            }
            None => {
                let what = format!("no object {index} in a collection of the global heap");
                Err(file.error(ErrorKind::Corrupt, address, what))
            }
        }
    }

    /// Returns the collection at an address.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Truncated`], [`ErrorKind::Corrupt`], [`ErrorKind::Unknown`] and [`ErrorKind::Limit`].
    pub(crate) fn collection(&self, file: &FileBytes, address: u64) -> Result<Arc<Collection>> {
        if let Some(collection) = self.recent.get(&address) {
            return Ok(collection);
        }
        let spend = |size| self.spend(file, address, size);
        let collection = Collection::read(file, address, &spend)?;
        let size = collection.size();
        Ok(self.recent.put(address, Arc::new(collection), size))
    }

    /// Counts a requested object: it allows reading up to twice its size.
    fn earn(&self, object: u64) {
        let more = object.saturating_mul(2).saturating_add(FOR_EACH);
        let earned = |left: u64| Some(left.saturating_add(more));
        let _ = self.left.fetch_update(Relaxed, Relaxed, earned);
    }

    /// Subtracts a collection from the byte limit.
    fn spend(&self, file: &FileBytes, address: u64, size: u64) -> Result<()> {
        let spent = |left: u64| left.checked_sub(size);
        match self.left.fetch_update(Relaxed, Relaxed, spent) {
            Ok(_) => Ok(()),
            Err(_) => {
                let what =
                    "objects in large collections of the global heap are too scattered to read";
                Err(file.error(ErrorKind::Limit, address, what))
            }
        }
    }
}

impl Collection {
    /// Reads a collection. `allowed` checks the size first.
    fn read(file: &FileBytes, address: u64, allowed: &dyn Fn(u64) -> Result<()>) -> Result<Self> {
        let length = usize::from(file.sizes().length);
        let head = file.read_heap(address, 8 + length as u64)?;
        let mut c = file.fields(&head);
        c.signature(b"GCOL")?;
        c.version(1..=1, "a collection of the global heap")?;
        c.skip(3)?;
        let size = c.length()?;
        allowed(size.min(file.source().len()))?;
        let bytes = file.read_heap(address, size)?;
        let objects = parse(file, &bytes)?;
        Ok(Self { bytes, objects })
    }

    /// Returns the bytes of an object.
    #[cfg(test)]
    pub(crate) fn object(&self, index: u32) -> Option<&[u8]> {
        self.bytes.data.get(self.range(index)?)
    }

    fn range(&self, index: u32) -> Option<Range<usize>> {
        let index = u16::try_from(index).ok()?;
        // Objects are usually numbered from 1.
        let guess = self.objects.get(usize::from(index).checked_sub(1)?);
        let found = match guess {
            Some(object) if object.0 == index => Some(object),
            _ => {
                let found = self.objects.binary_search_by_key(&index, |o| o.0);
                found.ok().and_then(|n| self.objects.get(n))
            }
        };
        found.map(|(_, range)| range.clone())
    }

    fn size(&self) -> usize {
        let table = self
            .objects
            .len()
            .saturating_mul(size_of::<(u16, Range<usize>)>());
        self.bytes.data.len().saturating_add(table)
    }
}

/// Parses the objects of a collection. Each step advances by at least an object header.
fn parse(file: &FileBytes, bytes: &StructureBytes) -> Result<Vec<(u16, Range<usize>)>> {
    let length = usize::from(file.sizes().length);
    let header = (8 + length).next_multiple_of(8);
    let mut objects = vec![];
    let mut c = file.fields(bytes);
    let first = header.min(c.remaining());
    c.skip(first)?;
    while c.remaining() >= header {
        let at = c.clone();
        let (index, _) = (c.u16_le()?, c.u16_le()?);
        c.skip(4)?;
        let size = c.length()?;
        if index == 0 {
            break; // free space
        }
        c.skip(header - 8 - length)?;
        let start = c.position();
        let Some(size) = usize::try_from(size).ok().filter(|&n| n <= c.remaining()) else {
            let what = format!(
                "an object of {size} bytes, but only {} bytes remain",
                c.remaining()
            );
            return Err(at.error(ErrorKind::Corrupt, what));
        };
        objects.push((index, start..start + size));
        let padded = size.next_multiple_of(8).min(c.remaining());
        c.skip(padded)?;
    }
    objects.sort_by_key(|o| o.0);
    Ok(objects)
}

impl Deref for CollectionObject {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        let bytes = &self.collection.bytes.data;
        bytes.get(self.range.clone()).unwrap_or_default()
    }
}

impl CollectionObject {
    /// The collection address and length.
    pub(super) fn collection(&self) -> Option<(u64, u64)> {
        let bytes = &self.collection.bytes;
        Some((bytes.address?, bytes.data.len() as u64))
    }

    /// The object address in the file.
    #[must_use]
    pub fn address(&self) -> Option<u64> {
        let start = self.range.start as u64;
        self.collection.bytes.address?.checked_add(start)
    }
}
