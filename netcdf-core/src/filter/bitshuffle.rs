//! Bitshuffle: groups bits of the same position, block by block, then applies LZ4, Zstandard or nothing.
//!
//! | | |
//! |---|---|
//! | HDF5 number | 32008 |
//! | Names | `bitshuffle` |
//! | Parameters | stored: version (2), element size, elements per block (0: default), compressor (0 none, 2 LZ4, 3 zstd), zstd level. The user gives up to three, the last ones, or stored parameters (the filter recomputes the first three) |
//! | Specification | none; the bitshuffle library defines it |
//! | Also read by | hdf5plugin, the bitshuffle package, the HDF Group's plugins, detector software (Dectris) |
//!
//! Blocks have a multiple of 8 elements. The last block has the remaining elements, except for up to 7 elements, which follow unchanged.
//! With a compressor, the chunk starts with its decoded size (`u64`) and the block size in bytes (`u32`). Each block starts with its stored
//! size (`u32`). All numbers are big-endian.

use super::bits::{transposed, untranspose};
use super::output::{array, bad, parameter, reserve, sized, take, unsupported};
use super::parameter_names::{Parameter, ParameterForm, ParameterMode};
use super::user_params::{element_size, unfit, wrong};
use super::{
    ChunkContext, Encoded, Filter, FilterEntry, FilterReplacement, Policy, blosc, lz4, zstd,
};
use crate::error::{Error, ErrorKind, Result};
use crate::model::kind::Zarr;

/// The entry in the filter table.
pub(crate) const ENTRY: FilterEntry = FilterEntry {
    id: 32008,
    name: NAME,
    codec: None,
    policy: Policy {
        in_zarr,
        ..Policy::PLAIN
    },
    named: &[
        ParameterMode::of(&[BLOCK, Parameter::word("codec", CODECS, 0)]),
        ParameterMode::of(&[
            BLOCK,
            Parameter::required("codec", ParameterForm::Word(CODECS)),
            Parameter::required("level", ParameterForm::Number),
        ]),
    ],
    prepare,
    build: |params, _| Ok(Box::new(Bitshuffle::new(params)?)),
};

/// Returns Blosc for bitshuffle with a compressor, which is one of Blosc's modes.
fn in_zarr(params: &[u32], _: Zarr) -> FilterReplacement {
    const BITS: u32 = 2;
    const LZ4: u32 = 1;
    const ZSTD: u32 = 5;
    let zstd = params.get(4) == Some(&3);
    let compressor = if zstd { ZSTD } else { LZ4 };
    FilterReplacement::substitute(blosc::ENTRY.id, &[0, 0, 0, 0, 5, BITS, compressor])
}

const NAME: &str = "bitshuffle";

const BLOCK: Parameter = Parameter::number("block", 0);

const CODECS: &[(&str, u32)] = &[("none", 0), ("lz4", 2), ("zstd", 3)];

/// The compressor of the blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BlockCodec {
    Lz4,
    Zstd {
        /// The zstd level for encoding.
        level: i32,
    },
}

impl BlockCodec {
    /// Appends the `n` decoded bytes of a block.
    fn decode(self, stored: &[u8], n: usize, output: &mut Vec<u8>) -> Result<()> {
        match self {
            Self::Lz4 => lz4::block_into(NAME, stored, n, output),
            Self::Zstd { .. } => zstd::frames_into(NAME, stored, n, output),
        }
    }

    /// Appends a block.
    fn encode(self, rows: &[u8], output: &mut Vec<u8>) -> Result<()> {
        match self {
            Self::Lz4 => lz4::compress(NAME, rows, output),
            Self::Zstd { level } => zstd::frame(NAME, level, rows, output),
        }
    }
}

struct Bitshuffle {
    /// Element size in bytes.
    size: usize,
    /// Elements per block, for chunks without a block size.
    block: usize,
    codec: Option<BlockCodec>,
}

impl Bitshuffle {
    fn new(params: &[u32]) -> Result<Self> {
        let size = parameter(NAME, params, 2)? as usize;
        if size == 0 {
            return Err(bad(NAME, "elements of 0 bytes"));
        }
        let block = match params.get(3) {
            Some(&block) if block > 0 => block as usize,
            Some(_) | None => default_block(size),
        };
        let codec = match params.get(4).copied().unwrap_or(0) {
            0 => None,
            2 => Some(BlockCodec::Lz4),
            3 => Some(BlockCodec::Zstd {
                level: params.get(5).map_or(0, |level| level.cast_signed()),
            }),
            other => return Err(unsupported(NAME, format_args!("compressor {other}"))),
        };
        Ok(Self { size, block, codec })
    }
}

/// The version of the library that this code follows.
const VERSION: [u32; 2] = [0, 4];

/// Converts a user's parameters to stored parameters.
fn prepare(context: &ChunkContext, user: &[u32]) -> Result<Vec<u32>> {
    let choice = match user {
        // Stored parameters without a user's choice. A user's second parameter is never 4, which is no compressor.
        [major, minor, _] if [*major, *minor] == VERSION => &[],
        [_, _, _, choice @ ..] if user.len() > 3 => choice,
        _ => user,
    };
    let fits = match choice {
        [] => true,
        // Some files have a compression level for compressors without levels.
        [block] | [block, 0 | 2 | 3] | [block, 0 | 2, _] | [block, 3, 0..=22] => block % 8 == 0,
        _ => false,
    };
    if !fits {
        return Err(wrong(
            NAME,
            "the elements of a block (a multiple of 8, 0 for the default), a compressor (0 none, \
             2 LZ4, 3 zstd) and a level of zstd, alone or behind three other numbers",
            user,
        ));
    }
    let size = element_size(NAME, context)?;
    let stored = [VERSION.as_slice(), &[size], choice].concat();
    match Bitshuffle::new(&stored)?.block_bytes() {
        Ok(_) => Ok(stored),
        // Chunks with invalid stored parameters can still be moved.
        Err(e) if user.len() > 3 => Err(e),
        Err(e) => Err(Error::new(ErrorKind::Argument, e.what().to_string())),
    }
}

/// Returns the default elements per block: about 8 KiB, at least 128 elements.
fn default_block(size: usize) -> usize {
    let fit = 8192 / size.max(1);
    (fit - fit % 8).max(128)
}

impl Bitshuffle {
    /// Returns the bytes of a full block for encoding.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`] if the block exceeds the limit of the compressor or of the chunk header.
    fn block_bytes(&self) -> Result<u64> {
        let most = match self.codec {
            None => u64::MAX,
            Some(BlockCodec::Lz4) => lz4::MAX_BLOCK.into(),
            Some(BlockCodec::Zstd { .. }) => u32::MAX.into(),
        };
        let bytes = (self.block as u64).saturating_mul(self.size as u64);
        if bytes > most {
            let what = format_args!("blocks of {bytes} bytes, at most {most} can be written");
            return Err(unfit(NAME, what));
        }
        Ok(bytes)
    }
}

impl Filter for Bitshuffle {
    fn output(&self, context: &ChunkContext) -> ChunkContext {
        match self.codec {
            None => context.clone(),
            Some(_) => context.of_any_length(),
        }
    }

    fn decode(&self, context: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        let mut input = input;
        let (total, block) = match self.codec {
            None => (input.len() as u64, self.block),
            Some(_) => {
                let total = u64::from_be_bytes(array(NAME, &mut input)?);
                let bytes = u32::from_be_bytes(array(NAME, &mut input)?) as usize;
                (total, bytes / self.size)
            }
        };
        let total = reserve(NAME, context, total, output)?;
        if block == 0 || !block.is_multiple_of(8) {
            let what = format_args!("blocks of {block} elements, expected a multiple of 8");
            return Err(bad(NAME, what));
        }
        self.blocks(total, block, input, output)
    }

    fn encode(&self, _: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<Encoded> {
        let bytes = self.block_bytes()?;
        if !input.len().is_multiple_of(self.size) {
            // Our decoder could read the result, but the reference decoders reject it.
            let what = format_args!(
                "{} bytes are not a multiple of the element size {}",
                input.len(),
                self.size
            );
            return Err(unfit(NAME, what));
        }
        if self.block == 0 || !self.block.is_multiple_of(8) {
            let what = format_args!(
                "blocks of {} elements, expected a multiple of 8",
                self.block
            );
            return Err(bad(NAME, what));
        }
        if self.codec.is_some() {
            let bytes = u32::try_from(bytes).map_err(|_| unfit(NAME, "blocks of 4 GiB"))?;
            output.extend_from_slice(&(input.len() as u64).to_be_bytes());
            output.extend_from_slice(&bytes.to_be_bytes());
        }
        let elements = input.len() / self.size;
        let (whole, rest) = input.split_at((elements - elements % 8).saturating_mul(self.size));
        let mut scratch = ShuffleScratch::default();
        for block in whole.chunks(usize::try_from(bytes).unwrap_or(usize::MAX)) {
            self.encode_block(block, &mut scratch, output)?;
        }
        output.extend_from_slice(rest);
        Ok(Encoded::Applied)
    }
}

impl Bitshuffle {
    fn blocks(&self, total: usize, block: usize, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        let mut input = input;
        let mut scratch = ShuffleScratch::default();
        let mut left = total / self.size;
        while left >= 8 {
            let elements = block.min(left - left % 8);
            self.block(elements * self.size, &mut input, &mut scratch, output)?;
            left -= elements;
        }
        let rest = total.saturating_sub(output.len());
        output.extend_from_slice(take(NAME, &mut input, rest)?);
        Ok(())
    }

    /// Appends a block.
    fn encode_block(
        &self,
        block: &[u8],
        scratch: &mut ShuffleScratch,
        output: &mut Vec<u8>,
    ) -> Result<()> {
        let ShuffleScratch { rows, planes } = scratch;
        let Some(codec) = self.codec else {
            transposed(block, self.size, planes, output);
            return Ok(());
        };
        rows.clear();
        transposed(block, self.size, planes, rows);
        sized(output, u32::to_be_bytes, |output| {
            codec.encode(rows, output)
        })
    }

    /// Decodes the next block, which has `n` decoded bytes.
    fn block(
        &self,
        n: usize,
        input: &mut &[u8],
        scratch: &mut ShuffleScratch,
        output: &mut Vec<u8>,
    ) -> Result<()> {
        let rows = match self.codec {
            None => take(NAME, input, n)?,
            Some(codec) => {
                let stored = u32::from_be_bytes(array(NAME, input)?) as usize;
                let stored = take(NAME, input, stored)?;
                scratch.rows.clear();
                codec.decode(stored, n, &mut scratch.rows)?;
                &scratch.rows
            }
        };
        untranspose(rows, self.size, &mut scratch.planes, output);
        Ok(())
    }
}

#[derive(Default)]
struct ShuffleScratch {
    rows: Vec<u8>,
    planes: Vec<u8>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::tests::context;

    #[test]
    fn parameters_match_the_c_filter() {
        let prepare = |user: &[u32]| prepare(&context(2000, 4), user);
        assert_eq!(prepare(&[]).unwrap(), [0, 4, 4]);
        assert_eq!(prepare(&[0, 4, 8]).unwrap(), [0, 4, 4], "stored ones");
        assert_eq!(prepare(&[16, 2]).unwrap(), [0, 4, 4, 16, 2]);
        assert_eq!(prepare(&[0, 3, 5]).unwrap(), [0, 4, 4, 0, 3, 5]);
        assert_eq!(prepare(&[0, 3, 8, 0, 3, 5]).unwrap(), [0, 4, 4, 0, 3, 5]);
        assert_eq!(prepare(&[0, 3, 4, 0, 0, 0]).unwrap(), [0, 4, 4, 0, 0, 0]);
        for wrong in [&[12][..], &[8, 1], &[8, 1, 1], &[0; 7]] {
            assert!(prepare(wrong).is_err());
        }
    }

    #[test]
    fn partial_elements_are_rejected() {
        let made = Bitshuffle::new(&[0, 4, 4]).unwrap();
        for (len, fits) in [(64, true), (63, false), (2, false), (0, true)] {
            let encoded = made.encode(&context(2000, 4), &vec![1; len], &mut vec![]);
            assert_eq!(encoded.is_ok(), fits, "{len}");
        }
    }

    #[test]
    fn blocks_above_the_header_limit_are_rejected() {
        let context = context(2000, 4);
        for (user, bytes) in [
            ([0x8000_0000, 2], 0x2_0000_0000_u64),
            ([0x4000_0000, 3], 0x1_0000_0000),
            // LZ4 accepts blocks below 2 GiB.
            ([0x1F80_0008, 2], 0x7E00_0020),
        ] {
            let e = prepare(&context, &user).unwrap_err();
            assert_eq!(e.kind(), ErrorKind::Argument, "{user:?}");
            let what = format!("blocks of {bytes} bytes, ");
            assert!(e.what().contains(&what), "{user:?}: {e}");
            let stored = [0, 4, 4, user[0], user[1]];
            let e = prepare(&context, &stored).unwrap_err();
            assert_eq!(e.kind(), ErrorKind::Unsupported, "{user:?}");
            let made = Bitshuffle::new(&stored).unwrap();
            let e = made.encode(&context, &[0; 2000], &mut vec![]).unwrap_err();
            assert!(e.what().contains(&what), "{user:?}: {e}");
        }
        for user in [[0x8000_0000, 0], [0x1F80_0000, 2], [0x3FFF_FFF8, 3]] {
            assert!(prepare(&context, &user).is_ok(), "{user:?}");
        }
    }
}
