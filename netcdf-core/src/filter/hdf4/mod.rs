//! The coders of HDF4: what its compressed elements go through. They are only undone: our formats have other filters.
//!
//! HDF5 and Zarr have none of them, so that their numbers are private, as those of [`codec`](super::codec). HDF4's deflate makes plain
//! zlib streams, which are HDF5's filter 1.
//!
//! Each coder works on bytes as they are in the file, whatever the byte order of the numbers is. An element is one stream. After the
//! stream there may be bytes of an older, longer one that it replaced.

pub(crate) mod nbit;
pub(crate) mod rle;
pub(crate) mod skphuff;
pub(crate) mod szip;

#[cfg(test)]
mod tests;

use super::output::unsupported;
use super::{ChunkContext, Instead, Policy};
use crate::error::Result;

/// Numbers of the coders, beside those of [`codec::ids`](super::codec::ids).
pub mod ids {
    use crate::filter::codec::PRIVATE;

    /// The first of the numbers; what follows is the number that HDF4 has for the coder.
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

/// The policy of all coders: copies leave them out.
const POLICY: Policy = Policy {
    read_only: Some(|_, _| false),
    in_hdf5: |_| Instead::Nothing,
    in_zarr: |_, _| Instead::Nothing,
    ..Policy::PLAIN
};

/// The bytes that a stream decodes to: no coder but szip tells where its stream ends.
fn expected(context: &ChunkContext, coder: &str) -> Result<usize> {
    let unknown = || unsupported(coder, "data of unknown length");
    context.len.ok_or_else(unknown)
}
