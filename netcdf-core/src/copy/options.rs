//! Options of a copy. Names are already resolved to ids of the input's schema.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use super::CopySelection;
use crate::model::{DimId, FilterSpec, GroupId, Kind, Quantize, VarId};

/// Variables of at least this many bytes get chunks where no dimension requires them (`-M`).
pub const MIN_CHUNK: u64 = 8192;

/// Options of a copy.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CopyOptions {
    /// The output's kind; `None` for the input's.
    pub kind: Option<Kind>,
    /// Make unlimited dimensions fixed.
    pub fix_unlimited: bool,
    /// Dimensions to make unlimited; overrides `fix_unlimited`.
    pub unlimited: BTreeSet<DimId>,
    /// Store enums as numbers, and describe the numbers in `flag_values` and `flag_meanings`.
    pub enums_as_flags: bool,
    /// Which variables are copied.
    pub select: CopySelection<VarId>,
    /// Which groups are copied.
    pub groups: CopySelection<GroupId>,
    /// How the variables of netCDF-4 output are stored.
    pub storage: StorageOptions,
}

/// How netCDF-4 output is stored. `Default` changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StorageOptions {
    /// Deflate level of all variables (`-d`); 0 removes compression.
    pub deflate: Option<u8>,
    /// Whether bytes are shuffled before deflation (`-s`).
    pub shuffle: bool,
    /// Filters of single variables (`-F`).
    pub filters: VariableFilters,
    /// Variables whose numbers are quantized (`--quantize`).
    pub quantize: BTreeMap<VarId, Quantizing>,
    /// Variables that patterns of lossy options skip, and why.
    pub passed_over: BTreeMap<VarId, String>,
    /// Chunk shapes (`-c`).
    pub chunks: ChunkShapes,
    /// How large chunks are where `chunks` does not say it (`--chunk-size`).
    pub chunk_size: Option<ChunkSize>,
    /// Whether the output is for readers over a network (`--cloud`): its indexes of chunks lie in front of the data, of which that of
    /// coordinates and small variables comes first.
    pub cloud: bool,
    /// Shapes of shards (`--shard`), given like chunk shapes.
    pub shards: ChunkShapes,
    /// As [`MIN_CHUNK`], if given.
    pub min_chunk: Option<u64>,
}

/// Filters by variable.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VariableFilters {
    /// Variables that are not named lose their filters (`-F none`).
    pub none: bool,
    /// The named variables.
    pub vars: BTreeMap<VarId, Filtering>,
}

/// The filters asked for one variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filtering {
    /// In the order given, with the user's parameters; empty to remove all.
    pub filters: Vec<FilterSpec>,
    /// Whether the variable was given by its name, not by a pattern.
    pub by_name: bool,
}

/// The quantization asked for one variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quantizing {
    /// How it is quantized.
    pub quantize: Quantize,
    /// Whether the variable was given by its name, not by a pattern.
    pub by_name: bool,
}

/// Chunk shapes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChunkShapes {
    /// Only variables that need chunks have them (`-c /`).
    pub none: bool,
    /// Length of chunks along a dimension, in elements.
    pub dims: BTreeMap<DimId, u64>,
    /// Layouts of single variables; they take precedence over those of dimensions.
    pub vars: BTreeMap<VarId, VarLayout>,
}

/// The size of chunks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkSize {
    /// Bytes of a chunk at least, before filters, if the variable has as many.
    pub bytes: u64,
    /// Bytes of the chunks of the input that stay as they are.
    pub kept: Option<RangeInclusive<u64>>,
    /// Variables whose chunks stay as they are, whatever size they have, and why.
    pub fixed: BTreeMap<VarId, String>,
}

/// The layout asked for one variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VarLayout {
    /// Chunks of this shape, one length per dimension.
    Chunked(Vec<u64>),
    /// One run of bytes.
    Contiguous,
    /// Within the metadata.
    Compact,
}
