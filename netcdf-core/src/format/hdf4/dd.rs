//! Data descriptors: blocks with the location of each data element in a file.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::tags;
use crate::arithmetic::claimed;
use crate::bytes::Cursor;
use crate::error::{Error, ErrorKind, Result};
use crate::io::Source;
use crate::io::source::read_range;

/// The first bytes of every HDF4 file.
pub const MAGIC: [u8; 4] = [0x0e, 0x03, 0x13, 0x01];
/// Bytes of a block before its descriptors: their number, and the offset of the next block.
const HEAD: usize = 6;
/// Bytes of a descriptor.
const SIZE: u64 = 12;
/// Number of descriptors read together with the block head: libhdf4 usually reserves this number.
const EXPECTED: u64 = 200;
/// The bit of a tag that marks a special element.
pub const SPECIAL: u16 = 0x4000;
/// The bit of tags without a special form.
const EXTENDED: u16 = 0x8000;

/// The identifier of a data element: its tag, and its reference number among the elements with this tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TagRef {
    /// The tag.
    pub tag: u16,
    /// The reference number.
    pub reference: u16,
}

impl TagRef {
    /// The element with this tag and reference number.
    #[must_use]
    pub const fn new(tag: u16, reference: u16) -> Self {
        Self { tag, reference }
    }
}

impl std::fmt::Display for TagRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "element {}/{}", self.tag, self.reference)
    }
}

/// A data descriptor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Descriptor {
    /// The tag without the special bit, and the reference number.
    pub id: TagRef,
    /// Whether the element's bytes describe where and how the data is stored.
    pub special: bool,
    /// The byte range in the file; empty for an unwritten element.
    pub range: Range<u64>,
}

/// All descriptors of a file.
#[derive(Debug, Default)]
pub struct Descriptors {
    list: Vec<Descriptor>,
    places: HashMap<TagRef, usize, foldhash::fast::RandomState>,
}

impl Descriptors {
    /// Reads the chain of blocks. The first descriptor wins if identifiers repeat.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Truncated`], and [`ErrorKind::Corrupt`] for blocks that form a circle or overlap.
    pub fn read(source: &dyn Source) -> Result<Self> {
        let mut found = Self::default();
        let mut seen: HashSet<u64, foldhash::fast::RandomState> = HashSet::default();
        let (mut at, mut total) = (MAGIC.len() as u64, 0u64);
        while at != 0 {
            if !seen.insert(at) {
                return Err(corrupt(source, at, "blocks of descriptors form a circle"));
            }
            let (next, bytes) = found.block(source, at)?;
            total = total.saturating_add(bytes);
            if total > source.len() {
                return Err(corrupt(source, at, "blocks of descriptors overlap"));
            }
            at = next;
        }
        Ok(found)
    }

    /// Reads a block. Returns the next block's offset and this block's length.
    fn block(&mut self, source: &dyn Source, at: u64) -> Result<(u64, u64)> {
        let end = at
            .saturating_add(HEAD as u64 + EXPECTED * SIZE)
            .min(source.len());
        let first = read_range(source, &(at..end.max(at)))?;
        let mut head = Cursor::new(&first, source.name(), at);
        let count = u64::from(u16::from_be_bytes(head.array()?));
        let next = head.u32_be()?;
        let len = HEAD as u64 + count * SIZE;
        let whole = match (first.len() as u64) < len {
            true => read_range(source, &(at..at.saturating_add(len)))?,
            false => first,
        };
        let mut cursor = Cursor::new(&whole, source.name(), at);
        cursor.skip(HEAD)?;
        for _ in 0..count {
            self.add(&mut cursor)?;
        }
        Ok((u64::from(next), len))
    }

    fn add(&mut self, cursor: &mut Cursor<'_>) -> Result<()> {
        let tag = u16::from_be_bytes(cursor.array()?);
        let reference = u16::from_be_bytes(cursor.array()?);
        let (offset, len) = (cursor.u32_be()?, cursor.u32_be()?);
        let special = tag & (SPECIAL | EXTENDED) == SPECIAL;
        let tag = if special { tag & !SPECIAL } else { tag };
        if tag == tags::NULL || tag == tags::FREE {
            return Ok(());
        }
        // Unwritten elements have offset and length -1.
        let unwritten = offset == u32::MAX || len == u32::MAX;
        let range = match unwritten {
            true => 0..0,
            false => claimed(offset.into(), len.into()),
        };
        let id = TagRef::new(tag, reference);
        self.places.entry(id).or_insert(self.list.len());
        self.list.push(Descriptor { id, special, range });
        Ok(())
    }

    /// The descriptor of an element.
    #[must_use]
    pub fn find(&self, id: TagRef) -> Option<&Descriptor> {
        self.places.get(&id).and_then(|&n| self.list.get(n))
    }

    /// The elements with a tag, in descriptor order.
    pub fn with(&self, tag: u16) -> impl Iterator<Item = &Descriptor> {
        self.list.iter().filter(move |d| d.id.tag == tag)
    }
}

fn corrupt(source: &dyn Source, at: u64, what: &'static str) -> Error {
    Error::new(ErrorKind::Corrupt, what).at(source.name(), at)
}
