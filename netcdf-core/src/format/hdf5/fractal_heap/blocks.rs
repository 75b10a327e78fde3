//! Direct and indirect blocks of a fractal heap.

use std::sync::Arc;

use super::filters::HeapFilters;
use super::header::{HeapBlock, HeapHeader};
use crate::bytes::sums::lookup3;
use crate::error::{Context as _, Error, ErrorKind, Result};
use crate::format::hdf5::checksum::agree;
use crate::format::hdf5::fields::Fields;
use crate::format::hdf5::file_bytes::{FileBytes, StructureBytes};

/// The children of an indirect block; `None` for an unallocated block.
pub(super) type BlockChildren = Arc<Vec<Option<HeapBlock>>>;

/// The offset range of a block in the heap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BlockExtent {
    /// Heap offset of the first byte.
    pub start: u64,
    /// Block size in bytes.
    pub size: u64,
}

/// Bytes of a direct block before its objects.
pub(super) fn direct_prefix(file: &FileBytes, header: &HeapHeader) -> usize {
    let sum = if header.has_checksums { 4 } else { 0 };
    4 + 1 + usize::from(file.sizes().offset) + header.table.offset_len() + sum
}

/// Reads a direct block. Object offsets count from its first byte.
pub(super) fn direct(
    file: &FileBytes,
    header: &HeapHeader,
    block: HeapBlock,
    extent: BlockExtent,
) -> Result<StructureBytes> {
    let mut bytes = match (block.filtered, &header.filters) {
        (Some((len, mask)), Some(filters)) => {
            let stored = file.read(block.address, len)?;
            unfilter(file, stored, filters, (mask, extent.size))?
        }
        (None, _) | (_, None) => file.read(block.address, extent.size)?,
    };
    let mut c = file.fields(&bytes);
    c.signature(b"FHDB")?;
    frame(file, header, &mut c, (block.address, extent.start))?;
    if header.has_checksums {
        let at = c.position();
        let stored = c.u32_le()?;
        verify(file, (block.address, stored), &mut bytes, at)?;
    }
    Ok(bytes)
}

/// Decodes filtered bytes. Filters in the mask are skipped; the result has `size` bytes.
pub(super) fn unfilter(
    file: &FileBytes,
    stored: StructureBytes,
    filters: &HeapFilters,
    (mask, size): (u32, u64),
) -> Result<StructureBytes> {
    let address = stored.address.unwrap_or_default();
    let len = file.metadata(address, size, "a part of a fractal heap")?;
    let place = file.place(address)?;
    let data = filters.undo(mask, len, stored.data);
    let data = data.at(file.name(), place)?;
    if data.len() == len {
        let address = None;
        return Ok(StructureBytes { data, address });
    }
    let what = format!(
        "{} bytes after undoing the filters, expected {len}",
        data.len()
    );
    Err(Error::new(ErrorKind::Corrupt, what).at(file.name(), place))
}

/// Verifies the checksum, which is computed with zeros in the checksum field.
fn verify(
    file: &FileBytes,
    (address, stored): (u64, u32),
    bytes: &mut StructureBytes,
    at: usize,
) -> Result<()> {
    if let Some(sum) = bytes.data.get_mut(at..at.saturating_add(4)) {
        sum.fill(0);
    }
    let computed = lookup3(&bytes.data);
    if agree(stored, computed) {
        return Ok(());
    }
    let what = format!(
        "the checksum of a fractal heap block is {computed:08x}, but {stored:08x} is stored"
    );
    Err(file.error(ErrorKind::Checksum, address, what))
}

/// Checks version, heap address and heap offset of a block.
fn frame(
    file: &FileBytes,
    header: &HeapHeader,
    c: &mut Fields,
    (at, start): (u64, u64),
) -> Result<()> {
    c.version(0..=0, "a fractal heap block")?;
    let heap = c.defined_address("a fractal heap")?;
    let offset = c.uint_le(header.table.offset_len())?;
    if (heap, offset) == (header.address, start) {
        return Ok(());
    }
    let what = format!(
        "a block of offset {offset} of the fractal heap at {heap}, expected offset {start} of \
         that at {}",
        header.address
    );
    Err(file.error(ErrorKind::Corrupt, at, what))
}

/// Reads an indirect block with this number of rows at heap offset `start`.
pub(super) fn indirect(
    file: &FileBytes,
    header: &HeapHeader,
    address: u64,
    (start, rows): (u64, u32),
) -> Result<BlockChildren> {
    let table = &header.table;
    let filtered = header.filters.is_some();
    let sizes = file.sizes();
    let plain = u64::from(sizes.offset);
    let more = if filtered {
        u64::from(sizes.length) + 4
    } else {
        0
    };
    let direct = u64::from(rows.min(table.direct_rows())) * table.width();
    let below = u64::from(rows.saturating_sub(table.direct_rows())) * table.width();
    let prefix = 4 + 1 + plain + table.offset_len() as u64;
    let len = prefix + direct * (plain + more) + below * plain + 4;
    let bytes = file.read(address, len)?;
    let mut c = file.fields(&bytes);
    c.signature(b"FHIB")?;
    bytes.verify(file, "a fractal heap's indirect block")?;
    frame(file, header, &mut c, (address, start))?;
    let children = (0..direct + below).map(|n| child(&mut c, filtered && n < direct));
    Ok(Arc::new(children.collect::<Result<_>>()?))
}

fn child(c: &mut Fields, filtered: bool) -> Result<Option<HeapBlock>> {
    let address = c.address()?;
    let filtered = filtered.then(|| Ok((c.length()?, c.u32_le()?)));
    let filtered = filtered.transpose()?;
    Ok(address.map(|address| HeapBlock { address, filtered }))
}
