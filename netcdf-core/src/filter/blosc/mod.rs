//! Blosc, version 1: blocks that fit a cache, each shuffled and compressed.
//!
//! | | |
//! |---|---|
//! | HDF5 number | 32001 |
//! | Names | `blosc`, also in Zarr |
//! | Parameters | stored: filter revision, format version, element size, chunk bytes; level 0 to 9, shuffle (0 none, 1 bytes, 2 bits), codec (0 blosclz, 1 lz4, 2 lz4hc, 3 snappy, 4 zlib, 5 zstd). The user gives up to three, the last ones (default: 5, 1, 0), or stored parameters (the filter recomputes the first four). In Zarr, an eighth parameter may give the bytes per block. The decoder only needs the chunk header |
//! | Specification | c-blosc, `README_CHUNK_FORMAT.rst` |
//! | Also read by | netCDF-C with its plugins, PyTables, hdf5plugin; in Zarr, every implementation |
//!
//! The header is followed by the block offsets (`u32`) and the blocks. A block is one stream, or one stream for each byte of the elements.
//! A stream is its stored size (`u32`) followed by its encoded bytes. If the stored size equals the decoded size, the decoded bytes follow
//! instead. All numbers are little-endian. The last block has the remaining bytes and is always one stream.

mod blosclz;
mod codec;
mod encode;
mod header;
mod json;
mod params;

use super::bits::untranspose;
use super::codec::CodecStage;
use super::ids::DEFLATE;
use super::output::{array, bad, reserve, take, truncated};
use super::shuffle::unshuffle;
use super::{ChunkContext, Encoded, Filter, FilterEntry, FilterReplacement, Policy, StrictCheck};
use crate::error::Result;
use crate::model::FilterSpec;
use codec::BloscCodec;
use header::{BloscHeader, BloscShuffle};
use params::BloscSettings;

/// The entry in the filter table.
pub(crate) const ENTRY: FilterEntry = FilterEntry {
    id: 32001,
    name: NAME,
    codec: Some(super::CodecNames {
        name: NAME,
        v3: NAME,
        stage: CodecStage::Bytes,
        read: json::read,
        write: json::write,
    }),
    policy: Policy {
        visible: params::visible,
        in_hdf5: |params| match params.get(6) {
            Some(&params::SNAPPY) => {
                FilterReplacement::substitute(DEFLATE, params.get(4..5).unwrap_or(&[5]))
            }
            Some(_) | None => FilterReplacement::Keep,
        },
        in_zarr: |params, _| match params.get(6) {
            Some(&params::SNAPPY) => {
                FilterReplacement::substitute(ENTRY.id, &params::with_zstd(params))
            }
            Some(_) | None => FilterReplacement::Keep,
        },
        ..Policy::PLAIN
    },
    named: params::NAMED,
    prepare: params::prepare,
    build: |params, _| {
        Ok(Box::new(Blosc {
            params: params.to_vec(),
        }))
    },
};

const NAME: &str = "blosc";

struct Blosc {
    /// The stored parameters, for encoding.
    params: Vec<u32>,
}

impl Filter for Blosc {
    fn decode(&self, context: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        let header = BloscHeader::read(input)?;
        let total = reserve(NAME, context, header.decoded as u64, output)?;
        let chunk = input.get(..header.stored).ok_or_else(|| truncated(NAME))?;
        let mut body = chunk.get(header::SIZE..).unwrap_or_default();
        if header.copied {
            output.extend_from_slice(take(NAME, &mut body, total)?);
            return Ok(());
        }
        let mut scratch = BloscScratch::default();
        while output.len() < total {
            let start = u32::from_le_bytes(array(NAME, &mut body)?) as usize;
            let block = chunk.get(start..).ok_or_else(|| truncated(NAME))?;
            let n = header.block.min(total.saturating_sub(output.len()));
            header.decode_block(block, n, &mut scratch, output)?;
        }
        Ok(())
    }

    fn encode(&self, _: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<Encoded> {
        encode::chunk(&BloscSettings::new(&self.params)?, input, output)?;
        Ok(Encoded::Applied)
    }

    fn strict_check(&self) -> StrictCheck {
        StrictCheck::Headers
    }

    /// numcodecs and netCDF-C have no snappy. Strict chunks contain snappy only if the parameters specify it.
    fn is_strict(&self, context: &ChunkContext, input: &[u8]) -> bool {
        let strict = |header: BloscHeader| {
            header.is_strict()
                && header.stored == input.len()
                && context.len.is_none_or(|len| len == header.decoded)
                && (header.codec != BloscCodec::Snappy || is_snappy(&self.params))
        };
        BloscHeader::read(input).is_ok_and(strict)
    }
}

/// Returns whether the parameters specify snappy.
fn is_snappy(params: &[u32]) -> bool {
    params.get(6) == Some(&params::SNAPPY)
}

/// Returns whether a filter is Blosc with snappy, which numcodecs does not have.
pub(crate) fn uses_snappy(filter: &FilterSpec) -> bool {
    filter.id == ENTRY.id && is_snappy(&filter.params)
}

#[derive(Default)]
struct BloscScratch {
    shuffled: Vec<u8>,
    planes: Vec<u8>,
}

impl BloscHeader {
    /// Appends the `n` bytes of the block that starts with `block`.
    fn decode_block(
        &self,
        block: &[u8],
        n: usize,
        scratch: &mut BloscScratch,
        output: &mut Vec<u8>,
    ) -> Result<()> {
        let size = self.element;
        let BloscScratch { shuffled, planes } = scratch;
        match self.shuffle {
            BloscShuffle::None => return self.streams(block, n, output),
            BloscShuffle::Bytes | BloscShuffle::Bits => {
                shuffled.clear();
                self.streams(block, n, shuffled)?;
            }
        }
        let elements = n / size;
        if self.shuffle == BloscShuffle::Bytes {
            unshuffle(size, shuffled, output);
        } else if !elements.is_multiple_of(8) {
            output.extend_from_slice(shuffled);
        } else {
            let (rows, rest) = shuffled.split_at(elements * size);
            untranspose(rows, size, planes, output);
            output.extend_from_slice(rest);
        }
        Ok(())
    }

    /// Appends the `n` bytes of a block before unshuffling.
    fn streams(&self, block: &[u8], n: usize, output: &mut Vec<u8>) -> Result<()> {
        let streams = if self.splits(n) { self.element } else { 1 };
        let each = n / streams;
        if each * streams != n {
            let what = format_args!("a block of {n} bytes in {streams} streams");
            return Err(bad(NAME, what));
        }
        let mut rest = block;
        for _ in 0..streams {
            let stored = u32::from_le_bytes(array(NAME, &mut rest)?) as usize;
            let stored = take(NAME, &mut rest, stored)?;
            if stored.len() == each {
                output.extend_from_slice(stored);
            } else {
                self.codec.decode(stored, each, output)?;
            }
        }
        Ok(())
    }

    /// Checks whether a block of `n` bytes has a stream for each byte of the elements. The flag decides, together with the rule for older
    /// versions without the flag.
    fn splits(&self, n: usize) -> bool {
        let whole = n == self.block;
        self.split && whole && self.element <= 16 && n / self.element >= 128
    }
}

#[cfg(test)]
mod tests;
