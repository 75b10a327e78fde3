//! The filter's parameters.

use super::NAME;
use super::codec::BloscCodec;
use super::header::BloscShuffle;
use crate::error::Result;
use crate::filter::ChunkContext;
use crate::filter::output::unsupported;
use crate::filter::parameter_names::{Parameter, ParameterMode};
use crate::filter::user_params::{chunk_bytes, element_size, unfit, wrong};

/// The revision of the HDF5 filter, and the format version.
const REVISION: u32 = 2;
const VERSION: u32 = 2;

/// The user's parameter names. HDF5 plugins expect these parameters after four other numbers.
pub(super) const NAMED: &[ParameterMode] = &[ParameterMode {
    before: &[0; 4],
    parameters: &[
        Parameter::number("level", 5),
        Parameter::word("shuffle", &[("none", 0), ("bytes", 1), ("bits", 2)], 1),
        Parameter::word("codec", CODECS, 0),
    ],
}];

/// The codec number of snappy.
pub(super) const SNAPPY: u32 = 3;
/// The codec number of zstd.
const ZSTD: u32 = 5;

const CODECS: &[(&str, u32)] = &[
    ("blosclz", 0),
    ("lz4", 1),
    ("lz4hc", 2),
    ("snappy", 3),
    ("zlib", 4),
    ("zstd", 5),
];

/// Maximum element size in bytes. Blosc treats larger elements as bytes.
const MAX_ELEMENT: u32 = 255;

/// The maximum chunk size that Blosc accepts.
const MAX_CHUNK: u32 = 0x7FFF_FFFF - 16;

/// The usual number of stored parameters. The block size may follow.
const STORED: usize = 7;

/// Returns the parameters that a Zarr user specified, without the parameters that depend on type and chunk.
pub(in crate::filter) fn visible(params: &[u32]) -> Vec<u32> {
    let block = params.get(STORED).copied().unwrap_or(0);
    let mut visible = vec![0, 0, 0, block];
    visible.extend(params.iter().take(STORED).skip(4));
    visible
}

/// Returns the stored parameters with the codec zstd, which all readers have.
pub(super) fn with_zstd(params: &[u32]) -> Vec<u32> {
    let mut params = params.to_vec();
    params
        .iter_mut()
        .skip(6)
        .take(1)
        .for_each(|codec| *codec = ZSTD);
    params
}

/// Converts a user's parameters to stored parameters.
pub(super) fn prepare(context: &ChunkContext, user: &[u32]) -> Result<Vec<u32>> {
    let choice = match user {
        [_, _, _, _, choice @ ..] | choice => choice,
    };
    let pick = |n: usize, default| choice.get(n).copied().unwrap_or(default);
    let (level, shuffle, codec) = (pick(0, 5), pick(1, 1), pick(2, 0));
    let stored = user.len() == STORED + 1;
    if choice.len() > 3 + usize::from(stored) || level > 9 || shuffle > 2 || codec > 5 {
        return Err(wrong(
            NAME,
            "a level from 0 to 9, a shuffle (0 none, 1 for bytes, 2 for bits) and a codec (0 blosclz, \
             1 lz4, 2 lz4hc, 3 snappy, 4 zlib, 5 zstd), alone or behind four other numbers",
            user,
        ));
    }
    let size = Some(element_size(NAME, context)?).filter(|&size| size <= MAX_ELEMENT);
    let bytes = chunk_bytes(NAME, context)?;
    if bytes > MAX_CHUNK {
        return Err(unfit(NAME, "a chunk of 2 GiB or more"));
    }
    let size = size.unwrap_or(1);
    let mut params = vec![REVISION, VERSION, size, bytes, level, shuffle, codec];
    params.extend(choice.get(3));
    Ok(params)
}

/// Settings for encoding.
pub(super) struct BloscSettings {
    /// Element size in bytes, 1 to 255.
    pub element: u8,
    /// The compression level, 0 to 9.
    pub level: u32,
    pub shuffle: BloscShuffle,
    pub codec: BloscCodec,
    /// Bytes per block; 0 for the default.
    pub block: usize,
}

impl BloscSettings {
    /// Checks whether each byte of the elements has its own stream. Codecs without entropy coding compress better with separate streams.
    pub(super) fn splits(&self) -> bool {
        let fast = match self.codec {
            BloscCodec::BloscLz | BloscCodec::Lz4 | BloscCodec::Snappy => true,
            BloscCodec::Zlib | BloscCodec::Zstd => false,
        };
        fast && self.shuffle == BloscShuffle::Bytes
    }

    /// Parses the stored parameters. The last one may be missing.
    pub(super) fn new(params: &[u32]) -> Result<Self> {
        let pick = |n: usize, default| params.get(n).copied().unwrap_or(default);
        let codec = match pick(6, 0) {
            0 => BloscCodec::BloscLz,
            1 | 2 => BloscCodec::Lz4,
            3 => BloscCodec::Snappy,
            4 => BloscCodec::Zlib,
            5 => BloscCodec::Zstd,
            other => return Err(unsupported(NAME, format_args!("codec {other}"))),
        };
        Ok(Self {
            element: u8::try_from(pick(2, 1)).unwrap_or(1).max(1),
            level: pick(4, 5).min(9),
            shuffle: match pick(5, 1) {
                0 => BloscShuffle::None,
                2 => BloscShuffle::Bits,
                _ => BloscShuffle::Bytes,
            },
            codec,
            block: usize::try_from(pick(STORED, 0)).unwrap_or(0),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::tests::context;

    #[test]
    fn parameters_match_the_c_filter() {
        let prepare = |user: &[u32]| prepare(&context(2000, 4), user);
        assert_eq!(prepare(&[]).unwrap(), [2, 2, 4, 2000, 5, 1, 0]);
        assert_eq!(prepare(&[3, 2, 5]).unwrap(), [2, 2, 4, 2000, 3, 2, 5]);
        let stored = [2, 2, 8, 16_000, 9, 0, 4];
        assert_eq!(prepare(&stored).unwrap(), [2, 2, 4, 2000, 9, 0, 4]);
        assert_eq!(prepare(&stored[..4]).unwrap(), [2, 2, 4, 2000, 5, 1, 0]);
        for wrong in [&[10][..], &[5, 3], &[5, 1, 6], &[0; 9]] {
            assert!(prepare(wrong).is_err());
        }
        let large = super::prepare(&context(3000, 300), &[1]).unwrap();
        assert_eq!(large, [2, 2, 1, 3000, 1, 1, 0]);
    }
}
