//! `--cloud`: what readers over a network need.

use std::collections::BTreeMap;

use netcdf_core::chunk::Dataset;
use netcdf_core::copy::options::{ChunkShapes, ChunkSize, VarLayout};
use netcdf_core::error::{Context as _, ErrorKind, Result};
use netcdf_core::filter::Context;
use netcdf_core::model::{FileSpace, Schema, VarId};
use netcdf_core::survey;

use crate::cli::{StorageArgs, parse_memory};

/// What readers over a network need, beside what all of them do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CloudRules {
    /// The rules for files of CMIP7.
    pub cmip7: bool,
    /// Pages for metadata, of so many bytes if this is given.
    pub paged: Option<Option<u64>>,
}

impl CloudRules {
    /// Parses `RULES`: `cmip7`, `paged[,SIZE]`, both with a comma between them, or nothing.
    pub fn parse(text: &str) -> std::result::Result<Self, String> {
        let mut rules = Self::default();
        let mut words = text.split(',').filter(|_| !text.is_empty()).peekable();
        while let Some(word) = words.next() {
            match word {
                "cmip7" => rules.cmip7 = true,
                "paged" => {
                    let size = words.next_if(|next| *next != "cmip7");
                    rules.paged = Some(size.map(parse_page_size).transpose()?);
                }
                _ => return Err("expected cmip7, paged, or paged,SIZE".to_owned()),
            }
        }
        Ok(rules)
    }

    /// Whether the rules are about netCDF-4 files alone.
    pub fn is_netcdf4(self) -> bool {
        self.cmip7 || self.paged.is_some()
    }

    /// Where metadata goes.
    pub fn space(self) -> FileSpace {
        self.paged.map_or(FileSpace::Front, FileSpace::Paged)
    }
}

fn parse_page_size(text: &str) -> std::result::Result<u64, String> {
    let size = parse_memory(text)?;
    match size.is_power_of_two() && (512..=1 << 30).contains(&size) {
        true => Ok(size),
        false => Err("expected a power of two from 512 to 1Gi as the size of pages".to_owned()),
    }
}

/// Bytes of a chunk where nothing else is asked for.
const CHUNK: u64 = 4 << 20;
/// Chunks of the input may have so many times more or fewer bytes.
const FACTOR: u64 = 4;

/// The size of chunks that the options ask for.
pub fn chunk_size(given: &StorageArgs, fixed: BTreeMap<VarId, String>) -> Option<ChunkSize> {
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

/// The variables whose chunks cannot be decoded or made anew here, and why. Without rules there are none: then sizes of chunks are asked
/// for, and what cannot be done is an error.
///
/// # Errors
/// Those of reading the index of chunks.
pub fn fixed(rules: Option<CloudRules>, set: Dataset<'_>) -> Result<BTreeMap<VarId, String>> {
    let mut found = BTreeMap::new();
    if rules.is_none() {
        return Ok(found);
    }
    let schema = set.reader.schema();
    for (id, var) in schema.var_ids().zip(&schema.vars) {
        let Some(chunk) = var.storage.chunk() else {
            continue;
        };
        let context = Context::of(schema, var, chunk.to_vec());
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

/// Puts the time coordinate and its bounds into one chunk each, unless they have none, or chunks of theirs are asked for.
pub fn time_in_one_chunk(
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
