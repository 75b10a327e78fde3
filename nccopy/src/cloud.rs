//! `--cloud`: what readers over a network need.

use netcdf_core::copy::options::{ChunkShapes, ChunkSize, VarLayout};
use netcdf_core::model::{Schema, Values, VarId};

use crate::cli::{CloudRules, StorageArgs};

/// Bytes of a chunk where nothing else is asked for.
const CHUNK: u64 = 4 << 20;
/// Chunks of the input may have so many times more or fewer bytes.
const FACTOR: u64 = 4;

/// The size of chunks that the options ask for.
pub fn chunk_size(given: &StorageArgs) -> Option<ChunkSize> {
    let bytes = given.chunk_size.unwrap_or(CHUNK);
    let most = bytes.checked_mul(FACTOR).unwrap_or(bytes);
    let kept = match given.cloud {
        None => None,
        Some(CloudRules::General) => Some(bytes / FACTOR..=most),
        Some(CloudRules::Cmip7) => Some(bytes..=most),
    };
    (given.chunk_size.is_some() || given.cloud.is_some()).then_some(ChunkSize { bytes, kept })
}

/// Puts the time coordinate and its bounds into one chunk each, unless they have none, or chunks of theirs are asked for.
pub fn time_in_one_chunk(schema: &Schema, chunks: &mut ChunkShapes) {
    let Some(time) = root_var(schema, b"time") else {
        return;
    };
    let bounds = schema.var(time).and_then(|var| {
        let attribute = var
            .attributes
            .iter()
            .find(|a| a.name.as_bytes() == b"bounds");
        let name = attribute.and_then(|a| match &a.values {
            Values::Char(text) => Some(text.as_slice()),
            Values::String(texts) => texts.first()?.as_deref(),
            _ => None,
        });
        root_var(schema, name?.trim_ascii_end())
    });
    for id in std::iter::once(time).chain(bounds) {
        let Some(var) = schema.var(id) else {
            continue;
        };
        let unlimited = var.dims.iter().any(|&dim| schema.is_unlimited(dim));
        if unlimited || var.storage.chunk().is_some() {
            let whole = VarLayout::Chunked(schema.shape(id));
            chunks.vars.entry(id).or_insert(whole);
        }
    }
}

/// A variable of the root group.
fn root_var(schema: &Schema, name: &[u8]) -> Option<VarId> {
    let mut ids = schema.var_ids();
    ids.find(|&id| {
        let var = schema.var(id);
        var.is_some_and(|var| var.group.index() == 0 && var.name.as_bytes() == name)
    })
}
