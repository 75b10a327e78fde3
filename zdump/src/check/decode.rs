//! Decodes chunks and finds their errors.

use netcdf_core::env::Env;
use netcdf_core::error::{Error, ErrorKind};
use netcdf_core::filter::{ChunkContext, FilterChain, VariableFacts};
use netcdf_core::format::zarr::raw::RawArray;

use super::rule::Rule;

/// Decodes the chunks of an array.
pub(super) struct ArrayDecoder<'a> {
    array: &'a RawArray,
    env: &'a Env,
    chain: FilterChain,
}

impl<'a> ArrayDecoder<'a> {
    /// Returns the decoder of an array with its codecs.
    pub(super) fn new(array: &'a RawArray, chain: FilterChain, env: &'a Env) -> Self {
        Self { array, env, chain }
    }

    /// Checks whether chunks are stored without codecs.
    pub(super) fn is_plain(&self) -> bool {
        self.chain.is_empty() && self.array.described.heap.is_none()
    }

    /// Returns the error of a stored chunk.
    pub(super) fn problem(&self, stored: Vec<u8>) -> Option<(Rule, String)> {
        let expected = self.array.chunk_bytes();
        if self.is_plain() {
            return wrong_size(stored.len(), expected);
        }
        let again = stored.clone();
        match self.chain.decode(0, stored, &mut vec![]) {
            Ok(bytes) if self.array.described.heap.is_some() => {
                let texts = self.array.values(&bytes);
                texts.err().map(|e| (Rule::ChunkUndecodable, text(&e)))
            }
            Ok(bytes) => wrong_size(bytes.len(), expected),
            Err(e) if e.kind() == ErrorKind::Checksum => Some((Rule::ChunkChecksum, text(&e))),
            Err(e) => {
                let size = self.decoded_size(again);
                let size = size.and_then(|size| wrong_size(size, expected));
                size.or_else(|| Some((Rule::ChunkUndecodable, text(&e))))
            }
        }
    }

    /// Returns the bytes of a decoded chunk of any length, if it can be decoded.
    fn decoded_size(&self, stored: Vec<u8>) -> Option<usize> {
        if self.array.described.heap.is_some() {
            return None;
        }
        let layout = &self.array.layout;
        let context = ChunkContext {
            shape: layout.chunk.clone(),
            element: layout.element,
            fill: layout.fill.clone(),
            len: None,
            about: VariableFacts::new(&self.array.schema, layout.element.ty, &layout.filters),
        };
        let chain = self.env.filters.chain(&layout.filters, &context).ok()?;
        let decoded = chain.decode(0, stored, &mut vec![]).ok()?;
        Some(decoded.len())
    }
}

fn text(e: &Error) -> String {
    e.what().to_string()
}

fn wrong_size(size: usize, expected: Option<u64>) -> Option<(Rule, String)> {
    let expected = expected.filter(|&expected| expected != size as u64)?;
    let what = format!("the decoded chunk has {size} bytes, its elements need {expected}");
    Some((Rule::ChunkSize, what))
}
