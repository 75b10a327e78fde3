//! The output buffer of a region read.

use std::sync::Arc;

use crate::arithmetic::{exact, indices};
use crate::chunk::plan::PlanCell;
use crate::chunk::scatter::{Block, ElementRun, put, runs, spread};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::room;
use crate::model::Region;
use crate::runtime::buffers::Buffers;

/// The elements of a region, in stored form. The content is arbitrary before the first write.
pub(super) struct Canvas {
    /// The region's shape, as a region that starts at 0.
    shape: Region,
    /// The size of an element and of the region, in bytes.
    size: u64,
    len: usize,
    /// The elements; empty before the first write.
    bytes: Vec<u8>,
    /// The source of memory.
    buffers: Arc<Buffers>,
}

impl Canvas {
    /// Creates a canvas of `len` bytes for a region of this shape, with elements of `size` bytes.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`] without enough memory.
    pub(super) fn new(
        shape: &[u64],
        (size, len): (u64, usize),
        buffers: &Arc<Buffers>,
    ) -> Result<Self> {
        room(len, "a region")?;
        Ok(Self {
            shape: Region::whole(shape),
            size,
            len,
            bytes: vec![],
            buffers: Arc::clone(buffers),
        })
    }

    /// Writes elements of a chunk; `None` if the chunk has too few elements.
    pub(super) fn put(&mut self, run: ElementRun, from: &[u8]) -> Result<Option<()>> {
        Ok(put(run, self.size, from, self.all()?))
    }

    /// Takes over the elements of the whole region, if `whole` has the right size and no element was written
    /// before.
    pub(super) fn take(&mut self, mut whole: Vec<u8>) -> std::result::Result<(), Vec<u8>> {
        if !self.bytes.is_empty() || whole.len() < self.len {
            return Err(whole);
        }
        whole.truncate(self.len);
        self.bytes = whole;
        Ok(())
    }

    /// Writes the elements in `part` for a box of the region.
    pub(super) fn put_part(&mut self, place: &Block, part: &[u8], region: &Region) -> Result<()> {
        let size = self.size;
        let all = self.all()?;
        runs(place, region, |run| {
            let short = || {
                Error::new(
                    ErrorKind::Corrupt,
                    "a chunk with fewer bytes than its shape needs",
                )
            };
            put(run, size, part, all).ok_or_else(short)
        })
    }

    /// Writes `fill` to cells without chunks, and `beyond` to all elements outside the `stored` lengths per
    /// dimension.
    pub(super) fn fill(
        &mut self,
        (fill, beyond): (&[u8], &[u8]),
        missing: impl Iterator<Item = PlanCell>,
        stored: &[u64],
    ) -> Result<()> {
        for cell in missing {
            self.fill_cell(fill, &cell)?;
        }
        let mut outside = Block::of(&self.shape);
        for (dim, &stored) in stored.iter().enumerate() {
            let (start, count) = (outside.start.get_mut(dim), outside.count.get_mut(dim));
            let (Some(start), Some(count)) = (start, count) else {
                continue;
            };
            let all = *count;
            if stored < all {
                (*start, *count) = (stored, all - stored);
                self.fill_box(beyond, &outside)?;
            }
            // Along the following dimensions, look only within the stored part.
            if let (Some(start), Some(count)) =
                (outside.start.get_mut(dim), outside.count.get_mut(dim))
            {
                (*start, *count) = (0, stored.min(all));
            }
        }
        Ok(())
    }

    /// Fills a cell with `fill`.
    pub(super) fn fill_cell(&mut self, fill: &[u8], cell: &PlanCell) -> Result<()> {
        self.fill_box(fill, &cell.place)
    }

    fn fill_box(&mut self, fill: &[u8], part: &Block) -> Result<()> {
        let size = self.size;
        let shape = self.shape.clone();
        let all = self.all()?;
        runs(part, &shape, |run| {
            let place = indices(exact(run.to) * size, exact(run.len) * size)?;
            let place = all
                .get_mut(place)
                .ok_or_else(|| Error::internal("fill outside of a region"))?;
            spread(fill, place);
            Ok(())
        })
    }

    /// Returns all bytes.
    pub(super) fn all(&mut self) -> Result<&mut [u8]> {
        if self.bytes.is_empty() {
            self.bytes = self.buffers.filled(self.len, 0)?;
        }
        Ok(&mut self.bytes)
    }

    /// Returns the elements.
    pub(super) fn into_bytes(mut self) -> Result<Vec<u8>> {
        self.all()?;
        Ok(self.bytes)
    }
}
