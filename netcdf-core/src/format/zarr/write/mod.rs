//! Writing Zarr: the schema becomes metadata, and chunks are stored under keys.
//!
//! | module | what |
//! |---|---|
//! | [`check`] | refusing what such datasets cannot hold |
//! | [`numbers`] | numbers as JSON |
//! | [`attributes`] | attributes as JSON, with their recorded types |
//! | [`dtype`] | names of types |
//! | [`keys`] | the keys of groups, arrays and chunks |
//! | [`user`] | user-defined types that Zarr supports |
//! | [`strings`] | strings as elements of a fixed size |
//! | [`storage`] | chunks and filters of variables |
//! | [`fill`] | the fill value for elements that are not stored |
//! | [`shards`] | several chunks under one key |
//! | `filters` | filters that other readers can undo |
//! | [`codecs`] | filters as codecs |
//! | `json_forms` | forms of JSON that metadata objects share |
//! | [`metadata`] | the common part of the metadata of all versions |
//! | [`v2`] | the metadata of version 2 |
//! | [`v3`] | the metadata of version 3 |
//! | [`writer`] | the store being written |
//!
//! Each key is put once: chunks as they arrive, then the metadata of arrays and groups, with the root last. An interrupted
//! dataset therefore has no root.

pub mod attributes;
pub mod check;
pub mod codecs;
pub mod dtype;
mod elsewhere;
pub mod fill;
mod filters;
mod json_forms;
pub mod keys;
pub mod metadata;
pub mod numbers;
pub mod shards;
pub mod storage;
pub mod strings;
mod texts;
pub mod user;
pub mod v2;
pub mod v3;
pub mod writer;

pub use attributes::reads_back;

#[cfg(test)]
mod tests;
