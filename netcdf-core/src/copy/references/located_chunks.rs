//! The locations of a variable's stored chunks in their sources.

use std::sync::Arc;

use crate::chunk::layout::{ChunkRef, Layout};
use crate::chunk::{Dataset, Locate};
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
        let bytes = set.reader.bytes();
        let mut located = vec![];
        set.locate_chunks(var, &set.whole_grid(var)?, Locate::Stored, &mut |chunk| {
            located.push(chunk);
            Ok(())
        })?;
        let mut found = Self {
            chunks: Vec::with_capacity(located.len()),
            sources: vec![],
        };
        for chunk in located {
            let reference = set.ask(|| bytes.reference(&chunk))?;
            if let Some(Reference::Range { url, .. }) = &reference
                && found.sources.last().is_none_or(|(last, _)| last != url)
                && let Some(state) = set.ask(|| bytes.source_state(&chunk, url))
            {
                found.sources.push((Arc::clone(url), state));
            }
            found.chunks.push((chunk, reference));
        }
        Ok(found)
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
