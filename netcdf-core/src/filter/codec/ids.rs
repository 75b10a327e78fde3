//! Numbers for codecs without an HDF5 filter number.

/// The first number above all HDF5 filter numbers.
pub const PRIVATE: u32 = 0x8000_0000;

/// The number of unknown codecs.
pub const UNKNOWN: u32 = PRIVATE;

/// `gzip`.
pub const GZIP: u32 = PRIVATE + 1;
/// `lz4` in numcodecs' framing.
pub const LZ4: u32 = PRIVATE + 2;
/// `crc32`.
pub const CRC32: u32 = PRIVATE + 3;
/// `crc32c`.
pub const CRC32C: u32 = PRIVATE + 4;
/// `adler32`.
pub const ADLER32: u32 = PRIVATE + 5;
/// `jenkins_lookup3`.
pub const JENKINS_LOOKUP3: u32 = PRIVATE + 6;
/// `delta`.
pub const DELTA: u32 = PRIVATE + 7;
/// `fixedscaleoffset`.
pub const FIXED_SCALE_OFFSET: u32 = PRIVATE + 8;
/// `quantize`.
pub const QUANTIZE: u32 = PRIVATE + 9;
/// `bitround`.
pub const BITROUND: u32 = PRIVATE + 10;
/// `packbits`.
pub const PACKBITS: u32 = PRIVATE + 11;
/// `astype`.
pub const ASTYPE: u32 = PRIVATE + 12;
/// `lzma`.
pub const LZMA: u32 = PRIVATE + 13;
/// `zfpy`.
pub const ZFPY: u32 = PRIVATE + 14;
/// `transpose`, and `order: "F"` of version 2. The parameters give the chunk dimension of each stored dimension.
pub const TRANSPOSE: u32 = PRIVATE + 15;
/// `base64`.
pub const BASE64: u32 = PRIVATE + 16;

/// Checks whether a codec has no HDF5 filter number.
#[must_use]
pub fn is_private(id: u32) -> bool {
    id >= PRIVATE
}
