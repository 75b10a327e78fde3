//! The storage layout of a variable: chunks, element form and filters.

use std::ops::Range;

use super::quantize::Quantizer;
use super::scatter::{Block, place};
use crate::error::{Error, ErrorKind, Result};
use crate::filter::{ChunkContext, VariableFacts};
use crate::model::region::{check_lengths, product};
use crate::model::{FilterSpec, Region, StoredElement, VarId};

/// The storage layout of a variable. Contiguous data is one chunk, and each record is a chunk.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    /// The stored length per dimension, in elements. Elements outside are fill.
    pub extent: Vec<u64>,
    /// The chunk shape in elements.
    pub chunk: Vec<u64>,
    /// The stored form of an element.
    pub element: StoredElement,
    /// The filters in the order of writing. Without filters, parts of a chunk can be read alone.
    pub filters: Vec<FilterSpec>,
    /// The stored form of an unwritten element; `None` for the variable's netCDF fill value.
    pub fill: Option<Vec<u8>>,
    /// The quantization before the filters.
    pub quantize: Option<Quantizer>,
}

impl Layout {
    /// Checks that elements and chunks can be counted.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`] for 2^63 elements or more along a dimension, and for 2^64 chunks.
    pub fn check(&self) -> Result<()> {
        check_lengths(&self.extent)?;
        check_lengths(&self.chunk)?;
        match product(&self.grid()) {
            Some(_) => Ok(()),
            None => Err(Error::new(ErrorKind::Limit, "2^64 chunks or more")),
        }
    }

    /// Returns the number of chunks per dimension.
    #[must_use]
    pub fn grid(&self) -> Vec<u64> {
        let cells = |(&n, &c): (&u64, &u64)| n.div_ceil(c.max(1));
        self.extent.iter().zip(&self.chunk).map(cells).collect()
    }

    /// Returns the position of a chunk in the grid, from its row-major number.
    #[must_use]
    pub fn place(&self, index: u64) -> Vec<u64> {
        place(index, &self.grid())
    }

    /// Returns the elements of a chunk.
    #[must_use]
    pub fn block(&self, index: u64) -> Block {
        let mut start = vec![0; self.chunk.len().min(self.extent.len())];
        let mut rest = index;
        let dims = start.iter_mut().zip(self.extent.iter().zip(&self.chunk));
        for (start, (&extent, &len)) in dims.rev() {
            let cells = extent.div_ceil(len.max(1)).max(1);
            *start = rest % cells * len;
            rest /= cells;
        }
        Block {
            start,
            count: self.chunk.clone(),
        }
    }

    /// Returns the elements of a chunk within the extent.
    #[must_use]
    pub fn chunk_region(&self, index: u64) -> Region {
        let Block { start, count } = self.block(index);
        let lens = start.iter().zip(&self.extent).zip(&count);
        let count = lens.map(|((start, extent), count)| (extent - start).min(*count));
        Region::boxed(start.clone(), count.collect())
    }

    /// Returns the grid box of chunks that intersect a region without gaps, within the extent.
    #[must_use]
    pub fn touched(&self, part: &Region) -> Block {
        let (mut start, mut count) = (vec![], vec![]);
        let dims = part.start.iter().zip(&part.count).zip(&self.chunk);
        for (((&from, &n), &len), cells) in dims.zip(self.grid()) {
            let first = (from / len.max(1)).min(cells);
            let end = match n {
                0 => first,
                _ => (from + n).div_ceil(len.max(1)).min(cells),
            };
            start.push(first);
            count.push(end - first);
        }
        Block { start, count }
    }

    /// Returns the description of a chunk for filters.
    #[must_use]
    pub fn context(&self, about: VariableFacts) -> ChunkContext {
        ChunkContext {
            shape: self.chunk.clone(),
            element: self.element,
            fill: self.fill.clone(),
            len: self.chunk_bytes(),
            about,
        }
    }

    /// Returns the size of a whole chunk without filters, in bytes; `None` if too large for this machine's memory.
    #[must_use]
    pub fn chunk_bytes(&self) -> Option<usize> {
        let elements = product(&self.chunk)?;
        usize::try_from(elements.checked_mul(self.element.size)?).ok()
    }

    /// Returns the size of a chunk up to the end of its last element inside the extent, in bytes; `None` if too large for this machine's
    /// memory.
    #[must_use]
    pub fn needed_bytes(&self, index: u64) -> Option<usize> {
        let block = self.block(index);
        let starts = block.start.iter().zip(&self.extent);
        let mut last = 0_u64;
        for ((&start, &end), &len) in starts.zip(&self.chunk) {
            let Some(inside) = end.saturating_sub(start).min(len).checked_sub(1) else {
                return Some(0);
            };
            last = last.checked_mul(len)?.checked_add(inside)?;
        }
        let elements = last.checked_add(1)?;
        usize::try_from(elements.checked_mul(self.element.size)?).ok()
    }
}

/// The location of the stored bytes of a chunk, or of a part of an unfiltered chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkRef {
    /// The variable.
    pub variable: VarId,
    /// The row-major number of the chunk in the grid.
    pub index: u64,
    /// The source or key of the bytes.
    pub holder: ChunkHolder,
    /// The byte range in the source or key.
    pub range: Range<u64>,
    /// Bit `n` is set if filter `n` was not applied.
    pub mask: u32,
}

/// The source or key of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChunkHolder {
    /// A numbered source of the dataset; 0 is its own file.
    Source(u32),
    /// A store key, identified by the variable and the number of the chunk.
    Key,
    /// The temporary file of a dataset that is edited.
    Temporary,
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::model::{Atomic, Endianness};

    /// Returns a layout of bytes in chunks, without filters.
    pub(crate) fn layout(extent: &[u64], chunk: &[u64]) -> Layout {
        Layout {
            extent: extent.to_vec(),
            chunk: chunk.to_vec(),
            element: StoredElement {
                ty: Atomic::Byte.into(),
                size: 1,
                order: Endianness::Little,
                plain: true,
            },
            filters: vec![],
            fill: None,
            quantize: None,
        }
    }
    #[test]
    fn bytes_to_the_last_element_inside() {
        let needed = |extent: &[u64], chunk: &[u64], n| layout(extent, chunk).needed_bytes(n);
        assert_eq!(needed(&[15], &[10], 0), Some(10));
        assert_eq!(needed(&[15], &[10], 1), Some(5));
        assert_eq!(needed(&[5, 7], &[3, 4], 0), Some(12));
        assert_eq!(needed(&[5, 7], &[3, 4], 1), Some(11));
        assert_eq!(needed(&[5, 7], &[3, 4], 2), Some(8));
        assert_eq!(needed(&[5, 7], &[3, 4], 3), Some(7));
        assert_eq!(needed(&[], &[], 0), Some(1));
    }
}
