//! Chains of codecs.

use super::{from_json, to_json};
use crate::error::Result;
use crate::filter::{ChunkContext, FilterTable};
use crate::json::Json;
use crate::model::{FilterSpec, ZarrVersion};

/// The filters for codecs in the order of writing; `context` is that of the chunk.
///
/// # Errors
/// Those of [`from_json`].
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

/// The codecs for filters in the order of writing; `context` is that of the chunk.
///
/// # Errors
/// Those of [`to_json`].
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

/// The context after a filter: what the next filter gets on writing.
#[must_use]
pub fn behind(spec: &FilterSpec, context: &ChunkContext, table: &FilterTable) -> ChunkContext {
    let built = table.entry(spec.id);
    let built = built.and_then(|entry| entry.build(&spec.params, context));
    match built {
        Ok(filter) => filter.output(context),
        Err(_) => context.of_any_length(),
    }
}
