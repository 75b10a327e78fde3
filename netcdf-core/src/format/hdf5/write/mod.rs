//! Writing HDF5: a [`FilePlan`] lists the objects of a file; [`FileWriter`] lays out their metadata as
//! one block at the front, appends data in the order in which it arrives, and writes the
//! block when everything is known.
//!
//! The structures are those that netCDF-C writes with the library's 1.8 format: superblock version 2,
//! object headers version 2, compact or dense links and attributes, version 1 B-trees of chunks.
//!
//! | module | what |
//! |---|---|
//! | [`plan`] | the objects of a file, before anything has an address |
//! | [`writer`] | the file: data as it comes, lengths and indexes patched at the end |
//! | `front` | the block of metadata; `path` names objects in its errors |
//! | `part` | bytes without some of their addresses and checksums |
//! | `header`, `messages` | object headers, and their contents |
//! | `dataset` | the messages of datasets, and the places of their data |
//! | `dense`, `fractal_heap`, `btree_v2` | many or long links and attributes |
//! | `global_heap`, `metadata_heap` | collections of variable-length objects, among data and among metadata |
//! | `chunk_tree` | the index of chunks, built while they arrive |
//! | `space`, `extension` | the layout of metadata: pages, and the superblock extension |
//! | `tail` | the end of the file: gathers small writes, joins copies |

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

pub use header::LONGEST;
pub use plan::{
    FilePlan, HardLink, MadeDatasets, ObjectId, Payload, PlannedAttribute, PlannedData,
    PlannedDataset, PlannedGroup, PlannedObject, PlannedShape, PlannedType,
};
pub use writer::{FileWriter, SourceRange};

/// The error for a plan or data that does not fit together.
fn argument(what: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    Error::new(ErrorKind::Argument, what)
}
