//! The netCDF data model, its file formats, and the layer that moves data between them.
//!
//! | module | content |
//! |---|---|
//! | [`error`] | the error type: kind, text, object path, resource and byte offset, remedy |
//! | [`limits`] | allocation limits for data from files |
//! | [`arithmetic`] | saturating estimates and checked positions |
//! | [`shown`] | text from files, made safe to show |
//! | [`env`](mod@env) | the environment of a run: limits, runtime, notes, cancellation, progress |
//! | [`model`] | the data model: schema, types, names, values; no I/O, no format |
//! | [`bytes`] | checked reading and writing of binary structures |
//! | [`io`] | sources and targets of bytes |
//! | [`json`] | JSON as in Zarr stores |
//! | [`filter`] | chunk filters and their table |
//! | [`chunk`] | chunk geometry, and parallel reading, decoding and writing |
//! | [`mod@format`] | the formats: probe, open, create |
//! | [`copy`](mod@copy) | copies: maps a schema to a new schema, then moves the data |
//! | [`diff`] | comparison of two datasets in any formats |
//! | [`stats`] | statistics of variables |
//! | [`sum`](mod@sum) | digests of dataset contents, independent of storage |
//! | [`api`] | the programming interface to datasets: create, open, define, inquire, read, write |
//! | `testing` | an in-memory dataset for tests, with the feature `testing` |
//! | [`tool`] | the common parts of the command-line tools |
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
mod per_process;
pub mod runtime;
pub mod shown;
pub mod stats;
pub mod sum;
pub mod survey;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod tool;

pub use error::{Error, ErrorKind, Result};

/// Compiles the examples in the API document as tests.
#[cfg(doctest)]
#[doc = include_str!("../../docs/api.md")]
struct ApiDocument;

/// Compiles the examples in the README as tests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
