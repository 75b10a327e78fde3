//! Writing HDF5: a [`Plan`] says what objects a file has; [`FileWriter`] lays their metadata out as
//! one block at the front, takes the data behind it in the order in which it comes, and writes the
//! block when everything is known.
//!
//! The structures are those that netCDF-C writes with the library's 1.8 format: superblock 2,
//! object headers 2, links and attributes compact or dense, chunk index B-tree version 1.
//!
//! | module | what |
//! |---|---|
//! | [`plan`] | the objects of a file, before anything has an address |
//! | [`writer`] | the file: data as it comes, lengths and indexes patched at the end |
//! | `front` | the block of metadata; `path` names objects in its errors |
//! | `part` | bytes in which addresses and checksums are still missing |
//! | `header`, `messages` | object headers, and what stands in them |
//! | `dataset` | the messages of datasets, and where their data is |
//! | `dense`, `fractal_heap`, `btree_v2` | many or long links and attributes |
//! | `global_heap` | collections of objects of any length, among metadata and data |
//! | `chunk_tree` | the index of chunks, built as they come |
//! | `tail` | the end of the file: gathers small writes, joins copies |

mod btree_v2;
mod chunk_tree;
mod dataset;
mod dense;
mod fractal_heap;
mod front;
mod global_heap;
mod header;
mod messages;
mod part;
mod path;
pub mod plan;
mod tail;
pub mod writer;

pub use header::LONGEST;
pub use plan::{
    Attribute, Dataset, Group, Link, Object, ObjectId, Payload, Place, Plan, Shape, Type,
};
pub use writer::FileWriter;
