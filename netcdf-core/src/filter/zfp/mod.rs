//! zfp in the stored form of the HDF5 filter H5Z-ZFP: numbers in blocks of 4 per dimension, compressed to a given rate, precision or error,
//! or losslessly.
//!
//! | | |
//! |---|---|
//! | HDF5 number | 32013 |
//! | Names | `zfp` |
//! | Parameters | stored: version of filter and library; then a zfp header: codec version, type and shape of the chunk, mode. The user gives a mode, 0, and values: 1,0 and a rate in bits, 2,0 and a precision in bits, 3,0 and an error, 4,0 and the four numbers of expert mode, or 5 for lossless. Rate and error are doubles in two numbers, the lower half first. Stored parameters are recomputed |
//! | Specification | the zfp documentation (header, modes, algorithm); H5Z-ZFP's documentation (parameters) |
//! | Also read by | H5Z-ZFP, hdf5plugin, netCDF-C with the plugin, the HDF Group's plugins |
//!
//! A chunk is a zfp stream without header. The header and the decoded numbers have the byte order of the writing machine, because the
//! filter does not know the byte order of the type. Big-endian numbers are therefore written like on a big-endian machine. The encoder
//! supports all modes.

mod header;
pub(super) mod params;

use zfp_rs::{ZfpBitStream, ZfpBitStreamRef, ZfpField, ZfpFieldMut, ZfpScalar, ZfpScalarType};

use super::output::{allocate, bad, reserve};
use super::user_params::wrong_length;
use super::{ChunkContext, Encoded, Filter, FilterEntry, Policy, Suits};
use crate::error::{Error, ErrorKind, Result};
pub(super) use header::{ZfpHeader, words};

/// The entry in the filter table.
pub(crate) const ENTRY: FilterEntry = FilterEntry {
    id: 32013,
    name: NAME,
    codec: None,
    policy: Policy {
        lossy: |params| !is_reversible(params),
        suits: Suits::Numbers,
        ..Policy::PLAIN
    },
    named: params::NAMED,
    prepare: params::prepare,
    build: |params, _| Ok(Box::new(Zfp(ZfpHeader::read(params)?))),
};

const NAME: &str = "zfp";

/// Checks whether a user's or stored parameters select the lossless mode.
pub(super) fn is_reversible(params: &[u32]) -> bool {
    params::is_reversible(params)
}

struct Zfp(ZfpHeader);

/// Appends the numbers of a stream from its current position.
pub(super) fn unpack(
    header: &ZfpHeader,
    stream: &mut ZfpBitStreamRef<'_>,
    output: &mut Vec<u8>,
) -> Result<()> {
    match header.field.scalar_type {
        ZfpScalarType::I32 => decode_numbers::<i32>(header, stream, output),
        ZfpScalarType::I64 => decode_numbers::<i64>(header, stream, output),
        ZfpScalarType::F32 => decode_numbers::<f32>(header, stream, output),
        ZfpScalarType::F64 => decode_numbers::<f64>(header, stream, output),
    }
}

fn decode_numbers<T: ZfpNumber>(
    header: &ZfpHeader,
    stream: &mut ZfpBitStreamRef<'_>,
    output: &mut Vec<u8>,
) -> Result<()> {
    let count = header.count().unwrap_or(usize::MAX);
    let mut numbers: Vec<T> = reserved(count)?;
    numbers.resize(count, T::default());
    let mut field = ZfpFieldMut::new(&mut numbers, header.field.dims)
        .map_err(|e| bad(NAME, format_args!("the header's shape: {e}")))?;
    let decoded = stream.decompress(&header.config, &mut field);
    decoded.map_err(|e| bad(NAME, e))?;
    for number in numbers {
        number.append(header.big, output);
    }
    Ok(())
}

/// Returns a stream of the numbers of `input`, after the bytes `before`.
pub(super) fn pack(
    header: &ZfpHeader,
    before: impl FnOnce(&mut ZfpBitStream) -> Result<()>,
    input: &[u8],
) -> Result<ZfpBitStream> {
    let (config, field) = (&header.config, &header.field);
    let most = config.maximum_size(field.scalar_type, field.dims);
    let most = most.and_then(|most| most.checked_add(header::MAX_HEADER));
    let stream = most.and_then(|most| ZfpBitStream::new(most).ok());
    let mut stream = stream.ok_or_else(|| no_memory(input.len()))?;
    before(&mut stream)?;
    match field.scalar_type {
        ZfpScalarType::I32 => encode_numbers::<i32>(header, &mut stream, input),
        ZfpScalarType::I64 => encode_numbers::<i64>(header, &mut stream, input),
        ZfpScalarType::F32 => encode_numbers::<f32>(header, &mut stream, input),
        ZfpScalarType::F64 => encode_numbers::<f64>(header, &mut stream, input),
    }?;
    Ok(stream)
}

fn encode_numbers<T: ZfpNumber>(
    header: &ZfpHeader,
    stream: &mut ZfpBitStream,
    input: &[u8],
) -> Result<()> {
    let mut numbers: Vec<T> = reserved(input.len() / size_of::<T>())?;
    numbers.extend(T::all(input, header.big));
    let field = ZfpField::new(&numbers, header.field.dims);
    let field = field.map_err(|e| bad(NAME, format_args!("the header's shape: {e}")))?;
    let written = stream.compress(&header.config, &field);
    written.map_err(|e| bad(NAME, e))?;
    Ok(())
}

/// Reserves memory for `n` numbers.
fn reserved<T>(n: usize) -> Result<Vec<T>> {
    let mut numbers = Vec::new();
    numbers.try_reserve_exact(n).map_err(|_| no_memory(n))?;
    Ok(numbers)
}

#[cold]
fn no_memory(n: usize) -> Error {
    let what = format!("zfp: no memory for a chunk of {n} numbers");
    Error::new(ErrorKind::Limit, what)
}

impl Filter for Zfp {
    fn decode(&self, context: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        let bytes = self.0.bytes().unwrap_or(usize::MAX);
        let bytes = reserve(NAME, context, bytes as u64, output)?;
        allocate(NAME, output, bytes)?;
        let words = words(input);
        unpack(&self.0, &mut ZfpBitStreamRef::from_words(&words), output)
    }

    fn encode(&self, _: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<Encoded> {
        if self.0.bytes() != Some(input.len()) {
            return Err(wrong_length(NAME, input.len(), self.0.bytes()));
        }
        let stream = pack(&self.0, |_| Ok(()), input)?;
        allocate(NAME, output, stream.as_bytes().len())?;
        output.extend_from_slice(stream.as_bytes());
        Ok(Encoded::Applied)
    }
}

/// The number types of zfp.
trait ZfpNumber: ZfpScalar + Default {
    /// Appends the number in the given byte order.
    fn append(self, big: bool, output: &mut Vec<u8>);

    /// Returns the numbers stored in the given byte order.
    fn all(bytes: &[u8], big: bool) -> impl Iterator<Item = Self>;
}

macro_rules! numbers {
    ($($ty:ty)*) => {
        $(impl ZfpNumber for $ty {
            fn append(self, big: bool, output: &mut Vec<u8>) {
                let bytes = if big { self.to_be_bytes() } else { self.to_le_bytes() };
                output.extend_from_slice(&bytes);
            }

            fn all(bytes: &[u8], big: bool) -> impl Iterator<Item = Self> {
                let (numbers, _) = bytes.as_chunks();
                let number = if big { Self::from_be_bytes } else { Self::from_le_bytes };
                numbers.iter().map(move |bytes| number(*bytes))
            }
        })*
    };
}

numbers!(i32 i64 f32 f64);

#[cfg(test)]
mod tests {
    use super::*;
    use zfp_rs::{ZfpConfig, ZfpHeaderMask};

    const NUMBERS: [i32; 6] = [1, -2, 3, 70_000, 5, -6];

    /// Returns the header words as a little-endian machine stores them, and a lossless chunk.
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
