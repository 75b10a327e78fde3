//! Chunk filters: what is done to the bytes of a chunk between memory and storage.
//!
//! One table leads from HDF5 filter numbers (and, with Zarr, codec names) to implementations.

use crate::chunk::layout::Element;
use crate::error::{Error, ErrorKind, Result};
use crate::model::FilterSpec;

/// What a filter knows of the bytes it is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Context {
    /// Shape of the chunk in elements.
    pub shape: Vec<u64>,
    /// What an element is.
    pub element: Element,
    /// Stored form of the fill value, if there is one.
    pub fill: Option<Vec<u8>>,
    /// Bytes of what the filter is given on writing, and has to give back on reading; `None`
    /// behind a filter whose output has no fixed length. A decoder may trust it for the size of its
    /// output buffer, and never makes more.
    pub len: Option<usize>,
}

impl Context {
    /// The context behind a filter whose output has no fixed length.
    #[must_use]
    pub fn of_any_length(&self) -> Self {
        Self {
            len: None,
            ..self.clone()
        }
    }

    /// The most bytes that a decoder may make.
    #[must_use]
    pub fn limit(&self) -> usize {
        self.len
            .unwrap_or_else(|| usize::try_from(MOST).unwrap_or(usize::MAX))
    }
}

/// The most bytes that a decoder may make where nothing is known of them: a chunk's, of which
/// HDF5 allows 4 GiB.
const MOST: u64 = 1 << 32;

/// Whether a filter did anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoded {
    /// The output holds the encoded bytes.
    Applied,
    /// The input is better stored as it is; the chunk's mask says so.
    Declined,
}

/// A filter with its parameters.
pub trait Filter: Send + Sync {
    /// The context for the filter that is applied after this one on writing.
    fn output(&self, context: &Context) -> Context {
        context.of_any_length()
    }

    /// Undoes the filter: `input` is as stored, `output` (empty) receives what was given to
    /// [`Filter::encode`].
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] or [`ErrorKind::Checksum`].
    fn decode(&self, context: &Context, input: &[u8], output: &mut Vec<u8>) -> Result<()>;

    /// Applies the filter to `input`; `output` is empty.
    ///
    /// # Errors
    /// Where the filter cannot be applied at all.
    fn encode(&self, context: &Context, input: &[u8], output: &mut Vec<u8>) -> Result<Encoded>;
}

/// Makes a filter from its stored parameters.
pub type Build = fn(&[u32], &Context) -> Result<Box<dyn Filter>>;

/// A row of the table.
pub struct FilterEntry {
    /// Registered HDF5 number.
    pub id: u32,
    /// Short name, as in `-F var,zstd,3`.
    pub name: &'static str,
    /// From the user's parameters to those that are stored.
    pub prepare: fn(&Context, &[u32]) -> Result<Vec<u32>>,
    /// From the stored parameters to the filter.
    pub build: Build,
}

/// The filters that a run can use.
#[derive(Default)]
pub struct Table(Vec<FilterEntry>);

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list()
            .entries(self.0.iter().map(|e| e.name))
            .finish()
    }
}

impl Table {
    /// A table of these rows; the first row with a number counts.
    #[must_use]
    pub fn new(rows: Vec<FilterEntry>) -> Self {
        Self(rows)
    }

    /// The row of a filter number.
    ///
    /// # Errors
    /// [`ErrorKind::MissingFilter`] if there is none.
    pub fn entry(&self, id: u32) -> Result<&FilterEntry> {
        let row = self.0.iter().find(|e| e.id == id);
        row.ok_or_else(|| {
            Error::new(
                ErrorKind::MissingFilter,
                format!("filter {id} is not available"),
            )
        })
    }

    /// Undoes the filters of a chunk, last first, but for those that `mask` says were not applied.
    ///
    /// # Errors
    /// [`ErrorKind::MissingFilter`] for a filter that is not here; those of the filters.
    pub fn decode(
        &self,
        filters: &[FilterSpec],
        mask: u32,
        context: &Context,
        mut bytes: Vec<u8>,
    ) -> Result<Vec<u8>> {
        let mut stages = Vec::new();
        let mut context = context.clone();
        for (n, spec) in filters.iter().enumerate() {
            if mask
                .checked_shr(u32::try_from(n).unwrap_or(32))
                .unwrap_or(0)
                & 1
                == 1
            {
                continue;
            }
            let filter = (self.entry(spec.id)?.build)(&spec.params, &context)?;
            let next = filter.output(&context);
            stages.push((filter, std::mem::replace(&mut context, next)));
        }
        for (filter, context) in stages.iter().rev() {
            let mut output = Vec::new();
            filter.decode(context, &bytes, &mut output)?;
            bytes = output;
        }
        Ok(bytes)
    }
}
