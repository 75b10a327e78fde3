//! HDF5: the file format, without a word about netCDF.
//!
//! Specification: "HDF5 File Format Specification Version 4.0"; the sections named in the modules
//! are its sections. Everything is read through [`file::File`]: addresses are relative to the base
//! address, every structure has its size checked before it is read, checksums are verified.
//!
//! | module | structure |
//! |---|---|
//! | [`file`], [`superblock`] | the file, its cache of metadata, sizes of offsets and lengths |
//! | [`object_header`], [`message`] | objects, and the messages that describe them |
//! | [`datatype`], [`dataspace`] | types and shapes |

pub mod dataspace;
pub mod datatype;
pub mod file;
pub mod message;
pub mod object_header;
pub mod superblock;

pub use file::{Bytes, Fields, File};
pub use object_header::ObjectHeader;
