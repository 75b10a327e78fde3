//! Zarr codecs (`_Codecs`) as filters of variables without other filters.
//!
//! `ncdump -s` prints `_Codecs` of a Zarr store. Codecs without a filter of HDF5 are skipped with a note.

use super::datatypes::WrittenTypes;
use super::storage::{self, VariableStorage};
use crate::env::Env;
use crate::error::{Error, ErrorKind, Result};
use crate::filter::substitutes::replacement;
use crate::filter::{ChunkContext, VariableFacts, codec};
use crate::filter::{FilterReplacement, policy, visible};
use crate::model::{Endianness, FilterSpec, Kind, Schema, StoredElement, VarId};
use crate::notes::Note;

/// Determines the variable storage. Codecs become filters if the variable has no filters.
///
/// # Errors
/// Returns the errors of [`storage::of`]. Codec errors only cause notes.
pub(super) fn stored(
    schema: &mut Schema,
    id: VarId,
    types: &WrittenTypes,
    env: &Env,
) -> Result<VariableStorage> {
    let Some(filters) = of_codecs(schema, id, env) else {
        return storage::of(schema, id, types, env);
    };
    schema.var_mut(id)?.storage.filters = filters;
    storage::of(schema, id, types, env).or_else(|e| {
        skip(schema, id, &e, env);
        schema.var_mut(id)?.storage.filters.clear();
        storage::of(schema, id, types, env)
    })
}

/// Returns the filters for the codecs of a variable. Returns `None` without codecs, or if other attributes describe the filters.
fn of_codecs(schema: &Schema, id: VarId, env: &Env) -> Option<Vec<FilterSpec>> {
    let var = schema.var(id)?;
    let text = var.storage.codecs.as_deref()?;
    if !var.storage.filters.is_empty() {
        return None;
    }
    let size = schema.memory_size(var.ty).max(1);
    let context = ChunkContext {
        shape: schema.shape(id),
        element: StoredElement {
            ty: var.ty,
            size,
            order: var.storage.endianness.unwrap_or(Endianness::Little),
            plain: true,
        },
        fill: None,
        len: None,
        about: VariableFacts::new(schema, var.ty, &[]),
    };
    let found = codec::from_text(text, &context, &env.filters);
    let found = found.and_then(|found| match found.is_empty() {
        true => Ok(found),
        false => schema.takes_filters(id).map(|()| found),
    });
    let found = found.map_err(|e| skip(schema, id, &e, env)).ok()?;
    let filters = found.iter().filter_map(|codec| {
        let filter = of_codec(codec, env);
        filter.unwrap_or_else(|e| {
            skip(schema, id, &e, env);
            None
        })
    });
    Some(filters.collect())
}

/// Returns the filter for a codec, or `None` if the output needs no filter.
fn of_codec(codec: &FilterSpec, env: &Env) -> Result<Option<FilterSpec>> {
    let filter = match replacement(codec, Kind::PURE_ZARR.storage, Kind::NETCDF4.storage) {
        FilterReplacement::Keep => visible(codec),
        FilterReplacement::Substitute(other) => Some(other),
        FilterReplacement::Drop => None,
        FilterReplacement::DropSilently => return Ok(None),
    };
    let usable = filter.filter(|filter| policy(filter.id).read_only.is_none());
    let Some(filter) = usable else {
        let name = env.filters.label(codec).name;
        let name = name.unwrap_or_else(|| codec.id.to_string());
        let what = format!("codec {name} has no HDF5 filter for writing");
        return Err(Error::new(ErrorKind::Unsupported, what));
    };
    env.filters.entry(filter.id).map(|_| Some(filter))
}

/// Notes the reason for skipping one codec or all codecs.
fn skip(schema: &Schema, id: VarId, why: &Error, env: &Env) {
    let why = why.what().to_string();
    let why = why.strip_prefix("_Codecs: ").unwrap_or(&why);
    env.notes.say(Note {
        object: schema.var_path(id),
        what: format!("skipped in _Codecs: {why}"),
        remedy: None,
    });
}
