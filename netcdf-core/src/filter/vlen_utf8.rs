//! `vlen-utf8`: a sequence of texts of any length.
//!
//! | | |
//! |---|---|
//! | id | none in HDF5; [`ID`] in our table |
//! | names | Zarr version 3: `vlen-utf8`, a codec from elements to bytes; numcodecs: `vlen-utf8` |
//! | parameters | none |
//! | specification | numcodecs, "VLenUTF8"; zarr-extensions, codec `vlen-utf8` |
//! | also read by | zarr-python, zarrs, GDAL, TensorStore |
//!
//! The stored form is the number of texts, then the length in bytes and the bytes of each text. Numbers have 32 bits, little-endian. The
//! filter's input has elements of a fixed size, padded with zeros.

use super::codec::PRIVATE;
use super::output::allocate;
use super::{ChunkContext, Encoded, Filter, FilterEntry, Policy, corrupt};
use crate::error::{Error, ErrorKind, Result};

/// The filter number.
pub(crate) const ID: u32 = PRIVATE + 64;

/// The entry in the filter table.
pub(crate) const ENTRY: FilterEntry = FilterEntry {
    id: ID,
    name: "vlen-utf8",
    policy: Policy::PLAIN,
    named: &[],
    prepare: |_, _| Ok(vec![]),
    build: |_, _| Ok(Box::new(VlenUtf8)),
    codec: None,
};

struct VlenUtf8;

impl Filter for VlenUtf8 {
    /// Filters after this one process bytes: numcodecs gives them no element properties.
    fn output(&self, context: &ChunkContext) -> ChunkContext {
        let mut behind = context.of_any_length();
        behind.about.max_len = Some(behind.limit());
        behind.element.size = 1;
        behind
    }

    fn decode(&self, context: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        let size = size(context)?;
        let short = || corrupt("vlen-utf8: the texts end too early");
        let (count, mut rest) = number(input).ok_or_else(short)?;
        let len = (count as u64).saturating_mul(size as u64);
        allocate("vlen-utf8", output, context.checked_len(len, "vlen-utf8")?)?;
        for _ in 0..count {
            let (len, behind) = number(rest).ok_or_else(short)?;
            let text = behind.get(..len).ok_or_else(short)?;
            if len > size {
                return Err(corrupt(format!(
                    "vlen-utf8: a text of {len} bytes, at most {size}"
                )));
            }
            output.extend_from_slice(text);
            output.resize(output.len().saturating_add(size - len), 0);
            rest = behind.get(len..).ok_or_else(short)?;
        }
        Ok(())
    }

    fn encode(
        &self,
        context: &ChunkContext,
        input: &[u8],
        output: &mut Vec<u8>,
    ) -> Result<Encoded> {
        encode(size(context)?, input, output)?;
        Ok(Encoded::Applied)
    }
}

/// Appends the stored form of `size`-byte elements, at least 1.
///
/// # Errors
/// Returns [`ErrorKind::Range`] for a text that is not UTF-8, and [`ErrorKind::Limit`] for a count above 32 bits.
pub(crate) fn encode(size: usize, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
    let elements = input.chunks_exact(size.max(1));
    output.extend(length(elements.len())?.to_le_bytes());
    for element in elements {
        let end = element.iter().rposition(|&b| b != 0).map_or(0, |n| n + 1);
        let text = element.get(..end).unwrap_or_default();
        if std::str::from_utf8(text).is_err() {
            let what = "a string is not UTF-8, which Zarr version 3 requires";
            let e = Error::new(ErrorKind::Range, what);
            return Err(e.with_remedy("Zarr version 2 takes any bytes"));
        }
        output.extend(length(text.len())?.to_le_bytes());
        output.extend_from_slice(text);
    }
    Ok(())
}

/// Returns the element size in bytes.
fn size(context: &ChunkContext) -> Result<usize> {
    let size = usize::try_from(context.element.size).ok();
    size.filter(|&n| n > 0)
        .ok_or_else(|| corrupt("vlen-utf8: elements without a size"))
}

fn length(len: usize) -> Result<u32> {
    u32::try_from(len).map_err(|_| {
        let what = format!("vlen-utf8: {len} does not fit 32 bits");
        Error::new(ErrorKind::Limit, what)
    })
}

/// Returns the number at the start of some bytes, and the bytes after it.
fn number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (number, rest) = bytes.split_first_chunk::<4>()?;
    Some((usize::try_from(u32::from_le_bytes(*number)).ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::tests::context;

    #[test]
    fn texts_round_trip() {
        let context = context(12, 4);
        let mut stored = vec![];
        let done = VlenUtf8.encode(&context, b"a\0\0\0\0\0\0\0b\xc3\xa4d", &mut stored);
        assert_eq!(done.unwrap(), Encoded::Applied);
        // numcodecs 0.16 writes these bytes.
        assert_eq!(stored, b"\x03\0\0\0\x01\0\0\0a\0\0\0\0\x04\0\0\0b\xc3\xa4d");
        let mut back = vec![];
        VlenUtf8.decode(&context, &stored, &mut back).unwrap();
        assert_eq!(back, b"a\0\0\0\0\0\0\0b\xc3\xa4d");
        for end in 0..stored.len() {
            let e = VlenUtf8.decode(&context, &stored[..end], &mut vec![]);
            assert_eq!(e.unwrap_err().kind(), ErrorKind::Corrupt);
        }
    }

    #[test]
    fn other_bytes_are_rejected() {
        let e = VlenUtf8.encode(&context(4, 4), b"\xff\0\0\0", &mut vec![]);
        assert_eq!(e.unwrap_err().kind(), ErrorKind::Range);
    }
}
