//! HDF5: the file format, without a word about netCDF.
//!
//! Specification: "HDF5 File Format Specification Version 4.0"; the sections named in the modules
//! are its sections. Everything is read through [`file::File`]: addresses are relative to the base
//! address, every structure has its size checked before it is read, checksums are verified.
//!
//! | module | structure |
//! |---|---|
//! | [`mod@file`], [`superblock`] | the file, and where everything in it begins |
//! | `driver` | whether the file is one of several |
//! | [`fields`], [`mod@checksum`] | the fields of structures, sizes of offsets and lengths; checksums |
//! | [`object_header`], [`message`] | objects, and the messages that describe them |
//! | [`datatype`], [`dataspace`] | types and shapes |
//! | [`group`], [`attributes`], [`dataset`] | what the messages of an object say together |
//! | [`symbol_table`], [`btree_v1`], [`local_heap`] | links of old groups |
//! | [`btree_v2`], [`fractal_heap`] | links and attributes of objects with many of them |
//! | [`global_heap`] | elements of any length |
//! | [`cache_image`] | metadata that is not in its place yet |
//! | [`shared_messages`] | messages that many headers share |
//! | [`chunk_index`] | where the chunks of a dataset are |
//! | [`external_data`] | data in other files |
//! | [`virtual_dataset`], [`selection`] | datasets assembled from others |

pub mod attributes;
mod blocks;
pub mod btree_v1;
pub mod btree_v2;
pub mod cache_image;
pub mod checksum;
pub mod chunk_index;
pub mod dataset;
pub mod dataspace;
pub mod datatype;
mod driver;
pub mod external_data;
pub mod fields;
pub mod file;
pub mod fractal_heap;
pub mod global_heap;
pub mod group;
pub mod local_heap;
pub mod message;
pub mod object_header;
mod recent;
pub mod selection;
pub mod shared_messages;
pub mod superblock;
pub mod symbol_table;
pub mod virtual_dataset;
pub mod write;

#[cfg(test)]
mod tests;

pub use fields::Fields;
pub use file::{Bytes, File};
pub use object_header::ObjectHeader;
