//! New collections of the global heap, at the end of the file ("III.E. Disk Format: Level 1E").
//!
//! Old collections never change. The open collection is in memory until [`NewHeap::finish`].

use std::sync::Arc;

use crate::arithmetic::exact;
use crate::bytes::ByteSink;
use crate::error::Result;
use crate::format::hdf5::write::{HeapWriter, MetadataPart};
use crate::io::Source as _;
use crate::io::patched::PatchedFile;

/// The new collections of a file.
#[derive(Debug)]
pub(crate) struct NewHeap {
    file: Arc<PatchedFile>,
    /// The source offset of address 0.
    base: u64,
    writer: HeapWriter,
}

impl NewHeap {
    pub(crate) fn new(file: Arc<PatchedFile>, base: u64) -> Self {
        Self {
            file,
            base,
            writer: HeapWriter::default(),
        }
    }

    /// Stores objects. Returns 16-byte references: the number of elements given by the caller, the collection address, and the object index.
    ///
    /// # Errors
    /// Returns I/O errors.
    pub(crate) fn put(&mut self, objects: &[(u32, &[u8])]) -> Result<Vec<u8>> {
        let (file, base) = (&self.file, self.base);
        let mut references = ByteSink::default();
        for (count, bytes) in objects {
            let mut allocate = |size: u64| {
                let place = file.len();
                file.extend((exact(place) + size).get()?)?;
                (exact(place) - base).get()
            };
            let mut done = |full| write(file, base, full);
            let object = MetadataPart::of(bytes);
            let place = self.writer.put(&object, &mut allocate, &mut done)?;
            references.u32(*count);
            references.u64(place.collection);
            references.u32(place.index);
        }
        Ok(references.bytes)
    }

    /// Writes the open collection. The next object begins another one.
    ///
    /// # Errors
    /// Returns I/O errors.
    pub(crate) fn finish(&mut self) -> Result<()> {
        let last = self.writer.finish()?;
        self.writer = HeapWriter::default();
        last.map_or(Ok(()), |full| write(&self.file, self.base, full))
    }

    /// Forgets the open collection.
    pub(crate) fn abandon(&mut self) {
        self.writer = HeapWriter::default();
    }
}

fn write(file: &PatchedFile, base: u64, (address, part): (u64, MetadataPart)) -> Result<()> {
    file.write((exact(base) + address).get()?, &part.finish()?)
}
