//! Writes references as JSON, version 1. The text is written as keys arrive, so memory does not grow with the number of keys.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::json;

use super::json::SOURCES;
use super::write_only::{KeySink, WriteOnlyStore};
use crate::arithmetic::exact;
use crate::bytes::base64;
use crate::error::{OrInternal as _, Result};
use crate::io::reference::{Reference, ReferenceKeys, SourceState};
use crate::io::store::{MARKERS, Store};
use crate::io::{StoreTarget, Target};

/// The number of bytes per write.
const BUFFER: usize = 1 << 20;

/// References that become a JSON file.
#[derive(Debug)]
pub struct JsonTarget {
    keys: Arc<WriteOnlyStore<JsonKeys>>,
    store: Arc<dyn Store>,
}

impl JsonTarget {
    /// Begins a file.
    #[must_use]
    pub fn new(target: Box<dyn Target>) -> Self {
        let name = Arc::clone(target.name());
        let keys = JsonKeys(Mutex::new(ReferenceText {
            target: Some(target),
            buffer: b"{\"version\": 1, \"refs\": {".to_vec(),
            written: 0,
            is_empty: true,
            sources: BTreeMap::new(),
        }));
        let keys = Arc::new(WriteOnlyStore::new(&name, keys));
        let store = Arc::clone(&keys) as Arc<dyn Store>;
        Self { keys, store }
    }
}

impl StoreTarget for JsonTarget {
    fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    fn written(&mut self) -> Result<Arc<dyn Store>> {
        Err(self.keys.unreadable())
    }

    fn commit(self: Box<Self>) -> Result<()> {
        let target = self.keys.sink.text().finished()?;
        target.commit()
    }
}

/// The keys of the file.
#[derive(Debug)]
struct JsonKeys(Mutex<ReferenceText>);

/// The text written so far.
#[derive(Debug)]
struct ReferenceText {
    target: Option<Box<dyn Target>>,
    buffer: Vec<u8>,
    written: u64,
    is_empty: bool,
    sources: BTreeMap<String, SourceState>,
}

impl ReferenceText {
    /// Adds a key with its JSON value.
    fn add(&mut self, key: &str, value: &str) -> Result<()> {
        let comma = if self.is_empty { "\n" } else { ",\n" };
        self.is_empty = false;
        let text = format!("{comma}{}: {value}", json!(key));
        self.buffer.extend_from_slice(text.as_bytes());
        match self.buffer.len() < BUFFER {
            true => Ok(()),
            false => self.flush(),
        }
    }

    fn flush(&mut self) -> Result<()> {
        let target = self.target.as_mut().or_internal("an open target")?;
        target.write_at(self.written, &self.buffer)?;
        self.written = (exact(self.written) + self.buffer.len()).get()?;
        self.buffer.clear();
        Ok(())
    }

    fn finished(&mut self) -> Result<Box<dyn Target>> {
        self.buffer.extend_from_slice(b"\n}");
        if !self.sources.is_empty() {
            let sources: BTreeMap<_, _> = self.sources.iter().map(|(u, s)| (u, state(s))).collect();
            let text = format!(",\n\"{SOURCES}\": {}", json!(sources));
            self.buffer.extend_from_slice(text.as_bytes());
        }
        self.buffer.extend_from_slice(b"}\n");
        self.flush()?;
        self.target.take().or_internal("an open target")
    }
}

/// Returns the state of a source as JSON.
pub(super) fn state(source: &SourceState) -> serde_json::Value {
    match &source.state {
        Some(state) => json!({"size": source.size, "state": state}),
        None => json!({"size": source.size}),
    }
}

/// Returns inline bytes as JSON text: metadata as text, and data as base64.
fn inline(key: &str, bytes: &[u8]) -> String {
    let part = key.rsplit('/').next().unwrap_or_default();
    let text = std::str::from_utf8(bytes);
    match text.ok().filter(|_| MARKERS.contains(&part)) {
        Some(text) => json!(text).to_string(),
        None => {
            let mut text = b"base64:".to_vec();
            base64::encode(bytes, &mut text);
            json!(String::from_utf8_lossy(&text)).to_string()
        }
    }
}

impl JsonKeys {
    fn text(&self) -> MutexGuard<'_, ReferenceText> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ReferenceKeys for JsonKeys {
    fn put_reference(&self, key: &str, reference: &Reference) -> Result<()> {
        let value = match reference {
            Reference::Inline(bytes) => inline(key, bytes),
            Reference::Whole(url) => json!([&**url]).to_string(),
            Reference::Range { url, offset, len } => json!([&**url, offset, len]).to_string(),
        };
        self.text().add(key, &value)
    }

    fn put_source(&self, url: &str, state: SourceState) {
        self.text().sources.insert(url.to_owned(), state);
    }
}

impl KeySink for JsonKeys {
    fn put_bytes(&self, key: &str, bytes: &[u8]) -> Result<()> {
        self.text().add(key, &inline(key, bytes))
    }
}
