//! Access to stored chunk bytes.

use std::sync::Arc;

use super::layout::{ChunkHolder, ChunkRef};
use crate::arithmetic::length;
use crate::error::{Error, ErrorKind, OrInternal as _, Result};
use crate::io::Source;
use crate::io::merge::CoalesceLimits;
use crate::io::reference::{Reference, SourceState};
use crate::io::store::KeyContent;

/// Reads the stored chunk bytes of a dataset.
pub trait ChunkBytes: Send + Sync {
    /// Returns the stored bytes of chunks or of parts of chunks. After [`Locate::Candidates`](super::Locate::Candidates), a chunk may be
    /// missing, or be longer than expected. A longer chunk is not read; the caller must fetch it again with a range that is long enough.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Truncated`] if the file ends too early.
    fn fetch(&self, chunks: &[ChunkRef]) -> Result<Vec<KeyContent>>;

    /// Returns the source of a chunk, for copying bytes unchanged; `None` if only [`ChunkBytes::fetch`] can read the chunk.
    fn source(&self, chunk: &ChunkRef) -> Option<Arc<dyn Source>>;

    /// Returns the location of a chunk in a file or object, by name; `None` if only [`ChunkBytes::fetch`] can read the chunk.
    ///
    /// # Errors
    /// Returns errors of the store.
    fn reference(&self, chunk: &ChunkRef) -> Result<Option<Reference>> {
        let source = self.source(chunk);
        let location = source.and_then(|source| source.location(&chunk.range));
        Ok(location.map(|(url, offset)| Reference::Range {
            url,
            offset,
            len: length(&chunk.range),
        }))
    }

    /// Returns the state of the source of a chunk whose [`ChunkBytes::reference`] has this name, if known.
    fn source_state(&self, chunk: &ChunkRef, url: &str) -> Option<SourceState> {
        let _ = url;
        self.source(chunk).map(|source| source.file_state())
    }

    /// Returns true if the chunks are in sources, so that copies can move chunks unchanged. Otherwise [`ChunkBytes::source`] returns
    /// `None`.
    fn has_sources(&self) -> bool {
        true
    }

    /// Returns true if requests take long, so that concurrent requests are worthwhile.
    fn latency(&self) -> bool;

    /// Returns the limits for merging the ranges of two chunks into one request; `None` for chunks in different sources or keys.
    fn coalesce_limits(&self, a: &ChunkRef, b: &ChunkRef) -> Option<CoalesceLimits> {
        let (source, other) = (self.source(a)?, self.source(b)?);
        Arc::ptr_eq(&source, &other).then(|| source.coalesce_limits())
    }

    /// Returns the name of the file or key of a chunk, for messages.
    fn name(&self, chunk: &ChunkRef) -> Option<Arc<str>> {
        Some(Arc::clone(self.source(chunk)?.name()))
    }

    /// Returns the name of a dataset file that has changed since it was opened or read.
    fn changed(&self) -> Option<Arc<str>>;

    /// Returns true if the data comes from several files or datasets. A copy would contain all data.
    fn is_spread(&self) -> bool {
        false
    }
}

/// The numbered sources of a dataset.
#[derive(Debug)]
pub struct NumberedSources {
    /// The sources, beginning with the dataset's own file.
    pub all: Vec<Arc<dyn Source>>,
    /// Whether data comes from several files or datasets.
    pub spread: bool,
}

impl NumberedSources {
    /// Creates the list for a dataset with a single source.
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

    fn source(&self, chunk: &ChunkRef) -> Option<Arc<dyn Source>> {
        match chunk.holder {
            ChunkHolder::Source(n) => self.all.get(usize::try_from(n).ok()?).cloned(),
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
