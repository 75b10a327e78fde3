//! An HDF5 file: its bytes, and parts that many objects share.

use std::ops::{Deref, DerefMut};
use std::sync::OnceLock;

use super::file_bytes::{FileBytes, StructureBytes};
use super::global_heap::{CollectionObject, GlobalHeap};
use super::message::reference::SharedTypes;
use super::shared_messages::SharedMessages;
use crate::error::{Error, ErrorKind, Result};
use crate::format::recent::once;

/// An open HDF5 file.
#[derive(Debug)]
pub struct Hdf5File {
    bytes: FileBytes,
    shared: OnceLock<Option<SharedMessages>>,
    pub(super) types: SharedTypes,
    heap: GlobalHeap,
}

impl Deref for Hdf5File {
    type Target = FileBytes;

    fn deref(&self) -> &FileBytes {
        &self.bytes
    }
}

impl DerefMut for Hdf5File {
    fn deref_mut(&mut self) -> &mut FileBytes {
        &mut self.bytes
    }
}

impl Hdf5File {
    pub(super) fn new(bytes: FileBytes) -> Self {
        Self {
            shared: OnceLock::new(),
            types: SharedTypes::default(),
            heap: GlobalHeap::new(bytes.source().len()),
            bytes,
        }
    }

    /// An object of the global heap; see [`GlobalHeap::object`].
    ///
    /// # Errors
    /// As [`GlobalHeap::object`].
    pub fn heap_object(&self, address: u64, index: u32) -> Result<Option<CollectionObject>> {
        self.heap.object(self, address, index)
    }

    /// Notes that an object of the global heap, with those beside it, is metadata.
    pub fn note_object(&self, object: &CollectionObject) {
        if let Some((address, len)) = object.collection() {
            self.note(address, len);
        }
    }

    /// A message of the heap of shared messages.
    ///
    /// # Errors
    /// Those of reading the table of shared messages and the heap; [`ErrorKind::Corrupt`] if there
    /// is no table.
    pub fn shared_message(&self, kind: u16, id: &[u8; 8]) -> Result<StructureBytes> {
        let Some(shared) = once(&self.shared, || SharedMessages::of(self))? else {
            let what = "a shared message in a file without a table of shared messages";
            return Err(Error::new(ErrorKind::Corrupt, what).of(self.name()));
        };
        shared.message(self, kind, id)
    }
}
