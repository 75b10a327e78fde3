//! Writing HDF5: a [`Plan`] says what objects a file has; [`FileWriter`] lays their metadata out as
//! one block at the front, takes the data behind it in the order in which it comes, and writes the
//! block when everything is known.
//!
//! The structures are those that netCDF-C writes with the library's 1.8 format: superblock 2,
//! object headers 2, links and attributes compact or dense, chunk index B-tree version 1.

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

pub use plan::{
    Attribute, Dataset, Group, Link, Object, ObjectId, Payload, Place, Plan, Shape, Type,
};
pub use writer::FileWriter;
