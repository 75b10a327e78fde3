//! Fractal heaps ("III.G. Disk Format: Level 1G"), built from all objects at once. Free space is not recorded: a program that adds objects
//! later starts new blocks.

use super::btree_v2;
use super::part::{Hole, MetadataPart, UNDEFINED};
use crate::arithmetic::{Exact, exact};
use crate::bytes::ByteSink;
use crate::bytes::sink::narrow;
use crate::error::{Error, ErrorKind, OrInternal as _, Result};
use crate::format::hdf5::btree_v2::records::HUGE_BY_ID;
use crate::format::hdf5::fractal_heap::table::BlockTable;

/// The settings of a heap kind.
#[derive(Debug, Clone, Copy)]
pub(super) struct HeapSettings {
    /// Bytes of an object id.
    id: usize,
    /// Bytes of the first direct block.
    start: u64,
    /// log2 of the address space in bytes.
    bits: u16,
}

/// Link heaps.
pub(super) const LINKS: HeapSettings = HeapSettings {
    id: 7,
    start: 512,
    bits: 32,
};
/// Attribute heaps.
pub(super) const ATTRIBUTES: HeapSettings = HeapSettings {
    id: 8,
    start: 1024,
    bits: 40,
};

/// Blocks per row.
const WIDTH: u16 = 4;
/// Maximum direct block size.
const DIRECT: u64 = 1 << 16;
/// Maximum object size in a block, in bytes. Larger objects are huge objects.
const MANAGED: u32 = 4096;
/// Bytes of the heap header.
const HEADER: usize = 22 + 12 * 8 + 3 * 8 + 4;
/// Flag: direct blocks have a checksum.
const CHECKSUMS: u8 = 2;
/// Id type of huge objects, in the first byte of an id.
const HUGE: u8 = 0x10;

/// A heap being built.
struct HeapBuilder<'a> {
    out: &'a mut MetadataPart,
    form: HeapSettings,
    table: BlockTable,
    /// Header offset.
    header: u64,
    /// Objects without a block, in reverse order.
    left: Vec<(usize, &'a MetadataPart)>,
    /// Ids by object number.
    ids: Vec<Vec<u8>>,
    /// Total bytes in direct blocks, and object bytes in direct blocks.
    allocated: u64,
    used: u64,
    /// The end of the last direct block.
    end: u64,
    objects: u64,
}

/// The root block: its offset, and the row count of an indirect block.
#[derive(Debug, Clone, Copy)]
struct Root {
    place: u64,
    rows: u32,
}

/// The huge objects: tree offset, total bytes and object count.
#[derive(Default)]
struct HugeObjects {
    tree: Option<u64>,
    size: u64,
    count: u64,
}

/// Appends a heap. Returns the header offset and the object ids.
///
/// # Errors
/// Returns [`ErrorKind::Limit`] if the objects exceed the heap capacity.
pub(super) fn write(
    out: &mut MetadataPart,
    form: HeapSettings,
    objects: &[MetadataPart],
) -> Result<(u64, Vec<Vec<u8>>)> {
    let table = BlockTable::new(WIDTH, form.start, DIRECT, form.bits);
    let table = table.map_err(|e| Error::new(ErrorKind::Argument, e))?;
    let header = out.begin(0, HEADER)?;
    out.sink.zeros(HEADER);
    let mut heap = HeapBuilder {
        out,
        form,
        table,
        header,
        left: vec![],
        ids: vec![vec![]; objects.len()],
        allocated: 0,
        used: 0,
        end: 0,
        objects: 0,
    };
    let is_managed = |object: &MetadataPart| object.len() as u64 <= MANAGED.into();
    let numbered = objects.iter().enumerate().rev();
    heap.left = numbered.filter(|(_, o)| is_managed(o)).collect();
    heap.objects = heap.left.len() as u64;
    let root = heap.root()?;
    let huge = heap.huge(objects.iter().enumerate().filter(|(_, o)| !is_managed(o)))?;
    let made = heap.header(root, &huge)?;
    let ids = heap.ids;
    out.overlay(header, &made)?;
    Ok((header, ids))
}

impl HeapBuilder<'_> {
    /// Bytes of a direct block before its objects.
    fn prefix(&self) -> u64 {
        4 + 1 + 8 + self.table.offset_len() as u64 + 4
    }

    fn root(&mut self) -> Result<Option<Root>> {
        let size: u64 = self.left.iter().map(|(_, o)| o.len() as u64).sum();
        if self.left.is_empty() {
            return Ok(None);
        }
        if size + self.prefix() <= self.form.start {
            let place = self.direct(0, self.form.start)?;
            return Ok(place.map(|place| Root { place, rows: 0 }));
        }
        self.indirect(0, None).map(Some)
    }

    /// Appends a direct block with the next objects. Returns `None` if the next object is too large for the block.
    fn direct(&mut self, offset: u64, size: u64) -> Result<Option<u64>> {
        let prefix = self.prefix();
        let fits = |used: usize, object: &MetadataPart| (used + object.len()) as u64 <= size;
        let first = exact(prefix).index()?;
        if !self.left.last().is_some_and(|(_, o)| fits(first, o)) {
            return Ok(None);
        }
        let mut block = MetadataPart::with_room(exact(size).index()?);
        block.sink.put(b"FHDB\0");
        block.address(Hole::Own(self.header));
        block.sink.uint(offset, self.table.offset_len())?;
        let sum = block.len();
        block.sink.zeros(4);
        while let Some((number, object)) = self.left.pop_if(|(_, o)| fits(block.len(), o)) {
            let id = self.id(offset + block.len() as u64, object.len())?;
            let place = self.ids.get_mut(number);
            *place.or_internal("no slot for an object id")? = id;
            block.append(object);
        }
        self.used += block.len() as u64 - prefix;
        block.sink.zeros((exact(size) - block.len()).index()?);
        block.checksum_within(0..block.len(), sum);
        self.allocated += size;
        self.end = offset + size;
        self.append(&block).map(Some)
    }

    fn append(&mut self, block: &MetadataPart) -> Result<u64> {
        let place = self.out.begin(0, block.len())?;
        self.out.append(block);
        Ok(place)
    }

    /// The id of an object in a block.
    fn id(&self, offset: u64, len: usize) -> Result<Vec<u8>> {
        let len_of_id = exact(self.form.id);
        let mut id = ByteSink::with_room(len_of_id.index()?);
        id.u8(0);
        id.uint(offset, self.table.offset_len())?;
        id.uint(len as u64, self.table.length_len(MANAGED))?;
        id.zeros((len_of_id - id.len()).index()?);
        Ok(id.bytes)
    }

    /// Appends an indirect block with the next objects, with a given number of rows. The root block gets the number of rows it needs.
    /// Recursion is bounded: blocks get smaller.
    fn indirect(&mut self, start: u64, rows: Option<u32>) -> Result<Root> {
        let most = rows.unwrap_or(self.table.most_rows());
        let mut children = vec![];
        let (mut at, mut used) = (0, 0);
        while !self.left.is_empty() {
            let place = self.table.place(at);
            if place.row >= most {
                break;
            }
            let child = if place.row < self.table.direct_rows() {
                self.direct(start + place.start, place.size)?
            } else {
                let rows = self.table.rows(place.size);
                Some(self.indirect(start + place.start, rows)?.place)
            };
            children.push(child);
            used = place.row + 1;
            at = place.start + place.size;
        }
        if rows.is_none() && !self.left.is_empty() {
            let what = "too many links or attributes for their heap";
            return Err(Error::new(ErrorKind::Limit, what));
        }
        let rows = rows.unwrap_or(used.next_power_of_two().min(most));
        let count = u64::from(rows) * self.table.width();
        children.resize(exact(count).index()?, None);
        let mut block = MetadataPart::of(b"FHIB\0");
        block.address(Hole::Own(self.header));
        block.sink.uint(start, self.table.offset_len())?;
        for child in children {
            match child {
                Some(place) => block.address(Hole::Own(place)),
                None => block.sink.u64(UNDEFINED),
            }
        }
        block.checksum(0);
        let place = self.append(&block)?;
        Ok(Root { place, rows })
    }

    /// Appends huge objects, each stored separately, and their tree.
    fn huge<'a>(
        &mut self,
        objects: impl Iterator<Item = (usize, &'a MetadataPart)>,
    ) -> Result<HugeObjects> {
        let mut huge = HugeObjects::default();
        let mut records = vec![];
        for (number, object) in objects {
            let place = self.append(object)?;
            huge.count += 1;
            huge.size += object.len() as u64;
            let mut record = MetadataPart::default();
            record.address(Hole::Own(place));
            record.sink.u64(object.len() as u64);
            record.sink.u64(huge.count);
            records.push(record);
            let mut id = MetadataPart::of(&[HUGE]);
            id.sink.uint(huge.count, self.form.id - 1)?;
            let place = self.ids.get_mut(number);
            *place.or_internal("no slot for an object id")? = id.sink.bytes;
        }
        if !records.is_empty() {
            huge.tree = Some(btree_v2::write(self.out, HUGE_BY_ID[0], &records)?);
        }
        Ok(huge)
    }

    fn header(&self, root: Option<Root>, huge: &HugeObjects) -> Result<MetadataPart> {
        let mut out = MetadataPart::of(b"FRHP\0");
        let address = |out: &mut MetadataPart, place: Option<u64>| match place {
            Some(place) => out.address(Hole::Own(place)),
            None => out.sink.u64(UNDEFINED),
        };
        out.sink
            .u16(narrow(self.form.id as u64, "the size of an id")?);
        out.sink.u16(0); // no filters
        out.sink.u8(CHECKSUMS);
        out.sink.u32(MANAGED);
        out.sink.u64(huge.count); // last huge object id
        address(&mut out, huge.tree);
        let rows = root.map_or(0, |root| root.rows);
        let (size, capacity) = match (root, rows) {
            (None, _) => (exact(0u64), exact(self.used)),
            (Some(_), 0) => {
                let start = exact(self.form.start);
                (start, start - self.prefix())
            }
            (Some(_), rows) => self.space(rows),
        };
        out.sink.u64((capacity - self.used).get()?);
        out.sink.u64(UNDEFINED); // free space is not recorded
        out.sink.u64(size.get()?);
        out.sink.u64(self.allocated);
        out.sink.u64(if rows == 0 { 0 } else { self.end });
        out.sink.u64(self.objects);
        out.sink.u64(huge.size);
        out.sink.u64(huge.count);
        out.sink.zeros(2 * 8); // no tiny objects
        out.sink.u16(WIDTH);
        out.sink.u64(self.form.start);
        out.sink.u64(DIRECT);
        out.sink.u16(self.form.bits);
        out.sink.u16(1); // initial root block rows
        address(&mut out, root.map(|root| root.place));
        out.sink.u16(narrow(rows.into(), "the rows of a heap")?);
        out.checksum(0);
        Ok(out)
    }

    /// Bytes covered by this number of rows, and the bytes available for objects once all blocks exist.
    fn space(&self, rows: u32) -> (Exact, Exact) {
        let (mut size, mut capacity) = (exact(0u64), exact(0u64));
        for row in 0..rows {
            let block = self.form.start << row.saturating_sub(1);
            let objects = if row < self.table.direct_rows() {
                exact(block) - self.prefix()
            } else {
                let rows = self.table.rows(block);
                rows.map_or(exact(0u64), |rows| self.space(rows).1)
            };
            size = size + exact(block) * u64::from(WIDTH);
            capacity = capacity + objects * u64::from(WIDTH);
        }
        (size, capacity)
    }
}
