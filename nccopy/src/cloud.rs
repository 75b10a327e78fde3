//! `--cloud`: optimizes the output for remote readers.

use std::collections::BTreeMap;

use netcdf_core::chunk::Dataset;
use netcdf_core::copy::options::{ChunkShapes, ChunkSize, VarLayout};
use netcdf_core::error::{Context as _, ErrorKind, Result};
use netcdf_core::filter::ChunkContext;
use netcdf_core::model::{Schema, VarId};
use netcdf_core::survey;

use crate::request::{CloudRules, StorageRequest};

/// The default chunk size in bytes.
const CHUNK: u64 = 4 << 20;
/// Input chunks are retained if their size differs from the target size by at most this factor.
const FACTOR: u64 = 4;

/// Returns the requested chunk size.
pub(crate) fn chunk_size(
    given: &StorageRequest,
    fixed: BTreeMap<VarId, String>,
) -> Option<ChunkSize> {
    let bytes = given.chunk_size.unwrap_or(CHUNK);
    let most = bytes.checked_mul(FACTOR).unwrap_or(bytes);
    let kept = match given.cloud {
        None => None,
        Some(rules) if rules.cmip7 => Some(bytes..=most),
        Some(_) => Some(bytes / FACTOR..=most),
    };
    (given.chunk_size.is_some() || given.cloud.is_some()).then_some(ChunkSize {
        bytes,
        kept,
        fixed,
    })
}

/// Returns the variables whose chunks cannot be decoded or re-encoded, each with the reason. Returns none without `--cloud` rules: the
/// options then request chunk sizes, and an impossible chunk size is an error.
///
/// # Errors
/// Returns errors from reading the chunk index.
pub(crate) fn fixed(
    rules: Option<CloudRules>,
    set: Dataset<'_>,
) -> Result<BTreeMap<VarId, String>> {
    let mut found = BTreeMap::new();
    if rules.is_none() {
        return Ok(found);
    }
    let schema = set.reader.schema();
    for (id, var) in schema.var_ids().zip(&schema.vars) {
        let Some(chunk) = var.storage.chunk() else {
            continue;
        };
        let context = ChunkContext::of(schema, var, chunk.to_vec());
        let filters = &set.env.filters;
        let usable = match set.check_filters(id) {
            Err(e) if e.kind() == ErrorKind::FilterUnavailable => Err(e),
            Err(e) => return Err(e).in_object(|| schema.var_path(id)),
            Ok(()) => filters.check_encoding(&var.storage.filters, &context),
        };
        if let Err(e) = usable {
            found.insert(id, e.what().to_string());
        }
    }
    Ok(found)
}

/// Stores the time coordinate and its bounds in one chunk each, unless they are not chunked or the options set their chunk shape.
pub(crate) fn time_in_one_chunk(
    schema: &Schema,
    fixed: &BTreeMap<VarId, String>,
    chunks: &mut ChunkShapes,
) {
    for id in survey::times(schema) {
        let Some(var) = schema.var(id).filter(|_| !fixed.contains_key(&id)) else {
            continue;
        };
        let unlimited = var.dims.iter().any(|&dim| schema.is_unlimited(dim));
        if unlimited || var.storage.chunk().is_some() {
            let whole = VarLayout::Chunked(schema.shape(id));
            chunks.vars.entry(id).or_insert(whole);
        }
    }
}
