//! Visits of chunks. A visitor can stop a visit early.

use super::layout::ChunkRef;
use crate::error::{Error, Result};

/// Receives chunks.
pub type Visit<'v> = &'v mut dyn FnMut(ChunkRef) -> Visited;

/// The result of a visitor, or of a visit.
pub type Visited = std::result::Result<(), VisitStop>;

/// The reason for stopping a visit.
#[derive(Debug)]
pub enum VisitStop {
    /// The visitor needs no more chunks.
    Enough,
    /// An error of the visitor, or of locating chunks.
    Error(Error),
}

impl From<Error> for VisitStop {
    fn from(e: Error) -> Self {
        Self::Error(e)
    }
}

impl VisitStop {
    /// Returns the same reason with a changed error, if it is an error.
    #[must_use]
    pub fn map(self, change: impl FnOnce(Error) -> Error) -> Self {
        match self {
            Self::Enough => Self::Enough,
            Self::Error(e) => Self::Error(change(e)),
        }
    }
}

/// Converts the result of a visit for the caller. An early stop is no error.
///
/// # Errors
/// Returns the error from the visit.
pub(crate) fn ended(visited: Visited) -> Result<()> {
    match visited {
        Ok(()) | Err(VisitStop::Enough) => Ok(()),
        Err(VisitStop::Error(e)) => Err(e),
    }
}

/// The chunks of a box that are visited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Locate {
    /// The stored chunks.
    Stored,
    /// The stored chunks. Caches the locations for the next call if memory is free.
    Again,
    /// The stored chunks, for a caller that only fetches them ([`ChunkBytes::fetch`](super::ChunkBytes::fetch)). If the stored chunks and
    /// their sizes are unknown without requests, the visit has all chunks, each with the size of its elements.
    Candidates,
}
