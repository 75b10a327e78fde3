//! Variables and dimensions that cannot change in place.

use super::updated_reader::UpdatedReader;
use super::write::encode::can_encode;
use crate::chunk::Reader as _;
use crate::chunk::decode::{beyond, fill};
use crate::error::{OrInternal as _, Result};
use crate::format::hdf5::update::obstacle_of_dataset;
use crate::model::{DimId, VarId};

/// Returns why the data of a variable cannot change in place, if it cannot.
///
/// # Errors
/// Returns read errors.
pub(super) fn obstacle_of_data(reader: &UpdatedReader, var: VarId) -> Result<Option<&'static str>> {
    let dataset = reader.base.dataset(var)?;
    if let Some(reason) = obstacle_of_dataset(dataset) {
        return Ok(Some(reason));
    }
    let known = reader.layout(var)?.element.plain || can_encode(&dataset.datatype);
    Ok((!known).then_some("a variable has values of a rare HDF5 type"))
}

/// Returns why a dimension cannot get the length `len` in place, if it cannot.
///
/// # Errors
/// Returns read errors.
pub(super) fn obstacle_of_growth(
    reader: &UpdatedReader,
    dim: DimId,
    len: u64,
) -> Result<Option<&'static str>> {
    let schema = reader.schema();
    if !reader.base.has_scale(dim)
        && let Some(reason) = obstacle_without_scale(reader, dim, len)?
    {
        return Ok(Some(reason));
    }
    let vars = schema.var_ids().zip(&schema.vars);
    for (id, _) in vars.filter(|(_, var)| var.dims.contains(&dim)) {
        if let Some(reason) = obstacle_of_data(reader, id)? {
            return Ok(Some(reason));
        }
        if let Some(reason) = obstacle_of_length(reader, id)? {
            return Ok(Some(reason));
        }
    }
    Ok(None)
}

/// Returns why a variable cannot get the lengths of its dimensions, if it cannot.
///
/// # Errors
/// Returns read errors.
pub(super) fn obstacle_of_length(
    reader: &UpdatedReader,
    var: VarId,
) -> Result<Option<&'static str>> {
    let (schema, layout) = (reader.schema(), reader.layout(var)?);
    let is_short = layout.extent != schema.shape(var);
    let differs = is_short && beyond(schema, var, &layout)? != fill(schema, var, &layout)?;
    Ok(differs.then_some("a shorter variable has other values outside its elements"))
}

/// Returns why a dimension without a scale cannot grow. Readers recognise this dimension by its length, so no other dimension of the group
/// may have the old or the new length.
fn obstacle_without_scale(
    reader: &UpdatedReader,
    dim: DimId,
    len: u64,
) -> Result<Option<&'static str>> {
    let schema = reader.schema();
    let own = schema.dim(dim).or_internal("a dimension")?;
    let others = (0..).map(DimId).zip(&schema.dims);
    let mut others = others.filter(|(id, other)| *id != dim && other.group == own.group);
    if others.any(|(_, other)| other.len == len || other.len == own.len) {
        return Ok(Some(
            "the dimension has no scale, and another dimension has the same length",
        ));
    }
    for (id, var) in schema.var_ids().zip(&schema.vars) {
        let space = &reader.base.dataset(id)?.dataspace;
        let mut axes = var.dims.iter().zip(&space.max);
        if axes.any(|(own, max)| *own == dim && max.is_some()) {
            return Ok(Some("the dimension has no scale and a maximum length"));
        }
    }
    Ok(None)
}
