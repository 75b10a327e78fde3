//! The changes of a dataset.

use std::collections::BTreeMap;

/// A chunk that was stored at the end of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NewChunk {
    /// The source offset.
    pub(crate) place: u64,
    /// Stored bytes.
    pub(crate) size: u64,
    /// Mask of skipped filters.
    pub(crate) mask: u32,
}

/// The changes of a dataset.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DatasetChange<'a> {
    /// New lengths in elements per dimension; `None` for unchanged lengths.
    pub(crate) dims: Option<&'a [u64]>,
    /// Chunks by position in the grid.
    pub(crate) chunks: &'a BTreeMap<Vec<u64>, NewChunk>,
}
