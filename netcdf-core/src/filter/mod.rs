//! Chunk filters: what happens to the bytes of a chunk between memory and storage.
//!
//! One table maps HDF5 filter numbers and Zarr codec names to implementations.

pub mod base64;
pub mod bitshuffle;
pub mod blosc;
pub mod bzip2;
pub mod chain;
pub mod checksum;
pub mod codec;
pub mod cost;
pub mod define;
pub mod deflate;
pub mod fletcher32;
pub mod gzip;
pub mod hdf4;
pub mod ids;
pub mod lz4;
pub mod lzf;
pub mod lzma;
pub mod named;
pub mod names;
pub mod nbit;
pub mod numbers;
pub mod numcodecs_lz4;
pub mod plugin;
pub mod policy;
pub mod quantize;
pub mod scaleoffset;
pub mod shuffle;
pub mod strict;
pub mod szip;
pub mod transpose;
pub mod vlen_utf8;
pub mod zfp;
pub mod zfpy;
pub mod zstd;

mod bits;
mod encoding;
mod lz;
pub(crate) mod missing;
mod output;
mod permute;
mod user;
#[cfg(test)]
mod vectors;

pub use chain::Chain;
pub use codec::Codec;
use named::Mode;
use plugin::{Plugin, Plugins};
pub use policy::{Instead, Policy, Suits, policy, visible};
pub use strict::StrictCheck;

use std::borrow::Cow;
use std::sync::Arc;

use crate::error::{Error, ErrorKind, Result};
use crate::model::region::product;
use crate::model::{Atomic, DataType, Element, Endianness, FilterSpec, Schema, TypeKind, Variable};

/// The built-in filters. Each module's documentation is the data sheet of its filter.
const BUILT_IN: &[FilterEntry] = &[
    deflate::ENTRY,
    shuffle::ENTRY,
    fletcher32::ENTRY,
    szip::ENTRY,
    nbit::ENTRY,
    scaleoffset::ENTRY,
    bzip2::ENTRY,
    lzf::ENTRY,
    blosc::ENTRY,
    lz4::ENTRY,
    bitshuffle::ENTRY,
    vlen_utf8::ENTRY,
    zfp::ENTRY,
    zstd::ENTRY,
    quantize::BITGROOM,
    quantize::GRANULARBR,
    quantize::BITROUND,
    gzip::ENTRY,
    numcodecs_lz4::ENTRY,
    checksum::CRC32,
    checksum::CRC32C,
    checksum::ADLER32,
    checksum::JENKINS_LOOKUP3,
    numbers::delta::ENTRY,
    numbers::fixedscaleoffset::ENTRY,
    numbers::quantize::ENTRY,
    numbers::bitround::ENTRY,
    numbers::packbits::ENTRY,
    numbers::astype::ENTRY,
    lzma::ENTRY,
    zfpy::ENTRY,
    transpose::ENTRY,
    base64::ENTRY,
    hdf4::rle::ENTRY,
    hdf4::nbit::ENTRY,
    hdf4::skphuff::ENTRY,
    hdf4::szip::ENTRY,
];

/// What a filter knows of the bytes it is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Context {
    /// Shape of the chunk in elements.
    pub shape: Vec<u64>,
    /// Type, size and byte order of an element.
    pub element: Element,
    /// Stored form of the fill value, if there is one.
    pub fill: Option<Vec<u8>>,
    /// Bytes that the filter gets on writing, and must return on reading; `None` after a filter whose output
    /// has no fixed length. A decoder may rely on it for the size of its output buffer, and never makes more.
    pub len: Option<usize>,
    /// Facts that only few filters need.
    pub about: About,
}

/// Further facts about a variable and how it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct About {
    /// The class of a user-defined type.
    pub class: Option<UserClass>,
    /// All filters of the variable, in the order of writing.
    pub filters: Vec<FilterSpec>,
    /// Lengths of the variable's dimensions if filters depend on them, as `szip` does in Zarr; else empty.
    pub dims: Vec<u64>,
    /// Whether no chunk may skip a filter because there is no mask to record it.
    pub mandatory: bool,
    /// The most bytes that a decoder may make of a chunk whose length differs from its shape.
    pub most: Option<usize>,
}

/// The classes of user-defined types that filters may distinguish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserClass {
    /// Named integers of this type.
    Enum(Atomic),
    /// Uninterpreted bytes.
    Opaque,
    /// Lists, stored as references.
    Vlen,
    /// Fields.
    Compound,
}

impl About {
    /// The facts about a type of `schema`, and `filters`.
    #[must_use]
    pub fn new(schema: &Schema, ty: DataType, filters: &[FilterSpec]) -> Self {
        let user = match ty {
            DataType::Atomic(_) => None,
            DataType::User(id) => schema.user_type(id),
        };
        let class = user.map(|user| match user.kind {
            TypeKind::Enum { base, .. } => UserClass::Enum(base),
            TypeKind::Opaque { .. } => UserClass::Opaque,
            TypeKind::Vlen { .. } => UserClass::Vlen,
            TypeKind::Compound { .. } => UserClass::Compound,
        });
        Self {
            class,
            filters: filters.to_vec(),
            ..Self::default()
        }
    }
}

impl Context {
    /// The context of chunks of this shape, as far as it is known before the variable is written.
    #[must_use]
    pub fn of(schema: &Schema, var: &Variable, shape: Vec<u64>) -> Self {
        let size = var.ty.fixed_size(schema).unwrap_or(16);
        let bytes = product(&shape).and_then(|n| n.checked_mul(size));
        Self {
            len: bytes.and_then(|n| usize::try_from(n).ok()),
            shape,
            element: Element {
                ty: var.ty,
                size,
                order: var.storage.endianness.unwrap_or(Endianness::Little),
                plain: var.ty.atomic().is_some_and(|ty| ty != Atomic::String),
            },
            fill: None,
            about: About::new(schema, var.ty, &var.storage.filters),
        }
    }

    /// The context after a filter whose output has no fixed length.
    #[must_use]
    pub fn of_any_length(&self) -> Self {
        Self {
            len: None,
            ..self.clone()
        }
    }

    /// The context for a chunk whose length differs from its shape.
    #[must_use]
    pub fn of_other_length(&self) -> Self {
        let mut context = self.of_any_length();
        let twice = |len: usize| len.saturating_mul(2).saturating_add(1 << 16);
        context.about.most = self.len.map(twice);
        context
    }

    /// The most bytes that a decoder may make. If the length is not fixed, this assumes that no filter makes
    /// a chunk more than eight times as long.
    #[must_use]
    pub fn limit(&self) -> usize {
        let chunk = || product(&self.shape).and_then(|n| n.checked_mul(self.element.size));
        let guess = || {
            chunk().map_or(MOST, |n| {
                n.saturating_mul(8).saturating_add(1 << 16).min(MOST)
            })
        };
        self.len
            .or(self.about.most)
            .unwrap_or_else(|| usize::try_from(guess()).unwrap_or(usize::MAX))
    }

    /// Checks the number of `bytes` that `filter` is about to make, taken from its input or parameters.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] if it is not the known length, or exceeds the limit.
    pub fn room(&self, bytes: u64, filter: &str) -> Result<usize> {
        let room = usize::try_from(bytes).ok().filter(|&n| n <= self.limit());
        let fits = |n: &usize| self.len.is_none_or(|len| len == *n);
        room.filter(fits).ok_or_else(|| {
            let most = if self.len.is_some() { "" } else { "at most " };
            let limit = self.limit();
            corrupt(format!(
                "{filter}: {bytes} bytes where {most}{limit} are expected"
            ))
        })
    }
}

/// The most bytes that a decoder may make if their number is unknown: HDF5 chunks have at most 4 GiB.
const MOST: u64 = 1 << 32;

/// The error for stored bytes or parameters that contradict the filter's definition.
fn corrupt(what: impl Into<Cow<'static, str>>) -> Error {
    Error::new(ErrorKind::Corrupt, what)
}

/// The error for a filter that can only be undone.
fn read_only(filter: &str) -> Error {
    let what = format!("{filter}: this filter can be read but not written");
    Error::new(ErrorKind::Unsupported, what)
}

/// Whether a filter is marked as optional when stored: like netCDF-C, all but the checksum are.
#[must_use]
pub const fn optional(id: u32) -> bool {
    id != fletcher32::ENTRY.id
}

/// Whether a filter did anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoded {
    /// The output holds the encoded bytes.
    Applied,
    /// The input is better stored unchanged; the chunk's mask records this.
    Declined,
}

/// A filter with its parameters.
pub trait Filter: Send + Sync {
    /// The context for the filter that is applied after this one on writing.
    fn output(&self, context: &Context) -> Context {
        context.of_any_length()
    }

    /// Undoes the filter: turns the stored `input` back into what [`Filter::encode`] got, in the empty `output`.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] or [`ErrorKind::Checksum`].
    fn decode(&self, context: &Context, input: &[u8], output: &mut Vec<u8>) -> Result<()>;

    /// Applies the filter to `input`; `output` is empty.
    ///
    /// # Errors
    /// If the filter cannot be applied at all.
    fn encode(&self, context: &Context, input: &[u8], output: &mut Vec<u8>) -> Result<Encoded>;

    /// Returns the effort of checking whether a stored form is the strict form, which all reference decoders accept.
    fn strict_check(&self) -> StrictCheck {
        StrictCheck::Nothing
    }

    /// Whether the stored `input` has headers and lengths of the strict form.
    fn is_strict(&self, _: &Context, _input: &[u8]) -> bool {
        true
    }

    /// Decodes like [`Filter::decode`]; returns whether the stored form is the strict form, if only decoding decides.
    ///
    /// # Errors
    /// Returns errors of [`Filter::decode`].
    fn decode_strictly(
        &self,
        context: &Context,
        input: &[u8],
        output: &mut Vec<u8>,
    ) -> Result<bool> {
        self.decode(context, input, output).map(|()| true)
    }
}

/// Makes a filter from its stored parameters.
pub type Build = fn(&[u32], &Context) -> Result<Box<dyn Filter>>;

/// An entry of the filter table.
#[derive(Clone, Copy)]
pub struct FilterEntry {
    /// Registered HDF5 number, or a number of [`codec`] for filters that HDF5 does not have.
    pub id: u32,
    /// Short name, as in `-F var,zstd,3`; unique.
    pub name: &'static str,
    /// Its Zarr codec, if Zarr has one.
    pub codec: Option<Codec>,
    /// The names of the user's parameters; empty if they have none.
    pub named: &'static [Mode],
    /// How the filter is treated.
    pub policy: Policy,
    /// Converts the user's parameters to stored ones. Also accepts stored parameters, and recomputes them for
    /// the shape and type of the chunk.
    ///
    /// Fails with [`ErrorKind::Argument`] for parameters that the filter does not take, and with
    /// [`ErrorKind::Unsupported`] for chunks or types that it cannot be applied to.
    pub prepare: fn(&Context, &[u32]) -> Result<Vec<u32>>,
    /// Builds the filter from its stored parameters.
    pub build: Build,
}

/// The filters that a run can use; by default the built-in ones.
pub struct Table {
    rows: Vec<FilterEntry>,
    plugins: Option<Plugins>,
}

impl Default for Table {
    fn default() -> Self {
        Self::new(BUILT_IN.to_vec())
    }
}

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list()
            .entries(self.rows.iter().map(|e| e.name))
            .finish()
    }
}

/// A filter that can be used.
#[derive(Clone)]
pub enum UsableFilter<'t> {
    /// A built-in filter.
    BuiltIn(&'t FilterEntry),
    /// A filter of a plugin.
    Plugin(Arc<Plugin>),
}

impl UsableFilter<'_> {
    /// Converts the user's parameters to stored ones.
    ///
    /// # Errors
    /// As for [`FilterEntry::prepare`].
    pub fn prepare(&self, context: &Context, user: &[u32]) -> Result<Vec<u32>> {
        match self {
            Self::BuiltIn(entry) => (entry.prepare)(context, user),
            Self::Plugin(plugin) => plugin.prepare(context, user),
        }
    }

    /// Builds the filter from its stored parameters.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] for impossible parameters.
    pub fn build(&self, params: &[u32], context: &Context) -> Result<Box<dyn Filter>> {
        match self {
            Self::BuiltIn(entry) => (entry.build)(params, context),
            Self::Plugin(plugin) => Ok(plugin.build(params)),
        }
    }
}

impl Table {
    /// A table of these entries; if several have the same number, the first one counts.
    #[must_use]
    pub fn new(rows: Vec<FilterEntry>) -> Self {
        Self {
            rows,
            plugins: None,
        }
    }

    /// The built-in filters, and plugins.
    #[must_use]
    pub fn with_plugins(plugins: Plugins) -> Self {
        Self {
            plugins: Some(plugins),
            ..Self::default()
        }
    }

    /// The row of the built-in filter with this number.
    fn row(&self, id: u32) -> Option<&FilterEntry> {
        self.rows.iter().find(|row| row.id == id)
    }

    /// The filter with this number.
    ///
    /// # Errors
    /// [`ErrorKind::FilterUnavailable`] if there is none.
    pub fn entry(&self, id: u32) -> Result<UsableFilter<'_>> {
        let built_in = || self.row(id).map(UsableFilter::BuiltIn);
        let plugin = || {
            let plugins = self.plugins.as_ref()?;
            plugins.filter(id).map(UsableFilter::Plugin)
        };
        let first = self.plugins.as_ref().is_some_and(Plugins::preferred);
        let found = match first {
            true => plugin().or_else(built_in),
            false => built_in().or_else(plugin),
        };
        found.ok_or_else(|| self.missing(id, None))
    }

    /// Checks that a filter takes its parameters for chunks of this context.
    ///
    /// # Errors
    /// [`ErrorKind::FilterUnavailable`] if there is no such filter, [`ErrorKind::Argument`] if it does not take the
    /// parameters. Whether it can be applied to such chunks shows when they are written.
    pub fn takes(&self, filter: &FilterSpec, context: &Context) -> Result<()> {
        match self.entry(filter.id)?.prepare(context, &filter.params) {
            Err(e) if e.kind() == ErrorKind::Argument => Err(e),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// The error for a number that is not an HDF5 filter, in a file that needs HDF5 filters.
    #[must_use]
    pub fn no_filter_of_hdf5(&self, id: u32) -> Error {
        self.missing(id, None)
    }

    /// Whether the filter with this number is built in, and used.
    #[must_use]
    pub fn has(&self, id: u32) -> bool {
        let plugins = self.plugins.as_ref().is_some_and(Plugins::preferred);
        !plugins && self.row(id).is_some()
    }

    /// Builds the filters of a variable, in the order of writing. Errors of a filter appear only when a chunk
    /// needs it: some files name filters that no chunk went through.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] for more filters than a chunk's mask has bits.
    pub fn chain(&self, filters: &[FilterSpec], context: &Context) -> Result<Chain> {
        Chain::new(self, filters, context)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::model::{Atomic, Endianness};

    /// A chunk of `len` bytes in elements of `size`.
    pub(crate) fn context(len: usize, size: u64) -> Context {
        Context {
            shape: vec![len as u64 / size],
            element: Element {
                ty: Atomic::Byte.into(),
                size,
                order: Endianness::Little,
                plain: true,
            },
            fill: None,
            len: Some(len),
            about: About::default(),
        }
    }

    /// Builds a filter of the table.
    pub(super) fn build(id: u32, params: &[u32], context: &Context) -> Result<Box<dyn Filter>> {
        Table::default().entry(id)?.build(params, context)
    }

    /// Decodes stored bytes with a filter.
    pub(super) fn decode(id: u32, params: &[u32], len: usize, stored: &[u8]) -> Result<Vec<u8>> {
        let (context, mut out) = (context(len, 1), vec![]);
        build(id, params, &context)?.decode(&context, stored, &mut out)?;
        Ok(out)
    }

    /// Cuts and flips `stored` in many ways: no panic, never more than `len` bytes.
    pub(super) fn damage(id: u32, params: &[u32], len: usize, stored: &[u8]) {
        let try_one = |bytes: &[u8]| {
            for context in [context(len, 1), context(len, 1).of_any_length()] {
                let mut out = vec![];
                let filter = build(id, params, &context).unwrap();
                if filter.decode(&context, bytes, &mut out).is_ok() {
                    assert!(out.len() <= context.limit());
                }
            }
        };
        (0..stored.len()).for_each(|n| try_one(&stored[..n]));
        let mut bytes = stored.to_vec();
        for n in 0..stored.len() * 8 {
            bytes[n / 8] ^= 1 << (n % 8);
            try_one(&bytes);
            bytes[n / 8] ^= 1 << (n % 8);
        }
    }

    #[test]
    fn built_in_rows_are_distinct() {
        let rows = Table::default().rows;
        for (n, row) in rows.iter().enumerate() {
            let rest = &rows[n + 1..];
            assert!(rest.iter().all(|r| r.id != row.id && r.name != row.name));
        }
        assert!(rows.iter().take(6).map(|r| r.id).eq(1..=6));
    }

    #[test]
    fn room_is_what_is_expected() {
        let fixed = context(40, 4);
        assert_eq!(fixed.room(40, "x").unwrap(), 40);
        assert!(fixed.room(39, "x").is_err() && fixed.room(41, "x").is_err());
        let free = fixed.of_any_length();
        assert_eq!(free.room(300, "x").unwrap(), 300);
        assert_eq!(
            free.room(1 << 20, "x").unwrap_err().what(),
            "x: 1048576 bytes where at most 65856 are expected"
        );
    }
}
