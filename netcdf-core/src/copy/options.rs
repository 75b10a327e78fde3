//! Options of a copy. Names are already resolved to ids of the input's schema.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use super::CopySelection;
use crate::model::{DimId, FilterSpec, GroupId, Kind, Quantize, VarId};

/// Minimum size in bytes of a chunked variable, unless a dimension requires chunks (`-M`).
pub const MIN_CHUNK: u64 = 8192;

/// Options of a copy.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CopyOptions {
    /// The output's kind; `None` selects the input's kind.
    pub kind: Option<Kind>,
    /// Make unlimited dimensions fixed.
    pub fix_unlimited: bool,
    /// Dimensions to make unlimited; overrides `fix_unlimited`.
    pub unlimited: BTreeSet<DimId>,
    /// Store enums as numbers, and describe the numbers in `flag_values` and `flag_meanings`.
    pub enums_as_flags: bool,
    /// The variables to copy.
    pub select: CopySelection<VarId>,
    /// The groups to copy.
    pub groups: CopySelection<GroupId>,
    /// Storage of variables in netCDF-4 output.
    pub storage: StorageOptions,
}

/// Storage options for netCDF-4 output. `Default` changes no storage.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StorageOptions {
    /// Deflate level of all variables (`-d`); 0 removes compression.
    pub deflate: Option<u8>,
    /// Whether bytes are shuffled before deflation (`-s`).
    pub shuffle: bool,
    /// Filters of single variables (`-F`).
    pub filters: VariableFilters,
    /// Variables with quantized numbers (`--quantize`).
    pub quantize: BTreeMap<VarId, Quantizing>,
    /// Variables that patterns of lossy options skip, with the reasons.
    pub passed_over: BTreeMap<VarId, String>,
    /// Chunk shapes (`-c`).
    pub chunks: ChunkShapes,
    /// The target chunk size, for variables without a shape in `chunks` (`--chunk-size`).
    pub chunk_size: Option<ChunkSize>,
    /// True for output read over a network (`--cloud`): chunk indexes precede the data, and the data of coordinates and small variables
    /// comes first.
    pub cloud: bool,
    /// Shapes of shards (`--shard`), given like chunk shapes.
    pub shards: ChunkShapes,
    /// Overrides [`MIN_CHUNK`].
    pub min_chunk: Option<u64>,
}

/// Filters by variable.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VariableFilters {
    /// Variables without an entry lose their filters (`-F none`).
    pub none: bool,
    /// The named variables.
    pub vars: BTreeMap<VarId, Filtering>,
}

/// The filters requested for one variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filtering {
    /// The filters in the given order, with the user's parameters; empty to remove all filters.
    pub filters: Vec<FilterSpec>,
    /// True if the user named the variable, false if a pattern selected it.
    pub by_name: bool,
}

/// The quantization requested for one variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quantizing {
    /// The quantization method and parameter.
    pub quantize: Quantize,
    /// True if the user named the variable, false if a pattern selected it.
    pub by_name: bool,
}

/// Chunk shapes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChunkShapes {
    /// Only variables that require chunks are chunked (`-c /`).
    pub none: bool,
    /// Chunk length per dimension, in elements.
    pub dims: BTreeMap<DimId, u64>,
    /// Layouts per variable; they take precedence over `dims`.
    pub vars: BTreeMap<VarId, VarLayout>,
}

/// The target chunk size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkSize {
    /// Minimum bytes of a chunk before filters. Smaller variables are one chunk.
    pub bytes: u64,
    /// Input chunks with a size in this range, in bytes, keep their shape.
    pub kept: Option<RangeInclusive<u64>>,
    /// Variables that keep their input chunks for any chunk size, with the reasons.
    pub fixed: BTreeMap<VarId, String>,
}

/// The layout requested for one variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VarLayout {
    /// Chunks of this shape, one length per dimension.
    Chunked(Vec<u64>),
    /// One contiguous run of bytes.
    Contiguous,
    /// Data inside the metadata.
    Compact,
}
