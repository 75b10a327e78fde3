//! The netCDF data model, its file formats and the engine that moves data between them.
//!
//! | module | what |
//! |---|---|
//! | [`error`] | the one error type: kind, text, object path, resource and byte offset, remedy |
//! | [`limits`] | what a file may make us allocate |
//! | [`shown`] | text of files as it may be shown |
//! | [`env`](mod@env) | what is passed down: limits, pool, notes, cancellation, progress |
//! | [`model`] | what a dataset is: schema, types, names, values; no I/O, no format |
//! | [`bytes`] | checked reading and writing of binary structures |
//! | [`io`] | where bytes come from and go to |
//! | [`json`] | JSON as Zarr stores have it |
//! | [`filter`] | chunk filters and their table |
//! | [`chunk`] | geometry and the one engine that reads, decodes and writes data in parallel |
//! | [`mod@format`] | the formats: probe, open, create |
//! | [`copy`](mod@copy) | schema and options to schema, and the data after it |
//! | [`api`] | datasets as programs use them: create, open, define, inquire, read, write |
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
pub mod bytes;
pub mod chunk;
pub mod copy;
pub mod env;
pub mod error;
pub mod filter;
pub mod format;
pub mod io;
pub mod json;
pub mod limits;
pub mod model;
pub mod shown;
pub mod tool;

pub use error::{Error, ErrorKind, Result};

/// The examples of the document about the API are tests.
#[cfg(doctest)]
#[doc = include_str!("../../docs/api.md")]
struct ApiDocument;

/// So are those of the README.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
