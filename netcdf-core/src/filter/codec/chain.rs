//! Conversion between codec lists and filter lists.

use super::{from_json, to_json};
use crate::error::Result;
use crate::filter::{ChunkContext, FilterTable};
use crate::json::Json;
use crate::model::{FilterSpec, ZarrVersion};

/// Converts codecs to filters, in encoding order. `context` is the chunk context.
///
/// # Errors
/// Returns errors of [`from_json`].
pub fn filters(
    version: ZarrVersion,
    codecs: &[Json],
    context: &ChunkContext,
    table: &FilterTable,
) -> Result<Vec<FilterSpec>> {
    let mut next = context.clone();
    let mut filters = Vec::with_capacity(codecs.len().min(64));
    for json in codecs {
        let spec = from_json(version, json, &next, table)?;
        next = behind(&spec, &next, table);
        filters.push(spec);
    }
    Ok(filters)
}

/// Converts filters to codecs, in encoding order. `context` is the chunk context.
///
/// # Errors
/// Returns errors of [`to_json`].
pub fn list(
    version: ZarrVersion,
    filters: &[FilterSpec],
    context: &ChunkContext,
    table: &FilterTable,
) -> Result<Vec<Json>> {
    let mut next = context.clone();
    let mut codecs = Vec::with_capacity(filters.len());
    for spec in filters {
        codecs.push(to_json(version, spec, &next, table)?);
        next = behind(spec, &next, table);
    }
    Ok(codecs)
}

/// Returns the context after a filter: the input of the next filter on encoding.
#[must_use]
pub fn behind(spec: &FilterSpec, context: &ChunkContext, table: &FilterTable) -> ChunkContext {
    let built = table.entry(spec.id);
    let built = built.and_then(|entry| entry.build(&spec.params, context));
    match built {
        Ok(filter) => filter.output(context),
        Err(_) => context.of_any_length(),
    }
}
