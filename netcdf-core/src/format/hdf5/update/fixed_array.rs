//! New and moved chunks in a fixed array ("VII.C. The Fixed Array Index").
//!
//! The data block has an element for each chunk of the maximum extent. It is created with the first chunk. A large data block is divided
//! into pages, which are created one by one.

use super::array_blocks::{ADDRESS, ArrayBlocks, ArrayOwner, CHECKSUM, PREFIX, UNDEFINED};
use super::array_element::ArrayElementForm;
use super::changes::NewChunk;
use crate::arithmetic::exact;
use crate::error::{Error, ErrorKind, OrInternal as _, Result};
use crate::io::Source as _;

/// Bytes of the header.
const HEADER: u64 = 16 + ADDRESS + CHECKSUM;
/// The offset of the number of elements in the header.
const LEN: u64 = 8;
/// The offset of the address of the data block in the header.
const DATA: u64 = 16;

/// An array that is changed. [`FixedArrayChange::write`] writes the changed blocks.
pub(super) struct FixedArrayChange<'a> {
    blocks: ArrayBlocks<'a>,
    owner: ArrayOwner,
    form: ArrayElementForm,
    /// Elements of the array.
    len: u64,
    /// Elements per page.
    page: u64,
}

impl<'a> FixedArrayChange<'a> {
    /// Opens the array with its header at an address.
    ///
    /// # Errors
    /// Returns damage of the header, and read errors.
    pub(super) fn open(mut blocks: ArrayBlocks<'a>, header: u64) -> Result<Self> {
        blocks.load(header, HEADER, b"FAHD\0")?;
        let &[client, size, page_bits] = blocks.part(header, 5, 3)? else {
            return Err(Error::internal("three bytes"));
        };
        let len = blocks.part(header, LEN, 8)?.try_into();
        let len = u64::from_le_bytes(len.ok().or_internal("a number")?);
        let form = ArrayElementForm::of_client(client, size);
        let page = 1u64.checked_shl(page_bits.into());
        let (Some(form), Some(page)) = (form, page) else {
            let what = "invalid settings of a fixed array";
            let place = blocks.base.saturating_add(header);
            return Err(Error::new(ErrorKind::Corrupt, what).at(blocks.file.name(), place));
        };
        Ok(Self {
            blocks,
            owner: ArrayOwner { header, client },
            form,
            len,
            page,
        })
    }

    /// Creates an array of `len` elements without chunks at the end of the file.
    ///
    /// # Errors
    /// Returns I/O errors.
    pub(super) fn create(
        mut blocks: ArrayBlocks<'a>,
        (len, page_bits): (u64, u8),
        form: ArrayElementForm,
    ) -> Result<Self> {
        let header = blocks.reserve(HEADER)?;
        let mut bytes = b"FAHD\0".to_vec();
        bytes.push(form.client());
        bytes.push(u8::try_from(form.size()).ok().or_internal("an element")?);
        bytes.push(page_bits);
        bytes.extend(len.to_le_bytes());
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
        if number >= self.len {
            let what = "more chunks than the chunk index can have";
            return Err(Error::new(ErrorKind::Limit, what));
        }
        let element = self.form.element(self.blocks.base, chunk)?;
        let data = self.data_block()?;
        let (block, at) = match self.pages() {
            None => (data, exact(number) * self.form.size() + PREFIX),
            Some(_) => {
                let page = self.page(data, number / self.page)?;
                (page, exact(number % self.page) * self.form.size())
            }
        };
        self.blocks.put(block, at.get()?, &element)
    }

    /// Writes all changed blocks.
    ///
    /// # Errors
    /// Returns I/O errors.
    pub(super) fn write(&self) -> Result<()> {
        self.blocks.write()
    }

    /// Returns the number of pages, if the data block has pages.
    fn pages(&self) -> Option<u64> {
        (self.len > self.page).then(|| self.len.div_ceil(self.page))
    }

    /// Returns the bytes of the data block without its pages.
    fn own_len(&self) -> Result<u64> {
        let body = match self.pages() {
            None => exact(self.len) * self.form.size(),
            Some(pages) => exact(pages.div_ceil(8)),
        };
        (body + PREFIX + CHECKSUM).get()
    }

    /// Returns the data block, which is created for the first chunk.
    fn data_block(&mut self) -> Result<u64> {
        let own = self.own_len()?;
        let mut start = self.owner.prefix(*b"FADB");
        if let Some(block) = self.blocks.address(self.owner.header, DATA)? {
            self.blocks.load(block, own, &start)?;
            return Ok(block);
        }
        let pages = match self.pages() {
            None => exact(0u64),
            Some(pages) => exact(self.len) * self.form.size() + (exact(pages) * CHECKSUM),
        };
        let block = self.blocks.reserve((pages + own).get()?)?;
        match self.pages() {
            None => start.extend(self.form.empty(self.len)?),
            Some(pages) => start.resize(exact(pages.div_ceil(8)).index()? + start.len(), 0),
        }
        self.blocks.add(block, start);
        let address = block.to_le_bytes();
        self.blocks.put(self.owner.header, DATA, &address)?;
        Ok(block)
    }

    /// Returns the address of a page. Creates a missing page, which the bitmap in the data block marks.
    fn page(&mut self, data: u64, page: u64) -> Result<u64> {
        let len = exact(self.page) * self.form.size() + CHECKSUM;
        let address = (len * page + data + self.own_len()?).get()?;
        let elements = self.page.min(self.len - page * self.page);
        let at = PREFIX + page / 8;
        let &[marks] = self.blocks.part(data, at, 1)? else {
            return Err(Error::internal("a byte of a bitmap"));
        };
        let mark = 0x80 >> (page % 8);
        if marks & mark == 0 {
            self.blocks.add(address, self.form.empty(elements)?);
            self.blocks.put(data, at, &[marks | mark])?;
        } else {
            let len = exact(elements) * self.form.size() + CHECKSUM;
            self.blocks.load(address, len.get()?, &[])?;
        }
        Ok(address)
    }
}
