//! What is asked of a copy. Names are resolved already: to ids of the input's schema.

use std::collections::BTreeMap;

use super::Selection;
use crate::model::{DimId, FilterSpec, GroupId, Kind, Quantize, VarId};

/// Bytes of a variable from which on chunks are worth it, where no dimension needs them (`-M`).
pub const MIN_CHUNK: u64 = 8192;

/// What is asked of a copy.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Options {
    /// The output's kind; `None` for the input's.
    pub kind: Option<Kind>,
    /// Unlimited dimensions become fixed ones.
    pub fix_unlimited: bool,
    /// Which variables are copied.
    pub select: Selection<VarId>,
    /// Which groups are copied.
    pub groups: Selection<GroupId>,
    /// How netCDF-4 output is stored.
    pub storage: StorageOptions,
}

/// How netCDF-4 output is stored. `Default` asks for nothing: storage stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StorageOptions {
    /// Deflate level of all variables (`-d`); 0 takes compression away.
    pub deflate: Option<u8>,
    /// Whether bytes are shuffled before they are deflated (`-s`).
    pub shuffle: bool,
    /// Filters of single variables (`-F`).
    pub filters: Filters,
    /// Variables whose numbers are quantized (`--quantize`).
    pub quantize: BTreeMap<VarId, Quantizing>,
    /// Variables that patterns of what changes values do not reach, and why.
    pub passed_over: BTreeMap<VarId, String>,
    /// Chunk shapes (`-c`).
    pub chunks: Chunks,
    /// Shapes of shards (`--shard`), as those of chunks.
    pub shards: Chunks,
    /// As [`MIN_CHUNK`], if given.
    pub min_chunk: Option<u64>,
}

/// Filters by variable.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filters {
    /// Variables that are not named lose theirs (`-F none`).
    pub none: bool,
    /// The variables that are named.
    pub vars: BTreeMap<VarId, Filtering>,
}

/// The filters asked for one variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filtering {
    /// In the order given, with the user's parameters; empty for none.
    pub filters: Vec<FilterSpec>,
    /// Whether the variable was called by its name, not by a pattern.
    pub by_name: bool,
}

/// The quantization asked for one variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quantizing {
    /// How it is quantized.
    pub quantize: Quantize,
    /// Whether the variable was called by its name, not by a pattern.
    pub by_name: bool,
}

/// Chunk shapes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Chunks {
    /// Nothing is chunked that need not be (`-c /`).
    pub none: bool,
    /// Length of chunks along a dimension, in elements.
    pub dims: BTreeMap<DimId, u64>,
    /// Layouts of single variables; they count more than those of dimensions.
    pub vars: BTreeMap<VarId, VarLayout>,
}

/// The layout asked for one variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VarLayout {
    /// Chunks of this shape, one length a dimension.
    Chunked(Vec<u64>),
    /// One run of bytes.
    Contiguous,
    /// Within the metadata.
    Compact,
}
