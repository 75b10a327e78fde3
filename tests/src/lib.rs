//! Shared code of the cross-tool tests.
//!
//! | module | contents |
//! |---|---|
//! | [`arguments`] | argument counts of functions |
//! | [`builder`] | binary structures field by field, for malformed files |
//! | [`completions`] | completions for shells |
//! | [`damage`] | damaged copies of a file, reading all their data |
//! | [`files`] | paths of the test data |
//! | [`growing`] | datasets that grow while other processes read them |
//! | [`harness`] | runs a tool in process and captures its output |
//! | [`imports`] | the import graph of the workspace |
//! | [`journals`] | journals of unfinished changes |
//! | [`killed`] | runs that a signal ends |
//! | [`manual`] | man pages |
//! | [`random`] | random datasets |
//! | [`sample`] | samples of exhaustive loops |
//! | [`servers`] | local servers, for tests of remote data |
//! | [`sums`] | sums of the datasets of an HDF5 file |
//! | [`values`] | the content of a dataset as JSON |
//! | [`written`] | files of the HDF5 writer |
#![forbid(unsafe_code)]

pub mod arguments;
pub mod builder;
pub mod completions;
pub mod damage;
pub mod files;
pub mod growing;
pub mod harness;
pub mod imports;
pub mod journals;
pub mod killed;
pub mod manual;
pub mod plugins;
pub mod random;
pub mod sample;
pub mod servers;
pub mod sums;
pub mod values;
pub mod written;
