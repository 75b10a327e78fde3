//! Specifications of filters: the `_Filter` attribute and `nccopy -F`.
//!
//! `zstd,3|shuffle` is a pipeline of two filters with their parameters, by name or by number. `temp&/g/wind*,zstd,3`
//! says which variables it is for, `temp,none` that a variable has no filters, and `none` that no other variable has any.
//! `temp*,bitround,9` is for quantization, which is no filter. Patterns of what changes values pass over coordinates and what
//! describes them ([`Resolved::passed_over`]).
//! Parameters are given in the types that `docs/filters.md` of netCDF-C lists, and become unsigned 32-bit integers; or by name,
//! as in `blosc,codec=zstd,level=5`.
//!
//! | netCDF-C | here |
//! |---|---|
//! | `ncaux_h5filterspec_parse` | [`filter`] |
//! | `ncaux_h5filterspec_parselist` | [`filters`] |
//! | `ncaux_h5filterspec_fix8` | [`fix8`], and [`words`] and [`value`], which need no memory |

mod named;
mod parameter;
mod parse;
mod passed_over;
mod quantize;
mod resolve;
mod words;

pub use parse::{Assignment, Quantization, assignment, filter, filters, quantization};
pub use passed_over::Resolved;
pub use quantize::quantize;
pub use resolve::resolve;
pub use words::{fix8, value, words};
