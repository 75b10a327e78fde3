//! Writing Zarr: the schema becomes metadata, and chunks are stored under keys.
//!
//! | module | responsibility |
//! |---|---|
//! | [`check`] | rejects schemas that Zarr datasets cannot store |
//! | [`numbers`] | numbers as JSON |
//! | [`attributes`] | attributes as JSON, with recorded types |
//! | [`dtype`] | type names |
//! | [`keys`] | keys of groups, arrays and chunks |
//! | [`user_types`] | user-defined types that Zarr supports |
//! | [`strings`] | fixed-size strings |
//! | [`storage`] | chunks, shards and filters of variables |
//! | [`fill`] | the fill value of unwritten elements |
//! | [`shards`] | several chunks under one key |
//! | `filters` | filters that other readers can decode |
//! | [`codecs`] | filters as codecs |
//! | `json_forms` | shared JSON forms |
//! | [`metadata`] | the metadata part that all versions share |
//! | [`v2`] | the metadata of version 2 |
//! | [`v3`] | the metadata of version 3 |
//! | [`writer`] | the store being written |
//!
//! The writer puts each key once: first chunks in order of arrival, then array and group metadata, and the root last. An interrupted
//! dataset therefore has no root.

pub(crate) mod attributes;
pub(crate) mod check;
pub(crate) mod codecs;
pub(crate) mod dtype;
pub(crate) mod fill;
mod filters;
mod foreign_keys;
mod json_forms;
pub(crate) mod keys;
pub(crate) mod metadata;
pub(crate) mod numbers;
pub(crate) mod shards;
pub(crate) mod storage;
pub(crate) mod strings;
mod texts;
pub(crate) mod user_types;
pub(crate) mod v2;
pub(crate) mod v3;
pub(crate) mod writer;

pub(crate) use attributes::reads_back;

#[cfg(test)]
mod tests;
