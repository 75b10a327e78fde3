//! Filter specifications: the `_Filter` attribute and `nccopy -F`.
//!
//! `zstd,3|shuffle` is a pipeline of two filters with parameters; filters have names or numbers. `temp&/g/wind*,zstd,3` also names the
//! variables. `temp,none` removes the filters of a variable, and `none` removes the filters of all other variables. `temp*,bitround,9`
//! requests quantization, which is not a filter. If a specification changes values, its patterns skip coordinates and the variables that
//! describe them ([`Resolved::passed_over`]). Parameters have the types listed in `docs/filters.md` of netCDF-C, and become unsigned 32-bit
//! integers. Parameters can also have names, as in `blosc,codec=zstd,level=5`.
//! `blosc,codec=zstd,level=5`.
//!
//! | netCDF-C | here |
//! |---|---|
//! | `ncaux_h5filterspec_parse` | [`filter`] |
//! | `ncaux_h5filterspec_parselist` | [`filters`] |
//! | `ncaux_h5filterspec_fix8` | [`fix8`], and [`words()`] and [`value()`], which need no memory |

mod parameter;
mod parameter_names;
mod parse;
mod quantize;
mod resolve;
mod skipped_variables;
mod words;

pub use parse::{Assignment, Quantization, assignment, filter, filters, quantization};
pub use quantize::quantize;
pub use resolve::resolve;
pub use skipped_variables::Resolved;
pub use words::{fix8, value, words};
