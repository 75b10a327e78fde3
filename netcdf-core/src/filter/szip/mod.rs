//! Szip: the adaptive entropy coder used by space agencies.
//!
//! | | |
//! |---|---|
//! | HDF5 number | 4 |
//! | Names | `szip` |
//! | Parameters | stored: options, pixels per block (even, at most 32), bits per pixel, pixels per scanline; the user gives the first two, default 32 and 8 (a stored scanline is recomputed). Options: 4 entropy coding alone, 32 nearest neighbour first, 8 little-endian, 16 big-endian pixels, 128 no header; 1 and 2 have no effect on reading |
//! | Stored form | chunk size (4 bytes, little-endian), then the coder's stream |
//! | Specification | CCSDS 121.0-B, lossless data compression; szip defines the pixel arrangement |
//! | Also read by | libhdf5 with szip or libaec, netCDF-C, netCDF-Java |
//!
//! Pixels of 32 and 64 bits are coded byte by byte: the first bytes of all pixels, then the second bytes, and so on. A scanline starts with
//! a reference pixel and is padded to whole blocks.

use super::codec::CodecStage;
use super::ids::ZSTD;
use super::output::allocate;
use super::parameter_names::{Parameter, ParameterMode};
use super::user_params::unfit;
use super::{
    ChunkContext, CodecNames, Encoded, Filter, FilterEntry, FilterReplacement, Policy, Suits,
    corrupt, shuffle,
};
use crate::error::{Error, ErrorKind, Result};
use crate::model::Endianness;

mod encode;
mod params;
mod put;
mod stream;

use encode::SzipEncoder;
use stream::{StreamCoding, SzipDecoder};

/// The entry in the filter table.
pub(crate) const ENTRY: FilterEntry = FilterEntry {
    id: 4,
    name: "szip",
    codec: Some(CodecNames {
        name: "szip",
        v3: "szip",
        stage: CodecStage::Bytes,
        read: params::from_codec,
        write: params::to_codec,
    }),
    policy: Policy {
        visible: params::visible,
        suits: Suits::Numbers,
        in_zarr: |_, zarr| match zarr.is_of_netcdf_c() {
            // netCDF-C's stores keep szip. Copies from other kinds do not.
            true => FilterReplacement::Keep,
            false => FilterReplacement::substitute(ZSTD, &[3]),
        },
        least: |params| params.get(1).copied().unwrap_or(8).into(),
        ..Policy::PLAIN
    },
    named: &[ParameterMode::of(&[
        Parameter::word("coding", &[("nn", 32), ("ec", 4)], NEAREST_NEIGHBOUR),
        Parameter::number("block", 8),
    ])],
    prepare: params::prepare,
    build: |params, _| Ok(Box::new(Szip::new(params)?)),
};

/// Option bits.
const ENTROPY: u32 = 4;
const NEAREST_NEIGHBOUR: u32 = 32;
const BIG_ENDIAN: u32 = 16;

/// The approximate maximum of decoded bytes per stream byte.
const RATIO: usize = 8192;

struct Szip {
    coder: StreamCoding,
    /// Bytes of a pixel that is coded byte by byte.
    planes: Option<usize>,
}

impl Filter for Szip {
    fn decode(&self, context: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        let (len, stream) = input.split_first_chunk().ok_or_else(|| {
            let what = format!("szip: {} bytes are too few for a length", input.len());
            Error::new(ErrorKind::Truncated, what)
        })?;
        let len = context.checked_len(u32::from_le_bytes(*len).into(), "szip")?;
        let room = stream.len().saturating_mul(RATIO).min(len);
        let Some(size) = self.planes else {
            allocate("szip", output, room)?;
            return SzipDecoder::new(&self.coder, stream).decode(len, output);
        };
        let mut planes = vec![];
        allocate("szip", &mut planes, room)?;
        SzipDecoder::new(&self.coder, stream).decode(len, &mut planes)?;
        allocate("szip", output, planes.len())?;
        shuffle::unshuffle(size, &planes, output);
        Ok(())
    }

    fn encode(
        &self,
        context: &ChunkContext,
        input: &[u8],
        output: &mut Vec<u8>,
    ) -> Result<Encoded> {
        self.check_whole(input.len())?;
        let Ok(len) = u32::try_from(input.len()) else {
            return Ok(Encoded::Declined);
        };
        allocate("szip", output, input.len().saturating_add(4))?;
        output.extend_from_slice(&len.to_le_bytes());
        let encoder = SzipEncoder::new(&self.coder, output);
        match self.planes {
            None => encoder.encode(input),
            Some(size) => {
                let mut planes = vec![];
                allocate("szip", &mut planes, input.len())?;
                shuffle::shuffle(size, input, &mut planes);
                encoder.encode(&planes);
            }
        }
        Ok(if output.len() < input.len() || context.about.mandatory {
            Encoded::Applied
        } else {
            Encoded::Declined
        })
    }
}

impl Szip {
    /// Rejects bytes that are not whole pixels, for example after a checksum or a compressor: libhdf5 does not decode their encoded form.
    fn check_whole(&self, len: usize) -> Result<()> {
        let pixel = self.planes.unwrap_or_else(|| self.coder.width());
        match len.is_multiple_of(pixel) {
            true => Ok(()),
            false => {
                let what = format_args!("{len} bytes are not a multiple of {pixel} bytes");
                Err(unfit("szip", what))
            }
        }
    }

    fn new(params: &[u32]) -> Result<Self> {
        let &[options, block, pixel, line] = params else {
            let what = format!("szip: {} parameters, expected 4", params.len());
            return Err(corrupt(what));
        };
        let (bits, planes) = match pixel {
            32 => (8, Some(4)),
            64 => (8, Some(8)),
            1..=24 => (pixel, None),
            _ => return Err(corrupt(format!("szip: {pixel} bits per pixel"))),
        };
        let block = match usize::try_from(block) {
            Ok(n @ 2..=32) if n % 2 == 0 => n,
            Ok(_) | Err(_) => return Err(corrupt(format!("szip: {block} pixels per block"))),
        };
        let line = match usize::try_from(line) {
            Ok(line @ 1..) => line,
            Ok(0) | Err(_) => return Err(corrupt(format!("szip: {line} pixels per scanline"))),
        };
        let order = if options & BIG_ENDIAN == 0 {
            Endianness::Little
        } else {
            Endianness::Big
        };
        let coder = StreamCoding {
            bits,
            block,
            line,
            predict: options & NEAREST_NEIGHBOUR != 0,
            order,
        };
        Ok(Self { coder, planes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::tests::{build, context, decode};

    #[test]
    fn partial_pixels_are_rejected() {
        for (bits, size) in [(8, 1), (16, 2), (20, 4), (32, 4), (64, 8)] {
            let filter = build(4, &[169, 8, bits, 16], &context(64, 1)).unwrap();
            for len in 64..=72 {
                let done = filter.encode(&context(len, 1), &vec![7; len], &mut vec![]);
                let error = done.err().map(|e| e.kind());
                let refused = (len % size != 0).then_some(ErrorKind::Unsupported);
                assert_eq!(error, refused, "{len} bytes of {bits} bits");
            }
        }
    }

    /// Returns samples of some kind, in `width` little-endian bytes.
    fn data(kind: usize, width: usize, len: usize) -> Vec<u8> {
        let mut state = 1_u64;
        let mut sample = |n: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1442);
            let noise = (state >> 40) as usize;
            match kind {
                0 => 0,
                1 => n / 7,
                2 => n * 3 + noise % 4,
                3 => usize::MAX - noise % 40,
                4 if n % 500 < 330 => 9,
                4 => noise % 60,
                5 => noise % 2 * 255,
                _ => noise,
            }
        };
        let samples = (0..len / width).map(|n| sample(n).to_le_bytes());
        let mut bytes: Vec<u8> = samples.flat_map(|s| s.into_iter().take(width)).collect();
        bytes.resize(len, 1);
        bytes
    }

    #[test]
    fn round_trips() {
        let mut declined = 0;
        for kind in 0..7 {
            for [options, block, pixel, line] in [
                [32, 8, 8, 100],
                [32, 8, 8, 1024],
                [4, 8, 8, 1024],
                [32, 32, 16, 37],
                [32, 16, 16, 2048],
                [4, 2, 16, 256],
                [32, 2, 8, 7],
                [32, 10, 32, 33],
                [4, 32, 32, 4096],
                [32, 16, 64, 160],
                [32, 32, 5, 4096],
                [4, 16, 12, 64],
            ] {
                for len in [8, 16, 56, 1000, 20_000] {
                    let width = (pixel as usize).div_ceil(8);
                    let mut data = data(kind, width, len);
                    if pixel == 5 {
                        data.iter_mut().for_each(|b| *b &= 31);
                    }
                    if pixel == 12 {
                        data.iter_mut().skip(1).step_by(2).for_each(|b| *b &= 15);
                    }
                    let params = [options, block, pixel, line];
                    let (context, mut stored) = (context(len, 1), vec![]);
                    let filter = build(4, &params, &context).unwrap();
                    let encoded = filter.encode(&context, &data, &mut stored).unwrap();
                    declined += usize::from(encoded == Encoded::Declined);
                    // The declined result is longer, but correct.
                    let found = decode(4, &params, len, &stored).unwrap();
                    assert!(found == data, "{kind} {params:?} {len}");
                    let zeros = kind == 0 && len == 20_000 && line > 100;
                    assert!(!zeros || stored.len() < 400, "{params:?} {}", stored.len());
                }
            }
        }
        assert!((20..200).contains(&declined), "{declined}");
    }
}
