//! Writing netCDF-4: the schema becomes a plan of HDF5 objects, which then receive the data.
//!
//! | module | responsibility |
//! |---|---|
//! | `check` | rejects schemas that netCDF-4 files cannot store |
//! | `codecs` | Zarr codecs as filters |
//! | [`datatypes`] | types as HDF5 datatypes |
//! | [`storage`] | layout, chunks and filters of variables |
//! | `order` | scale variables, and the order of links |
//! | `scales` | attributes of dimension scales |
//! | `plan` | objects of the file |
//! | [`encode`] | encoding of values |
//! | [`writer`] | the file being written |

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
