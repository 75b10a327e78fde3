//! HDF5's numbers of the filters with dedicated settings in netCDF.

/// Deflate. The parameter is the level.
pub const DEFLATE: u32 = 1;
/// Shuffle, which groups bytes of the same significance.
pub const SHUFFLE: u32 = 2;
/// The Fletcher32 checksum.
pub const FLETCHER32: u32 = 3;
/// Szip.
pub const SZIP: u32 = 4;
/// N-bit, which stores elements without unused bits.
pub const NBIT: u32 = 5;
/// Scale-offset, which stores differences from the smallest element.
pub const SCALEOFFSET: u32 = 6;
/// Blosc, version 1.
pub const BLOSC: u32 = 32_001;
/// Zfp.
pub const ZFP: u32 = 32_013;
/// Zstandard. The parameters are the level, then 1 if frames have checksums.
pub const ZSTD: u32 = 32_015;
