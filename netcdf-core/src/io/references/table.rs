//! Keys with references, in memory or loaded on demand.

use std::collections::BTreeMap;
use std::fmt::Debug;

use crate::error::{Error, ErrorKind, Result};
use crate::io::invalid_entries::InvalidEntries;
use crate::io::reference::Reference;
use crate::io::tree;

/// The maximum number of keys.
const MAX_KEYS: usize = 20_000_000;

/// A visitor of keys and references.
pub(super) type VisitReference<'v> = &'v mut dyn FnMut(&str, &Reference) -> Result<()>;

/// The keys of a store. Callers check keys and prefixes.
pub(super) trait KeyTable: Debug + Send + Sync {
    /// Returns the reference of a key.
    ///
    /// # Errors
    /// Returns errors of loading references.
    fn find(&self, key: &str) -> Result<Option<Reference>>;

    /// Checks whether a key is a prefix of other keys.
    fn has_below(&self, key: &str) -> bool;

    /// Returns the names directly below a prefix, sorted.
    ///
    /// # Errors
    /// Returns errors of loading references.
    fn children(&self, prefix: &str) -> Result<Vec<String>>;

    /// Visits the keys below a prefix, sorted.
    ///
    /// # Errors
    /// Returns errors of loading references and of `visit`.
    fn walk(&self, prefix: &str, visit: VisitReference<'_>) -> Result<()>;

    /// Checks whether the source of any key is remote.
    fn is_remote(&self, remote: &dyn Fn(&str) -> bool) -> bool;

    /// The names that are not keys.
    fn invalid(&self) -> &InvalidEntries;
}

/// Keys in memory.
#[derive(Debug, Default)]
pub(super) struct ReferenceTable {
    refs: BTreeMap<String, Reference>,
    pub invalid: InvalidEntries,
}

impl ReferenceTable {
    /// Adds a key. The last reference wins if keys repeat.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`] for too many keys.
    pub(super) fn insert(&mut self, key: String, reference: Reference) -> Result<()> {
        if self.refs.len() >= MAX_KEYS {
            let what = format!("more than {MAX_KEYS} references");
            return Err(Error::new(ErrorKind::Limit, what));
        }
        self.refs.insert(key, reference);
        Ok(())
    }
}

impl KeyTable for ReferenceTable {
    fn find(&self, key: &str) -> Result<Option<Reference>> {
        Ok(self.refs.get(key).cloned())
    }

    fn has_below(&self, key: &str) -> bool {
        tree::has_below(&self.refs, key)
    }

    fn children(&self, prefix: &str) -> Result<Vec<String>> {
        Ok(tree::children(&self.refs, prefix))
    }

    fn walk(&self, prefix: &str, visit: VisitReference<'_>) -> Result<()> {
        let mut below = tree::below(&self.refs, prefix);
        below.try_for_each(|(key, reference)| visit(key, reference))
    }

    fn is_remote(&self, remote: &dyn Fn(&str) -> bool) -> bool {
        let mut last: Option<&str> = None;
        self.refs.values().any(|reference| {
            let url = reference.url().map(AsRef::as_ref);
            // Neighbouring keys usually share a source.
            let same = url.is_none() || url == last;
            last = url.or(last);
            !same && url.is_some_and(remote)
        })
    }

    fn invalid(&self) -> &InvalidEntries {
        &self.invalid
    }
}
