//! Variables with chunks that are not stored.

use super::Plan;
use crate::chunk::ChunkRef;
use crate::chunk::scatter::Block;
use crate::error::{Context, Result};
use crate::format::Reader;
use crate::model::{Fill, StorageLayout, VarId};

/// Lets those variables of a plan's output keep their fill value of which some chunks are not stored
/// in the input, as they will not be stored in the output. Those that have none in the input have none in
/// the output: what is not stored reads as zeros in both, for which the netCDF-4 writer and
/// [`Job`](crate::copy::Job) see.
///
/// # Errors
/// Those of reading where chunks are.
pub fn keep_fill_values(reader: &dyn Reader, plan: &mut Plan) -> Result<()> {
    let zarr = plan.schema.kind.as_zarr().is_some();
    for pair in &plan.data {
        let Some(var) = plan.schema.vars.get_mut(pair.to.index()) else {
            continue;
        };
        // There are no other variables in Zarr.
        let chunked = zarr || matches!(var.storage.layout, Some(StorageLayout::Chunked(_)));
        let had = reader.schema().var(pair.from).map(|v| v.storage.fill);
        let lost = var.storage.fill == Fill::NoFill && had == Some(Fill::Fill);
        if chunked && lost && is_sparse(reader, pair.from)? {
            var.storage.fill = Fill::Fill;
        }
    }
    Ok(())
}

/// True if not all chunks of a variable are stored.
fn is_sparse(reader: &dyn Reader, var: VarId) -> Result<bool> {
    if reader.assembles(var) {
        return Ok(true);
    }
    let layout = reader.layout(var)?;
    let shape = reader.schema().shape(var);
    let count = layout.grid();
    let all = count.iter().fold(1_u64, |n, c| n.saturating_mul(*c));
    let mut found = 0_u64;
    let mut one = |_: ChunkRef| {
        found += 1;
        Ok(())
    };
    let grid = Block {
        start: vec![0; count.len()],
        count,
    };
    let path = || reader.schema().var_path(var);
    reader.locate(var, &grid, &mut one).in_object(path)?;
    Ok(found < all || layout.extent != shape)
}
