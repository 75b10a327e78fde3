//! Rejects outputs that consist mostly of fill values.

use netcdf_core::chunk::Writer;
use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::format::traits;
use netcdf_core::model::VarId;
use netcdf_grammar::cdl::DataList;

/// Outputs up to this many bytes are not checked.
const LARGE: u64 = 1_000_000_000;

/// The text must provide at least one byte out of this number.
const PARTS: u64 = 1000;

/// Maximum bytes of a value per byte of its text.
const VALUE: u64 = 8;

/// Checks that a large output does not consist of fill values alone. Chunked variables, and netCDF-4 variables without values, do not
/// count: most of their fill values are not stored.
///
/// # Errors
/// Returns [`ErrorKind::Limit`].
pub(crate) fn check(lists: &[DataList], writer: &mut dyn Writer, no_fill: bool) -> Result<()> {
    let schema = writer.schema().clone();
    let mut listed = vec![false; schema.vars.len()];
    let mut text = 0u64;
    for list in lists {
        let bytes = list.bytes.end.saturating_sub(list.bytes.start);
        text = text.saturating_add(bytes);
        if let Some(listed) = listed.get_mut(list.var.index()) {
            *listed = true;
        }
    }
    let fills_all = !traits(schema.kind).settings && !no_fill;
    let mut written = 0u64;
    for (id, listed) in schema.var_ids().zip(listed) {
        if !writer.rules(id).chunks && (listed || fills_all) {
            written = written.saturating_add(bytes(writer, id)?);
        }
    }
    let given = text.saturating_mul(VALUE);
    if written <= LARGE || given >= written / PARTS {
        return Ok(());
    }
    let what = format!(
        "the output would have {written} bytes, almost all of them fill values: the text has {text} bytes of values"
    );
    let remedy = "write them with --allow-large, or leave them out with -k nczarr3 or _ChunkSizes in netCDF-4 files";
    Err(Error::new(ErrorKind::Limit, what).with_remedy(remedy))
}

/// Returns the bytes of a variable with one record.
fn bytes(writer: &mut dyn Writer, id: VarId) -> Result<u64> {
    let size = writer.layout(id)?.element.size;
    let schema = writer.schema();
    let dims = schema.var(id).map(|v| v.dims.as_slice());
    let lengths = dims.unwrap_or_default().iter().map(|&dim| {
        let fixed = schema.dim(dim).filter(|d| !d.unlimited);
        fixed.map_or(1, |d| d.len)
    });
    Ok(lengths.fold(size, u64::saturating_mul))
}
