//! Writes references in the parquet layout: a directory with `.zmetadata`, and record files per array.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value, json};

use super::array_grid::ArrayGrid;
use super::json::SOURCES;
use super::lazy_table::METADATA;
use super::record_file::{self, MAX_ROWS};
use super::write_json::state;
use super::write_only::{KeySink, WriteOnlyStore};
use crate::error::{Context as _, Error, ErrorKind, OrInternal as _, Result};
use crate::io::StoreTarget;
use crate::io::reference::{Reference, ReferenceKeys, SourceState};
use crate::io::store::{MARKERS, Store};
use crate::json::Json;

/// The default number of rows per record file.
pub const RECORD_SIZE: u64 = 10_000;

/// The maximum number of record files of an array.
const MAX_FILES: u64 = 1 << 20;

/// References that become a directory of parquet files.
#[derive(Debug)]
pub struct ParquetTarget {
    target: Box<dyn StoreTarget>,
    keys: Arc<WriteOnlyStore<ParquetKeys>>,
    store: Arc<dyn Store>,
    record_size: u64,
}

impl ParquetTarget {
    /// Begins a directory.
    #[must_use]
    pub fn new(target: Box<dyn StoreTarget>, record_size: Option<u64>) -> Self {
        let name = target.store().name();
        let keys = Arc::new(WriteOnlyStore::new(name, ParquetKeys::default()));
        let record_size = record_size.unwrap_or(RECORD_SIZE);
        Self {
            target,
            store: Arc::clone(&keys) as Arc<dyn Store>,
            keys,
            record_size: record_size.clamp(1, MAX_ROWS as u64),
        }
    }
}

impl StoreTarget for ParquetTarget {
    fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    fn written(&mut self) -> Result<Arc<dyn Store>> {
        Err(self.keys.unreadable())
    }

    fn commit(self: Box<Self>) -> Result<()> {
        let Self {
            target,
            keys,
            record_size,
            ..
        } = *self;
        let written = std::mem::take(&mut *keys.sink.state());
        written.write(&**target.store(), record_size)?;
        target.commit()
    }
}

/// The keys of the directory.
#[derive(Debug, Default)]
struct ParquetKeys(Mutex<WrittenKeys>);

/// The keys written so far.
#[derive(Debug, Default)]
struct WrittenKeys {
    metadata: BTreeMap<String, Vec<u8>>,
    /// The chunks by array prefix: the last part of the key, and the reference.
    chunks: BTreeMap<String, Vec<(String, Reference)>>,
    sources: BTreeMap<String, SourceState>,
}

impl WrittenKeys {
    fn write(self, store: &dyn Store, record_size: u64) -> Result<()> {
        let mut all = Map::new();
        for (key, text) in &self.metadata {
            let value: Value = serde_json::from_slice(text).map_err(|e| {
                let what = format!("metadata that is not JSON: {e}");
                Error::internal(&what)
            })?;
            all.insert(key.clone(), value);
        }
        let mut chunks = self.chunks;
        for (key, text) in &self.metadata {
            let Some(prefix) = key.strip_suffix(".zarray") else {
                continue;
            };
            // Readers expect the files of arrays without chunks, too.
            let grid = ArrayGrid::of(&Json::parse(text)?).or_internal("the grid of an array")?;
            let chunks = chunks.remove(prefix).unwrap_or_default();
            write_array(store, (prefix, &grid), chunks, record_size)
                .in_object(|| prefix.to_owned())?;
        }
        if !chunks.is_empty() {
            return Err(Error::internal("chunks of an array without metadata"));
        }
        let sources: BTreeMap<_, _> = self.sources.iter().map(|(u, s)| (u, state(s))).collect();
        let json = json!({"metadata": all, "record_size": record_size, SOURCES: sources});
        store.put(METADATA, json.to_string().as_bytes())
    }
}

/// Writes the record files of an array. All files have `record_size` rows.
fn write_array(
    store: &dyn Store,
    (prefix, grid): (&str, &ArrayGrid),
    chunks: Vec<(String, Reference)>,
    record_size: u64,
) -> Result<()> {
    let files = grid.count().div_ceil(record_size);
    if files > MAX_FILES {
        let what = format!("{files} parquet files, the limit is {MAX_FILES}");
        let e = Error::new(ErrorKind::Limit, what);
        return Err(e.with_remedy("raise --record-size"));
    }
    let number = |(key, reference): (String, Reference)| {
        let number = grid.number(&key).or_internal("a chunk in the grid")?;
        Ok((number, reference))
    };
    let mut numbered: Vec<_> = chunks.into_iter().map(number).collect::<Result<_>>()?;
    numbered.sort_by_key(|(number, _)| *number);
    let mut next = numbered.into_iter().peekable();
    let size = usize::try_from(record_size).ok();
    let size = size.or_internal("a record size")?;
    for file in 0..files {
        let mut rows = vec![None; size];
        while let Some((number, reference)) = next.next_if(|(n, _)| n / record_size == file) {
            let row = usize::try_from(number % record_size).ok();
            let row = row.and_then(|row| rows.get_mut(row));
            *row.or_internal("a row of a file")? = Some(reference);
        }
        let bytes = record_file::encode(&rows)?;
        store.put(&format!("{prefix}refs.{file}.parq"), &bytes)?;
    }
    Ok(())
}

impl ParquetKeys {
    fn state(&self) -> MutexGuard<'_, WrittenKeys> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Splits a key after the last `/`.
fn split(key: &str) -> (&str, &str) {
    let start = key.rfind('/').map_or(0, |slash| slash + 1);
    key.split_at_checked(start).unwrap_or((key, ""))
}

impl ReferenceKeys for ParquetKeys {
    fn put_reference(&self, key: &str, reference: &Reference) -> Result<()> {
        let (prefix, chunk) = split(key);
        let mut state = self.state();
        let chunks = state.chunks.entry(prefix.to_owned()).or_default();
        chunks.push((chunk.to_owned(), reference.clone()));
        Ok(())
    }

    fn put_source(&self, url: &str, state: SourceState) {
        self.state().sources.insert(url.to_owned(), state);
    }
}

impl KeySink for ParquetKeys {
    fn put_bytes(&self, key: &str, bytes: &[u8]) -> Result<()> {
        let (_, part) = split(key);
        if !MARKERS.contains(&part) {
            return self.put_reference(key, &Reference::Inline(bytes.into()));
        }
        self.state().metadata.insert(key.to_owned(), bytes.to_vec());
        Ok(())
    }
}
