//! The zfp header within the filter's parameters.

use zfp_rs::{
    ZfpBitStream, ZfpBitStreamRef, ZfpConfig, ZfpFieldMetadata, ZfpHeaderMask, ZfpScalarType,
};

use super::{NAME, no_memory};
use crate::error::Result;
use crate::filter::output::{bad, unsupported};
use crate::filter::user_params::unfit;

/// The stream version that zfp 0.5 and later write.
const CODEC: u8 = 5;

/// The versions of the library (1.0.1), the stream and the filter (1.1.1), in this order.
const VERSIONS: u32 = 0x1010_5111;

/// The maximum header length in bytes.
pub(super) const MAX_HEADER: usize = 24;

pub(in crate::filter) struct ZfpHeader {
    pub config: ZfpConfig,
    pub field: ZfpFieldMetadata,
    /// Whether a big-endian machine wrote the chunks.
    pub big: bool,
}

impl ZfpHeader {
    /// Reads the stored parameters.
    pub(crate) fn read(params: &[u32]) -> Result<Self> {
        let header = params.get(1..).unwrap_or_default();
        let little: Vec<u8> = header.iter().flat_map(|w| w.to_le_bytes()).collect();
        let swapped: Vec<u8> = header.iter().flat_map(|w| w.to_be_bytes()).collect();
        let (bytes, big) = match (little.as_slice(), swapped.as_slice()) {
            ([b'z', b'f', b'p', CODEC, ..], _) => (little, false),
            (_, [b'z', b'f', b'p', CODEC, ..]) => (swapped, true),
            ([b'z', b'f', b'p', codec, ..], _) | (_, [b'z', b'f', b'p', codec, ..]) => {
                return Err(unsupported(
                    NAME,
                    format_args!("codec version {codec}, not 5"),
                ));
            }
            _ => return Err(bad(NAME, "no zfp header in the parameters")),
        };
        let words = words(&bytes);
        let header = ZfpBitStreamRef::from_words(&words).read_header(ZfpHeaderMask::FULL);
        let header = header.map_err(|e| bad(NAME, e))?;
        match (header.config, header.metadata) {
            // Bits past the end read as zeros.
            (Some(config), Some(field)) if header.bits_read <= bytes.len().saturating_mul(8) => {
                Ok(Self { config, field, big })
            }
            (Some(_) | None, _) => Err(bad(NAME, "an incomplete header in the parameters")),
        }
    }

    /// Returns the stored parameters.
    pub(crate) fn write(&self) -> Result<Vec<u32>> {
        let mut stream = ZfpBitStream::new(MAX_HEADER).map_err(|_| no_memory(MAX_HEADER))?;
        let bits = stream.write_header(&self.config, &self.field, ZfpHeaderMask::FULL);
        let bits = bits.map_err(|e| unfit(NAME, e))?;
        stream.flush();
        let (words, _) = stream.as_bytes().as_chunks();
        let word = |bytes: &[u8; 4]| match self.big {
            true => u32::from_be_bytes(*bytes),
            false => u32::from_le_bytes(*bytes),
        };
        let words = words.iter().take(bits.div_ceil(32)).map(word);
        Ok(std::iter::once(VERSIONS).chain(words).collect())
    }

    /// Returns the element count of the chunk.
    pub(crate) fn count(&self) -> Option<usize> {
        let dims = self.field.dims.iter().filter(|&&n| n > 0);
        dims.copied().try_fold(1, usize::checked_mul)
    }

    /// Returns the chunk size in bytes.
    pub(crate) fn bytes(&self) -> Option<usize> {
        let size = match self.field.scalar_type {
            ZfpScalarType::I32 | ZfpScalarType::F32 => 4,
            ZfpScalarType::I64 | ZfpScalarType::F64 => 8,
        };
        self.count()?.checked_mul(size)
    }
}

/// Returns the stream as 64-bit words; the last one is padded with zeros.
pub(in crate::filter) fn words(bytes: &[u8]) -> Vec<u64> {
    let word = |bytes: &[u8]| {
        let mut word = [0; 8];
        word.iter_mut()
            .zip(bytes)
            .for_each(|(to, from)| *to = *from);
        u64::from_le_bytes(word)
    };
    bytes.chunks(8).map(word).collect()
}
