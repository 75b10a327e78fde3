//! Specifications of filters: the `_Filter` attribute and `nccopy -F`.
//!
//! `zstd,3|shuffle` is a pipeline of two filters with their parameters, by name or by number. `temp&/g/wind*,zstd,3`
//! says which variables it is for, `temp,none` that a variable has no filters, and `none` that no other variable has any.
//! Parameters are given in the types that `docs/filters.md` of netCDF-C lists, and become unsigned 32-bit integers.

mod parameter;
mod parse;
mod resolve;

pub use parse::{Assignment, assignment, filters};
pub use resolve::resolve;
