//! A store with other values of some keys. The hidden directories of changes in place are not visible.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};

use super::journal::{HIDDEN, ValueSum, is_in_hidden};
use crate::arithmetic::{length, span};
use crate::error::{Error, ErrorKind, Result};
use crate::io::Store;
use crate::io::invalid_entries::InvalidEntry;
use crate::io::key_reads::KeyReads;
use crate::io::reference::Reference;
use crate::io::store::{Hints, KeyParts, VisitKey, ranges_of};

/// The location of another value: a range of a key in the store below.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LaidValue {
    pub(super) key: String,
    pub(super) range: Range<u64>,
    /// The sum of the value, if another program may replace the key in the store below.
    pub(super) sum: Option<ValueSum>,
}

/// A store that is read with other values of some keys.
#[derive(Debug)]
pub(super) struct OverlayStore {
    base: Arc<dyn Store>,
    /// The other values; `None` for a missing key.
    keys: RwLock<BTreeMap<String, Option<LaidValue>>>,
}

/// The value of a key.
enum Found {
    Base,
    Missing,
    Laid(LaidValue),
}

impl OverlayStore {
    pub(super) fn new(base: Arc<dyn Store>) -> Self {
        Self {
            base,
            keys: RwLock::default(),
        }
    }

    /// Sets the value of a key.
    pub(super) fn lay(&self, key: &str, value: Option<LaidValue>) {
        let mut keys = self.keys.write().unwrap_or_else(PoisonError::into_inner);
        keys.insert(key.to_owned(), value);
    }

    /// Removes another value.
    pub(super) fn unlay(&self, key: &str) {
        let mut keys = self.keys.write().unwrap_or_else(PoisonError::into_inner);
        keys.remove(key);
    }

    /// Removes all other values.
    pub(super) fn clear(&self) {
        let mut keys = self.keys.write().unwrap_or_else(PoisonError::into_inner);
        keys.clear();
    }

    fn found(&self, key: &str) -> Found {
        let keys = self.keys.read().unwrap_or_else(PoisonError::into_inner);
        match keys.get(key) {
            None => Found::Base,
            Some(None) => Found::Missing,
            Some(Some(value)) => Found::Laid(value.clone()),
        }
    }

    /// Returns the other values below a prefix, sorted.
    fn below(&self, prefix: &str) -> Vec<(String, Option<LaidValue>)> {
        let keys = self.keys.read().unwrap_or_else(PoisonError::into_inner);
        let below = keys.range(prefix.to_owned()..);
        let below = below.take_while(|(key, _)| key.starts_with(prefix));
        below
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect()
    }

    /// Returns ranges of another value.
    fn parts(&self, key: &str, value: &LaidValue, ranges: &[Range<u64>]) -> Result<KeyParts> {
        let inside = |range: &Range<u64>| {
            let start = value.range.start;
            let part = span(range.start, length(range))?;
            if part.end > length(&value.range) {
                let what = "a range beyond the end of the key";
                return Err(Error::new(ErrorKind::Truncated, what).in_object(key));
            }
            let moved = span(start, part.end)?.end;
            Ok(moved - length(range)..moved)
        };
        let moved = ranges.iter().map(inside).collect::<Result<Vec<_>>>()?;
        let Some(sum) = value.sum else {
            let parts = self.base.get_ranges(&value.key, &moved)?;
            return parts.ok_or_else(|| self.ended(key)).map(Some);
        };
        let whole = self
            .base
            .get_ranges(&value.key, std::slice::from_ref(&value.range));
        let whole = match whole {
            // The journal of a later change is shorter.
            Err(e) if e.kind() == ErrorKind::Truncated => None,
            whole => whole?.and_then(|mut parts| parts.pop()),
        };
        match whole.filter(|whole| ValueSum::of(whole) == sum) {
            Some(whole) => ranges_of(&whole, ranges).map(Some),
            None => Err(self.ended(key)),
        }
    }

    /// The error for a value that is not in the journal any more.
    fn ended(&self, key: &str) -> Error {
        let what = "another program ended the change of this key";
        let e = Error::new(ErrorKind::Changed, what).in_object(key);
        let e = e.of(self.base.name());
        e.with_remedy("open the dataset again")
    }

    fn read_only(&self) -> Error {
        let what = "a store with an unfinished change is read-only";
        Error::new(ErrorKind::ReadOnly, what).of(self.base.name())
    }
}

impl Store for OverlayStore {
    fn name(&self) -> &Arc<str> {
        self.base.name()
    }

    fn hints(&self) -> Hints {
        self.base.hints()
    }

    fn latency(&self) -> bool {
        self.base.latency()
    }

    fn get(&self, key: &str) -> Result<Option<Vec<u8>>> {
        match self.found(key) {
            Found::Base => self.base.get(key),
            Found::Missing => Ok(None),
            Found::Laid(value) => {
                let whole = 0..length(&value.range);
                let parts = self.parts(key, &value, std::slice::from_ref(&whole))?;
                Ok(parts.and_then(|mut parts| parts.pop()))
            }
        }
    }

    fn get_ranges(&self, key: &str, ranges: &[Range<u64>]) -> Result<KeyParts> {
        match self.found(key) {
            Found::Base => self.base.get_ranges(key, ranges),
            Found::Missing => Ok(None),
            Found::Laid(value) => self.parts(key, &value, ranges),
        }
    }

    fn location(&self, key: &str) -> Result<Option<Reference>> {
        match self.found(key) {
            Found::Base => self.base.location(key),
            Found::Missing | Found::Laid(_) => Ok(None),
        }
    }

    fn size(&self, key: &str) -> Result<Option<u64>> {
        match self.found(key) {
            Found::Base => self.base.size(key),
            Found::Missing => Ok(None),
            Found::Laid(value) => Ok(Some(length(&value.range))),
        }
    }

    fn children(&self, prefix: &str) -> Result<Vec<String>> {
        let mut names = self.base.children(prefix)?;
        let laid = self.below(prefix);
        names.retain(|name| {
            let key = format!("{prefix}{name}");
            name != HIDDEN
                && !laid
                    .iter()
                    .any(|(own, value)| *own == key && value.is_none())
        });
        let present = laid.iter().filter(|(_, value)| value.is_some());
        names.extend(present.filter_map(|(key, _)| {
            let rest = key.strip_prefix(prefix)?;
            Some(rest.split('/').next().unwrap_or(rest).to_owned())
        }));
        names.sort();
        names.dedup();
        Ok(names)
    }

    fn walk(&self, prefix: &str, visit: VisitKey<'_>) -> Result<()> {
        let mut laid = self.below(prefix).into_iter().peekable();
        let visit_laid = |value: Option<LaidValue>, key: &str, visit: VisitKey<'_>| match value {
            Some(value) => visit(key, length(&value.range)),
            None => Ok(()),
        };
        self.base.walk(prefix, &mut |key, size| {
            while let Some((own, value)) = laid.next_if(|(own, _)| own.as_str() < key) {
                visit_laid(value, &own, visit)?;
            }
            match laid.next_if(|(own, _)| own == key) {
                Some((own, value)) => visit_laid(value, &own, visit),
                None if is_in_hidden(key) => Ok(()),
                None => visit(key, size),
            }
        })?;
        laid.try_for_each(|(own, value)| visit_laid(value, &own, visit))
    }

    fn put(&self, _: &str, _: &[u8]) -> Result<()> {
        Err(self.read_only())
    }

    fn put_if_absent(&self, _: &str, _: &[u8]) -> Result<()> {
        Err(self.read_only())
    }

    fn delete(&self, _: &str) -> Result<()> {
        Err(self.read_only())
    }

    fn state(&self) -> Result<Option<String>> {
        self.base.state()
    }

    fn watch(&self, reads: &Arc<KeyReads>) {
        self.base.watch(reads);
    }

    fn changed(&self) -> Option<Arc<str>> {
        self.base.changed()
    }

    fn changed_keys(&self) -> Vec<String> {
        self.base.changed_keys()
    }

    fn later_key(&self) -> Option<String> {
        self.base.later_key()
    }

    fn invalid_entries(&self, all: bool) -> Result<Vec<InvalidEntry>> {
        self.base.invalid_entries(all)
    }
}
