//! Szip: the adaptive entropy coder of space agencies.
//!
//! | | |
//! |---|---|
//! | HDF5 number | 4 |
//! | Names | `szip` |
//! | Parameters | stored: options, pixels per block (even, at most 32), bits per pixel, pixels per scanline; the user gives the first two, 32 and 8 if left out (a stored scanline is made anew). Options: 4 entropy coding alone, 32 nearest neighbour first, 8 little-endian, 16 big-endian pixels, 128 no header, 1 and 2 say nothing to a reader |
//! | Stored form | bytes of the chunk (4 bytes, little-endian), then the coder's stream |
//! | Specification | CCSDS 121.0-B, lossless data compression; the arrangement of pixels is szip's |
//! | Also read by | libhdf5 with szip or libaec, netCDF-C, netCDF-Java |
//!
//! Pixels of 32 and 64 bits are coded byte by byte: the first bytes of all pixels, then the second
//! bytes, and so on. A scanline starts with a reference pixel and ends with as much padding as
//! fills its last block.

use super::output::allocate;
use super::{Context, Encoded, Filter, FilterEntry, corrupt, read_only, shuffle};
use crate::error::{Error, ErrorKind, Result};
use crate::model::Endianness;

mod params;
mod stream;

use stream::{Coder, Decoder};

/// The row of the table.
pub const ENTRY: FilterEntry = FilterEntry {
    id: 4,
    name: "szip",
    prepare: params::prepare,
    build: |params, _| Ok(Box::new(Szip::new(params)?)),
};

/// Option bits.
const ENTROPY: u32 = 4;
const NEAREST_NEIGHBOUR: u32 = 32;
const BIG_ENDIAN: u32 = 16;

/// A stream makes at most about so many bytes of each of its own.
const RATIO: usize = 8192;

struct Szip {
    coder: Coder,
    /// Bytes of a pixel that is coded byte by byte.
    planes: Option<usize>,
}

impl Filter for Szip {
    fn decode(&self, context: &Context, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        let (len, stream) = input.split_first_chunk().ok_or_else(|| {
            let what = format!("szip: {} bytes have no length", input.len());
            Error::new(ErrorKind::Truncated, what)
        })?;
        let len = context.room(u32::from_le_bytes(*len).into(), "szip")?;
        let room = stream.len().saturating_mul(RATIO).min(len);
        let Some(size) = self.planes else {
            allocate("szip", output, room)?;
            return Decoder::new(&self.coder, stream).decode(len, output);
        };
        let mut planes = vec![];
        allocate("szip", &mut planes, room)?;
        Decoder::new(&self.coder, stream).decode(len, &mut planes)?;
        allocate("szip", output, planes.len())?;
        shuffle::unshuffle(size, &planes, output);
        Ok(())
    }

    fn encode(&self, _: &Context, _: &[u8], _: &mut Vec<u8>) -> Result<Encoded> {
        Err(read_only("szip"))
    }
}

impl Szip {
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
        let coder = Coder {
            bits,
            block,
            line,
            predict: options & NEAREST_NEIGHBOUR != 0,
            order,
        };
        Ok(Self { coder, planes })
    }
}
