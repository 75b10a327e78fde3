//! Headers of special elements, which define the storage of element data.

use crate::bytes::Cursor;
use crate::error::{ErrorKind, Result};
use crate::limits::Limits;

/// The storage of a special element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpecialData {
    /// Linked blocks.
    Linked(Linked),
    /// An external file.
    External(ExternalElement),
    /// One compressed run.
    Compressed(Compressed),
    /// Chunks.
    Chunked(ChunkedElement),
}

/// Data in linked blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Linked {
    /// Length of the data in bytes.
    pub len: u64,
    /// Length of each block in bytes, except the first.
    pub block: u64,
    /// Number of blocks per table.
    pub blocks: u64,
    /// Reference number of the first block table.
    pub table: u16,
}

/// Data in an external file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalElement {
    /// Length of the data in bytes.
    pub len: u64,
    /// Offset of the data in the external file.
    pub offset: u64,
    /// The file name.
    pub name: Vec<u8>,
}

/// Compressed data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compressed {
    /// Uncompressed length in bytes.
    pub len: u64,
    /// Reference number of the compressed data.
    pub data: u16,
    /// The compression coder.
    pub coder: ElementCoder,
}

/// Data in chunks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkedElement {
    /// Bytes per number.
    pub element: u64,
    /// Reference number of the chunk table Vdata.
    pub table: u16,
    /// Dimension lengths of the dataset.
    pub shape: Vec<u64>,
    /// Dimension lengths of a chunk.
    pub chunk: Vec<u64>,
    /// The bytes of an unwritten number.
    pub fill: Vec<u8>,
    /// The coder of the chunks.
    pub coder: Option<ElementCoder>,
}

/// A coder of compressed data, with its settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ElementCoder {
    /// No compression.
    None,
    /// Run-length encoding.
    Rle,
    /// N-bit coding, which stores only some bits of each number.
    Nbit(NbitSettings),
    /// Skipping Huffman, with the number of interleaved bytes.
    SkippingHuffman(u32),
    /// Deflate, with its level.
    Deflate(u16),
    /// Szip.
    Szip(SzipSettings),
    /// An unknown coder.
    Other(u16),
}

/// Settings of N-bit coding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NbitSettings {
    /// Code of the number type.
    pub number_type: u32,
    /// Whether the highest stored bit is a sign bit.
    pub sign_extend: u16,
    /// Whether unstored bits are ones.
    pub fill_one: u16,
    /// The highest stored bit.
    pub start: u32,
    /// The number of stored bits.
    pub len: u32,
}

/// Settings of szip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SzipSettings {
    /// Total number of values.
    pub pixels: u32,
    /// Number of values per scan line.
    pub scanline: u32,
    /// Options.
    pub mask: u32,
    /// Bits per value.
    pub bits: u8,
    /// Number of values per block.
    pub block: u8,
}

impl SpecialData {
    /// Parses the header.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Truncated`], [`ErrorKind::Corrupt`], [`ErrorKind::Limit`], and [`ErrorKind::Unsupported`] for unknown kinds.
    pub fn parse(c: &mut Cursor<'_>, limits: &Limits) -> Result<Self> {
        match u16_be(c)? {
            1 => linked(c).map(Self::Linked),
            2 => external(c).map(Self::External),
            3 => compressed(c).map(Self::Compressed),
            5 => chunked(c, limits).map(Self::Chunked),
            code => {
                let what = format!("special elements of kind {code} are not supported");
                Err(c.error(ErrorKind::Unsupported, what))
            }
        }
    }
}

fn linked(c: &mut Cursor<'_>) -> Result<Linked> {
    Ok(Linked {
        len: length(c)?,
        block: length(c)?,
        blocks: length(c)?,
        table: u16_be(c)?,
    })
}

fn external(c: &mut Cursor<'_>) -> Result<ExternalElement> {
    let (len, offset) = (length(c)?, length(c)?);
    let name = c.u32_be()? as usize;
    let name = cut(c.bytes(name)?).to_vec();
    Ok(ExternalElement { len, offset, name })
}

fn compressed(c: &mut Cursor<'_>) -> Result<Compressed> {
    c.skip(2)?; // version
    Ok(Compressed {
        // Unwritten elements have a negative length.
        len: i32::from_be_bytes(c.array()?).max(0).unsigned_abs().into(),
        data: u16_be(c)?,
        coder: coder(c)?,
    })
}

fn chunked(c: &mut Cursor<'_>, limits: &Limits) -> Result<ChunkedElement> {
    let len = c.u32_be()? as usize;
    let end = c.position().saturating_add(len);
    if c.u8()? != 0 {
        return Err(c.error(ErrorKind::Unknown, "a new version of chunks".into()));
    }
    let flags = c.u32_be()?;
    c.skip(8)?; // element counts of dataset and chunk: the products of the lengths below
    let element = length(c)?;
    c.skip(2)?; // tag of the table
    let table = u16_be(c)?;
    c.skip(4)?; // an unused table
    let rank = c.u32_be()?;
    if rank > limits.rank {
        let what = format!("chunks of {rank} dimensions, the limit is {}", limits.rank);
        return Err(c.error(ErrorKind::Limit, what));
    }
    let (mut shape, mut chunk) = (vec![], vec![]);
    for _ in 0..rank {
        c.skip(4)?; // flags
        shape.push(length(c)?);
        chunk.push(length(c)?);
    }
    let fill = c.u32_be()? as usize;
    let fill = c.bytes(fill)?.to_vec();
    let coder = match flags & 0xff {
        3 => {
            c.skip(end.saturating_sub(c.position()))?;
            Some(chunk_coder(c)?)
        }
        _ => None,
    };
    Ok(ChunkedElement {
        element,
        table,
        shape,
        chunk,
        fill,
        coder,
    })
}

/// Reads the coder of chunks from its separate header.
fn chunk_coder(c: &mut Cursor<'_>) -> Result<ElementCoder> {
    let code = u16_be(c)?;
    if code != 3 {
        let what = format!("compressed chunks expected, special kind {code} found");
        return Err(c.error(ErrorKind::Corrupt, what));
    }
    c.skip(4)?; // length of the header
    coder(c)
}

fn coder(c: &mut Cursor<'_>) -> Result<ElementCoder> {
    c.skip(2)?; // model; only one exists
    Ok(match u16_be(c)? {
        0 => ElementCoder::None,
        1 => ElementCoder::Rle,
        2 => ElementCoder::Nbit(NbitSettings {
            number_type: c.u32_be()?,
            sign_extend: u16_be(c)?,
            fill_one: u16_be(c)?,
            start: c.u32_be()?,
            len: c.u32_be()?,
        }),
        3 => ElementCoder::SkippingHuffman(c.u32_be()?),
        4 => ElementCoder::Deflate(u16_be(c)?),
        5 => ElementCoder::Szip(SzipSettings {
            pixels: c.u32_be()?,
            scanline: c.u32_be()?,
            mask: c.u32_be()?,
            bits: c.u8()?,
            block: c.u8()?,
        }),
        code => ElementCoder::Other(code),
    })
}

/// The next big-endian `u16`.
///
/// # Errors
/// Returns [`ErrorKind::Truncated`] past the end.
pub fn u16_be(c: &mut Cursor<'_>) -> Result<u16> {
    c.array().map(u16::from_be_bytes)
}

/// The next length or offset, stored as a signed number.
///
/// # Errors
/// Returns [`ErrorKind::Truncated`] past the end, and [`ErrorKind::Corrupt`] for negative numbers.
pub fn length(c: &mut Cursor<'_>) -> Result<u64> {
    let n = i32::from_be_bytes(c.array()?);
    u64::try_from(n).map_err(|_| c.error(ErrorKind::Corrupt, format!("length {n}")))
}

/// Cuts text at its first zero byte.
#[must_use]
pub fn cut(text: &[u8]) -> &[u8] {
    text.split(|&b| b == 0).next().unwrap_or_default()
}
