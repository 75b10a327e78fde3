//! Options of new datasets.

/// The options of a new dataset, beyond its schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CreateOptions {
    /// Unwritten data is left undefined instead of filled.
    pub no_fill: bool,
    /// Where metadata goes in netCDF-4 files.
    pub space: FileSpace,
    /// Options for Zarr output.
    pub zarr: ZarrOptions,
}

/// Where metadata goes in an HDF5 file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FileSpace {
    /// Headers in front, indexes among the data that they lead to.
    #[default]
    Mixed,
    /// All of it in front of the data, as far as its size is known beforehand.
    Front,
    /// As `Front`, in pages of its own (file space strategy PAGE of HDF5) of so many bytes, a power of two from 512 to 2^30; without a
    /// size, pages are the smallest from 64 KiB to 8 MiB that hold all metadata.
    Paged(Option<u64>),
}

/// How Zarr is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ZarrOptions {
    /// Whether all metadata is also stored under one key (`.zmetadata`, or the root's `zarr.json`).
    pub consolidated: bool,
    /// Whether variables name their dimensions in `_ARRAY_DIMENSIONS` (version 2).
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
