//! References: a store whose keys are byte ranges of other files (Kerchunk).
//!
//! Specification: kerchunk's `docs/source/spec.rst`, versions 0 and 1 of JSON. The parquet layout is that of fsspec's
//! `LazyReferenceMapper`.
//!
//! [`ReferenceStore`] reads references like any other store. It opens the sources with a [`SourceOpener`], so that this module knows no
//! rules about paths and URLs.

mod array_grid;
mod expression;
mod generated;
mod json;
mod lazy_table;
mod members;
mod record_file;
mod sources;
mod store;
mod table;
mod template;
mod urls;
mod write_json;
mod write_only;
mod write_parquet;

pub use sources::{MissingSource, SourceOpener};
pub use store::ReferenceStore;
pub use write_json::JsonTarget;
pub use write_parquet::{ParquetTarget, RECORD_SIZE};

use std::sync::Arc;

use super::Source;
use super::source::read_range;
use super::store::{Hints, Store};
use crate::error::Result;
use crate::limits::Limits;
use crate::notes::Notes;
use sources::ReferenceSources;

/// The rules for reading references.
#[derive(Debug)]
pub struct ReferenceRules {
    /// Opens the sources.
    pub opener: Box<dyn SourceOpener>,
    /// The treatment of missing sources.
    pub missing: MissingSource,
    /// The user options of the store.
    pub hints: Hints,
    /// Receives notes about missing sources.
    pub notes: Arc<Notes>,
}

/// Checks whether a source may be JSON text: the first character after blanks is `{`.
///
/// # Errors
/// Returns read errors.
pub fn may_be_json(source: &dyn Source) -> Result<bool> {
    let head = read_range(source, &(0..source.len().min(64)))?;
    Ok(head.trim_ascii_start().first() == Some(&b'{'))
}

/// Opens the references in a JSON file. Returns `None` if the file is not valid JSON or contains no references.
///
/// # Errors
/// Returns [`ErrorKind::Corrupt`](crate::ErrorKind::Corrupt) for invalid references, [`ErrorKind::Limit`](crate::ErrorKind::Limit) for
/// too many, and read errors.
pub fn open_json(
    source: &dyn Source,
    limits: &Limits,
    rules: ReferenceRules,
) -> Result<Option<ReferenceStore>> {
    limits.metadata(source.len(), "references")?;
    let text = read_range(source, &(0..source.len()))?;
    let Some(file) = json::parse(&text).map_err(|e| e.of(source.name()))? else {
        return Ok(None);
    };
    drop(text);
    let sources = ReferenceSources::new(rules.opener, rules.missing, file.states, rules.notes);
    let table = Box::new(file.refs);
    let name = Arc::clone(source.name());
    Ok(Some(ReferenceStore::new(
        name,
        table,
        (sources, rules.hints),
    )))
}

/// Checks whether a key belongs to a directory of parquet files.
#[must_use]
pub fn is_parquet_key(key: &str) -> bool {
    let part = key.rsplit('/').next().unwrap_or_default();
    let number = part
        .strip_prefix("refs.")
        .and_then(|p| p.strip_suffix(".parq"));
    key == lazy_table::METADATA || number.is_some_and(|n| n.parse::<u64>().is_ok())
}

/// Opens the references in a directory of parquet files. Returns `None` for other stores.
///
/// # Errors
/// Returns [`ErrorKind::Corrupt`](crate::ErrorKind::Corrupt) for invalid metadata, and read errors.
pub fn open_parquet(
    store: &Arc<dyn Store>,
    rules: ReferenceRules,
) -> Result<Option<ReferenceStore>> {
    let Some(found) = lazy_table::open(store).map_err(|e| e.of(store.name()))? else {
        return Ok(None);
    };
    let sources = ReferenceSources::new(rules.opener, rules.missing, found.states, rules.notes);
    Ok(Some(ReferenceStore::new(
        Arc::clone(store.name()),
        Box::new(found.table),
        (sources, rules.hints),
    )))
}

#[cfg(test)]
mod tests;
