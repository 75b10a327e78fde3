//! Values of a variable in the text, in CDL or JSON.

use netcdf_core::error::Result;
use netcdf_core::io::Source;
use netcdf_core::model::{Endianness, Schema};
use netcdf_grammar::cdl::values::{self, Problems, ValueList, ValueSink};
use netcdf_grammar::cdl::{CdlDataset, CdlError, DataList, ReadOptions, TextForm};
use netcdf_grammar::json;

/// Reads the text of a dataset.
///
/// # Errors
/// Returns errors of the CDL and JSON readers.
pub(crate) fn dataset(source: &dyn Source, options: &ReadOptions) -> Result<CdlDataset, CdlError> {
    match json::read::is_json(source)? {
        true => json::read::read(source, options),
        false => netcdf_grammar::cdl::read(source, options),
    }
}

/// Returns the values of a variable, to be read from the text.
pub(crate) fn text<'a>(list: &DataList, source: &'a dyn Source) -> ValueList<'a> {
    ValueList {
        source,
        bytes: list.bytes.clone(),
        var: list.var,
        form: list.form,
    }
}

/// Reads the values of a variable. Returns the number of elements if they are consecutive.
///
/// # Errors
/// Returns errors of the source and of the sink.
pub(crate) fn read(
    list: &ValueList<'_>,
    schema: &Schema,
    order: Endianness,
    problems: &mut Problems,
    sink: &mut dyn ValueSink,
) -> Result<Option<u64>> {
    match list.form {
        TextForm::Cdl => values::read(list, schema, order, problems, sink),
        TextForm::Json => json::read::values(list, schema, order, problems, sink),
    }
}

/// Checks whether lengths must be derived from the values before reading them, because the text does not define them.
pub(crate) fn needs_lengths(list: &DataList, schema: &Schema) -> bool {
    let var = schema.var(list.var);
    list.form == TextForm::Cdl && var.is_some_and(|var| !values::is_flat(schema, var))
}

/// Adds the lengths in the text to a schema.
pub(crate) fn with_lengths(mut schema: Schema, cdl: &CdlDataset) -> Schema {
    for &(dim, len) in &cdl.lengths {
        if let Some(dim) = schema.dims.get_mut(dim.index()) {
            dim.len = dim.len.max(len);
        }
    }
    schema
}
