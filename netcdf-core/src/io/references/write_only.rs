//! A store of new references. The keys cannot be read back.

use std::ops::Range;
use std::sync::Arc;

use crate::error::{Error, ErrorKind, Result};
use crate::io::key;
use crate::io::reference::{Reference, ReferenceKeys, SourceState};
use crate::io::store::{KeyParts, Store, VisitKey};

/// Receives checked keys.
pub(super) trait KeySink: ReferenceKeys {
    /// Stores the bytes of a key. Each key is stored once.
    ///
    /// # Errors
    /// Returns write errors.
    fn put_bytes(&self, key: &str, bytes: &[u8]) -> Result<()>;
}

/// A store that passes keys to a sink.
#[derive(Debug)]
pub(super) struct WriteOnlyStore<S> {
    name: Arc<str>,
    /// The receiver of the keys.
    pub(super) sink: S,
}

impl<S> WriteOnlyStore<S> {
    pub(super) fn new(name: &Arc<str>, sink: S) -> Self {
        let name = Arc::clone(name);
        Self { name, sink }
    }

    fn check(&self, key: &str) -> Result<()> {
        key::check(key).map_err(|e| e.of(&self.name))
    }

    /// Returns the error for all reads.
    pub(super) fn unreadable(&self) -> Error {
        let what = "references cannot be read while they are written";
        let e = Error::new(ErrorKind::Unsupported, what).of(&self.name);
        e.with_remedy("compare with ncdump --diff afterwards")
    }

    fn refused<T>(&self, key: &str) -> Result<T> {
        Err(self.unreadable().in_object(key))
    }
}

impl<S: KeySink> ReferenceKeys for WriteOnlyStore<S> {
    fn put_reference(&self, key: &str, reference: &Reference) -> Result<()> {
        self.check(key)?;
        self.sink.put_reference(key, reference)
    }

    fn put_source(&self, url: &str, state: SourceState) {
        self.sink.put_source(url, state);
    }
}

impl<S: KeySink> Store for WriteOnlyStore<S> {
    fn name(&self) -> &Arc<str> {
        &self.name
    }

    fn reference_keys(&self) -> Option<&dyn ReferenceKeys> {
        Some(self)
    }

    fn get(&self, key: &str) -> Result<Option<Vec<u8>>> {
        self.refused(key)
    }

    fn get_ranges(&self, key: &str, _: &[Range<u64>]) -> Result<KeyParts> {
        self.refused(key)
    }

    fn size(&self, key: &str) -> Result<Option<u64>> {
        self.refused(key)
    }

    fn children(&self, prefix: &str) -> Result<Vec<String>> {
        self.refused(prefix)
    }

    fn walk(&self, prefix: &str, _: VisitKey<'_>) -> Result<()> {
        self.refused(prefix)
    }

    fn put(&self, key: &str, bytes: &[u8]) -> Result<()> {
        self.check(key)?;
        self.sink.put_bytes(key, bytes)
    }

    fn put_if_absent(&self, key: &str, bytes: &[u8]) -> Result<()> {
        self.put(key, bytes)
    }

    fn delete(&self, key: &str) -> Result<()> {
        self.refused(key)
    }
}
