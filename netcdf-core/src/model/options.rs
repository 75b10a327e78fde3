//! Options of new datasets.

/// The options of a new dataset, beyond its schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CreateOptions {
    /// Unwritten data is left undefined instead of filled.
    pub no_fill: bool,
    /// Options for Zarr output.
    pub zarr: ZarrOptions,
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
