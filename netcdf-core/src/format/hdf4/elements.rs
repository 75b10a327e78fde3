//! Bytes of small elements, read in one step.

use std::collections::HashMap;

use super::dd::TagRef;
use super::file::Hdf4File;
use crate::error::{Error, Result};

/// Element bytes by identifier.
#[derive(Debug, Default)]
pub(super) struct NamedElements(HashMap<TagRef, Result<Vec<u8>>, foldhash::fast::RandomState>);

impl NamedElements {
    /// Reads elements.
    ///
    /// # Errors
    /// Returns errors from [`Hdf4File::read`].
    pub(super) fn read(file: &Hdf4File, mut ids: Vec<TagRef>) -> Result<Self> {
        ids.sort_unstable();
        ids.dedup();
        let bytes = file.read(&ids)?;
        Ok(Self(ids.into_iter().zip(bytes).collect()))
    }

    /// The bytes of an element.
    ///
    /// # Errors
    /// Returns the read error of this element.
    pub(super) fn bytes(&self, id: TagRef) -> Result<&[u8]> {
        match self.0.get(&id) {
            Some(Ok(bytes)) => Ok(bytes),
            Some(Err(e)) => Err(e.again()),
            None => Err(Error::internal("an element that was not read")),
        }
    }
}
