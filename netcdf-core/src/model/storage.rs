//! How a variable is, or is to be, stored.

/// Storage settings of a variable. `Default` means: nothing asked for, the format's own choice.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Storage {
    /// Contiguous, compact, chunked …; `None` leaves it to the format.
    pub layout: Option<StorageLayout>,
    /// Filters in the order in which they are applied on writing.
    pub filters: Vec<FilterSpec>,
    /// Byte order; `None` for the format's own.
    pub endianness: Option<Endianness>,
    /// Whether unwritten elements read as the fill value.
    pub fill: Fill,
    /// Codecs as JSON text (`_Codecs`, Zarr), if given that way.
    pub codecs: Option<Vec<u8>>,
}

/// Arrangement of a variable's data in the file (`_Storage`).
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
pub enum Fill {
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
