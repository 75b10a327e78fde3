//! zfp, as the HDF5 filter H5Z-ZFP stores it: numbers in blocks of 4 per dimension, compressed to a
//! rate, a precision or an error, or losslessly.
//!
//! | | |
//! |---|---|
//! | HDF5 number | 32013 |
//! | Names | `zfp` |
//! | Parameters | version of filter and library; then a zfp header: codec version, type and shape of the chunk, mode. The filter makes them of the user's mode and its value |
//! | Specification | the zfp documentation (header, modes, algorithm); H5Z-ZFP's for the parameters |
//! | Also read by | H5Z-ZFP, hdf5plugin, netCDF-C with the plugin, the HDF Group's plugins |
//!
//! A chunk is a zfp stream without header. The header is in the words of the machine that wrote
//! it, and so are the numbers that come out: the filter knows nothing of the type's byte order.

use zfp_rs::{
    ZfpBitStreamRef, ZfpConfig, ZfpFieldMetadata, ZfpFieldMut, ZfpHeaderMask, ZfpScalar,
    ZfpScalarType,
};

use super::output::{allocate, bad, reserve, unsupported};
use super::{Context, Encoded, Filter, FilterEntry, read_only};
use crate::error::{Error, ErrorKind, Result};

/// The row of the table.
pub const ENTRY: FilterEntry = FilterEntry {
    id: 32013,
    name: NAME,
    prepare: |_, _| Err(read_only(NAME)),
    build: |params, _| Ok(Box::new(Zfp::new(params)?)),
};

const NAME: &str = "zfp";

/// The version of the stream that zfp 0.5 and later write.
const CODEC: u8 = 5;

struct Zfp {
    config: ZfpConfig,
    field: ZfpFieldMetadata,
    /// Whether a big-endian machine wrote the chunks.
    big: bool,
}

impl Zfp {
    fn new(params: &[u32]) -> Result<Self> {
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

    /// Numbers in the chunk.
    fn count(&self) -> Option<usize> {
        let dims = self.field.dims.iter().filter(|&&n| n > 0);
        dims.copied().try_fold(1, usize::checked_mul)
    }

    fn numbers<T: Number>(&self, words: &[u64], output: &mut Vec<u8>) -> Result<()> {
        let count = self.count().unwrap_or(usize::MAX);
        let mut numbers: Vec<T> = Vec::new();
        numbers.try_reserve_exact(count).map_err(|_| {
            let what = format!("zfp: no memory for a chunk of {count} numbers");
            Error::new(ErrorKind::Limit, what)
        })?;
        numbers.resize(count, T::default());
        let mut field = ZfpFieldMut::new(&mut numbers, self.field.dims)
            .map_err(|e| bad(NAME, format_args!("the header's shape: {e}")))?;
        let mut stream = ZfpBitStreamRef::from_words(words);
        let decoded = stream.decompress(&self.config, &mut field);
        decoded.map_err(|e| bad(NAME, e))?;
        for number in numbers {
            number.append(self.big, output);
        }
        Ok(())
    }
}

/// The stream in its words; what is missing of the last one is zero.
fn words(bytes: &[u8]) -> Vec<u64> {
    let word = |bytes: &[u8]| {
        let mut word = [0; 8];
        word.iter_mut()
            .zip(bytes)
            .for_each(|(to, from)| *to = *from);
        u64::from_le_bytes(word)
    };
    bytes.chunks(8).map(word).collect()
}

impl Filter for Zfp {
    fn decode(&self, context: &Context, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        let ty = self.field.scalar_type;
        let size = match ty {
            ZfpScalarType::I32 | ZfpScalarType::F32 => 4,
            ZfpScalarType::I64 | ZfpScalarType::F64 => 8,
        };
        let bytes = self.count().and_then(|n| n.checked_mul(size));
        let bytes = reserve(NAME, context, bytes.unwrap_or(usize::MAX) as u64, output)?;
        allocate(NAME, output, bytes)?;
        let words = words(input);
        match ty {
            ZfpScalarType::I32 => self.numbers::<i32>(&words, output),
            ZfpScalarType::I64 => self.numbers::<i64>(&words, output),
            ZfpScalarType::F32 => self.numbers::<f32>(&words, output),
            ZfpScalarType::F64 => self.numbers::<f64>(&words, output),
        }
    }

    fn encode(&self, _: &Context, _: &[u8], _: &mut Vec<u8>) -> Result<Encoded> {
        Err(read_only(NAME))
    }
}

/// The types of zfp.
trait Number: ZfpScalar + Default {
    /// Appends the number in the given byte order.
    fn append(self, big: bool, output: &mut Vec<u8>);
}

macro_rules! numbers {
    ($($ty:ty)*) => {
        $(impl Number for $ty {
            fn append(self, big: bool, output: &mut Vec<u8>) {
                let bytes = if big { self.to_be_bytes() } else { self.to_le_bytes() };
                output.extend_from_slice(&bytes);
            }
        })*
    };
}

numbers!(i32 i64 f32 f64);

#[cfg(test)]
mod tests {
    use super::*;
    use zfp_rs::{ZfpBitStream, ZfpField};

    const NUMBERS: [i32; 6] = [1, -2, 3, 70_000, 5, -6];

    /// The words of the header as a little-endian machine stores them, and a lossless chunk.
    fn chunk() -> (Vec<u32>, Vec<u8>) {
        let field = ZfpField::new(&NUMBERS, [3, 2]).unwrap();
        let config = ZfpConfig::reversible();
        let mut header = ZfpBitStream::new(24).unwrap();
        let bits = header.write_header(&config, &field.metadata(), ZfpHeaderMask::FULL);
        assert!(bits.unwrap() > 32);
        header.flush();
        let (words, _) = header.as_bytes().as_chunks::<4>();
        let mut params = vec![0];
        params.extend(words.iter().map(|w| u32::from_le_bytes(*w)));
        let mut stream = ZfpBitStream::new(1000).unwrap();
        stream.compress(&config, &field).unwrap();
        (params, stream.as_bytes().to_vec())
    }

    fn decode(params: &[u32], stored: &[u8], len: usize) -> Result<Vec<u8>> {
        crate::filter::tests::decode(ENTRY.id, params, len, stored)
    }

    #[test]
    fn numbers_are_in_the_order_of_the_machine_that_wrote_them() {
        let (params, stored) = chunk();
        let little: Vec<u8> = NUMBERS.iter().flat_map(|n| n.to_le_bytes()).collect();
        assert_eq!(decode(&params, &stored, 24).unwrap(), little);
        let swapped: Vec<u32> = params.iter().map(|w| w.swap_bytes()).collect();
        let big: Vec<u8> = NUMBERS.iter().flat_map(|n| n.to_be_bytes()).collect();
        assert_eq!(decode(&swapped, &stored, 24).unwrap(), big);
    }

    #[test]
    fn headers_are_checked() {
        let (mut params, stored) = chunk();
        assert_eq!(
            decode(&params, &stored, 23).unwrap_err().kind(),
            ErrorKind::Corrupt
        );
        assert_eq!(
            decode(&params, &stored[..8], 24).unwrap_err().kind(),
            ErrorKind::Corrupt
        );
        assert_eq!(
            decode(&params[..2], &stored, 24).unwrap_err().kind(),
            ErrorKind::Corrupt
        );
        params[1] = u32::from_le_bytes(*b"zfp\x04");
        let e = decode(&params, &stored, 24).unwrap_err();
        assert_eq!(e.to_string(), "zfp: codec version 4, not 5");
        assert_eq!(
            decode(&[], &stored, 24).unwrap_err().kind(),
            ErrorKind::Corrupt
        );
    }
}
