//! Writing netCDF-4: the schema as a plan of HDF5 objects, and its data in them.
//!
//! | module | what |
//! |---|---|
//! | `check` | what cannot be held |
//! | [`datatypes`] | types as HDF5 datatypes |
//! | [`chunk_sizes`] | the shape of chunks, where it is not asked for |
//! | [`storage`] | layout, chunks and filters of variables |
//! | `order` | which variables are scales, and the order of links |
//! | `scales` | the attributes of dimension scales |
//! | `plan` | the objects of the file |
//! | [`encode`] | values as stored elements |
//! | [`writer`] | the file in the making |

mod check;
pub mod chunk_sizes;
pub mod datatypes;
pub mod encode;
mod order;
mod plan;
mod scales;
pub mod storage;
pub mod writer;

#[cfg(test)]
mod tests;
