//! The interface of a filter, and its entry in the table of filters.

use super::codec::CodecNames;
use super::context::ChunkContext;
use super::ids;
use super::parameter_names::ParameterMode;
use super::policy::Policy;
use crate::error::{Error, ErrorKind, Result};

/// Checks whether a stored filter is marked as optional. As in netCDF-C, all filters except the checksum are optional.
#[must_use]
pub const fn optional(id: u32) -> bool {
    id != ids::FLETCHER32
}

/// Returns the error for a filter that can only decode.
pub(crate) fn read_only(filter: &str) -> Error {
    let what = format!("{filter}: this filter can be read but not written");
    Error::new(ErrorKind::Unsupported, what)
}

/// The result of [`Filter::encode`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoded {
    /// The output holds the encoded bytes.
    Applied,
    /// The input should be stored unchanged; the chunk's mask records the skipped filter.
    Declined,
}

/// The effort of checking whether a stored chunk is in the strict form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StrictCheck {
    /// No check: each chunk that our decoder accepts is in the strict form.
    Nothing,
    /// The chunk's headers and lengths decide.
    Headers,
    /// The chunk must be decoded.
    Decoding,
}

/// A filter with its parameters.
pub trait Filter: Send + Sync {
    /// Returns the context for the next filter on encoding.
    fn output(&self, context: &ChunkContext) -> ChunkContext {
        context.of_any_length()
    }

    /// Decodes the stored `input` into the empty `output`: the inverse of [`Filter::encode`].
    ///
    /// # Errors
    /// Returns [`ErrorKind::Corrupt`] or [`ErrorKind::Checksum`].
    fn decode(&self, context: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<()>;

    /// Encodes `input` into the empty `output`.
    ///
    /// # Errors
    /// Returns an error if the filter cannot encode the chunk.
    fn encode(&self, context: &ChunkContext, input: &[u8], output: &mut Vec<u8>)
    -> Result<Encoded>;

    /// Returns the effort of checking whether a stored chunk is in the strict form, which all reference decoders accept.
    fn strict_check(&self) -> StrictCheck {
        StrictCheck::Nothing
    }

    /// Checks whether the stored `input` has headers and lengths of the strict form.
    fn is_strict(&self, _: &ChunkContext, _input: &[u8]) -> bool {
        true
    }

    /// Decodes like [`Filter::decode`]. Returns whether the stored chunk is in the strict form, for filters where only decoding can decide.
    ///
    /// # Errors
    /// Returns errors of [`Filter::decode`].
    fn decode_strictly(
        &self,
        context: &ChunkContext,
        input: &[u8],
        output: &mut Vec<u8>,
    ) -> Result<bool> {
        self.decode(context, input, output).map(|()| true)
    }
}

/// The function that builds a filter from its stored parameters.
pub type Build = fn(&[u32], &ChunkContext) -> Result<Box<dyn Filter>>;

/// An entry of the filter table.
#[derive(Clone, Copy)]
pub struct FilterEntry {
    /// The registered HDF5 number, or a number of [`codec`](super::codec) for filters outside HDF5.
    pub id: u32,
    /// The short unique name, as in `-F var,zstd,3`.
    pub name: &'static str,
    /// The Zarr codec, if Zarr has one.
    pub codec: Option<CodecNames>,
    /// The user's parameter names; empty for filters without named parameters.
    pub named: &'static [ParameterMode],
    /// The policy of the filter.
    pub policy: Policy,
    /// Converts the user's parameters to stored parameters. Also accepts stored parameters, and recomputes them for the shape and type of
    /// the chunk.
    ///
    /// Returns [`ErrorKind::Argument`] for parameters that the filter does not accept, and [`ErrorKind::Unsupported`] for chunks or types
    /// that the filter cannot encode.
    pub prepare: fn(&ChunkContext, &[u32]) -> Result<Vec<u32>>,
    /// Builds the filter from its stored parameters.
    pub build: Build,
}
