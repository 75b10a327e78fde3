//! The header of a fractal heap.

use super::filters::HeapFilters;
use super::table::BlockTable;
use crate::error::{ErrorKind, Result};
use crate::format::hdf5::file_bytes::{FileBytes, StructureBytes};

/// The contents of a heap header.
#[derive(Debug, Clone)]
pub(super) struct HeapHeader {
    /// The header address.
    pub address: u64,
    /// Bytes of an object id.
    pub id_len: u16,
    /// Whether direct blocks have a checksum.
    pub has_checksums: bool,
    /// Maximum size of an object in a block, in bytes.
    pub most: u32,
    /// Address of the huge object B-tree.
    pub huge: Option<u64>,
    /// The block sizes.
    pub table: BlockTable,
    /// The root block.
    pub root: Option<HeapBlock>,
    /// Number of rows in the root block; 0 for a direct block.
    pub rows: u32,
    /// The filters of blocks and huge objects.
    pub filters: Option<HeapFilters>,
}

/// A block, as described by its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct HeapBlock {
    /// The block address.
    pub address: u64,
    /// Stored length and mask of skipped filters, for a direct block in a filtered heap.
    pub filtered: Option<(u64, u32)>,
}

impl HeapHeader {
    /// Reads the header at an address.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Truncated`], [`ErrorKind::Corrupt`], [`ErrorKind::Checksum`] and [`ErrorKind::Unknown`].
    pub(super) fn read(file: &FileBytes, address: u64) -> Result<Self> {
        let bytes = read_all(file, address)?;
        let mut c = file.fields(&bytes);
        c.skip(4)?;
        c.version(0..=0, "a fractal heap")?;
        let (id_len, filters_len, flags) = (c.u16_le()?, c.u16_le()?, c.u8()?);
        let most = c.u32_le()?;
        c.length()?; // the next id of a huge object
        let huge = c.address()?;
        c.length()?;
        c.address()?; // free space: size and manager
        for _ in 0..8 {
            c.length()?; // sizes and numbers of objects
        }
        let (width, start, direct) = (c.u16_le()?, c.length()?, c.length()?);
        let (bits, _) = (c.u16_le()?, c.u16_le()?);
        let table = BlockTable::new(width, start, direct, bits);
        let table = table.map_err(|e| file.error(ErrorKind::Corrupt, address, e))?;
        let (root, rows) = (c.address()?, u32::from(c.u16_le()?));
        if rows > table.most_rows() {
            let what = format!("a fractal heap with {rows} rows of blocks");
            return Err(file.error(ErrorKind::Corrupt, address, what));
        }
        let (filtered, filters) = if filters_len > 0 {
            let root = (c.length()?, c.u32_le()?);
            let message = c.bytes(filters_len.into())?;
            (Some(root), Some(HeapFilters::parse(file, message)?))
        } else {
            (None, None)
        };
        Ok(Self {
            address,
            id_len,
            has_checksums: flags & 2 != 0,
            most,
            huge,
            table,
            root: root.map(|address| HeapBlock { address, filtered }),
            rows,
            filters,
        })
    }
}

/// Reads and verifies the whole header.
fn read_all(file: &FileBytes, address: u64) -> Result<StructureBytes> {
    let sizes = file.sizes();
    let (offset, length) = (u64::from(sizes.offset), u64::from(sizes.length));
    let head = file.read(address, 9)?;
    let mut c = file.fields(&head);
    c.signature(b"FRHP")?;
    c.skip(1 + 2)?;
    let filters = u64::from(c.u16_le()?);
    let filters = if filters > 0 { length + 4 + filters } else { 0 };
    let len = 22 + 12 * length + 3 * offset + filters + 4;
    let bytes = file.read(address, len)?;
    bytes.verify(file, "a fractal heap's header")?;
    Ok(bytes)
}
