//! HDF5's numbers of the filters with settings of their own in netCDF.

/// Deflate, with its level.
pub const DEFLATE: u32 = 1;
/// Bytes of the same significance grouped together.
pub const SHUFFLE: u32 = 2;
/// A checksum.
pub const FLETCHER32: u32 = 3;
/// Szip.
pub const SZIP: u32 = 4;
/// Bits of elements, without those that are never set.
pub const NBIT: u32 = 5;
/// Differences from the smallest element.
pub const SCALEOFFSET: u32 = 6;
/// Blosc, version 1.
pub const BLOSC: u32 = 32_001;
/// Zfp.
pub const ZFP: u32 = 32_013;
/// Zstandard, with its level, and then 1 if frames have checksums.
pub const ZSTD: u32 = 32_015;
