//! Fractal heaps ("III.G. Disk Format: Level 1G"): dense links, dense attributes and shared messages.

mod blocks;
mod filters;
mod header;
pub(in crate::format::hdf5) mod table;

use std::ops::Range;
use std::sync::Arc;
use std::sync::OnceLock;

use super::btree_v2::BTree2;
use super::btree_v2::records::{HUGE_BY_ID, HugeRecord};
use super::fields::Fields;
use super::file_bytes::{FileBytes, StructureBytes};
use crate::error::{ErrorKind, Result};
use crate::format::recent::{CacheLimits, Recent, once};
use blocks::{BlockChildren, BlockExtent};
use header::{HeapBlock, HeapHeader};

/// An open heap, with a cache of the most recently used blocks.
#[derive(Debug)]
pub struct FractalHeap {
    header: HeapHeader,
    direct: Recent<u64, Arc<StructureBytes>>,
    indirect: Recent<u64, BlockChildren>,
    huge: OnceLock<BTree2>,
}

/// A heap object as a range of its block.
#[derive(Debug)]
pub struct HeapObject {
    block: Arc<StructureBytes>,
    place: Range<usize>,
}

impl HeapObject {
    /// An object outside the blocks.
    fn alone(bytes: StructureBytes) -> Self {
        let place = 0..bytes.data.len();
        let block = Arc::new(bytes);
        Self { block, place }
    }

    /// The object bytes.
    #[must_use]
    pub fn data(&self) -> &[u8] {
        let bytes = self.block.data.get(self.place.clone());
        bytes.unwrap_or_default()
    }

    /// Address of the first byte; `None` for bytes that are not stored contiguously.
    #[must_use]
    pub fn address(&self) -> Option<u64> {
        self.block.address?.checked_add(self.place.start as u64)
    }

    /// The fields of the object.
    #[must_use]
    pub fn fields<'a>(&'a self, file: &'a FileBytes) -> Fields<'a> {
        file.fields_of(self.data(), self.address())
    }

    /// Copies the object.
    #[must_use]
    pub fn to_bytes(&self) -> StructureBytes {
        StructureBytes {
            data: self.data().to_vec(),
            address: self.address(),
        }
    }
}

/// Limits of the block cache.
const CACHE_LIMITS: CacheLimits = CacheLimits {
    count: 64,
    bytes: 4 << 20,
};

impl FractalHeap {
    /// Reads the header at an address.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Truncated`], [`ErrorKind::Corrupt`], [`ErrorKind::Checksum`] and [`ErrorKind::Unknown`].
    pub fn open(file: &FileBytes, address: u64) -> Result<Self> {
        Ok(Self {
            header: HeapHeader::read(file, address)?,
            direct: Recent::new(CACHE_LIMITS),
            indirect: Recent::new(CACHE_LIMITS),
            huge: OnceLock::new(),
        })
    }

    /// Returns the object with an id. Bytes beyond the heap's id length are ignored.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Truncated`], [`ErrorKind::Corrupt`], [`ErrorKind::Checksum`], [`ErrorKind::Limit`], [`ErrorKind::Unknown`], and
    /// errors of filters.
    pub fn object(&self, file: &FileBytes, id: &[u8]) -> Result<HeapObject> {
        let object = self.find(file, id)?;
        file.take(object.data().len() as u64, self.header.address)?;
        Ok(object)
    }

    /// Returns the heap offset of an object, so that callers can sort ids and read each block once. Returns an arbitrary number for an
    /// object outside the blocks.
    #[must_use]
    pub fn offset(&self, id: &[u8]) -> u64 {
        let bytes = id.iter().skip(1).take(self.header.table.offset_len());
        bytes.rev().fold(0, |all, &b| all << 8 | u64::from(b))
    }

    fn find(&self, file: &FileBytes, id: &[u8]) -> Result<HeapObject> {
        let id = id.get(..self.header.id_len.into()).unwrap_or(id);
        let mut c = file.fields_of(id, None);
        let first = c.u8()?;
        if first >> 6 != 0 {
            let what = format!("version {} of an object's id in a fractal heap", first >> 6);
            return Err(self.error(file, ErrorKind::Unknown, what));
        }
        match (first >> 4) & 3 {
            0 => self.managed(file, c),
            1 => self.huge(file, c).map(HeapObject::alone),
            2 => self.tiny(first & 15, c).map(HeapObject::alone),
            kind => {
                let what = format!("an object of type {kind} in a fractal heap");
                Err(self.error(file, ErrorKind::Corrupt, what))
            }
        }
    }

    fn error(&self, file: &FileBytes, kind: ErrorKind, what: String) -> crate::Error {
        file.error(kind, self.header.address, what)
    }

    /// Reads an object stored in its id.
    fn tiny(&self, low: u8, mut c: Fields) -> Result<StructureBytes> {
        let is_extended = self.header.id_len > LONGEST_NORMAL;
        let len = if is_extended {
            usize::from(low) << 8 | usize::from(c.u8()?)
        } else {
            low.into()
        };
        Ok(StructureBytes {
            data: c.bytes(len + 1)?.to_vec(),
            address: None,
        })
    }

    /// Reads an object in a direct block.
    fn managed(&self, file: &FileBytes, mut c: Fields) -> Result<HeapObject> {
        let table = &self.header.table;
        let offset = c.uint_le(table.offset_len())?;
        let len = c.uint_le(table.length_len(self.header.most))?;
        let (block, start) = self.block_at(file, offset)?;
        let from = usize::try_from(offset - start).unwrap_or(usize::MAX);
        let to = usize::try_from(len).ok().and_then(|n| from.checked_add(n));
        let to = to.filter(|&to| to <= block.data.len());
        let prefix = blocks::direct_prefix(file, &self.header);
        match to.filter(|_| from >= prefix) {
            Some(to) => Ok(HeapObject {
                block,
                place: from..to,
            }),
            None => {
                let what = format!(
                    "an object of {len} bytes at {from} of a fractal heap block of {}",
                    block.data.len()
                );
                Err(self.error(file, ErrorKind::Corrupt, what))
            }
        }
    }

    /// Returns the direct block that contains a heap offset, and the offset of its first byte.
    fn block_at(&self, file: &FileBytes, offset: u64) -> Result<(Arc<StructureBytes>, u64)> {
        let beyond = || {
            let what = format!("no block for offset {offset} of a fractal heap");
            self.error(file, ErrorKind::Corrupt, what)
        };
        let table = &self.header.table;
        let mut block = self.header.root.ok_or_else(beyond)?;
        let mut rows = self.header.rows;
        let mut extent = BlockExtent {
            start: 0,
            size: table.start(),
        };
        if rows == 0 {
            let is_in = offset < extent.size;
            let block = is_in.then_some(block).ok_or_else(beyond)?;
            return Ok((self.direct(file, block, extent)?, 0));
        }
        // Each step shrinks the extent, so the loop ends.
        loop {
            let place = table.place(offset - extent.start);
            let children = self.children(file, block.address, (extent.start, rows))?;
            let child = children.get(place.child).copied().flatten();
            block = child.ok_or_else(beyond)?;
            extent = BlockExtent {
                start: extent.start + place.start,
                size: place.size,
            };
            if place.row < table.direct_rows() {
                return Ok((self.direct(file, block, extent)?, extent.start));
            }
            rows = table.rows(extent.size).ok_or_else(beyond)?;
        }
    }

    fn direct(
        &self,
        file: &FileBytes,
        block: HeapBlock,
        extent: BlockExtent,
    ) -> Result<Arc<StructureBytes>> {
        if let Some(bytes) = self.direct.get(&extent.start) {
            return Ok(bytes);
        }
        let bytes = blocks::direct(file, &self.header, block, extent)?;
        let size = bytes.data.len();
        Ok(self.direct.put(extent.start, Arc::new(bytes), size))
    }

    fn children(&self, file: &FileBytes, address: u64, part: (u64, u32)) -> Result<BlockChildren> {
        if let Some(children) = self.indirect.get(&address) {
            return Ok(children);
        }
        let children = blocks::indirect(file, &self.header, address, part)?;
        let size = children
            .len()
            .saturating_mul(size_of::<Option<HeapBlock>>());
        Ok(self.indirect.put(address, children, size))
    }

    /// Reads an object stored outside the blocks.
    fn huge(&self, file: &FileBytes, mut c: Fields) -> Result<StructureBytes> {
        let is_filtered = self.header.filters.is_some();
        let huge = if c.remaining() >= direct_len(file, is_filtered) {
            HugeRecord::parse(&mut c, is_filtered)?
        } else {
            let len = c.remaining().min(file.sizes().length.into());
            let id = c.uint_le(len)?;
            self.find_huge(file, id)?
        };
        let stored = file.read(huge.address, huge.len)?;
        match (huge.filtered, &self.header.filters) {
            (Some(form), Some(filters)) => blocks::unfilter(file, stored, filters, form),
            (None, _) | (_, None) => Ok(stored),
        }
    }

    /// Looks up a huge object by its number.
    fn find_huge(&self, file: &FileBytes, id: u64) -> Result<HugeRecord> {
        let missing = || {
            let what = format!("no huge object {id} in a fractal heap");
            self.error(file, ErrorKind::Corrupt, what)
        };
        let tree = once(&self.huge, || {
            let tree = BTree2::open(file, self.header.huge.ok_or_else(missing)?)?;
            tree.expect(file, &HUGE_BY_ID)?;
            Ok(tree)
        })?;
        let is_filtered = tree.kind == 2;
        let found = tree.find(file, |mut record| {
            let huge = HugeRecord::parse_with_id(&mut record, is_filtered)?;
            Ok(huge.id.cmp(&Some(id)))
        })?;
        let record = found.ok_or_else(missing)?;
        HugeRecord::parse_with_id(&mut file.fields_of(&record, None), is_filtered)
    }
}

/// Maximum id length with a four-bit length of tiny objects.
const LONGEST_NORMAL: u16 = 18;

/// Minimum id length that can contain the location of a huge object.
fn direct_len(file: &FileBytes, is_filtered: bool) -> usize {
    let sizes = file.sizes();
    let plain = usize::from(sizes.offset) + usize::from(sizes.length);
    if is_filtered {
        plain + 4 + usize::from(sizes.length)
    } else {
        plain
    }
}
