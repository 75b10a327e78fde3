//! Keys of the parquet layout. Record files are loaded when one of their keys is requested.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::array_grid::ArrayGrid;
use super::json::{SOURCES, states};
use super::record_file::{self, MAX_ROWS, Rows};
use super::table::{KeyTable, VisitReference};
use super::urls::Urls;
use crate::error::{Context as _, Error, ErrorKind, Result};
use crate::io::invalid_entries::{EntryDefect, InvalidEntries, InvalidEntry};
use crate::io::reference::{Reference, SourceState};
use crate::io::store::Store;
use crate::io::{key, tree};
use crate::json::Json;

/// The key of the metadata.
pub(super) const METADATA: &str = ".zmetadata";

/// The maximum number of cached record files.
const MAX_CACHED: usize = 32;

/// The maximum size of a record file in bytes.
const MAX_FILE: u64 = 1 << 30;

/// The maximum number of chunks of an array that are listed.
const MAX_LISTED: u64 = 50_000_000;

/// The keys of a directory of parquet files.
#[derive(Debug)]
pub(super) struct LazyTable {
    store: Arc<dyn Store>,
    record_size: u64,
    /// The metadata by key.
    metadata: BTreeMap<String, Reference>,
    /// The arrays by key prefix.
    arrays: BTreeMap<String, ArrayGrid>,
    cached: Mutex<CachedFiles>,
    invalid: InvalidEntries,
}

/// The record files used last, the latest first.
#[derive(Debug, Default)]
struct CachedFiles(Vec<(String, Arc<Rows>)>);

/// The metadata of a directory.
pub(super) struct LazyMetadata {
    pub table: LazyTable,
    pub states: BTreeMap<String, SourceState>,
}

/// Opens a directory of parquet files. Returns `None` for other stores. Reads only the metadata.
///
/// # Errors
/// Returns read errors, and [`ErrorKind::Corrupt`] for an impossible record size.
pub(super) fn open(store: &Arc<dyn Store>) -> Result<Option<LazyMetadata>> {
    let Some(text) = store.get(METADATA)? else {
        return Ok(None);
    };
    let json = Json::parse(&text).in_object(|| METADATA.to_owned())?;
    let (Some(size), Some(metadata)) = (json.get("record_size"), json.get("metadata")) else {
        return Ok(None);
    };
    let size = size
        .as_u64()
        .filter(|size| (1..=MAX_ROWS as u64).contains(size));
    let wrong = || Error::new(ErrorKind::Corrupt, "an impossible `record_size`").of(store.name());
    let mut table = LazyTable {
        store: Arc::clone(store),
        record_size: size.ok_or_else(wrong)?,
        metadata: BTreeMap::new(),
        arrays: BTreeMap::new(),
        cached: Mutex::default(),
        invalid: InvalidEntries::default(),
    };
    for (key, value) in metadata.members() {
        table.add(key, value);
    }
    let states = json.get(SOURCES).map(states).unwrap_or_default();
    Ok(Some(LazyMetadata { table, states }))
}

impl LazyTable {
    fn add(&mut self, key: &str, json: &Json) {
        if key::check(key).is_err() {
            let entry = InvalidEntry::new(EntryDefect::NoKey, key.as_bytes());
            return self.invalid.add(entry);
        }
        let prefix = key.strip_suffix(".zarray");
        if let Some((prefix, grid)) = prefix.zip(ArrayGrid::of(json)) {
            self.arrays.insert(prefix.to_owned(), grid);
        }
        let text = match json {
            Json::Text(text) => text.clone(),
            json => json.to_bytes(),
        };
        let reference = Reference::Inline(text.into());
        self.metadata.insert(key.to_owned(), reference);
    }

    /// Returns the array, the prefix and the number of a chunk key.
    fn chunk<'k>(&self, key: &'k str) -> Option<(&'k str, u64)> {
        let start = key.rfind('/').map_or(0, |slash| slash + 1);
        let (prefix, chunk) = key.split_at_checked(start)?;
        let number = self.arrays.get(prefix)?.number(chunk)?;
        Some((prefix, number))
    }

    /// Returns a record file.
    fn records(&self, prefix: &str, file: u64) -> Result<Arc<Rows>> {
        let name = format!("{prefix}refs.{file}.parq");
        let lock = || self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        {
            let mut cached = lock();
            if let Some(at) = cached.0.iter().position(|(known, _)| *known == name) {
                let found = cached.0.remove(at);
                let rows = Arc::clone(&found.1);
                cached.0.insert(0, found);
                return Ok(rows);
            }
        }
        let size = self.store.size(&name)?.unwrap_or(0);
        if size > MAX_FILE {
            let what = format!("a parquet file of {size} bytes, the limit is {MAX_FILE}");
            return Err(Error::new(ErrorKind::Limit, what).in_object(&name));
        }
        let bytes = self.store.get(&name)?;
        let rows = match bytes {
            // All chunks of a missing file are missing.
            None => vec![],
            Some(bytes) => {
                let rows = record_file::decode(bytes, &mut Urls::default());
                rows.in_object(|| name.clone())
                    .map_err(|e| e.of(self.store.name()))?
            }
        };
        let rows = Arc::new(rows);
        let mut cached = lock();
        cached.0.truncate(MAX_CACHED - 1);
        cached.0.insert(0, (name, Arc::clone(&rows)));
        Ok(rows)
    }

    fn row(&self, prefix: &str, number: u64) -> Result<Option<Reference>> {
        let rows = self.records(prefix, number / self.record_size)?;
        let row = usize::try_from(number % self.record_size).ok();
        Ok(row.and_then(|row| rows.get(row).cloned().flatten()))
    }

    /// Adds the stored chunks of an array.
    fn list(&self, prefix: &str, out: &mut Vec<(String, Reference)>) -> Result<()> {
        let Some(grid) = self.arrays.get(prefix) else {
            return Ok(());
        };
        if grid.count() > MAX_LISTED {
            let what = format!(
                "{} chunks, the limit for a list is {MAX_LISTED}",
                grid.count()
            );
            return Err(Error::new(ErrorKind::Limit, what).in_object(prefix));
        }
        for number in 0..grid.count() {
            if let Some(reference) = self.row(prefix, number)? {
                out.push((format!("{prefix}{}", grid.key(number)), reference));
            }
        }
        Ok(())
    }

    /// Returns all keys below a prefix, sorted.
    fn all(&self, prefix: &str) -> Result<Vec<(String, Reference)>> {
        let metadata = tree::below(&self.metadata, prefix);
        let mut all: Vec<_> = metadata
            .map(|(key, reference)| (key.clone(), reference.clone()))
            .collect();
        for array in self.arrays.keys().filter(|array| array.starts_with(prefix)) {
            self.list(array, &mut all)?;
        }
        all.sort_by(|(a, _), (b, _)| a.cmp(b));
        Ok(all)
    }
}

impl KeyTable for LazyTable {
    fn find(&self, key: &str) -> Result<Option<Reference>> {
        if let Some(reference) = self.metadata.get(key) {
            return Ok(Some(reference.clone()));
        }
        match self.chunk(key) {
            None => Ok(None),
            Some((prefix, number)) => self.row(prefix, number),
        }
    }

    fn has_below(&self, key: &str) -> bool {
        tree::has_below(&self.metadata, key)
    }

    fn children(&self, prefix: &str) -> Result<Vec<String>> {
        let mut names = tree::children(&self.metadata, prefix);
        if self.arrays.contains_key(prefix) {
            let mut chunks = vec![];
            self.list(prefix, &mut chunks)?;
            let name = |(key, _): (String, Reference)| key.get(prefix.len()..).map(str::to_owned);
            names.extend(chunks.into_iter().filter_map(name));
            names.sort_unstable();
        }
        Ok(names)
    }

    fn walk(&self, prefix: &str, visit: VisitReference<'_>) -> Result<()> {
        let all = self.all(prefix)?;
        all.iter()
            .try_for_each(|(key, reference)| visit(key, reference))
    }

    fn is_remote(&self, remote: &dyn Fn(&str) -> bool) -> bool {
        let first = |(prefix, grid): (&String, &ArrayGrid)| {
            let count = grid.count().min(self.record_size);
            let rows = self.records(prefix, 0).ok().filter(|_| count > 0)?;
            let mut rows = rows.iter().flatten();
            rows.find_map(|reference| reference.url().cloned())
        };
        // The chunks of one dataset are in one place.
        let url = self.arrays.iter().take(MAX_CACHED).find_map(first);
        self.store.latency() || url.is_some_and(|url| remote(&url))
    }

    fn invalid(&self) -> &InvalidEntries {
        &self.invalid
    }
}
