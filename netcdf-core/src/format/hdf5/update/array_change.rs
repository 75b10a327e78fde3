//! New and moved chunks in the chunk index of a dataset.

use super::array_blocks::ArrayBlocks;
use super::array_element::ArrayElementForm;
use super::changes::{DatasetChange, NewChunk};
use super::extensible_array::ExtensibleArrayChange;
use super::fixed_array::FixedArrayChange;
use super::header::HeaderChange;
use crate::arithmetic::exact;
use crate::error::{ErrorKind, OrInternal as _, Result};
use crate::format::hdf5::chunk_index::{ArrayOrder, DatasetExtent};
use crate::format::hdf5::dataset::Hdf5Dataset;
use crate::format::hdf5::message::layout::{ChunkIndexKind, ChunkedLayout};
use crate::model::region::product;

/// A dataset whose chunks are in an array, or whose layout message has the only chunk.
pub(super) struct ArrayChange<'a> {
    pub(super) header: HeaderChange<'a>,
    pub(super) dataset: &'a Hdf5Dataset,
    pub(super) chunked: &'a ChunkedLayout,
    pub(super) change: DatasetChange<'a>,
}

impl<'a> ArrayChange<'a> {
    fn base(&self) -> u64 {
        self.header.hdf5.superblock().base
    }

    fn blocks(&self) -> ArrayBlocks<'a> {
        ArrayBlocks::new(self.header.file, self.base())
    }

    fn order(&self) -> Result<ArrayOrder> {
        let space = &self.dataset.dataspace;
        let extent = DatasetExtent {
            dims: self.change.dims.unwrap_or(&space.dims),
            max: &space.max,
        };
        ArrayOrder::new(self.header.hdf5, self.chunked, &extent)
    }

    /// Returns the form of elements of a new array.
    fn new_form(&self) -> Result<ArrayElementForm> {
        let elements = product(&self.chunked.dims).or_internal("the elements of a chunk")?;
        let bytes = exact(elements) * self.chunked.element_size;
        let filtered = !self.dataset.filters.is_empty();
        let version = self.header.layout_version()?;
        Ok(ArrayElementForm::of_new(filtered, version, bytes.get()?))
    }

    /// Returns the layout with another index.
    fn with(&self, index: ChunkIndexKind, address: u64) -> ChunkedLayout {
        ChunkedLayout {
            index,
            address: Some(address),
            ..self.chunked.clone()
        }
    }

    /// Writes the chunks to an extensible array, and returns the layout.
    pub(super) fn extensible(&self) -> Result<ChunkedLayout> {
        let order = self.order()?;
        let mut array = match self.chunked.address {
            Some(header) => ExtensibleArrayChange::open(self.blocks(), header)?,
            None => {
                let settings = self.header.extensible_settings()?;
                ExtensibleArrayChange::create(self.blocks(), settings, self.new_form()?)?
            }
        };
        for (position, chunk) in self.change.chunks {
            array.put(order.number(position), *chunk)?;
        }
        array.write()?;
        if self.chunked.address.is_none() {
            self.header.set_index(array.header())?;
        }
        Ok(self.with(self.chunked.index, array.header()))
    }

    /// Writes the chunks to a fixed array, and returns the layout.
    pub(super) fn fixed(&self) -> Result<ChunkedLayout> {
        let order = self.order()?;
        let mut array = match self.chunked.address {
            Some(header) => FixedArrayChange::open(self.blocks(), header)?,
            None => {
                let len = order.len.or_internal("the length of a fixed array")?;
                let page_bits = self.header.page_bits()?;
                FixedArrayChange::create(self.blocks(), (len, page_bits), self.new_form()?)?
            }
        };
        for (position, chunk) in self.change.chunks {
            array.put(order.number(position), *chunk)?;
        }
        array.write()?;
        if self.chunked.address.is_none() {
            self.header.set_index(array.header())?;
        }
        Ok(self.with(self.chunked.index, array.header()))
    }

    /// Writes the only chunk to the layout message, and returns the layout.
    pub(super) fn single(&self) -> Result<ChunkedLayout> {
        let Some((position, chunk)) = self.change.chunks.last_key_value() else {
            return Ok(self.chunked.clone());
        };
        if position.iter().any(|at| *at != 0) {
            let what = "a second chunk of a dataset with one chunk";
            let hdf5 = self.header.hdf5;
            return Err(hdf5.error(ErrorKind::Limit, self.dataset.address, what));
        }
        let NewChunk { place, size, mask } = *chunk;
        let address = (exact(place) - self.base()).get()?;
        let stored = self.header.set_only_chunk(address, (size, mask))?;
        let filtered = stored.then_some((size, mask));
        Ok(self.with(ChunkIndexKind::Single(filtered), address))
    }
}
