//! The codecs within Blosc. LZ4 and LZ4HC have the same stored form and share one encoder.

use flate2::{Decompress, FlushDecompress};

use super::{NAME, blosclz};
use crate::error::Result;
use crate::filter::output::{append_with, bad, extend, unsupported};
use crate::filter::{deflate, lz4, zstd};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BloscCodec {
    BloscLz,
    Lz4,
    Snappy,
    Zlib,
    Zstd,
}

impl BloscCodec {
    /// Returns the codec with this header number.
    pub(super) fn new(number: u8, version: u8) -> Result<Self> {
        let codec = match number {
            0 => Self::BloscLz,
            1 => Self::Lz4,
            2 => Self::Snappy,
            3 => Self::Zlib,
            4 => Self::Zstd,
            _ => return Err(unsupported(NAME, format_args!("codec {number}"))),
        };
        if version != 1 {
            let what = format_args!("version {version} of codec {codec:?}, not 1");
            return Err(unsupported(NAME, what));
        }
        Ok(codec)
    }

    /// Returns the header number of the codec.
    pub(super) fn number(self) -> u8 {
        match self {
            Self::BloscLz => 0,
            Self::Lz4 => 1,
            Self::Snappy => 2,
            Self::Zlib => 3,
            Self::Zstd => 4,
        }
    }

    /// Appends the encoded `input`, which may be longer than `input`.
    pub(super) fn encode(self, level: u32, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        match self {
            Self::BloscLz => blosclz::encode(input, output),
            Self::Lz4 => lz4::compress(NAME, input, output),
            Self::Snappy => snappy_encode(input, output),
            Self::Zlib => deflate::stream(NAME, level, input, output),
            Self::Zstd => zstd::frame(NAME, zstd_level(level), input, output),
        }
    }

    /// Appends the `n` decoded bytes of `input`.
    pub(super) fn decode(self, input: &[u8], n: usize, output: &mut Vec<u8>) -> Result<()> {
        match self {
            Self::BloscLz => blosclz::decode(input, n, output),
            Self::Lz4 => lz4::block_into(NAME, input, n, output),
            Self::Snappy => snappy(input, n, output),
            Self::Zlib => zlib(input, n, output),
            Self::Zstd => zstd::frames_into(NAME, input, n, output),
        }
    }
}

/// Returns the zstd level for a Blosc level from 1 to 9.
fn zstd_level(level: u32) -> i32 {
    match i32::try_from(level).unwrap_or(9) {
        level @ ..=7 => level * 2 - 1,
        8 => 20,
        9.. => 22,
    }
}

fn snappy_encode(input: &[u8], output: &mut Vec<u8>) -> Result<()> {
    let most = snap::raw::max_compress_len(input.len());
    append_with(NAME, output, most, |room| {
        let made = snap::raw::Encoder::new().compress(input, room);
        made.map_err(|e| bad(NAME, e))
    })
}

fn snappy(input: &[u8], n: usize, output: &mut Vec<u8>) -> Result<()> {
    let damaged = |e| bad(NAME, format_args!("bad snappy data: {e}"));
    let len = snap::raw::decompress_len(input).map_err(damaged)?;
    if len != n {
        let what = format_args!("snappy data of {len} bytes, expected {n}");
        return Err(bad(NAME, what));
    }
    let target = extend(NAME, output, n)?;
    let made = snap::raw::Decoder::new().decompress(input, target);
    made.map(|_| ()).map_err(damaged)
}

fn zlib(input: &[u8], n: usize, output: &mut Vec<u8>) -> Result<()> {
    let target = extend(NAME, output, n)?;
    let mut stream = Decompress::new(true);
    let status = stream.decompress(input, target, FlushDecompress::Finish);
    let status = status.map_err(|e| bad(NAME, format_args!("bad zlib data: {e}")))?;
    let made = stream.total_out();
    if status != flate2::Status::StreamEnd || made != n as u64 {
        let what = format_args!("zlib data of {made} bytes or more, expected {n}");
        return Err(bad(NAME, what));
    }
    Ok(())
}
