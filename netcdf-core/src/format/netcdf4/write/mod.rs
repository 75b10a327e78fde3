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
//!
//! Variables come in the order of their definition, and a dimension without a variable comes before the scale that follows it, as in netCDF-C.
//! All scales carry `_Netcdf4Dimid`, so the order of dimensions does not depend on the order of links. The members of user types keep their C
//! layout, but move apart if strings take more space in the file. The extent of a variable with data is the length of its dimensions. A variable
//! that never received data stays empty if another variable keeps the dimension's length.

mod check;
mod codecs;
pub(crate) mod datatypes;
pub(crate) mod encode;
mod heap_gaps;
mod order;
mod plan;
mod scales;
pub(crate) mod storage;
pub(crate) mod writer;

#[cfg(test)]
mod tests;
