//! The netCDF data model, its file formats and the engine that moves data between them.
//!
//! | module | what |
//! |---|---|
//! | [`error`] | the error type: kind, text, object path, resource and byte offset, remedy |
//! | [`limits`] | limits on what a file may make us allocate |
//! | [`arithmetic`] | estimates that end at the largest number, and places that must be exact |
//! | [`shown`] | text from files, made safe to show |
//! | [`env`](mod@env) | what is passed down: limits, runtime, notes, cancellation, progress |
//! | [`model`] | what a dataset is: schema, types, names, values; no I/O, no format |
//! | [`bytes`] | checked reading and writing of binary structures |
//! | [`io`] | where bytes come from and go to |
//! | [`json`] | JSON as Zarr stores have it |
//! | [`filter`] | chunk filters and their table |
//! | [`chunk`] | geometry, and the engine that reads, decodes and writes data in parallel |
//! | [`mod@format`] | the formats: probe, open, create |
//! | [`copy`](mod@copy) | schema and options to schema, and the data after it |
//! | [`diff`] | two datasets of any formats compared |
//! | [`stats`] | statistics of variables |
//! | [`sum`](mod@sum) | digests of what a dataset says, however it is stored |
//! | [`api`] | the programming interface to datasets: create, open, define, inquire, read, write |
//! | `testing` | an in-memory dataset for tests, with the feature `testing` |
//! | [`tool`] | what the command-line tools share |
#![deny(unsafe_code)]
#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "tests choose their numbers"
    )
)]

pub mod api;
pub mod arithmetic;
pub mod bytes;
pub mod cancel;
pub mod chunk;
pub mod copy;
pub mod diff;
pub mod env;
pub mod error;
pub mod filter;
pub mod format;
pub mod io;
pub mod json;
pub mod limits;
pub mod model;
pub mod notes;
pub mod runtime;
pub mod shown;
pub mod stats;
pub mod sum;
pub mod survey;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod tool;

pub use error::{Error, ErrorKind, Result};

/// The examples in the document about the API are tests.
#[cfg(doctest)]
#[doc = include_str!("../../docs/api.md")]
struct ApiDocument;

/// So are those in the README.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
