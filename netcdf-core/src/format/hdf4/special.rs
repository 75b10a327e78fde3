//! Headers of special elements, which say how the data of an element is stored.

use crate::bytes::Cursor;
use crate::error::{ErrorKind, Result};
use crate::limits::Limits;

/// How the data of a special element is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpecialData {
    /// In blocks.
    Linked(Linked),
    /// In another file.
    External(ExternalElement),
    /// Compressed as a whole.
    Compressed(Compressed),
    /// In chunks.
    Chunked(ChunkedElement),
}

/// Data in blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Linked {
    /// Bytes of the data.
    pub len: u64,
    /// Bytes of each block but the first.
    pub block: u64,
    /// Blocks of each table.
    pub blocks: u64,
    /// Reference number of the first table of blocks.
    pub table: u16,
}

/// Data in another file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalElement {
    /// Bytes of the data.
    pub len: u64,
    /// Its offset in the file.
    pub offset: u64,
    /// The name of the file.
    pub name: Vec<u8>,
}

/// Compressed data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compressed {
    /// Bytes of the data without compression.
    pub len: u64,
    /// Reference number of the compressed data.
    pub data: u16,
    /// How it is compressed.
    pub coder: ElementCoder,
}

/// Data in chunks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkedElement {
    /// Bytes of a number.
    pub element: u64,
    /// Reference number of the Vdata with the table of chunks.
    pub table: u16,
    /// Lengths of the dimensions.
    pub shape: Vec<u64>,
    /// Lengths of a chunk.
    pub chunk: Vec<u64>,
    /// The bytes of a number that was never written.
    pub fill: Vec<u8>,
    /// How chunks are compressed.
    pub coder: Option<ElementCoder>,
}

/// A coder of compressed data, with its settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ElementCoder {
    /// No compression.
    None,
    /// Run lengths.
    Rle,
    /// Some bits of each number.
    Nbit(NbitSettings),
    /// Skipping Huffman, with the number of interleaved bytes.
    SkippingHuffman(u32),
    /// Deflate, with its level.
    Deflate(u16),
    /// Szip.
    Szip(SzipSettings),
    /// One that this library does not know.
    Other(u16),
}

/// Settings of N-bit coding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NbitSettings {
    /// Code of the number type.
    pub number_type: u32,
    /// Whether the highest stored bit is a sign.
    pub sign_extend: u16,
    /// Whether other bits are ones.
    pub fill_one: u16,
    /// The highest stored bit.
    pub start: u32,
    /// The number of stored bits.
    pub len: u32,
}

/// Settings of szip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SzipSettings {
    /// Numbers in all.
    pub pixels: u32,
    /// Numbers of a scan line.
    pub scanline: u32,
    /// Options.
    pub mask: u32,
    /// Bits of a number.
    pub bits: u8,
    /// Numbers of a block.
    pub block: u8,
}

impl SpecialData {
    /// Parses the header.
    ///
    /// # Errors
    /// [`ErrorKind::Truncated`], [`ErrorKind::Corrupt`], [`ErrorKind::Limit`]; [`ErrorKind::Unsupported`] for other forms.
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
        // An element that was never written has a negative length.
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
    c.skip(8)?; // elements in all, and in a chunk: the products of the lengths below
    let element = length(c)?;
    c.skip(2)?; // tag of the table
    let table = u16_be(c)?;
    c.skip(4)?; // another table, which is not in use
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

/// The coder of chunks, in a header of its own.
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
    c.skip(2)?; // the model, of which there is only one
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
/// [`ErrorKind::Truncated`] past the end.
pub fn u16_be(c: &mut Cursor<'_>) -> Result<u16> {
    c.array().map(u16::from_be_bytes)
}

/// The next length or offset, a signed number.
///
/// # Errors
/// [`ErrorKind::Truncated`] past the end; [`ErrorKind::Corrupt`] if it is negative.
pub fn length(c: &mut Cursor<'_>) -> Result<u64> {
    let n = i32::from_be_bytes(c.array()?);
    u64::try_from(n).map_err(|_| c.error(ErrorKind::Corrupt, format!("length {n}")))
}

/// Text up to its first zero byte.
#[must_use]
pub fn cut(text: &[u8]) -> &[u8] {
    text.split(|&b| b == 0).next().unwrap_or_default()
}
