//! The stored bytes of chunks, with a second look at the file for chunks that a later change may overwrite.
//!
//! A change in place overwrites no stored chunk with filters, except partial chunks in slots
//! ([`hdf5::update`](crate::format::hdf5::update)). A partial chunk can get more records, and alternates between two slots. A reader that
//! opened the file two changes ago could read a slot during a write.

use std::sync::Arc;

use crate::chunk::layout::ChunkRef;
use crate::chunk::{ChunkBytes, NumberedSources};
use crate::error::Result;
use crate::format::hdf5::OneStateSource;
use crate::io::Source;
use crate::io::store::KeyContent;

/// The sources of a dataset, and the variables with chunks that a later change may overwrite.
#[derive(Debug)]
pub(super) struct StoredBytes {
    pub(super) sources: NumberedSources,
    /// Parallel to the variables; `None` if no stored chunk is ever overwritten.
    pub(super) growing: Vec<Option<GrowingVariable>>,
}

/// A variable with filters and an unlimited dimension.
#[derive(Debug)]
pub(super) struct GrowingVariable {
    pub(super) axes: Vec<ChunkAxis>,
    /// The file of the variable.
    pub(super) file: Arc<OneStateSource>,
}

/// A dimension of a variable and its chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ChunkAxis {
    /// The length of the variable in elements.
    pub(super) extent: u64,
    /// The length of a chunk in elements.
    pub(super) chunk: u64,
    pub(super) unlimited: bool,
}

impl GrowingVariable {
    /// Returns whether a chunk is partial: more records fit into the chunk. `chunk` is the number in the grid.
    fn is_partial(&self, chunk: u64) -> bool {
        let mut left = chunk;
        self.axes.iter().rev().any(|axis| {
            let count = axis.extent.div_ceil(axis.chunk.max(1)).max(1);
            let at = left % count;
            left /= count;
            let end = at.saturating_add(1).saturating_mul(axis.chunk);
            axis.unlimited && end > axis.extent
        })
    }
}

impl StoredBytes {
    /// Returns the file of a chunk that a later change may overwrite.
    fn overwritable(&self, chunk: &ChunkRef) -> Option<&Arc<OneStateSource>> {
        let variable = self.growing.get(chunk.variable.index())?.as_ref()?;
        variable.is_partial(chunk.index).then_some(&variable.file)
    }

    /// Looks at the files of chunks that a later change may overwrite, after the chunks were read.
    fn look(&self, chunks: &[ChunkRef]) -> Result<()> {
        let mut last: Option<&Arc<OneStateSource>> = None;
        for file in chunks.iter().filter_map(|chunk| self.overwritable(chunk)) {
            if !last.is_some_and(|last| Arc::ptr_eq(last, file)) {
                file.look()?;
            }
            last = Some(file);
        }
        Ok(())
    }
}

impl ChunkBytes for StoredBytes {
    fn fetch(&self, chunks: &[ChunkRef]) -> Result<Vec<KeyContent>> {
        let fetched = self.sources.fetch(chunks);
        self.look(chunks)?;
        fetched
    }

    fn source(&self, chunk: &ChunkRef) -> Option<Arc<dyn Source>> {
        match self.overwritable(chunk) {
            Some(file) => Some(Arc::<OneStateSource>::clone(file)),
            None => self.sources.source(chunk),
        }
    }

    fn latency(&self) -> bool {
        self.sources.latency()
    }

    fn changed(&self) -> Option<Arc<str>> {
        self.sources.changed()
    }

    fn is_spread(&self) -> bool {
        self.sources.is_spread()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::memory::MemorySource;

    #[test]
    fn only_the_last_chunks_are_partial() {
        let axis = |extent, chunk, unlimited| ChunkAxis {
            extent,
            chunk,
            unlimited,
        };
        let variable = |axes| {
            let source = Arc::new(MemorySource::new("m", vec![]));
            let file = Arc::new(OneStateSource::new(source, 0, vec![]));
            GrowingVariable { axes, file }
        };
        let partial = |axes, count| {
            let variable = variable(axes);
            let all = (0..count).filter(|n| variable.is_partial(*n));
            all.collect::<Vec<_>>()
        };
        // Three rows of two chunks. The last row is half full.
        assert_eq!(
            partial(vec![axis(5, 2, true), axis(7, 4, false)], 6),
            [4, 5]
        );
        assert!(partial(vec![axis(6, 2, true), axis(7, 4, false)], 6).is_empty());
        assert_eq!(
            partial(vec![axis(6, 2, true), axis(7, 4, true)], 6),
            [1, 3, 5]
        );
        assert!(partial(vec![axis(0, 0, true), axis(0, 0, true)], 2).is_empty());
    }
}
