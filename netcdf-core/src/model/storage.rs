//! Storage settings of variables.

use super::{Quantize, Values};

/// Storage settings of a variable. `Default` lets the format choose all settings.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Storage {
    /// The layout: contiguous, compact, chunked and so on. `None` lets the format choose.
    pub layout: Option<StorageLayout>,
    /// Filters in encoding order.
    pub filters: Vec<FilterSpec>,
    /// Whether the filter parameters are already the stored parameters for these chunks and this type. Unchanged copies set this flag,
    /// because some plugins cannot compute parameters from stored parameters.
    pub prepared: bool,
    /// Byte order; `None` for the format's default.
    pub endianness: Option<Endianness>,
    /// Whether unwritten elements read as the fill value.
    pub fill: FillMode,
    /// The value as which unwritten elements read, if it differs from the fill value: one value of the variable's type. HDF5 files of other
    /// software may have a fill value without `_FillValue`; pure Zarr stores the value outside the attributes. Readers of all formats
    /// except Zarr set `None`. With [`FillMode::NoFill`], Zarr version 2 stores the value only if unwritten elements remain.
    pub unwritten: Option<Values>,
    /// Codecs as JSON text (`_Codecs`, Zarr), if given in this form.
    pub codecs: Option<Vec<u8>>,
    /// Quantization on writing; `None` on reading.
    pub quantize: Option<Quantize>,
    /// The string size in bytes for strings of fixed size (Zarr). `None` takes the size from the attributes or the format.
    pub max_string: Option<u64>,
    /// The string length in Unicode characters for strings of four-byte characters (`<Un` of pure Zarr). `None` for strings stored as
    /// bytes.
    pub characters: Option<u64>,
    /// The shard shape in elements, if one key stores several chunks (Zarr version 3).
    pub shard: Option<Vec<u64>>,
}

impl Storage {
    /// Returns the chunk shape of chunked storage.
    #[must_use]
    pub fn chunk(&self) -> Option<&[u64]> {
        match &self.layout {
            Some(StorageLayout::Chunked(shape)) => Some(shape),
            Some(StorageLayout::Contiguous | StorageLayout::Compact) | None => None,
            Some(StorageLayout::Virtual | StorageLayout::Unknown) => None,
        }
    }
}

/// Layout of a variable's data in the file (`_Storage`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StorageLayout {
    /// One byte range.
    Contiguous,
    /// Inside the metadata.
    Compact,
    /// Chunks of this shape in elements; an empty shape lets the format choose.
    Chunked(Vec<u64>),
    /// Assembled from other datasets.
    Virtual,
    /// An unknown layout.
    Unknown,
}

/// Byte order of stored numbers (`_Endianness`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Endianness {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
}

/// Whether unwritten elements read as the fill value (`_NoFill`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FillMode {
    /// Unwritten elements read as the fill value.
    #[default]
    Fill,
    /// Unwritten elements are undefined.
    NoFill,
}

/// A filter by its HDF5 number, with its parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterSpec {
    /// Registered HDF5 filter number.
    pub id: u32,
    /// Parameters (`cd_values`).
    pub params: Vec<u32>,
}
