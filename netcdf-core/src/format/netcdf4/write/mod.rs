//! Writing netCDF-4: the schema as a plan of HDF5 objects, and its data in them.
//!
//! | module | what |
//! |---|---|
//! | `check` | what cannot be held |
//! | [`datatypes`] | types as HDF5 datatypes |
//! | [`chunk_sizes`] | the shape of chunks, where it is not asked for |
//! | `storage` | layout, chunks and filters of variables |
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
mod storage;
pub mod writer;

#[cfg(test)]
mod tests;

use crate::env::Env;
use crate::error::Result;
use crate::format::Planned;
use crate::format::hdf5::write::{ObjectId, Place};
use crate::model::{Schema, StorageLayout};

/// How the variables of a schema will be stored, in their order.
///
/// # Errors
/// As [`writer::Netcdf4Writer::create`].
pub fn planned(schema: &Schema, env: &Env) -> Result<Vec<Planned>> {
    let types = datatypes::Types::new(schema, ObjectId::ROOT)?;
    let one = |id| {
        let stored = storage::of(schema, id, &types, env)?;
        let mut layout = stored.layout;
        layout.extent = schema.shape(id);
        let storage = match stored.place {
            Place::Compact => StorageLayout::Compact,
            Place::Contiguous => StorageLayout::Contiguous,
            Place::Chunked(shape) => StorageLayout::Chunked(shape),
        };
        if !matches!(storage, StorageLayout::Chunked(_)) {
            layout.chunk.clone_from(&layout.extent);
        }
        Ok(Planned { layout, storage })
    };
    schema.var_ids().map(one).collect()
}
