//! Global heap collections for metadata.

use super::global_heap::{HeapLocation, HeapWriter};
use super::part::{Hole, MetadataPart};
use super::plan::Payload;
use super::space::PagedSpace;
use crate::error::Result;

/// The global heap collections that metadata refers to.
#[derive(Default)]
pub(super) struct MetadataHeap {
    open: HeapWriter,
    part: MetadataPart,
    /// Bytes of all collections, including the open collection.
    size: u64,
    pages: Option<PagedSpace>,
}

impl MetadataHeap {
    /// An empty heap for a file with these pages.
    pub(super) fn in_pages(pages: Option<PagedSpace>) -> Self {
        Self {
            pages,
            ..Self::default()
        }
    }

    /// Stores the heap data of a payload. Returns the payload with holes for the addresses.
    ///
    /// # Errors
    /// Returns [`crate::ErrorKind::Argument`] for offsets beyond the bytes.
    pub(super) fn resolve(&mut self, payload: &Payload) -> Result<MetadataPart> {
        let mut part = MetadataPart::of(&payload.bytes);
        for &(at, object) in &payload.references {
            part.sink.patch(at, &[0; 8])?;
            part.hole(at, Hole::Object(object));
        }
        for (at, count, object) in &payload.heap {
            let object = self.resolve(object)?;
            let place = self.put(&object)?;
            part.sink.patch(*at, &count.to_le_bytes())?;
            part.sink.patch(at + 4, &[0; 8])?;
            part.hole(at + 4, Hole::Heap(place.collection));
            part.sink.patch(at + 12, &place.index.to_le_bytes())?;
        }
        Ok(part)
    }

    fn put(&mut self, object: &MetadataPart) -> Result<HeapLocation> {
        let Self {
            open,
            part,
            size,
            pages,
        } = self;
        let mut allocate = |bytes: u64| {
            let padding = pages.map_or(0, |pages| pages.padding(*size, bytes));
            let at = *size + padding;
            *size = at + bytes;
            Ok(at)
        };
        open.put(object, &mut allocate, &mut |(at, full)| {
            part.overlay(at, &full)
        })
    }

    /// Returns the collections as consecutive bytes.
    ///
    /// # Errors
    /// Returns [`crate::ErrorKind::Limit`] beyond the address space.
    pub(super) fn finish(mut self) -> Result<MetadataPart> {
        if let Some((at, full)) = self.open.finish()? {
            self.part.overlay(at, &full)?;
        }
        Ok(self.part)
    }
}
