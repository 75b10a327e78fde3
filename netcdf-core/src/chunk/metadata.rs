//! Where the metadata of a dataset lies.

use std::ops::Range;

/// Where the metadata of a dataset lies, as far as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MetadataExtent {
    /// In a file.
    File(FileMetadata),
    /// Under keys.
    Keys {
        /// Whether one key repeats all of it, so that readers need no other; `None` for a kind of store that has no such key.
        consolidated: Option<bool>,
    },
}

/// Where the metadata of a file lies.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileMetadata {
    /// The bytes that hold it, in ascending order; `None` if it lies in very many places.
    pub ranges: Option<Vec<Range<u64>>>,
    /// Where the last piece of it begins.
    pub last: u64,
    /// Where it ends.
    pub end: u64,
    /// Bytes of the heaps that hold values of attributes; they count as data.
    pub heaps: Option<u64>,
    /// The pages of the file, if it is stored in pages.
    pub pages: Option<FilePages>,
    /// The data of objects that are not variables.
    pub others: OtherData,
}

/// Pages of the same size, one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilePages {
    /// Where the first one begins.
    pub base: u64,
    /// Bytes of each.
    pub size: u64,
}

/// Data of a file that belongs to no variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OtherData {
    /// Where it begins.
    pub first: Option<u64>,
    /// Its bytes.
    pub bytes: u64,
}
