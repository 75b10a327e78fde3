//! An array that grows in one dimension ("VII.D. The Extensible Array Index").

use super::array_walk::{ArrayOfChunks, walk};
use super::element::{EntryForm, IndexElement};
use super::extensible_blocks::{
    ElementPosition, ExtensibleBlocks, ExtensibleSettings, blocks_before,
};
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
    blocks: ExtensibleBlocks,
    /// Number of elements that may be set.
    len: u64,
    index: Option<u64>,
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
        let Some(below) = number.checked_sub(self.head.blocks.direct) else {
            return self.head.form.slot(&mut c, number);
        };
        pass(&mut c, self.head.blocks.direct, self.head.form.size)?;
        let Some(place) = self.head.blocks.place(below) else {
            return Ok(IndexElement::EmptyUntil(u64::MAX));
        };
        if place.of.number < self.head.blocks.inlined {
            let before = blocks_before(place.of.number);
            return self.in_index(file, c, before + place.block, place);
        }
        let offset = file.sizes().offset.into();
        let later = u64::from(place.of.number - self.head.blocks.inlined);
        let inlined = self.head.blocks.inlined_blocks();
        pass(&mut c, inlined.saturating_add(later), offset)?;
        match c.address()? {
            Some(at) => self.in_super(file, at, place),
            None => Ok(IndexElement::EmptyUntil(
                self.head.blocks.end_of_super(place),
            )),
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
            None => Ok(IndexElement::EmptyUntil(
                self.head.blocks.end_of_block(place),
            )),
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
        let pages = self.head.blocks.pages(place.of);
        let map = pages.map_or(0, |n| n.div_ceil(8));
        let size = |n: u64| n.checked_mul(map.checked_add(offset)?);
        let start = prefix(file) as u64 + self.head.blocks.number;
        let len = size(place.of.blocks).and_then(|b| b.checked_add(start + 4));
        let len = len.unwrap_or(u64::MAX);
        let what = "a super block of an extensible array";
        let bytes = self.pages.get(file, address, len, what)?;
        let mut c = file.fields(&bytes);
        self.head.owner.verify(&mut c, *b"EASB")?;
        pass(&mut c, self.head.blocks.number, 1)?;
        let maps = place.of.blocks.checked_mul(map);
        let maps = maps.and_then(|n| usize::try_from(n).ok());
        let maps = c.bytes(maps.unwrap_or(usize::MAX))?;
        pass(&mut c, place.block, offset)?;
        let Some(block) = c.address()? else {
            return Ok(IndexElement::EmptyUntil(
                self.head.blocks.end_of_block(place),
            ));
        };
        let Some(pages) = pages else {
            return self.in_block(file, block, place);
        };
        // The space is rounded up to whole bytes per block, but the bits of all blocks are consecutive.
        let page = place.block * pages + place.element / self.head.blocks.page;
        if !bit(maps, page) {
            return Ok(IndexElement::EmptyUntil(
                self.head.blocks.end_of_page(place),
            ));
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
        let start = prefix(file) as u64 + self.head.blocks.number;
        let body = place.of.elements.checked_mul(self.head.form.size);
        let len = body.and_then(|b| b.checked_add(start + 4));
        let what = "a data block of an extensible array";
        let bytes = self
            .pages
            .get(file, address, len.unwrap_or(u64::MAX), what)?;
        let mut c = file.fields(&bytes);
        self.head.owner.verify(&mut c, *b"EADB")?;
        pass(&mut c, 1, self.head.blocks.number)?;
        self.head.form.slot(&mut c, place.element)
    }

    /// Reads an element of a data block with pages. The pages follow the block's prefix and checksum.
    fn in_page(&self, file: &Hdf5File, address: u64, element: u64) -> Result<IndexElement> {
        let start = prefix(file) as u64 + self.head.blocks.number + 4;
        let size = self.head.blocks.page.checked_mul(self.head.form.size);
        let size = size.and_then(|s| s.checked_add(4)).unwrap_or(u64::MAX);
        let before = size.checked_mul(element / self.head.blocks.page);
        let distance = before.and_then(|d| d.checked_add(start));
        let at = beside(file, address, distance)?;
        let what = "a page of an extensible array";
        let bytes = self.pages.get(file, at, size, what)?;
        self.head
            .form
            .slot(&mut file.fields(&bytes), element % self.head.blocks.page)
    }
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
    let settings = ExtensibleSettings {
        bits,
        direct,
        smallest,
        pointers,
        page_bits,
    };
    let Some(blocks) = ExtensibleBlocks::new(settings) else {
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
        blocks,
        len,
        index: c.address()?,
    })
}

fn index_block(file: &Hdf5File, address: u64, head: &ExtensibleHeader) -> Result<StructureBytes> {
    let blocks = &head.blocks;
    let pointers = (blocks.inlined_blocks() + blocks.supers) * u64::from(file.sizes().offset);
    let len = prefix(file) as u64 + blocks.direct * head.form.size + pointers + 4;
    let bytes = read_verified(file, address, len, "the index block of an extensible array")?;
    head.owner.verify(&mut file.fields(&bytes), *b"EAIB")?;
    Ok(bytes)
}
