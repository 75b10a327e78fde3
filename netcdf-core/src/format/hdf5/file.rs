//! An HDF5 file: its bytes, and structures shared by many objects.

use std::ops::{Deref, DerefMut};
use std::sync::OnceLock;

use super::file_bytes::{FileBytes, StructureBytes};
use super::global_heap::{CollectionObject, GlobalHeap};
use super::message::reference::SharedTypes;
use super::shared_messages::SharedMessages;
use crate::error::{Error, ErrorKind, Result};
use crate::format::recent::once;
use crate::io::patched::PatchedFile;

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

    /// Forgets the bytes in memory, after the source changed.
    pub(crate) fn forget(&self) {
        self.bytes.forget();
        self.heap.forget(self.source().len());
    }

    /// Takes over the changes of the file since its last commit.
    pub(crate) fn take_over(&self, changed: &PatchedFile) {
        self.bytes.take_over(changed);
        self.heap.forget(self.source().len());
    }

    /// Returns an object of the global heap; see `GlobalHeap::object`.
    ///
    /// # Errors
    /// Returns errors from `GlobalHeap::object`.
    pub fn heap_object(&self, address: u64, index: u32) -> Result<Option<CollectionObject>> {
        self.heap.object(self, address, index)
    }

    /// Records the collection of a global heap object as metadata.
    pub fn note_object(&self, object: &CollectionObject) {
        if let Some((address, len)) = object.collection() {
            self.note(address, len);
        }
    }

    /// Returns a message of the shared message heap.
    ///
    /// # Errors
    /// Returns errors from reading the shared message table and the heap, and [`ErrorKind::Corrupt`] without a table.
    pub fn shared_message(&self, kind: u16, id: &[u8; 8]) -> Result<StructureBytes> {
        let Some(shared) = once(&self.shared, || SharedMessages::of(self))? else {
            let what = "a shared message in a file without a table of shared messages";
            return Err(Error::new(ErrorKind::Corrupt, what).of(self.name()));
        };
        shared.message(self, kind, id)
    }
}
