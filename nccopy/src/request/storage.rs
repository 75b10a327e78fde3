//! The requested storage of outputs.

use netcdf_core::model::FileSpace;

/// The storage of outputs.
#[derive(Debug, Default)]
pub struct StorageRequest {
    /// The deflate level of all variables.
    pub deflate: Option<u8>,
    /// Whether bytes are shuffled before they are deflated.
    pub shuffle: bool,
    /// Specifications of chunks.
    pub chunks: Vec<String>,
    /// Specifications of shards.
    pub shards: Vec<String>,
    /// Specifications of filters.
    pub filters: Vec<String>,
    /// Specifications of quantization.
    pub quantize: Vec<String>,
    /// The minimum bytes of a variable or chunk that is stored in chunks.
    pub min_chunk: Option<u64>,
    /// The bytes of a chunk before filters.
    pub chunk_size: Option<u64>,
    /// The rules for remote readers.
    pub cloud: Option<CloudRules>,
}

impl StorageRequest {
    /// Checks whether an option requests a form of storage.
    pub fn requests_any(&self) -> bool {
        let lists = [&self.chunks, &self.shards, &self.filters, &self.quantize];
        self.deflate.is_some()
            || self.shuffle
            || self.min_chunk.is_some()
            || self.chunk_size.is_some()
            || self.cloud.is_some()
            || lists.iter().any(|list| !list.is_empty())
    }

    /// Checks whether metadata is stored in pages.
    pub fn is_paged(&self) -> bool {
        self.cloud.is_some_and(|rules| rules.paged.is_some())
    }
}

/// Rules for remote readers, beyond the common ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CloudRules {
    /// Whether the output follows the rules of CMIP7.
    pub cmip7: bool,
    /// Pages for metadata, with an optional page size in bytes.
    pub paged: Option<Option<u64>>,
}

impl CloudRules {
    /// Checks whether only netCDF-4 files can follow the rules.
    pub fn is_netcdf4(self) -> bool {
        self.cmip7 || self.paged.is_some()
    }

    /// The location of metadata.
    pub fn space(self) -> FileSpace {
        self.paged.map_or(FileSpace::Front, FileSpace::Paged)
    }
}
