//! Szip, an HDF4 coder: the coder of HDF5's szip, in a different frame.
//!
//! | | |
//! |---|---|
//! | HDF5 number | none; HDF4's coder 5 |
//! | Names | `hdf4_szip` |
//! | Parameters | options, pixels per block, pixels per scanline, bits per pixel, pixels. Options: the options of HDF5's szip; 65536 if the data has a header |
//! | Stored form | a header: 1 if the data is uncompressed, else 0; the length of the following bytes (4 bytes, big-endian). The coder's stream or the data follows. Version 4.2r0 of libhdf4 wrote no header |
//! | Specification | CCSDS 121.0-B, lossless data compression; the frame is libhdf4's |
//! | Also read by | libhdf4 built with szip or libaec, and software built on it |
//!
//! The stream is HDF5's filter 4 without the length in front. Pixels are the numbers of the file, so the decoded bytes are correct for both
//! byte orders in the options.

use super::super::output::{allocate, array, bad, take};
use super::super::szip::ENTRY as HDF5_SZIP;
use super::super::{ChunkContext, Encoded, Filter, FilterEntry, read_only};
use super::{POLICY, expected, ids};
use crate::error::Result;

/// The entry in the filter table.
pub(crate) const ENTRY: FilterEntry = FilterEntry {
    id: ids::SZIP,
    name: NAME,
    codec: None,
    policy: POLICY,
    named: &[],
    prepare: |_, _| Err(read_only(NAME)),
    build: |params, context| Ok(Box::new(Hdf4Szip::new(params, context)?)),
};

const NAME: &str = "hdf4_szip";

/// The option flag for data with a header.
const HEAD: u32 = 0x0001_0000;

struct Hdf4Szip {
    has_head: bool,
    /// The length of all pixels in bytes.
    len: u64,
    /// The decoder of HDF5's filter.
    hdf5: Box<dyn Filter>,
}

impl Filter for Hdf4Szip {
    fn decode(&self, context: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        let len = expected(context, NAME)?;
        context.checked_len(self.len, NAME)?;
        let mut stream = input;
        if self.has_head {
            let [mode, size @ ..] = array::<5>(NAME, &mut stream)?;
            let size = u32::from_be_bytes(size);
            stream = take(
                NAME,
                &mut stream,
                usize::try_from(size).unwrap_or(usize::MAX),
            )?;
            if mode == 1 {
                allocate(NAME, output, context.checked_len(size.into(), NAME)?)?;
                output.extend_from_slice(stream);
                return Ok(());
            }
            if mode != 0 {
                return Err(bad(NAME, format_args!("a head that starts with {mode}")));
            }
        }
        let framed = framed(len, stream)?;
        self.hdf5.decode(context, &framed, output)
    }

    fn encode(&self, _: &ChunkContext, _: &[u8], _: &mut Vec<u8>) -> Result<Encoded> {
        Err(read_only(NAME))
    }
}

impl Hdf4Szip {
    fn new(params: &[u32], context: &ChunkContext) -> Result<Self> {
        let &[options, block, line, bits, pixels] = params else {
            let what = format_args!("{} parameters, expected 5", params.len());
            return Err(bad(NAME, what));
        };
        let width = match bits.div_ceil(8) {
            3 => 4,
            width => width,
        };
        Ok(Self {
            has_head: options & HEAD != 0,
            len: u64::from(width) * u64::from(pixels),
            hdf5: (HDF5_SZIP.build)(&[options & !HEAD, block, bits, line], context)?,
        })
    }
}

/// Returns the stream in HDF5's stored form, after the number of decoded bytes.
fn framed(len: usize, stream: &[u8]) -> Result<Vec<u8>> {
    let most = |_| bad(NAME, format_args!("{len} bytes, more than HDF4 can have"));
    let len = u32::try_from(len).map_err(most)?;
    let mut framed = Vec::new();
    allocate(NAME, &mut framed, stream.len().saturating_add(4))?;
    framed.extend_from_slice(&len.to_le_bytes());
    framed.extend_from_slice(stream);
    Ok(framed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::filter::tests::{damage, decode};

    #[test]
    fn uncompressed_data_decodes() {
        let stored = [1, 0, 0, 0, 4, 9, 8, 7, 6, 0, 0];
        let params = [HEAD | 32, 2, 2, 16, 2];
        assert_eq!(
            decode(ids::SZIP, &params, 4, &stored).unwrap(),
            [9, 8, 7, 6]
        );
        let kind = |params: &[u32], len, stored: &[u8]| {
            decode(ids::SZIP, params, len, stored).unwrap_err().kind()
        };
        for len in 0..9 {
            assert_eq!(kind(&params, 4, &stored[..len]), ErrorKind::Truncated);
        }
        let (corrupt, mut other) = (ErrorKind::Corrupt, stored);
        other[4] = 3;
        assert_eq!(kind(&params, 4, &other), corrupt);
        other[..5].copy_from_slice(&[2, 0, 0, 0, 4]);
        assert_eq!(kind(&params, 4, &other), corrupt);
        assert_eq!(kind(&params, 6, &stored), corrupt);
        assert_eq!(kind(&params[1..], 4, &stored), corrupt);
        assert_eq!(kind(&[HEAD | 32, 3, 2, 16, 2], 4, &stored), corrupt);
        damage(ids::SZIP, &params, 4, &stored);
    }
}
