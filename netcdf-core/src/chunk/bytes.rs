//! The stored bytes of chunks.

use std::sync::Arc;

use super::layout::{ChunkHolder, ChunkRef};
use crate::error::{Error, ErrorKind, OrInternal as _, Result};
use crate::io::Source;
use crate::io::merge::Near;
use crate::io::store::KeyContent;

/// Hands out the stored bytes of the chunks of a dataset.
pub trait ChunkBytes: Send + Sync {
    /// The stored bytes of chunks, or of parts of them. After [`Locate::Candidates`](super::Locate::Candidates), a chunk may not be
    /// stored, or be longer than expected. A longer one is not read; the caller asks again, with a range that is long enough.
    ///
    /// # Errors
    /// [`ErrorKind::Truncated`] if the file ends too early.
    fn fetch(&self, chunks: &[ChunkRef]) -> Result<Vec<KeyContent>>;

    /// The source that holds a chunk, for copying bytes unchanged; `None` if only [`ChunkBytes::fetch`] can read them.
    fn source(&self, chunk: &ChunkRef) -> Option<&Arc<dyn Source>>;

    /// Whether sources hold the chunks, so that copies can move chunks unchanged. If not, [`ChunkBytes::source`] has none.
    fn has_sources(&self) -> bool {
        true
    }

    /// True if answers take long. Many requests are then under way at a time.
    fn latency(&self) -> bool;

    /// The ranges that one request should get, if the same source or key holds two chunks; `None` for chunks in different places.
    fn near(&self, a: &ChunkRef, b: &ChunkRef) -> Option<Near> {
        let (source, other) = (self.source(a)?, self.source(b)?);
        Arc::ptr_eq(source, other).then(|| source.near())
    }

    /// The name of the file or key that holds a chunk, for messages.
    fn name(&self, chunk: &ChunkRef) -> Option<Arc<str>> {
        Some(Arc::clone(self.source(chunk)?.name()))
    }

    /// The name of a file of the dataset that has changed since it was opened or read.
    fn changed(&self) -> Option<Arc<str>>;

    /// Whether the data comes from several files or datasets. A copy would contain all data.
    fn is_spread(&self) -> bool {
        false
    }
}

/// The sources of a dataset, by number.
#[derive(Debug)]
pub struct NumberedSources {
    /// The sources; the dataset's own file is the first.
    pub all: Vec<Arc<dyn Source>>,
    /// Whether data comes from several files or datasets.
    pub spread: bool,
}

impl NumberedSources {
    /// The only source of a dataset.
    #[must_use]
    pub fn one(source: Arc<dyn Source>) -> Self {
        Self {
            all: vec![source],
            spread: false,
        }
    }
}

impl ChunkBytes for NumberedSources {
    fn fetch(&self, chunks: &[ChunkRef]) -> Result<Vec<KeyContent>> {
        let mut out = Vec::with_capacity(chunks.len());
        for same in chunks.chunk_by(|a, b| a.holder == b.holder) {
            let ranges: Vec<_> = same.iter().map(|chunk| chunk.range.clone()).collect();
            let source = self.source(same.first().or_internal("a chunk to fetch")?);
            let source = source.ok_or_else(no_source)?;
            out.extend(
                source
                    .read_ranges(&ranges)?
                    .into_iter()
                    .map(KeyContent::Bytes),
            );
        }
        Ok(out)
    }

    fn source(&self, chunk: &ChunkRef) -> Option<&Arc<dyn Source>> {
        match chunk.holder {
            ChunkHolder::Source(n) => self.all.get(usize::try_from(n).ok()?),
            ChunkHolder::Key | ChunkHolder::Temporary => None,
        }
    }

    fn latency(&self) -> bool {
        self.all.first().is_some_and(|source| source.latency())
    }

    fn changed(&self) -> Option<Arc<str>> {
        let changed = self.all.iter().find(|source| source.has_changed())?;
        Some(Arc::clone(changed.name()))
    }

    fn is_spread(&self) -> bool {
        self.spread
    }
}

fn no_source() -> Error {
    Error::new(ErrorKind::NotFound, "no such source")
}
