//! How copies, formats and command lines treat a filter, apart from what it does to chunks.

use crate::model::FilterSpec;
use crate::model::kind::Zarr;

/// The policies of a filter. [`Policy::PLAIN`] is right for most.
#[derive(Clone, Copy)]
pub struct Policy {
    /// The parameters that a user would give, from the stored ones: without those that depend on type and chunk.
    pub visible: fn(&[u32]) -> Vec<u32>,
    /// The stored parameters on which decoding depends.
    pub decoding: fn(&[u32]) -> &[u32],
    /// Whether values may change, with these parameters.
    pub lossy: fn(&[u32]) -> bool,
    /// The elements that the filter is of use for.
    pub suits: Suits,
    /// The place among the filters of an HDF5 file: those with lower numbers come first.
    pub rank: u8,
    /// Fewest elements of a chunk, with these parameters.
    pub least: fn(&[u32]) -> u64,
    /// For filters that can be undone but not applied: whether a chunk with these parameters holds whole elements of this many bytes,
    /// so that it can be moved unchanged.
    pub read_only: Option<fn(&[u32], u64) -> bool>,
    /// What a copy stores in HDF5 files in place of the filter.
    pub in_hdf5: fn(&[u32]) -> Instead,
    /// What a copy stores in Zarr in place of the filter.
    pub in_zarr: fn(&[u32], Zarr) -> Instead,
}

/// Elements that a filter is of use for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Suits {
    /// All.
    Any,
    /// Those of a fixed size.
    FixedSize,
    /// Numbers.
    Numbers,
}

/// What replaces a filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Instead {
    /// The filter itself, also if nothing could replace it.
    Same,
    /// Another filter that serves the same purpose, or the same one with other parameters.
    Other(FilterSpec),
    /// No filter: values are stored without it.
    Nothing,
    /// No filter, which nobody has to know: it only orders the elements in a chunk.
    Unsaid,
}

impl Instead {
    /// Another filter.
    #[must_use]
    pub fn other(id: u32, params: &[u32]) -> Self {
        let params = params.to_vec();
        Self::Other(FilterSpec { id, params })
    }
}

impl Policy {
    /// A filter without losses, for all elements, that HDF5 and Zarr store alike.
    pub const PLAIN: Self = Self {
        visible: <[u32]>::to_vec,
        decoding: |params| params,
        lossy: |_| false,
        suits: Suits::Any,
        rank: 2,
        least: |_| 0,
        read_only: None,
        in_hdf5: |_| Instead::Same,
        in_zarr: |_, _| Instead::Same,
    };

    /// A codec that HDF5 does not have, and that can be left out.
    pub const ZARR_ONLY: Self = Self {
        in_hdf5: |_| Instead::Nothing,
        ..Self::PLAIN
    };

    /// As [`Policy::ZARR_ONLY`], for a codec that changes values.
    pub const LOSSY_ZARR_ONLY: Self = Self {
        lossy: |_| true,
        ..Self::ZARR_ONLY
    };
}
