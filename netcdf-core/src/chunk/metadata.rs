//! The location of dataset metadata.

use std::ops::Range;

/// The location of the metadata read so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MetadataExtent {
    /// The metadata ranges of a file.
    File(FileMetadata),
    /// Keys of a store.
    Keys {
        /// Whether one key has a copy of all metadata, so that readers need only this key; `None` for stores without consolidated metadata.
        consolidated: Option<bool>,
    },
}

/// The metadata ranges of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileMetadata {
    /// The byte ranges in ascending order; `None` if there are very many.
    pub ranges: Option<Vec<Range<u64>>>,
    /// The offset of the last range.
    pub last: u64,
    /// The end of the last range.
    pub end: u64,
    /// The size of the heaps with attribute values, in bytes. They count as data.
    pub heaps: Option<u64>,
    /// The pages of the file, if it has paged allocation.
    pub pages: Option<FilePages>,
    /// The data of objects that are not variables.
    pub others: OtherData,
}

/// Consecutive pages of the same size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilePages {
    /// The offset of the first page.
    pub base: u64,
    /// The page size in bytes.
    pub size: u64,
}

/// Data of a file that belongs to no variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OtherData {
    /// The offset of the data.
    pub first: Option<u64>,
    /// The size of the data in bytes.
    pub bytes: u64,
}
