//! `--cloud`: the expected number of chunks.

use netcdf_core::chunk::Writer;
use netcdf_core::error::Result;
use netcdf_core::model::region::product;
use netcdf_core::model::{Schema, VarId};
use netcdf_grammar::cdl::{CdlDataset, DataList};

use crate::lists::with_lengths;

/// Passes the maximum chunk number of each variable to the writer, if the dimension lengths are known before the values are read.
///
/// # Errors
/// Returns writer errors.
pub(crate) fn announce(cdl: &CdlDataset, header_only: bool, writer: &mut dyn Writer) -> Result<()> {
    if writer.chunk_index().is_none() {
        return Ok(());
    }
    let schema = with_lengths(writer.schema().clone(), cdl);
    let mut expected = vec![];
    for list in cdl.data.iter().filter(|_| !header_only) {
        if writer.rules(list.var).chunks
            && let Some(count) = chunks(list, &schema, writer)?
        {
            expected.push((list.var, count));
        }
    }
    match writer.chunk_index() {
        Some(index) => index.expect_chunks(&expected),
        None => Ok(()),
    }
}

/// Returns the maximum number of chunks of a variable, or `None` if a length is unknown.
fn chunks(list: &DataList, schema: &Schema, writer: &dyn Writer) -> Result<Option<u64>> {
    if !lengths_are_known(list.var, schema) {
        return Ok(None);
    }
    let mut layout = writer.layout(list.var)?;
    layout.extent = schema.shape(list.var);
    // Each value takes at least one byte of text.
    let text = list.bytes.end.saturating_sub(list.bytes.start);
    Ok(Some(
        product(&layout.grid()).map_or(text, |grid| grid.min(text)),
    ))
}

fn lengths_are_known(var: VarId, schema: &Schema) -> bool {
    let dims = schema.var(var).map_or(&[][..], |var| &var.dims);
    let known = |dim| {
        schema
            .dim(dim)
            .is_some_and(|dim| !dim.unlimited || dim.len > 0)
    };
    dims.iter().copied().all(known)
}
