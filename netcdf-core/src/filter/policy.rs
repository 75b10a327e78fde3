//! Treatment of a filter by copies, formats and command lines, independent of its encoding.

use crate::model::FilterSpec;
use crate::model::kind::Zarr;

/// The policies of a filter. [`Policy::PLAIN`] suits most filters.
#[derive(Clone, Copy)]
pub struct Policy {
    /// Converts stored parameters to user's parameters, without the parameters that depend on type and chunk.
    pub visible: fn(&[u32]) -> Vec<u32>,
    /// Returns the stored parameters that affect decoding.
    pub decoding: fn(&[u32]) -> &[u32],
    /// Whether the filter may change values with these parameters.
    pub lossy: fn(&[u32]) -> bool,
    /// The element types that benefit from the filter.
    pub suits: Suits,
    /// The rank in the filter order of HDF5 files: lower ranks come first.
    pub rank: u8,
    /// Minimum elements of a chunk with these parameters.
    pub least: fn(&[u32]) -> u64,
    /// For filters that only decode: checks whether a chunk with these parameters contains whole elements of this size in bytes, so that a
    /// copy can move it unchanged.
    pub read_only: Option<fn(&[u32], u64) -> bool>,
    /// The replacement of the filter in HDF5 copies.
    pub in_hdf5: fn(&[u32]) -> FilterReplacement,
    /// The replacement of the filter in Zarr copies.
    pub in_zarr: fn(&[u32], Zarr) -> FilterReplacement,
}

/// Element types that benefit from a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Suits {
    /// All types.
    Any,
    /// Types with a fixed size.
    FixedSize,
    /// Numeric types.
    Numbers,
}

/// The replacement of a filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FilterReplacement {
    /// The filter itself, even if the output format does not support it.
    Keep,
    /// Another filter for the same purpose, or the same filter with other parameters.
    Substitute(FilterSpec),
    /// No filter: values are stored without it.
    Drop,
    /// No filter and no note: the filter only orders the elements in a chunk.
    DropSilently,
}

impl FilterReplacement {
    /// Returns another filter.
    #[must_use]
    pub fn substitute(id: u32, params: &[u32]) -> Self {
        let params = params.to_vec();
        Self::Substitute(FilterSpec { id, params })
    }
}

impl Policy {
    /// A lossless filter for all elements, which HDF5 and Zarr store alike.
    pub const PLAIN: Self = Self {
        visible: <[u32]>::to_vec,
        decoding: |params| params,
        lossy: |_| false,
        suits: Suits::Any,
        rank: 2,
        least: |_| 0,
        read_only: None,
        in_hdf5: |_| FilterReplacement::Keep,
        in_zarr: |_, _| FilterReplacement::Keep,
    };

    /// A codec that HDF5 does not have, and that copies can drop.
    pub const ZARR_ONLY: Self = Self {
        in_hdf5: |_| FilterReplacement::Drop,
        ..Self::PLAIN
    };

    /// Like [`Policy::ZARR_ONLY`], for a codec that changes values.
    pub const LOSSY_ZARR_ONLY: Self = Self {
        lossy: |_| true,
        ..Self::ZARR_ONLY
    };
}
