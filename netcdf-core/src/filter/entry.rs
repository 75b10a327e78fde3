//! The interface of a filter, and its entry in the table of filters.

use super::codec::CodecNames;
use super::context::ChunkContext;
use super::ids;
use super::named::ParameterMode;
use super::policy::Policy;
use crate::error::{Error, ErrorKind, Result};

/// Whether a filter is marked as optional when stored: like netCDF-C, all but the checksum are.
#[must_use]
pub const fn optional(id: u32) -> bool {
    id != ids::FLETCHER32
}

/// The error for a filter that can only be undone.
pub(crate) fn read_only(filter: &str) -> Error {
    let what = format!("{filter}: this filter can be read but not written");
    Error::new(ErrorKind::Unsupported, what)
}

/// Whether a filter did anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoded {
    /// The output holds the encoded bytes.
    Applied,
    /// The input is better stored unchanged; the chunk's mask records this.
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
    /// The context for the filter that is applied after this one on writing.
    fn output(&self, context: &ChunkContext) -> ChunkContext {
        context.of_any_length()
    }

    /// Decodes the stored `input`, into the empty `output`: the inverse of [`Filter::encode`].
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] or [`ErrorKind::Checksum`].
    fn decode(&self, context: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<()>;

    /// Applies the filter to `input`; `output` is empty.
    ///
    /// # Errors
    /// If the filter cannot be applied at all.
    fn encode(&self, context: &ChunkContext, input: &[u8], output: &mut Vec<u8>)
    -> Result<Encoded>;

    /// Returns the effort of checking whether a stored form is the strict form, which all reference decoders accept.
    fn strict_check(&self) -> StrictCheck {
        StrictCheck::Nothing
    }

    /// Whether the stored `input` has headers and lengths of the strict form.
    fn is_strict(&self, _: &ChunkContext, _input: &[u8]) -> bool {
        true
    }

    /// Decodes like [`Filter::decode`]; returns whether the stored form is the strict form, if only decoding decides.
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

/// Makes a filter from its stored parameters.
pub type Build = fn(&[u32], &ChunkContext) -> Result<Box<dyn Filter>>;

/// An entry of the filter table.
#[derive(Clone, Copy)]
pub struct FilterEntry {
    /// Registered HDF5 number, or a number of [`codec`](super::codec) for filters that HDF5 does not have.
    pub id: u32,
    /// Short name, as in `-F var,zstd,3`; unique.
    pub name: &'static str,
    /// The Zarr codec, if Zarr has one.
    pub codec: Option<CodecNames>,
    /// The names of the user's parameters; empty if they have none.
    pub named: &'static [ParameterMode],
    /// The policy of the filter.
    pub policy: Policy,
    /// Converts the user's parameters to stored ones. Also accepts stored parameters, and recomputes them for
    /// the shape and type of the chunk.
    ///
    /// Fails with [`ErrorKind::Argument`] for parameters that the filter does not take, and with
    /// [`ErrorKind::Unsupported`] for chunks or types that it cannot be applied to.
    pub prepare: fn(&ChunkContext, &[u32]) -> Result<Vec<u32>>,
    /// Builds the filter from its stored parameters.
    pub build: Build,
}
