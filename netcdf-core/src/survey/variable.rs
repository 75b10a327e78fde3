//! Storage survey of a variable.

use crate::arithmetic::{Amount, length};
use crate::chunk::ChunkHolder;
use crate::chunk::scatter::Block;
use crate::chunk::visit::Locate;
use crate::chunk::{ChunkRef, Dataset, Layout};
use crate::error::{OrInternal as _, Result};
use crate::model::{StorageLayout, VarId};

/// The storage of a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariableSurvey {
    /// The variable.
    pub var: VarId,
    /// Length of each dimension, in elements.
    pub shape: Vec<u64>,
    /// The layout class of the data.
    pub form: LayoutClass,
    /// Bytes of an element before filters; `None` if elements have different sizes.
    pub element: Option<u64>,
    /// Bytes of the stored data after filters, without heap data.
    pub stored: u64,
    /// Number and sizes of the stored chunks or records; `None` for contiguous data.
    pub chunks: Option<ChunkSizes>,
    /// The first byte of the data in the file with the metadata.
    pub first: Option<u64>,
}

/// The layout class of a variable's data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LayoutClass {
    /// Chunks, with the number of elements per dimension.
    Chunked(Vec<u64>),
    /// Interleaved records of several variables.
    Records,
    /// One run of bytes.
    Contiguous,
    /// Data inside the metadata.
    Compact,
    /// Separate files.
    External,
    /// Mapped from source datasets.
    Virtual,
    /// An unknown layout.
    Unknown,
}

/// Number and sizes of stored chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ChunkSizes {
    /// The number of chunks.
    pub count: u64,
    /// Bytes of the smallest chunk.
    pub smallest: u64,
    /// Bytes of the largest chunk.
    pub largest: u64,
}

impl ChunkSizes {
    fn add(&mut self, bytes: u64) {
        self.smallest = match self.count {
            0 => bytes,
            _ => self.smallest.min(bytes),
        };
        self.largest = self.largest.max(bytes);
        self.count = (Amount::of(self.count) + 1u64).get();
    }
}

impl VariableSurvey {
    pub(super) fn of(set: Dataset<'_>, var: VarId) -> Result<Self> {
        let layout = set.layout(var)?;
        let form = LayoutClass::of(set, var, &layout)?;
        // Assembled elements have no stored size.
        let made = set.reader.assembles(var) && form != LayoutClass::Virtual;
        let mut found = Self {
            var,
            shape: set.reader.schema().shape(var),
            element: (!made).then_some(layout.element.size),
            stored: 0,
            chunks: form.has_pieces().then(ChunkSizes::default),
            first: None,
            form,
        };
        if found.form != LayoutClass::Virtual {
            let all = Block::whole(&layout.grid());
            set.locate_chunks(var, &all, Locate::Again, &mut |chunk| {
                found.add(&chunk);
                Ok(())
            })?;
        }
        Ok(found)
    }

    fn add(&mut self, chunk: &ChunkRef) {
        let bytes = length(&chunk.range);
        self.stored = (Amount::of(self.stored) + bytes).get();
        if let Some(chunks) = &mut self.chunks {
            chunks.add(bytes);
        }
        if chunk.holder == ChunkHolder::Source(0) && bytes > 0 {
            let start = chunk.range.start;
            self.first = Some(self.first.map_or(start, |first| first.min(start)));
        }
    }

    /// Returns the bytes of all elements before filters.
    #[must_use]
    pub fn raw(&self) -> Option<u64> {
        Some((Amount::product(&self.shape) * self.element?).get())
    }

    /// Returns the elements of a chunk per dimension.
    #[must_use]
    pub fn chunk(&self) -> Option<&[u64]> {
        match &self.form {
            LayoutClass::Chunked(chunk) => Some(chunk),
            LayoutClass::Records | LayoutClass::Contiguous | LayoutClass::Compact => None,
            LayoutClass::External | LayoutClass::Virtual | LayoutClass::Unknown => None,
        }
    }

    /// Returns the bytes of a chunk before filters.
    #[must_use]
    pub fn chunk_bytes(&self) -> Option<u64> {
        Some((Amount::product(self.chunk()?) * self.element?).get())
    }

    /// Returns the number of stored chunks, if the data is stored in chunks.
    #[must_use]
    pub fn chunk_count(&self) -> u64 {
        let chunks = self.chunks.filter(|_| self.chunk().is_some());
        chunks.map_or(0, |chunks| chunks.count)
    }
}

impl LayoutClass {
    fn of(set: Dataset<'_>, var: VarId, layout: &Layout) -> Result<Self> {
        let variable = set.reader.schema().var(var).or_internal("a variable")?;
        Ok(match &variable.storage.layout {
            Some(StorageLayout::Chunked(chunk)) => Self::Chunked(chunk.clone()),
            Some(StorageLayout::Contiguous) if set.reader.named_files(var).is_some() => {
                Self::External
            }
            Some(StorageLayout::Contiguous) => Self::Contiguous,
            Some(StorageLayout::Compact) => Self::Compact,
            Some(StorageLayout::Virtual) => Self::Virtual,
            Some(StorageLayout::Unknown) => Self::Unknown,
            // Formats without storage settings.
            None if layout.chunk == layout.extent => Self::Contiguous,
            None => Self::Records,
        })
    }

    fn has_pieces(&self) -> bool {
        match self {
            Self::Chunked(_) | Self::Records => true,
            Self::Contiguous | Self::Compact | Self::External => false,
            Self::Virtual | Self::Unknown => false,
        }
    }

    /// Returns the name for users.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Chunked(_) => "chunked",
            Self::Records => "records",
            Self::Contiguous => "contiguous",
            Self::Compact => "compact",
            Self::External => "external",
            Self::Virtual => "virtual",
            Self::Unknown => "unknown",
        }
    }
}
