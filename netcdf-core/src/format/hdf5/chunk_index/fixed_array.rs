//! An array with one element per chunk of the maximum extent ("VII.C. The Fixed Array Index").

use super::array_walk::{ArrayOfChunks, walk};
use super::element::{EntryForm, IndexElement};
use super::grid::{IndexGrid, dot};
use super::pages::{BlockOwner, IndexPages, beside, bit, read_verified};
use super::query::{ChunkQuery, VisitChunk};
use crate::chunk::visit::Visited;
use crate::error::{ErrorKind, Result};
use crate::format::hdf5::file::Hdf5File;
use crate::format::hdf5::file_bytes::StructureBytes;

/// An open fixed array.
#[derive(Debug)]
pub(super) struct FixedArray {
    form: EntryForm,
    /// Number of elements.
    len: u64,
    /// The data block; `None` before the first chunk.
    block: Option<DataBlock>,
    steps: Vec<u64>,
}

/// The data block.
#[derive(Debug)]
struct DataBlock {
    /// The block without its pages.
    head: StructureBytes,
    /// Block offset of the elements or the page bitmap.
    start: usize,
    paged: Option<Paged>,
}

/// The location of elements stored in pages.
#[derive(Debug)]
struct Paged {
    /// Number of elements per page.
    elements: u64,
    /// Address of the first page.
    first: u64,
    pages: IndexPages,
}

/// The contents of the header.
struct FixedHeader {
    owner: BlockOwner,
    form: EntryForm,
    page_bits: u8,
    len: u64,
    data: Option<u64>,
}

impl FixedArray {
    /// Reads the header and the data block.
    pub(super) fn open(file: &Hdf5File, address: u64, grid: &IndexGrid) -> Result<Self> {
        let header = header(file, address, grid)?;
        let steps = grid.array_steps(0);
        let last = grid.all().last().map(|at| dot(&at, &steps));
        if last.is_some_and(|last| last >= header.len) {
            let what = format!(
                "a fixed array of {} elements is too short for the chunks",
                header.len
            );
            return Err(file.error(ErrorKind::Corrupt, address, what));
        }
        let block = header.data.map(|at| data_block(file, at, &header));
        Ok(Self {
            form: header.form,
            len: header.len,
            block: block.transpose()?,
            steps,
        })
    }

    pub(super) fn locate(&self, query: ChunkQuery, visit: &mut VisitChunk) -> Visited {
        let Some(block) = &self.block else {
            return Ok(());
        };
        let order: Vec<usize> = (0..self.steps.len()).collect();
        let of = |number: u64| self.slot(query.file, block, number);
        let array = ArrayOfChunks {
            steps: &self.steps,
            len: self.len,
            order: &order,
        };
        walk(query.wanted, &array, of, &mut |at, chunk| {
            query.found(&at, chunk, visit)
        })
    }

    fn slot(&self, file: &Hdf5File, block: &DataBlock, number: u64) -> Result<IndexElement> {
        if number >= self.len {
            return Ok(IndexElement::EmptyUntil(u64::MAX));
        }
        let Some(paged) = &block.paged else {
            let mut c = file.fields(&block.head);
            c.skip(block.start)?;
            return self.form.slot(&mut c, number);
        };
        let page = number / paged.elements;
        let map = block.head.data.get(block.start..).unwrap_or_default();
        if !bit(map, page) {
            let end = page.saturating_add(1).saturating_mul(paged.elements);
            return Ok(IndexElement::EmptyUntil(end));
        }
        let size = |n: u64| n.checked_mul(self.form.size)?.checked_add(4);
        let distance = size(paged.elements).and_then(|s| s.checked_mul(page));
        let at = beside(file, paged.first, distance)?;
        let elements = paged.elements.min(self.len - page * paged.elements);
        let len = size(elements).unwrap_or(u64::MAX);
        let bytes = paged.pages.get(file, at, len, "a page of a fixed array")?;
        self.form
            .slot(&mut file.fields(&bytes), number % paged.elements)
    }
}

fn header(file: &Hdf5File, address: u64, grid: &IndexGrid) -> Result<FixedHeader> {
    let sizes = file.sizes();
    let len = 12 + u64::from(sizes.length) + u64::from(sizes.offset);
    let bytes = read_verified(file, address, len, "the header of a fixed array")?;
    let mut c = file.fields(&bytes);
    c.signature(b"FAHD")?;
    c.version(0..=0, "a fixed array")?;
    let (client, size) = (c.u8()?, c.u8()?);
    Ok(FixedHeader {
        owner: BlockOwner {
            header: address,
            client,
        },
        form: EntryForm::of_client(&c, client, size, grid)?,
        page_bits: c.u8()?,
        len: c.length()?,
        data: c.address()?,
    })
}

fn data_block(file: &Hdf5File, address: u64, header: &FixedHeader) -> Result<DataBlock> {
    let start = 6 + u64::from(file.sizes().offset);
    let page = 1u64.checked_shl(header.page_bits.into());
    let elements = page.filter(|&page| header.len > page);
    let body = match elements {
        Some(page) => Some(header.len.div_ceil(page).div_ceil(8)),
        None => header.len.checked_mul(header.form.size),
    };
    let Some(len) = body.and_then(|b| b.checked_add(start + 4)) else {
        let what = format!("a fixed array of {} elements", header.len);
        return Err(file.error(ErrorKind::Corrupt, address, what));
    };
    let head = read_verified(file, address, len, "the data block of a fixed array")?;
    header.owner.verify(&mut file.fields(&head), *b"FADB")?;
    let first = beside(file, address, Some(len))?;
    Ok(DataBlock {
        head,
        start: usize::try_from(start).unwrap_or(usize::MAX),
        paged: elements.map(|elements| Paged {
            elements,
            first,
            pages: IndexPages::default(),
        }),
    })
}
