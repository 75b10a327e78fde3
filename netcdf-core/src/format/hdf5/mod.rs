//! HDF5: the file format itself, independent of netCDF.
//!
//! Specification: "HDF5 File Format Specification Version 4.0"; modules cite its section names. All reads go through [`FileBytes`]:
//! addresses are relative to the base address, sizes are checked before structures are read, and checksums are verified.
//!
//! | module | structure |
//! |---|---|
//! | `file_bytes`, `superblock` | checked reads of metadata, and the entry point to the structures of a file |
//! | `one_state_source` | metadata reads that notice a change of the file |
//! | `file`, `open` | an open file with its shared structures, and its opener |
//! | `driver` | detection of split files |
//! | `extents` | recorded byte ranges |
//! | `fields`, `checksum` | structure fields, address and length sizes, checksums |
//! | `object_header`, [`message`] | objects, and the messages that describe them |
//! | [`datatype`], [`dataspace`] | types and shapes |
//! | [`group`], [`attributes`], [`dataset`] | objects, assembled from their messages |
//! | `symbol_table`, [`btree_v1`], [`local_heap`] | links of old groups |
//! | [`btree_v2`], [`fractal_heap`] | dense links and attributes |
//! | `global_heap` | variable-length elements |
//! | `cache_image`, `cached_metadata` | metadata in a block of the metadata cache |
//! | `shared_messages` | messages shared by many headers |
//! | [`chunk_index`] | chunk locations of a dataset |
//! | [`external_data`] | data in external files |
//! | [`virtual_dataset`], [`selection`] | datasets mapped from other datasets |

pub mod attributes;
mod blocks;
pub mod btree_v1;
pub mod btree_v2;
pub(crate) mod cache_image;
mod cached_metadata;
pub(crate) mod checksum;
pub mod chunk_index;
pub mod dataset;
pub mod dataspace;
pub mod datatype;
mod driver;
mod extents;
pub mod external_data;
pub(crate) mod fields;
pub(crate) mod file;
pub(crate) mod file_bytes;
pub mod fractal_heap;
pub(crate) mod global_heap;
pub mod group;
pub mod local_heap;
pub mod message;
pub(crate) mod object_header;
mod one_state_source;
mod open;
mod pages;
pub mod selection;
pub(crate) mod shared_messages;
pub(crate) mod superblock;
pub(crate) mod symbol_table;
pub(crate) mod update;
pub mod virtual_dataset;
pub mod write;

#[cfg(test)]
mod tests;

pub use fields::Fields;
pub use file::Hdf5File;
pub use file_bytes::{FileBytes, StructureBytes};
pub use object_header::ObjectHeader;
pub(crate) use one_state_source::OneStateSource;
