//! An array that grows in one dimension ("VII.D. The Extensible Array Index").
//!
//! The first elements are in the index block. The next elements are in data blocks that the index block points to. Super blocks point to
//! all further data blocks. Super block `s` covers `2^s` times the elements of the first super block: `2^(s/2)` data blocks with
//! `2^((s+1)/2)` times the elements of the smallest data block. Large data blocks are divided into pages.

use super::array_walk::{ArrayOfChunks, walk};
use super::element::{EntryForm, IndexElement};
use super::grid::IndexGrid;
use super::pages::{BlockOwner, IndexPages, beside, bit, pass, read_verified};
use super::query::{ChunkQuery, VisitChunk};
use crate::chunk::visit::Visited;
use crate::error::{ErrorKind, Result};
use crate::format::hdf5::fields::Fields;
use crate::format::hdf5::file::Hdf5File;
use crate::format::hdf5::file_bytes::StructureBytes;

/// An open extensible array.
#[derive(Debug)]
pub(super) struct ExtensibleArray {
    head: ExtensibleHeader,
    /// The index block; `None` before the first chunk.
    index: Option<StructureBytes>,
    /// Cached super blocks and data blocks.
    pages: IndexPages,
    /// The dimension that varies slowest in the array.
    unlimited: usize,
    steps: Vec<u64>,
}

/// The contents of the header.
#[derive(Debug)]
struct ExtensibleHeader {
    owner: BlockOwner,
    form: EntryForm,
    /// Number of elements in the index block.
    direct: u64,
    /// Number of elements in the smallest data block.
    smallest: u64,
    /// Number of super blocks with data block addresses in the index block.
    inlined: u32,
    /// Number of super block addresses in the index block.
    supers: u64,
    /// Number of elements per page.
    page: u64,
    /// Width in bytes of the offset at the block start.
    number: u64,
    /// Number of elements that may be set.
    len: u64,
    index: Option<u64>,
}

/// A super block, as computed from the header.
#[derive(Debug, Clone, Copy)]
struct Super {
    /// The super block number.
    number: u32,
    /// Number of data blocks.
    blocks: u64,
    /// Number of elements per data block.
    elements: u64,
}

/// The position of an element outside the index block.
#[derive(Debug, Clone, Copy)]
struct ElementPosition {
    /// The element number, counted from the first element outside the index block.
    number: u64,
    of: Super,
    /// The data block number within the super block.
    block: u64,
    /// The element number within the data block.
    element: u64,
}

impl ExtensibleArray {
    /// Reads the header and the index block.
    pub(super) fn open(file: &Hdf5File, address: u64, grid: &IndexGrid) -> Result<Self> {
        let head = header(file, address, grid)?;
        let Some(unlimited) = grid.unlimited() else {
            let what = "an extensible array for a dataset without exactly one unlimited dimension";
            return Err(file.error(ErrorKind::Corrupt, address, what));
        };
        let index = head.index.map(|at| index_block(file, at, &head));
        let index = index.transpose()?;
        Ok(Self {
            head,
            index,
            pages: IndexPages::default(),
            unlimited,
            steps: grid.array_steps(unlimited),
        })
    }

    pub(super) fn locate(&self, query: ChunkQuery, visit: &mut VisitChunk) -> Visited {
        let Some(index) = &self.index else {
            return Ok(());
        };
        // An unbounded array may have few stored chunks, so elements are visited in array order.
        let mut order: Vec<usize> = (0..self.steps.len()).collect();
        order.sort_by_key(|&dim| dim != self.unlimited);
        let in_order = order == (0..self.steps.len()).collect::<Vec<_>>();
        let mut found = Vec::new();
        let of = |number: u64| self.slot(query.file, index, number);
        let array = ArrayOfChunks {
            steps: &self.steps,
            len: self.head.len,
            order: &order,
        };
        walk(query.wanted, &array, of, &mut |at, chunk| {
            if in_order {
                return query.found(&at, chunk, visit);
            }
            found.push((at, chunk));
            Ok(())
        })?;
        found.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        let mut found = found.into_iter();
        found.try_for_each(|(at, chunk)| query.found(&at, chunk, visit))
    }

    fn slot(&self, file: &Hdf5File, index: &StructureBytes, number: u64) -> Result<IndexElement> {
        if number >= self.head.len {
            return Ok(IndexElement::EmptyUntil(u64::MAX));
        }
        let mut c = file.fields(index);
        c.skip(prefix(file))?;
        let Some(below) = number.checked_sub(self.head.direct) else {
            return self.head.form.slot(&mut c, number);
        };
        pass(&mut c, self.head.direct, self.head.form.size)?;
        let Some(place) = self.head.place(below) else {
            return Ok(IndexElement::EmptyUntil(u64::MAX));
        };
        if place.of.number < self.head.inlined {
            let before: u64 = (0..place.of.number).map(blocks_of).sum();
            return self.in_index(file, c, before + place.block, place);
        }
        let offset = file.sizes().offset.into();
        let later = u64::from(place.of.number - self.head.inlined);
        let inlined: u64 = (0..self.head.inlined).map(blocks_of).sum();
        pass(&mut c, inlined.saturating_add(later), offset)?;
        match c.address()? {
            Some(at) => self.in_super(file, at, place),
            None => Ok(IndexElement::EmptyUntil(self.head.end_of_super(place))),
        }
    }

    /// Reads an element of a data block addressed by the index block. `c` is at the start of the addresses.
    fn in_index(
        &self,
        file: &Hdf5File,
        mut c: Fields,
        block: u64,
        place: ElementPosition,
    ) -> Result<IndexElement> {
        pass(&mut c, block, file.sizes().offset.into())?;
        match c.address()? {
            Some(at) => self.in_block(file, at, place),
            None => Ok(IndexElement::EmptyUntil(self.head.end_of_block(place))),
        }
    }

    /// Reads an element of a data block addressed by the super block at `address`.
    fn in_super(
        &self,
        file: &Hdf5File,
        address: u64,
        place: ElementPosition,
    ) -> Result<IndexElement> {
        let offset = u64::from(file.sizes().offset);
        let pages = self.head.pages(place.of);
        let map = pages.map_or(0, |n| n.div_ceil(8));
        let size = |n: u64| n.checked_mul(map.checked_add(offset)?);
        let start = prefix(file) as u64 + self.head.number;
        let len = size(place.of.blocks).and_then(|b| b.checked_add(start + 4));
        let len = len.unwrap_or(u64::MAX);
        let what = "a super block of an extensible array";
        let bytes = self.pages.get(file, address, len, what)?;
        let mut c = file.fields(&bytes);
        self.head.owner.verify(&mut c, *b"EASB")?;
        pass(&mut c, self.head.number, 1)?;
        let maps = place.of.blocks.checked_mul(map);
        let maps = maps.and_then(|n| usize::try_from(n).ok());
        let maps = c.bytes(maps.unwrap_or(usize::MAX))?;
        pass(&mut c, place.block, offset)?;
        let Some(block) = c.address()? else {
            return Ok(IndexElement::EmptyUntil(self.head.end_of_block(place)));
        };
        let Some(pages) = pages else {
            return self.in_block(file, block, place);
        };
        // The space is rounded up to whole bytes per block, but the bits of all blocks are consecutive.
        let page = place.block * pages + place.element / self.head.page;
        if !bit(maps, page) {
            return Ok(IndexElement::EmptyUntil(self.head.end_of_page(place)));
        }
        self.in_page(file, block, place.element)
    }

    /// Reads an element of a data block without pages.
    fn in_block(
        &self,
        file: &Hdf5File,
        address: u64,
        place: ElementPosition,
    ) -> Result<IndexElement> {
        let start = prefix(file) as u64 + self.head.number;
        let body = place.of.elements.checked_mul(self.head.form.size);
        let len = body.and_then(|b| b.checked_add(start + 4));
        let what = "a data block of an extensible array";
        let bytes = self
            .pages
            .get(file, address, len.unwrap_or(u64::MAX), what)?;
        let mut c = file.fields(&bytes);
        self.head.owner.verify(&mut c, *b"EADB")?;
        pass(&mut c, 1, self.head.number)?;
        self.head.form.slot(&mut c, place.element)
    }

    /// Reads an element of a data block with pages. The pages follow the block's prefix and checksum.
    fn in_page(&self, file: &Hdf5File, address: u64, element: u64) -> Result<IndexElement> {
        let start = prefix(file) as u64 + self.head.number + 4;
        let size = self.head.page.checked_mul(self.head.form.size);
        let size = size.and_then(|s| s.checked_add(4)).unwrap_or(u64::MAX);
        let before = size.checked_mul(element / self.head.page);
        let distance = before.and_then(|d| d.checked_add(start));
        let at = beside(file, address, distance)?;
        let what = "a page of an extensible array";
        let bytes = self.pages.get(file, at, size, what)?;
        self.head
            .form
            .slot(&mut file.fields(&bytes), element % self.head.page)
    }
}

impl ExtensibleHeader {
    /// The position of element `number`, counted from the first element outside the index block.
    fn place(&self, number: u64) -> Option<ElementPosition> {
        let super_block = (number / self.smallest).checked_add(1)?.ilog2();
        let before = (1u64.checked_shl(super_block)? - 1).checked_mul(self.smallest)?;
        let of = Super {
            number: super_block,
            blocks: blocks_of(super_block),
            elements: (1u64 << super_block.div_ceil(2)).checked_mul(self.smallest)?,
        };
        let rest = number - before;
        Some(ElementPosition {
            number,
            of,
            block: rest / of.elements,
            element: rest % of.elements,
        })
    }

    /// The first element number after a data block page.
    fn end_of_page(&self, place: ElementPosition) -> u64 {
        let left = self.page - place.element % self.page;
        self.direct
            .saturating_add(place.number)
            .saturating_add(left)
    }

    /// The first element number after a data block.
    fn end_of_block(&self, place: ElementPosition) -> u64 {
        let left = place.of.elements - place.element;
        self.direct
            .saturating_add(place.number)
            .saturating_add(left)
    }

    /// The first element number after the data blocks of a super block.
    fn end_of_super(&self, place: ElementPosition) -> u64 {
        let blocks = place.of.blocks.saturating_sub(place.block + 1);
        let more = blocks.saturating_mul(place.of.elements);
        self.end_of_block(place).saturating_add(more)
    }

    /// Number of pages per data block, if the block has pages.
    fn pages(&self, of: Super) -> Option<u64> {
        (of.elements > self.page).then(|| of.elements / self.page)
    }
}

/// Number of data blocks per super block.
fn blocks_of(super_block: u32) -> u64 {
    1u64.checked_shl(super_block / 2).unwrap_or(u64::MAX)
}

/// Bytes at the start of every block: signature, version, client, header address.
fn prefix(file: &Hdf5File) -> usize {
    6 + usize::from(file.sizes().offset)
}

fn header(file: &Hdf5File, address: u64, grid: &IndexGrid) -> Result<ExtensibleHeader> {
    let sizes = file.sizes();
    let len = 16 + 6 * u64::from(sizes.length) + u64::from(sizes.offset);
    let bytes = read_verified(file, address, len, "the header of an extensible array")?;
    let mut c = file.fields(&bytes);
    c.signature(b"EAHD")?;
    c.version(0..=0, "an extensible array")?;
    let (client, size, bits) = (c.u8()?, c.u8()?, c.u8()?);
    let form = EntryForm::of_client(&c, client, size, grid)?;
    let (direct, smallest) = (c.u8()?, c.u8()?);
    let (pointers, page_bits) = (c.u8()?, c.u8()?);
    pass(&mut c, 4, sizes.length.into())?; // array statistics
    let len = c.length()?;
    c.length()?; // allocated elements
    let page = 1u64.checked_shl(page_bits.into());
    let powers = smallest.is_power_of_two() && pointers.is_power_of_two();
    let supers = u32::from(bits).checked_sub(smallest.checked_ilog2().unwrap_or(0));
    let inlined = 2 * pointers.checked_ilog2().unwrap_or(0);
    let supers = supers.and_then(|s| (s + 1).checked_sub(inlined));
    let (Some(page), true, Some(supers), 0..=64) = (page, powers, supers, bits) else {
        let what = format!(
            "an extensible array of 2^{bits} elements, blocks of {smallest}, {pointers} pointers, \
             pages of 2^{page_bits}"
        );
        return Err(c.error(ErrorKind::Corrupt, what));
    };
    Ok(ExtensibleHeader {
        owner: BlockOwner {
            header: address,
            client,
        },
        form,
        direct: direct.into(),
        smallest: smallest.into(),
        inlined,
        supers: supers.into(),
        page,
        number: u64::from(bits).div_ceil(8),
        len,
        index: c.address()?,
    })
}

fn index_block(file: &Hdf5File, address: u64, head: &ExtensibleHeader) -> Result<StructureBytes> {
    let inlined: u64 = (0..head.inlined).map(blocks_of).sum();
    let pointers = (inlined + head.supers) * u64::from(file.sizes().offset);
    let len = prefix(file) as u64 + head.direct * head.form.size + pointers + 4;
    let bytes = read_verified(file, address, len, "the index block of an extensible array")?;
    head.owner.verify(&mut file.fields(&bytes), *b"EAIB")?;
    Ok(bytes)
}
