//! Texts of any length. A chunk contains its texts one after the other, so an element is identified by its chunk and its number in the
//! chunk ([`element`]). The filters of a chunk are decoded as usual. Then the texts are packed into one buffer ([`Texts::packed`]) with
//! direct access to each text ([`Texts::text`]).

mod codec;

use super::layout::Layout;
use crate::error::Result;
use crate::filter::{ChunkContext, VariableFacts};
use crate::limits;
use crate::model::region::product;
use crate::model::{FilterSpec, Schema, StoredElement};

/// The size of an element in bytes: the number of its chunk, and its number in the chunk.
pub const SIZE: u64 = 16;

/// The chunk number of missing elements.
const MISSING: u64 = u64::MAX;

/// The maximum size of a chunk's texts in bytes. As a safety margin, filters may produce eight times this size.
const MOST_TEXT: u64 = 1 << 27;

/// The size of a text's end offset in packed texts, in bytes.
const END: usize = 8;

/// The encodings of texts and of other values of variable length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextCodec {
    /// The number of values, then the length and bytes of each (`vlen-utf8`, `vlen-bytes`).
    Lengths,
    /// A list in JSON (`json2`).
    Json,
}

/// The storage of a variable with texts of any length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Texts {
    /// The encoding in a chunk, before the filters.
    pub codec: TextCodec,
    /// The chunk shape in elements.
    pub chunk: Vec<u64>,
    /// For each dimension of the encoded values, the corresponding dimension of the chunk; empty if the order is the same.
    pub turned: Vec<usize>,
    /// The filters in the order of writing.
    pub filters: Vec<FilterSpec>,
    /// The text of a missing element.
    pub fill: Vec<u8>,
}

impl Texts {
    /// Decodes the values of an unfiltered chunk in row-major order.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Corrupt`](crate::ErrorKind::Corrupt) if the number of values is wrong, or values are incomplete.
    pub fn values(&self, bytes: &[u8]) -> Result<Vec<Option<Box<[u8]>>>> {
        let values = codec::decode(self, bytes)?;
        Ok(values
            .into_iter()
            .map(|text| Some(text.into_owned().into()))
            .collect())
    }

    /// Packs the texts of an unfiltered chunk in row-major order: the end offset of each text, relative to the start of the first (8 bytes,
    /// little-endian), then the bytes of all texts.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Corrupt`](crate::ErrorKind::Corrupt) if the number of texts is wrong, or texts are incomplete. Returns
    /// [`ErrorKind::Limit`](crate::ErrorKind::Limit) without enough memory.
    pub fn packed(&self, bytes: &[u8]) -> Result<Vec<u8>> {
        let values = codec::decode(self, bytes)?;
        let texts = values.iter().map(|text| text.len()).sum::<usize>();
        let len = values.len() * END + texts;
        let mut packed = Vec::new();
        limits::reserve(&mut packed, len, "a chunk of texts")?;
        let mut end = 0;
        for text in &values {
            end += text.len() as u64;
            packed.extend_from_slice(&end.to_le_bytes());
        }
        for text in &values {
            packed.extend_from_slice(text);
        }
        Ok(packed)
    }

    /// Returns the text with this number from the packed texts of a chunk.
    #[must_use]
    pub fn text<'p>(&self, packed: &'p [u8], number: usize) -> Option<&'p [u8]> {
        let count = usize::try_from(product(&self.chunk)?).ok()?;
        let (ends, texts) = packed.split_at_checked(count.checked_mul(END)?)?;
        let ends = ends.as_chunks::<END>().0;
        let end = |n: usize| usize::try_from(u64::from_le_bytes(*ends.get(n)?)).ok();
        let start = match number.checked_sub(1) {
            Some(before) => end(before)?,
            None => 0,
        };
        texts.get(start..end(number)?)
    }
}

/// Returns the filter context of `layout` for a chunk of texts. The number of bytes is unknown, so filters get a limit that does not depend
/// on the number of texts.
#[must_use]
pub fn context(schema: &Schema, layout: &Layout) -> ChunkContext {
    let byte = StoredElement {
        size: 1,
        ..layout.element
    };
    ChunkContext {
        shape: vec![MOST_TEXT],
        element: byte,
        fill: None,
        len: None,
        about: VariableFacts::new(schema, layout.element.ty, &layout.filters),
    }
}

/// Returns the identifier of a missing element.
#[must_use]
pub fn missing() -> Vec<u8> {
    element(MISSING, 0).to_vec()
}

/// Returns the identifier of an element.
#[must_use]
pub fn element(chunk: u64, n: u64) -> [u8; 16] {
    let mut bytes = [0; 16];
    let (front, back) = bytes.split_at_mut(8);
    front.copy_from_slice(&chunk.to_le_bytes());
    back.copy_from_slice(&n.to_le_bytes());
    bytes
}

/// Returns the chunk and the number of an element; `None` for a missing element.
#[must_use]
pub fn place(bytes: &[u8; 16]) -> Option<(u64, usize)> {
    let ([chunk, n], _) = bytes.as_chunks::<8>() else {
        return None;
    };
    let chunk = u64::from_le_bytes(*chunk);
    let n = usize::try_from(u64::from_le_bytes(*n)).ok()?;
    (chunk != MISSING).then_some((chunk, n))
}

#[cfg(test)]
mod tests;
