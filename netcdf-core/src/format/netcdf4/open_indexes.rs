//! Chunk indexes of variables that were read recently.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::Result;
use crate::format::hdf5::chunk_index::OpenIndex;
use crate::model::VarId;

/// Maximum number of open indexes. A copy of a file with 100,000 variables needs each index only for a short time.
const MAX_OPEN: usize = 4096;

/// The open chunk indexes of a file.
#[derive(Debug, Default)]
pub(super) struct OpenIndexes(Mutex<HashMap<VarId, Arc<OpenIndex>>>);

impl OpenIndexes {
    /// Closes all indexes, after chunks or shapes changed.
    pub(super) fn forget(&self) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }

    /// Returns the chunk index of a variable. Opens the index if it is not open. If too many indexes are open, closes all other indexes.
    ///
    /// # Errors
    /// Returns errors of `open`.
    pub(super) fn get(
        &self,
        var: VarId,
        open: impl FnOnce() -> Result<OpenIndex>,
    ) -> Result<Arc<OpenIndex>> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock().get(&var).map(Arc::clone);
        if let Some(known) = known {
            return Ok(known);
        }
        let opened = Arc::new(open()?);
        let mut all = lock();
        if all.len() >= MAX_OPEN {
            all.clear();
        }
        Ok(Arc::clone(all.entry(var).or_insert(opened)))
    }
}
