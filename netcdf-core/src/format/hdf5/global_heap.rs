//! Global heaps ("III.E. Disk Format: Level 1E"): strings, lists and references of any length.

use std::ops::{Deref, Range};
use std::sync::Arc;

use super::file::{Bytes, File};
use super::recent::{Most, Recent};
use crate::error::{ErrorKind, Result};

/// The collections that were used last.
#[derive(Debug)]
pub struct GlobalHeap(Recent<Arc<Collection>>);

/// A collection of objects.
#[derive(Debug)]
pub struct Collection {
    bytes: Bytes,
    /// Index and place of each object, ordered by index.
    objects: Vec<(u16, Range<usize>)>,
}

/// An object of a collection; cheap to clone.
#[derive(Debug, Clone)]
pub struct Object {
    collection: Arc<Collection>,
    range: Range<usize>,
}

/// What is kept: enough for data whose strings were written in some disorder.
const KEPT: Most = Most {
    count: 64,
    bytes: 16 << 20,
};

impl Default for GlobalHeap {
    fn default() -> Self {
        Self(Recent::new(KEPT))
    }
}

impl GlobalHeap {
    /// The object of an index in the collection at an address; `None` for index 0 or the address 0,
    /// which stand for no object, and for the undefined address.
    ///
    /// # Errors
    /// Those of [`GlobalHeap::collection`]; [`ErrorKind::Corrupt`] if it has no such object.
    pub fn object(&self, file: &File, address: u64, index: u32) -> Result<Option<Object>> {
        if index == 0 || address == 0 || address == u64::MAX {
            return Ok(None);
        }
        let collection = self.collection(file, address)?;
        match collection.range(index) {
            Some(range) => Ok(Some(Object { collection, range })),
            None => {
                let what = format!("no object {index} in a collection of the global heap");
                Err(file.error(ErrorKind::Corrupt, address, what))
            }
        }
    }

    /// The collection at an address: to hold on to while many objects are from the same one.
    ///
    /// # Errors
    /// [`ErrorKind::Truncated`], [`ErrorKind::Corrupt`], [`ErrorKind::Unsupported`],
    /// [`ErrorKind::Limit`].
    pub fn collection(&self, file: &File, address: u64) -> Result<Arc<Collection>> {
        if let Some(collection) = self.0.get(address) {
            return Ok(collection);
        }
        let collection = Arc::new(Collection::read(file, address)?);
        let size = collection.size();
        self.0.put(address, Arc::clone(&collection), size);
        Ok(collection)
    }
}

impl Collection {
    /// Reads a collection.
    fn read(file: &File, address: u64) -> Result<Self> {
        let length = usize::from(file.sizes().length);
        let head = file.read(address, 8 + length as u64)?;
        let mut c = file.fields(&head);
        c.signature(b"GCOL")?;
        c.version(1..=1, "a collection of the global heap")?;
        c.skip(3)?;
        let size = c.length()?;
        let bytes = file.read(address, size)?;
        let objects = parse(file, &bytes)?;
        Ok(Self { bytes, objects })
    }

    /// The bytes of an object.
    #[must_use]
    pub fn object(&self, index: u32) -> Option<&[u8]> {
        self.bytes.data.get(self.range(index)?)
    }

    fn range(&self, index: u32) -> Option<Range<usize>> {
        let index = u16::try_from(index).ok()?;
        // Mostly the objects are numbered from 1 on.
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

/// The objects of a collection. Each step passes over at least an object's header.
fn parse(file: &File, bytes: &Bytes) -> Result<Vec<(u16, Range<usize>)>> {
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
            break; // the rest is free
        }
        c.skip(header - 8 - length)?;
        let start = c.position();
        let Some(size) = usize::try_from(size).ok().filter(|&n| n <= c.remaining()) else {
            let what = format!("an object of {size} bytes, have {}", c.remaining());
            return Err(at.error(ErrorKind::Corrupt, what));
        };
        objects.push((index, start..start + size));
        let padded = size.next_multiple_of(8).min(c.remaining());
        c.skip(padded)?;
    }
    objects.sort_by_key(|o| o.0);
    Ok(objects)
}

impl Deref for Object {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        let bytes = &self.collection.bytes.data;
        bytes.get(self.range.clone()).unwrap_or_default()
    }
}

impl Object {
    /// Its address in the file.
    #[must_use]
    pub fn address(&self) -> Option<u64> {
        let start = self.range.start as u64;
        self.collection.bytes.address?.checked_add(start)
    }
}
