//! Changes of a variable in a copy, and mismatches of a copy.

use crate::chunk::quantize::Quantizer;
use crate::error::{Error, Result};

/// Converts stored elements of the input to the type that the copy has.
pub(crate) type Convert<'a> = dyn Fn(Vec<u8>) -> Result<Vec<u8>> + Sync + 'a;

/// The changes of a copied variable.
#[derive(Clone, Copy)]
pub(crate) struct Expected<'a> {
    /// The conversion of elements to another type; `None` if at most the byte order differs.
    pub convert: Option<&'a Convert<'a>>,
    /// The quantization after the conversion.
    pub quantize: Option<Quantizer>,
    /// Whether the values went through lossy filters, and may differ.
    pub lossy: bool,
    /// Whether to measure differences between numbers of the input and of the copy.
    pub measured: bool,
    /// The check of stored chunks.
    pub check: ChunkCheck,
    /// Makes the error for a mismatch.
    pub differs: &'a (dyn Fn(Mismatch) -> Error + Sync),
}

/// The check of chunks with the same stored bytes in the input and in the copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChunkCheck {
    /// The chunk is decoded.
    Decode,
    /// The chunk is decoded, and must be in the form that readers of both formats accept.
    DecodeStrictly,
    /// The chunk is not decoded, because a filter is missing. All chunks must have the same stored bytes.
    Stored,
}

/// A difference between a copy and its input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Mismatch {
    /// The element with this index.
    Element(Vec<u64>),
    /// The stored bytes of the chunk with this first element.
    Chunk(Vec<u64>),
    /// The positions of the stored chunks.
    Chunks,
    /// The filters.
    Filters,
}
