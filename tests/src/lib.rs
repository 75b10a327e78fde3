//! What the cross-tool tests have in common.
//!
//! | module | what |
//! |---|---|
//! | [`builder`] | binary structures field by field, for malformed files |
//! | [`damage`] | damaged copies of a file, and reading all of one |
//! | [`files`] | where the test data are |
//! | [`harness`] | runs a tool in process and keeps what it wrote |
//! | [`killed`] | runs that are ended from outside |
//! | [`manual`] | man pages and completions |
//! | [`random`] | random datasets |
//! | [`sums`] | sums of the datasets of an HDF5 file |
//! | [`values`] | all that a dataset has, as JSON |
//! | [`written`] | files of the HDF5 writer |
#![forbid(unsafe_code)]

pub mod builder;
pub mod damage;
pub mod files;
pub mod harness;
pub mod killed;
pub mod manual;
pub mod plugins;
pub mod random;
pub mod sums;
pub mod values;
pub mod written;
