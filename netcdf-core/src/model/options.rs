//! Options of new datasets.

/// Options of a new dataset, apart from its schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CreateOptions {
    /// Whether unwritten data stays undefined.
    pub no_fill: bool,
    /// The number of free bytes after the header of a classic file, for changes of attributes and names in place.
    pub header_pad: u64,
    /// The metadata layout of netCDF-4 files.
    pub space: FileSpace,
    /// Options for Zarr output.
    pub zarr: ZarrOptions,
}

/// The metadata layout of an HDF5 file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FileSpace {
    /// Headers precede the data; indexes are stored among the data.
    #[default]
    Mixed,
    /// All metadata of known size precedes the data.
    Front,
    /// Like `Front`, in separate pages (HDF5 file space strategy PAGE). The page size is a power of two from 512 to 2^30 bytes. The default
    /// is the smallest size from 64 KiB to 8 MiB that holds all metadata.
    Paged(Option<u64>),
}

/// Options of Zarr output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ZarrOptions {
    /// Whether one key (`.zmetadata`, or the root's `zarr.json`) repeats all metadata.
    pub consolidated: bool,
    /// Whether variables record dimension names in `_ARRAY_DIMENSIONS` (version 2).
    pub xarray: bool,
}

impl Default for ZarrOptions {
    fn default() -> Self {
        Self {
            consolidated: false,
            xarray: true,
        }
    }
}
