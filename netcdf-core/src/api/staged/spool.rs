//! The temporary file of a dataset being edited.

use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

use crate::error::Result;
use crate::io::Source;
use crate::io::file::Scratch;

/// The temporary file with elements that are not in a dataset yet, also as the source of chunks.
#[derive(Clone)]
pub(super) struct StagedSpool {
    file: Arc<Scratch>,
    source: Arc<dyn Source>,
}

impl StagedSpool {
    pub(super) fn new(folder: Option<&Path>) -> Result<Self> {
        let file = Arc::new(Scratch::new(folder)?);
        let source = Arc::clone(&file) as Arc<dyn Source>;
        Ok(Self { file, source })
    }

    /// Returns the file as chunk source.
    pub(super) fn source(&self) -> &Arc<dyn Source> {
        &self.source
    }
}

impl Deref for StagedSpool {
    type Target = Scratch;
    fn deref(&self) -> &Scratch {
        &self.file
    }
}
