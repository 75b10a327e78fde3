//! The coders of compressed HDF4 elements. They only decode: our formats have other filters.
//!
//! HDF5 and Zarr do not have these coders, so their numbers are private, like the numbers of [`codec`](super::codec). HDF4's deflate is not
//! among them: it writes plain zlib streams, which HDF5's filter 1 decodes.
//!
//! Each coder works on the file bytes, independent of the numbers' byte order. An element is one stream. Remaining bytes of an
//! older, longer stream may follow the stream.

pub(crate) mod nbit;
pub(crate) mod rle;
pub(crate) mod skphuff;
pub(crate) mod szip;

#[cfg(test)]
mod tests;

use super::output::unsupported;
use super::{ChunkContext, FilterReplacement, Policy};
use crate::error::Result;

/// Coder numbers, in addition to the numbers of [`codec::ids`](super::codec::ids).
pub mod ids {
    use crate::filter::codec::PRIVATE;

    /// The number before the first coder; HDF4's coder number is added.
    const FIRST: u32 = PRIVATE + 0x0400;
    /// Run lengths.
    pub const RLE: u32 = FIRST + 1;
    /// Bits of numbers.
    pub const NBIT: u32 = FIRST + 2;
    /// Skipping Huffman.
    pub const SKPHUFF: u32 = FIRST + 3;
    /// Szip.
    pub const SZIP: u32 = FIRST + 5;
}

/// The policy of all coders: copies drop them.
const POLICY: Policy = Policy {
    read_only: Some(|_, _| false),
    in_hdf5: |_| FilterReplacement::Drop,
    in_zarr: |_, _| FilterReplacement::Drop,
    ..Policy::PLAIN
};

/// Returns the decoded length of a stream. Only szip streams contain their own length.
fn expected(context: &ChunkContext, coder: &str) -> Result<usize> {
    let unknown = || unsupported(coder, "data of unknown length");
    context.len.ok_or_else(unknown)
}
