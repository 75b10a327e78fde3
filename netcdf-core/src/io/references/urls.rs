//! Shared URLs of references.

use std::collections::HashSet;
use std::sync::Arc;

/// The URLs of references. Equal URLs share memory.
#[derive(Debug, Default)]
pub(super) struct Urls(HashSet<Arc<str>>);

impl Urls {
    /// Returns the shared text.
    pub(super) fn shared(&mut self, url: &str) -> Arc<str> {
        if let Some(known) = self.0.get(url) {
            return Arc::clone(known);
        }
        let url: Arc<str> = url.into();
        self.0.insert(Arc::clone(&url));
        url
    }
}
