//! Visits of chunks, which end before their end if the visitor has seen enough.

use super::layout::ChunkRef;
use crate::error::{Error, Result};

/// Receives chunks.
pub type Visit<'v> = &'v mut dyn FnMut(ChunkRef) -> Visited;

/// How a visit ended, or how it goes on.
pub type Visited = std::result::Result<(), Stop>;

/// Why a visit ended before its end.
#[derive(Debug)]
pub enum Stop {
    /// The visitor has seen enough.
    Enough,
    /// An error of the visitor, or of finding chunks.
    Error(Error),
}

impl From<Error> for Stop {
    fn from(e: Error) -> Self {
        Self::Error(e)
    }
}

impl Stop {
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
/// Those of the visit.
pub fn ended(visited: Visited) -> Result<()> {
    match visited {
        Ok(()) | Err(Stop::Enough) => Ok(()),
        Err(Stop::Error(e)) => Err(e),
    }
}

/// Which chunks of a box are visited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Locate {
    /// The stored ones.
    Stored,
    /// The stored ones, whose places are wanted again: they are kept, as far as there is room.
    Again,
    /// The stored ones, for a caller that fetches them ([`Reader::fetch_stored`](super::Reader::fetch_stored)) and nothing else. Where
    /// it would take requests to find out which chunks are stored and how many bytes each has, all chunks are visited, as if they had the
    /// size of their elements.
    Candidates,
}
