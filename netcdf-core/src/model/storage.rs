//! How a variable is stored, or is to be stored.

use super::{Quantize, Values};

/// Storage settings of a variable. `Default` leaves everything to the format.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Storage {
    /// Contiguous, compact, chunked …; `None` leaves it to the format.
    pub layout: Option<StorageLayout>,
    /// Filters in the order of application on writing.
    pub filters: Vec<FilterSpec>,
    /// Whether the filters' parameters are already the stored ones for these chunks and this type, as when data
    /// is copied unchanged: then plugins need not compute theirs, which not all can do from stored ones.
    pub prepared: bool,
    /// Byte order; `None` for the format's own.
    pub endianness: Option<Endianness>,
    /// Whether unwritten elements read as the fill value.
    pub fill: FillMode,
    /// The value as which unwritten elements read, if it is not the fill value: one value of the variable's
    /// type. HDF5 files not made by netCDF may have one without `_FillValue`, and pure Zarr stores it outside
    /// the attributes. When reading formats other than Zarr, it is `None`. With [`FillMode::NoFill`], Zarr version 2
    /// stores it only if there are such elements in the end.
    pub unwritten: Option<Values>,
    /// Codecs as JSON text (`_Codecs`, Zarr), if given in this form.
    pub codecs: Option<Vec<u8>>,
    /// How numbers are quantized on writing; `None` when reading, because they already are.
    pub quantize: Option<Quantize>,
    /// Bytes of the longest string, if strings are stored with a fixed size (Zarr); `None` leaves it to the
    /// attributes, or the format.
    pub max_string: Option<u64>,
    /// Unicode characters of the longest string, if strings are stored as characters of four bytes (`<Un` of
    /// pure Zarr); `None` for strings stored as bytes.
    pub characters: Option<u64>,
    /// Elements per dimension stored under one key, if several chunks are (Zarr version 3).
    pub shard: Option<Vec<u64>>,
}

impl Storage {
    /// The shape of its chunks, if it is stored in chunks.
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
    /// One run of bytes.
    Contiguous,
    /// Within the metadata.
    Compact,
    /// In chunks of this shape (elements per dimension); empty leaves the shape to the format.
    Chunked(Vec<u64>),
    /// Assembled from other datasets.
    Virtual,
    /// Something else.
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
    /// They do.
    #[default]
    Fill,
    /// They are undefined.
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
