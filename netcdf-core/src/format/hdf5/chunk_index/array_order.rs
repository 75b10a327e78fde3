//! The numbers of chunks in fixed and extensible arrays.

use super::grid::{DatasetExtent, IndexGrid, dot};
use crate::error::{ErrorKind, Result};
use crate::format::hdf5::file::Hdf5File;
use crate::format::hdf5::message::layout::ChunkedLayout;

/// The strides of an array of the chunks of the maximum extent.
#[derive(Debug, Clone)]
pub(crate) struct ArrayOrder {
    steps: Vec<u64>,
    /// The number of chunks of the maximum extent; `None` for an unlimited extent and for more than 2^64 chunks.
    pub len: Option<u64>,
}

impl ArrayOrder {
    /// Returns the order of a dataset: the unlimited dimension varies slowest.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Corrupt`] for several unlimited dimensions, and the errors of the grid.
    pub(crate) fn new(
        file: &Hdf5File,
        chunked: &ChunkedLayout,
        extent: &DatasetExtent,
    ) -> Result<Self> {
        let grid = IndexGrid::new(file, chunked, extent)?;
        let unlimited = extent.max.iter().filter(|max| max.is_none()).count();
        let first = match (unlimited, grid.unlimited()) {
            (0, _) => 0,
            (_, Some(first)) => first,
            (_, None) => {
                let what = "an array of chunks with several unlimited dimensions";
                return Err(file.error(ErrorKind::Corrupt, chunked.address.unwrap_or(0), what));
            }
        };
        let chunks = extent.max.iter().zip(&chunked.dims);
        let mut counts = chunks.map(|(max, chunk)| max.map(|max| max.div_ceil((*chunk).max(1))));
        Ok(Self {
            steps: grid.array_steps(first),
            len: counts.try_fold(1, |all: u64, count| all.checked_mul(count?)),
        })
    }

    /// Returns the number of the chunk at a position in the grid.
    pub(crate) fn number(&self, position: &[u64]) -> u64 {
        dot(position, &self.steps)
    }
}
