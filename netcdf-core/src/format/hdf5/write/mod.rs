//! Writes HDF5. A [`FilePlan`] lists the objects of a file. [`FileWriter`] lays out their metadata as one leading block, appends data in
//! arrival order, and finally writes the block.
//!
//! Files have the same structures as netCDF-C files in the library's 1.8 format: superblock version 2, object headers version 2, compact or
//! dense links and attributes, version 1 B-trees of chunks.
//!
//! | module | contents |
//! |---|---|
//! | `plan` | the objects of a file, before addresses are assigned |
//! | `writer` | the file: data in arrival order, lengths and indexes patched at the end |
//! | `front` | the metadata block; `path` names objects in error messages |
//! | `part` | metadata bytes with unresolved addresses and checksums |
//! | `header`, `messages` | object headers, and their contents |
//! | `dataset` | dataset messages and data locations |
//! | `dense`, `fractal_heap`, `btree_v2` | many or long links and attributes |
//! | `global_heap`, `metadata_heap` | collections of variable-length objects, among data and among metadata |
//! | `chunk_tree` | the index of chunks, built while chunks arrive |
//! | `space`, `extension` | the layout of metadata: pages, and the superblock extension |
//! | `tail` | the end of the file: small writes are buffered, adjacent copies are joined |
//!
//! Each object header is one block. More than eight links or attributes, or more than 64 KiB, go into a fractal heap with two B-trees. The
//! metadata is encoded once, with holes for addresses, which are filled when the whole block is laid out. A chunk index (version 1 B-tree) has
//! one open node per level, and each node lies before its chunks, so a reader of all data never seeks back. A copy for remote readers declares the
//! number of chunks before the first data (`expect_chunks`); then all nodes lie between the metadata block and the data. The block ends with a
//! superblock extension, whose address tells readers the extent of the headers. In a paged file (`space`), each structure lies within a page or
//! begins with a page. Lengths, addresses and checksums are patched at the end, and the superblock is written last. The file contains no times and no
//! free-space records: the same plan and data give the same bytes. libhdf5 can add to such a file.

mod btree_v2;
mod chunk_tree;
mod dataset;
mod dense;
mod extension;
mod fractal_heap;
mod front;
mod global_heap;
mod header;
mod messages;
mod metadata_heap;
mod part;
mod path;
pub(crate) mod plan;
mod space;
mod tail;
pub(crate) mod writer;

use crate::error::{Error, ErrorKind};

pub(in crate::format::hdf5) use global_heap::HeapWriter;
pub use header::LONGEST;
pub(in crate::format::hdf5) use part::MetadataPart;
pub use plan::{
    FilePlan, HardLink, MadeDatasets, ObjectId, Payload, PlannedAttribute, PlannedData,
    PlannedDataset, PlannedGroup, PlannedObject, PlannedShape, PlannedType,
};
pub use writer::{FileWriter, SourceRange};

/// The error for contradictory plans or data.
fn argument(what: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    Error::new(ErrorKind::Argument, what)
}
