//! The locations of a variable's stored chunks in their sources.

use std::sync::Arc;

use crate::chunk::Dataset;
use crate::chunk::layout::{ChunkRef, Layout};
use crate::error::Result;
use crate::io::reference::{Reference, SourceState};
use crate::model::{FilterSpec, VarId};

/// A chunk, and its location; `None` for bytes that only our readers find.
pub(super) type LocatedChunk = (ChunkRef, Option<Reference>);

/// The stored chunks of a variable.
pub(super) struct LocatedChunks {
    pub(super) chunks: Vec<LocatedChunk>,
    /// The states of the sources.
    pub(super) sources: Vec<(Arc<str>, SourceState)>,
}

impl LocatedChunks {
    /// Locates the chunks. No chunk is read.
    ///
    /// # Errors
    /// Returns errors of locating chunks.
    pub(super) fn of(set: Dataset<'_>, var: VarId) -> Result<Self> {
        let mut found = Self {
            chunks: vec![],
            sources: vec![],
        };
        set.each_chunk(var, &set.whole_grid(var)?, |chunk| found.add(set, chunk))?;
        Ok(found)
    }

    fn add(&mut self, set: Dataset<'_>, chunk: ChunkRef) -> Result<()> {
        let bytes = set.reader.bytes();
        let reference = set.ask(|| bytes.reference(&chunk))?;
        if let Some(Reference::Range { url, .. }) = &reference
            && self.sources.last().is_none_or(|(last, _)| last != url)
            && let Some(state) = set.ask(|| bytes.source_state(&chunk, url))
        {
            self.sources.push((Arc::clone(url), state));
        }
        self.chunks.push((chunk, reference));
        Ok(())
    }

    /// Returns the filters that all chunks went through, or the reason why chunks differ.
    pub(super) fn filters(&self, layout: &Layout) -> Result<Vec<FilterSpec>, String> {
        let mut masks = self.chunks.iter().map(|(chunk, _)| chunk.mask);
        let mask = masks.next().unwrap_or(0);
        if masks.any(|other| other != mask) {
            return Err("chunks that skip filters".to_owned());
        }
        let used = (0u32..).zip(&layout.filters);
        let used = used.filter(|(n, _)| mask.checked_shr(*n).unwrap_or(0) & 1 == 0);
        Ok(used.map(|(_, filter)| filter.clone()).collect())
    }
}
