//! The built-in filters. The documentation of each module is the data sheet of a filter.

use super::parameter_names::ParameterMode;
use super::{
    FilterEntry, base64, bitshuffle, blosc, bzip2, checksum, deflate, fletcher32, gzip, hdf4, lz4,
    lzf, lzma, nbit, numbers, numcodecs_lz4, quantize, scaleoffset, shuffle, szip, transpose,
    vlen_utf8, zfp, zfpy, zstd,
};

/// The built-in filters in table order.
pub(super) const BUILT_IN: &[FilterEntry] = &[
    deflate::ENTRY,
    shuffle::ENTRY,
    fletcher32::ENTRY,
    szip::ENTRY,
    nbit::ENTRY,
    scaleoffset::ENTRY,
    bzip2::ENTRY,
    lzf::ENTRY,
    blosc::ENTRY,
    lz4::ENTRY,
    bitshuffle::ENTRY,
    vlen_utf8::ENTRY,
    zfp::ENTRY,
    zstd::ENTRY,
    quantize::BITGROOM,
    quantize::GRANULARBR,
    quantize::BITROUND,
    gzip::ENTRY,
    numcodecs_lz4::ENTRY,
    checksum::CRC32,
    checksum::CRC32C,
    checksum::ADLER32,
    checksum::JENKINS_LOOKUP3,
    numbers::delta::ENTRY,
    numbers::fixedscaleoffset::ENTRY,
    numbers::quantize::ENTRY,
    numbers::bitround::ENTRY,
    numbers::packbits::ENTRY,
    numbers::astype::ENTRY,
    lzma::ENTRY,
    zfpy::ENTRY,
    transpose::ENTRY,
    base64::ENTRY,
    hdf4::rle::ENTRY,
    hdf4::nbit::ENTRY,
    hdf4::skphuff::ENTRY,
    hdf4::szip::ENTRY,
];

/// Returns the parameters of a built-in filter; empty for filters without parameters and for filters that are not built in.
#[must_use]
pub fn modes(id: u32) -> &'static [ParameterMode] {
    let row = BUILT_IN.iter().find(|row| row.id == id);
    row.map_or(&[], |row| row.named)
}
