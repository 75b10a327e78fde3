//! References: locations of a key's bytes in other files.

use std::fmt::Debug;
use std::sync::Arc;

use crate::error::Result;

/// The location of a key's bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reference {
    /// The bytes themselves.
    Inline(Arc<[u8]>),
    /// A whole source, by path or URL.
    Whole(Arc<str>),
    /// A range of a source.
    Range {
        /// The path or URL of the source.
        url: Arc<str>,
        /// The byte offset in the source.
        offset: u64,
        /// The length in bytes.
        len: u64,
    },
}

impl Reference {
    /// The path or URL of the source; `None` for inline bytes.
    #[must_use]
    pub fn url(&self) -> Option<&Arc<str>> {
        match self {
            Self::Inline(_) => None,
            Self::Whole(url) | Self::Range { url, .. } => Some(url),
        }
    }
}

/// The state of a source when the references were written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceState {
    /// The size in bytes.
    pub size: u64,
    /// The text of [`Source::state`](super::Source::state); `None` for a source that was read under another name.
    pub state: Option<String>,
}

/// A store that accepts references instead of bytes.
pub trait ReferenceKeys: Debug + Send + Sync {
    /// Stores a reference as the value of a key. Each key is stored once.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Io`](crate::ErrorKind::Io), and errors for a reference that the store cannot contain.
    fn put_reference(&self, key: &str, reference: &Reference) -> Result<()>;

    /// Records the state of a source.
    fn put_source(&self, url: &str, state: SourceState);
}
