//! New and moved chunks in an extensible array ("VII.D. The Extensible Array Index").
//!
//! Missing blocks are created at the end of the file, as libhdf5 does. The statistics in the header count them.

use super::array_blocks::{
    ADDRESS, ArrayBlocks, ArrayOwner, CHECKSUM, PREFIX, UNDEFINED, undefined,
};
use super::array_element::ArrayElementForm;
use super::changes::NewChunk;
use crate::arithmetic::exact;
use crate::bytes::ByteSink;
use crate::error::{Error, ErrorKind, OrInternal as _, Result};
use crate::format::hdf5::chunk_index::extensible_blocks::{
    ElementPosition, ExtensibleBlocks, ExtensibleSettings, SuperBlock, blocks_before,
};

/// Bytes of the header.
const HEADER: u64 = 68 + CHECKSUM;

/// The fields of the header that change: statistics, and the address of the index block.
mod field {
    pub(super) const SUPER_BLOCKS: u64 = 12;
    pub(super) const SUPER_BLOCK_BYTES: u64 = 20;
    pub(super) const DATA_BLOCKS: u64 = 28;
    pub(super) const DATA_BLOCK_BYTES: u64 = 36;
    /// The number of the last element that was ever set, plus 1.
    pub(super) const LEN: u64 = 44;
    /// Elements in all blocks.
    pub(super) const ELEMENTS: u64 = 52;
    pub(super) const INDEX: u64 = 60;
}

/// An array that is changed. [`ExtensibleArrayChange::write`] writes the changed blocks.
pub(super) struct ExtensibleArrayChange<'a> {
    blocks: ArrayBlocks<'a>,
    owner: ArrayOwner,
    form: ArrayElementForm,
    division: ExtensibleBlocks,
}

/// The location of an element or address: the block, and the offset in the block.
type BlockSlot = (u64, u64);

impl<'a> ExtensibleArrayChange<'a> {
    /// Opens the array with its header at an address.
    ///
    /// # Errors
    /// Returns damage of the header, and read errors.
    pub(super) fn open(mut blocks: ArrayBlocks<'a>, header: u64) -> Result<Self> {
        blocks.load(header, HEADER, b"EAHD\0")?;
        let &[client, size, bits, direct, smallest, pointers, page_bits] =
            blocks.part(header, 5, 7)?
        else {
            return Err(Error::internal("seven bytes"));
        };
        let settings = ExtensibleSettings {
            bits,
            direct,
            smallest,
            pointers,
            page_bits,
        };
        let form = ArrayElementForm::of_client(client, size);
        let division = ExtensibleBlocks::new(settings);
        let (Some(form), Some(division)) = (form, division) else {
            let what = "invalid settings of an extensible array";
            let place = blocks.base.saturating_add(header);
            let name = crate::io::Source::name(blocks.file);
            return Err(Error::new(ErrorKind::Corrupt, what).at(name, place));
        };
        Ok(Self {
            blocks,
            owner: ArrayOwner { header, client },
            form,
            division,
        })
    }

    /// Creates an array without elements at the end of the file.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Corrupt`] for invalid settings, and I/O errors.
    pub(super) fn create(
        mut blocks: ArrayBlocks<'a>,
        settings: ExtensibleSettings,
        form: ArrayElementForm,
    ) -> Result<Self> {
        let header = blocks.reserve(HEADER)?;
        let mut bytes = b"EAHD\0".to_vec();
        bytes.push(form.client());
        bytes.push(u8::try_from(form.size()).ok().or_internal("an element")?);
        bytes.extend([settings.bits, settings.direct, settings.smallest]);
        bytes.extend([settings.pointers, settings.page_bits]);
        bytes.extend([0; 48]);
        bytes.extend(UNDEFINED.to_le_bytes());
        blocks.add(header, bytes);
        Self::open(blocks, header)
    }

    /// Returns the address of the header.
    pub(super) fn header(&self) -> u64 {
        self.owner.header
    }

    /// Sets the element of a chunk.
    ///
    /// # Errors
    /// Returns damage, [`ErrorKind::Limit`] for a number beyond the array, and I/O errors.
    pub(super) fn put(&mut self, number: u64, chunk: NewChunk) -> Result<()> {
        let element = self.form.element(self.blocks.base, chunk)?;
        let index = self.index_block()?;
        let (block, at) = match number.checked_sub(self.division.direct) {
            None => (index, PREFIX + number * self.form.size()),
            Some(below) => self.slot(index, below)?,
        };
        self.blocks.put(block, at, &element)?;
        let len = exact(number) + 1u64;
        if self.field(field::LEN)? <= number {
            self.set_field(field::LEN, len.get()?)?;
        }
        Ok(())
    }

    /// Writes all changed blocks.
    ///
    /// # Errors
    /// Returns I/O errors.
    pub(super) fn write(&self) -> Result<()> {
        self.blocks.write()
    }

    fn field(&self, at: u64) -> Result<u64> {
        let bytes = self.blocks.part(self.owner.header, at, 8)?.try_into();
        Ok(u64::from_le_bytes(bytes.ok().or_internal("a number")?))
    }

    fn set_field(&mut self, at: u64, value: u64) -> Result<()> {
        self.blocks.put(self.owner.header, at, &value.to_le_bytes())
    }

    /// Adds a number to a statistic. The statistics of a damaged header stay at their maximum.
    fn add_to_field(&mut self, at: u64, more: u64) -> Result<()> {
        let value = self.field(at)?.saturating_add(more);
        self.set_field(at, value)
    }

    /// Returns the index block, which is created for the first element.
    fn index_block(&mut self) -> Result<u64> {
        let division = self.division;
        let addresses = division.inlined_blocks() + division.supers;
        let len = PREFIX + division.direct * self.form.size() + addresses * ADDRESS + CHECKSUM;
        let start = self.owner.prefix(*b"EAIB");
        if let Some(index) = self.blocks.address(self.owner.header, field::INDEX)? {
            self.blocks.load(index, len, &start)?;
            return Ok(index);
        }
        let index = self.blocks.reserve(len)?;
        let mut bytes = start;
        bytes.extend(self.form.empty(division.direct)?);
        bytes.extend(undefined(addresses)?);
        self.blocks.add(index, bytes);
        self.set_field(field::INDEX, index)?;
        self.add_to_field(field::ELEMENTS, division.direct)?;
        Ok(index)
    }

    /// Returns the slot of the element `below`, counted from the first element outside the index block. Creates missing blocks.
    fn slot(&mut self, index: u64, below: u64) -> Result<BlockSlot> {
        let division = self.division;
        let known = u64::from(division.inlined) + division.supers;
        let position = division.place(below);
        let position = position.filter(|position| u64::from(position.of.number) < known);
        let beyond = || {
            Error::new(
                ErrorKind::Limit,
                "more chunks than the chunk index can have",
            )
        };
        let position = position.ok_or_else(beyond)?;
        let of = position.of;
        let addresses = PREFIX + division.direct * self.form.size();
        let start = division.start_of(of.number).or_internal("a super block")?;
        let Some(later) = of.number.checked_sub(division.inlined) else {
            let number = blocks_before(of.number) + position.block;
            // libhdf5 counts the data block from the first one of the array, not from the first one of its super block.
            let offset = exact(number) * of.elements + start;
            let from = (index, addresses + number * ADDRESS);
            let block = self.data_block(from, offset.get()?, (of, false))?;
            return Ok((block, self.head() + position.element * self.form.size()));
        };
        let number = division.inlined_blocks() + u64::from(later);
        let upper = self.super_block((index, addresses + number * ADDRESS), of)?;
        let maps = self.maps(of)?;
        let offset = exact(position.block) * of.elements + start;
        let from = (upper, self.head() + maps + position.block * ADDRESS);
        let block = self.data_block(from, offset.get()?, (of, true))?;
        match division.pages(of) {
            None => Ok((block, self.head() + position.element * self.form.size())),
            Some(pages) => self.page((upper, block), position, pages),
        }
    }

    /// Returns the bytes of a super block or data block before its contents: the start of all blocks, and the offset in the array.
    fn head(&self) -> u64 {
        PREFIX + self.division.number
    }

    /// Returns the bytes of the page bitmaps in a super block.
    fn maps(&self, of: SuperBlock) -> Result<u64> {
        let map = self.division.pages(of).map_or(0, |pages| pages.div_ceil(8));
        (exact(map) * of.blocks).get()
    }

    /// Returns a super block, and creates a missing one. `from` has its address.
    fn super_block(&mut self, from: BlockSlot, of: SuperBlock) -> Result<u64> {
        let maps = self.maps(of)?;
        let len = exact(of.blocks) * ADDRESS + self.head() + maps + CHECKSUM;
        let len = len.get()?;
        let mut start = ByteSink {
            bytes: self.owner.prefix(*b"EASB"),
        };
        if let Some(block) = self.blocks.address(from.0, from.1)? {
            self.blocks.load(block, len, &start.bytes)?;
            return Ok(block);
        }
        let block = self.blocks.reserve(len)?;
        let offset = self.division.start_of(of.number);
        start.uint(offset.or_internal("a super block")?, self.offset_width()?)?;
        start.zeros(exact(maps).index()?);
        start.put(&undefined(of.blocks)?);
        self.blocks.add(block, start.bytes);
        self.blocks.put(from.0, from.1, &block.to_le_bytes())?;
        self.add_to_field(field::SUPER_BLOCKS, 1)?;
        self.add_to_field(field::SUPER_BLOCK_BYTES, len)?;
        Ok(block)
    }

    fn offset_width(&self) -> Result<usize> {
        exact(self.division.number).index()
    }

    /// Returns a data block, and creates a missing one. `from` has its address. Only data blocks of super blocks may have pages.
    fn data_block(
        &mut self,
        from: BlockSlot,
        offset: u64,
        (of, may_have_pages): (SuperBlock, bool),
    ) -> Result<u64> {
        let pages = self.division.pages(of);
        if pages.is_some() && !may_have_pages {
            let what = "an extensible array with pages before its super blocks";
            return Err(Error::new(ErrorKind::Unsupported, what));
        }
        let elements = exact(of.elements) * self.form.size();
        let head = self.head() + CHECKSUM;
        let whole = (elements + head + (exact(pages.unwrap_or(0)) * CHECKSUM)).get()?;
        let own = match pages {
            None => whole,
            Some(_) => head,
        };
        let mut start = ByteSink {
            bytes: self.owner.prefix(*b"EADB"),
        };
        if let Some(block) = self.blocks.address(from.0, from.1)? {
            self.blocks.load(block, own, &start.bytes)?;
            return Ok(block);
        }
        let block = self.blocks.reserve(whole)?;
        start.uint(offset, self.offset_width()?)?;
        if pages.is_none() {
            start.put(&self.form.empty(of.elements)?);
        }
        self.blocks.add(block, start.bytes);
        self.blocks.put(from.0, from.1, &block.to_le_bytes())?;
        self.add_to_field(field::DATA_BLOCKS, 1)?;
        self.add_to_field(field::DATA_BLOCK_BYTES, whole)?;
        self.add_to_field(field::ELEMENTS, of.elements)?;
        Ok(block)
    }

    /// Returns the slot of an element in a data block with pages. Creates a missing page, which the bitmap in the super block marks.
    fn page(
        &mut self,
        (upper, block): (u64, u64),
        position: ElementPosition,
        pages: u64,
    ) -> Result<BlockSlot> {
        let elements = self.division.page;
        let len = exact(elements) * self.form.size() + CHECKSUM;
        let page = position.element / elements;
        let before = self.head() + CHECKSUM;
        let address = (len * page + before + block).get()?;
        let bit = (exact(position.block) * pages + page).get()?;
        let at = self.head() + bit / 8;
        let &[marks] = self.blocks.part(upper, at, 1)? else {
            return Err(Error::internal("a byte of a bitmap"));
        };
        let mark = 0x80 >> (bit % 8);
        if marks & mark == 0 {
            let empty = self.form.empty(elements)?;
            self.blocks.add(address, empty);
            self.blocks.put(upper, at, &[marks | mark])?;
        } else {
            self.blocks.load(address, len.get()?, &[])?;
        }
        Ok((address, position.element % elements * self.form.size()))
    }
}
