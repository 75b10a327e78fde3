//! An in-memory dataset and a filter for tests.
//!
//! Tests of this crate and the feature `testing` build this module. Only dev-dependencies turn the feature on.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "only tests use this module: a failure is a panic"
)]

mod dataset;
mod filter;
mod reader;
mod schema;
mod words;

pub use dataset::{MemoryDataset, coordinates, row_major};
pub use filter::{add_filter, add_table, table};
pub use reader::stored_chunks;
pub use words::{field, name, strings, text};
