//! Visits of chunks. A visitor that has seen enough ends its visit.

use super::layout::ChunkRef;
use crate::error::{Error, Result};

/// Receives chunks.
pub type Visit<'v> = &'v mut dyn FnMut(ChunkRef) -> Visited;

/// The result of a visitor, or of a visit.
pub type Visited = std::result::Result<(), VisitStop>;

/// The reason why a visit stopped.
#[derive(Debug)]
pub enum VisitStop {
    /// The visitor has seen enough.
    Enough,
    /// An error of the visitor, or of finding chunks.
    Error(Error),
}

impl From<Error> for VisitStop {
    fn from(e: Error) -> Self {
        Self::Error(e)
    }
}

impl VisitStop {
    /// The same with another error, if there is one.
    #[must_use]
    pub fn map(self, change: impl FnOnce(Error) -> Error) -> Self {
        match self {
            Self::Enough => Self::Enough,
            Self::Error(e) => Self::Error(change(e)),
        }
    }
}

/// The result of a visit for the caller: a visitor that has seen enough is no error.
///
/// # Errors
/// Returns the error of the visit.
pub(crate) fn ended(visited: Visited) -> Result<()> {
    match visited {
        Ok(()) | Err(VisitStop::Enough) => Ok(()),
        Err(VisitStop::Error(e)) => Err(e),
    }
}

/// Which chunks of a box are visited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Locate {
    /// The stored chunks.
    Stored,
    /// The stored chunks. The cache keeps their places for the next call, if it has room.
    Again,
    /// The stored chunks, for a caller that only fetches them ([`ChunkBytes::fetch`](super::ChunkBytes::fetch)). If the stored
    /// chunks and their sizes are not known without requests, the visit has all chunks, each with the size of its elements.
    Candidates,
}
