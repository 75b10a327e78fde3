//! Writing Zarr: the schema as metadata, and chunks under keys.
//!
//! | module | what |
//! |---|---|
//! | [`check`] | what cannot be held |
//! | [`numbers`] | numbers as JSON |
//! | [`attributes`] | attributes as JSON, and how their types are recorded |
//! | [`dtype`] | names of types |
//! | [`keys`] | the keys of groups, arrays and chunks |
//! | [`user`] | user-defined types that Zarr has |
//! | [`strings`] | strings as elements of a fixed size |
//! | [`storage`] | chunks and filters of variables |
//! | [`fill`] | what readers are told of elements that are not stored |
//! | [`shards`] | chunks that stand together |
//! | `filters` | filters as other readers can undo them |
//! | [`codecs`] | filters as codecs |
//! | [`metadata`] | what the metadata of all versions has in common |
//! | [`v2`] | the metadata of version 2 |
//! | [`v3`] | that of version 3 |
//! | [`writer`] | the store in the making |
//!
//! Each key is put once: chunks as they come, then the metadata of arrays and groups, that of the root last. What was
//! interrupted has no root.

pub mod attributes;
pub mod check;
pub mod codecs;
pub mod dtype;
pub mod fill;
mod filters;
pub mod keys;
pub mod metadata;
pub mod numbers;
pub mod shards;
pub mod storage;
pub mod strings;
pub mod user;
pub mod v2;
pub mod v3;
pub mod writer;

pub use attributes::{reads_back, stored_alike};
pub use metadata::nil;

#[cfg(test)]
mod tests;
