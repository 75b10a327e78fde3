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

pub(crate) mod attributes;
pub(crate) mod check;
pub(crate) mod codecs;
pub(crate) mod dtype;
mod elsewhere;
pub(crate) mod fill;
mod filters;
mod json_forms;
pub(crate) mod keys;
pub(crate) mod metadata;
pub(crate) mod numbers;
pub(crate) mod shards;
pub(crate) mod storage;
pub(crate) mod strings;
mod texts;
pub(crate) mod user;
pub(crate) mod v2;
pub(crate) mod v3;
pub(crate) mod writer;

pub(crate) use attributes::reads_back;

#[cfg(test)]
mod tests;
