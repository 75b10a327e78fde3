//! Writing netCDF-4: the schema becomes a plan of HDF5 objects, which then receive the data.
//!
//! | module | what |
//! |---|---|
//! | `check` | refusing what such files cannot hold |
//! | `codecs` | Zarr codecs as filters |
//! | [`datatypes`] | types as HDF5 datatypes |
//! | [`storage`] | layout, chunks and filters of variables |
//! | `order` | which variables are scales, and the order of links |
//! | `scales` | the attributes of dimension scales |
//! | `plan` | the objects of the file |
//! | [`encode`] | values as stored elements |
//! | [`writer`] | the file in the making |

mod check;
mod codecs;
pub(crate) mod datatypes;
pub(crate) mod encode;
mod order;
mod plan;
mod scales;
pub(crate) mod storage;
pub(crate) mod writer;

#[cfg(test)]
mod tests;
