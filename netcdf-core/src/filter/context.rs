//! The chunk facts that filters use.

use std::borrow::Cow;

use crate::error::{Error, ErrorKind, Result};
use crate::model::region::product;
use crate::model::{
    Atomic, DataType, Endianness, FilterSpec, Schema, StoredElement, TypeKind, Variable,
};

/// The chunk facts that filters use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkContext {
    /// Shape of the chunk in elements.
    pub shape: Vec<u64>,
    /// Type, size and byte order of an element.
    pub element: StoredElement,
    /// The fill value in stored form, if the variable has one.
    pub fill: Option<Vec<u8>>,
    /// The input length on encoding, which is the output length on decoding, in bytes; `None` after a filter with output of variable
    /// length. A decoder may allocate its output buffer from this length, and never exceeds it.
    pub len: Option<usize>,
    /// Facts that only a few filters need.
    pub about: VariableFacts,
}

/// Facts about a variable and its storage.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VariableFacts {
    /// The class of a user-defined type.
    pub class: Option<UserClass>,
    /// All filters of the variable, in encoding order.
    pub filters: Vec<FilterSpec>,
    /// Dimension lengths of the variable if filters depend on them, like `szip` in Zarr; else empty.
    pub dims: Vec<u64>,
    /// Whether every chunk must use all filters because the format has no mask.
    pub mandatory: bool,
    /// The maximum decoder output for a chunk with another length than its shape implies.
    pub max_len: Option<usize>,
}

/// The classes of user-defined types that filters distinguish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserClass {
    /// Named integers with this base type.
    Enum(Atomic),
    /// Uninterpreted bytes.
    Opaque,
    /// Variable-length lists, stored as references.
    Vlen,
    /// Fields of several types.
    Compound,
}

impl VariableFacts {
    /// Returns the facts about a type of `schema` and about `filters`.
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

impl ChunkContext {
    /// Returns the context of chunks with this shape, before the variable is written.
    #[must_use]
    pub fn of(schema: &Schema, var: &Variable, shape: Vec<u64>) -> Self {
        let size = var.ty.fixed_size(schema).unwrap_or(16);
        let bytes = product(&shape).and_then(|n| n.checked_mul(size));
        Self {
            len: bytes.and_then(|n| usize::try_from(n).ok()),
            shape,
            element: StoredElement {
                ty: var.ty,
                size,
                order: var.storage.endianness.unwrap_or(Endianness::Little),
                plain: var.ty.atomic().is_some_and(|ty| ty != Atomic::String),
            },
            fill: None,
            about: VariableFacts::new(schema, var.ty, &var.storage.filters),
        }
    }

    /// Returns the context after a filter with output of variable length.
    #[must_use]
    pub fn of_any_length(&self) -> Self {
        Self {
            len: None,
            ..self.clone()
        }
    }

    /// Returns the context for a chunk with another length than its shape implies.
    #[must_use]
    pub fn of_other_length(&self) -> Self {
        let mut context = self.of_any_length();
        let twice = |len: usize| len.saturating_mul(2).saturating_add(1 << 16);
        context.about.max_len = self.len.map(twice);
        context
    }

    /// Returns the maximum decoder output in bytes. If the length is not fixed, the limit assumes that no filter enlarges a chunk more than
    /// eight times.
    #[must_use]
    pub fn limit(&self) -> usize {
        let chunk = || product(&self.shape).and_then(|n| n.checked_mul(self.element.size));
        let guess = || {
            chunk().map_or(MAX_CHUNK, |n| {
                n.saturating_mul(8).saturating_add(1 << 16).min(MAX_CHUNK)
            })
        };
        self.len
            .or(self.about.max_len)
            .unwrap_or_else(|| usize::try_from(guess()).unwrap_or(usize::MAX))
    }

    /// Checks the number of output `bytes` that `filter` read from its input or parameters.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Corrupt`] if the number differs from the known length, or exceeds the limit.
    pub fn checked_len(&self, bytes: u64, filter: &str) -> Result<usize> {
        let room = usize::try_from(bytes).ok().filter(|&n| n <= self.limit());
        let fits = |n: &usize| self.len.is_none_or(|len| len == *n);
        room.filter(fits).ok_or_else(|| {
            let most = if self.len.is_some() { "" } else { "at most " };
            let limit = self.limit();
            corrupt(format!("{filter}: {bytes} bytes, expected {most}{limit}"))
        })
    }
}

/// The maximum decoder output if the length is unknown: HDF5 chunks have at most 4 GiB.
const MAX_CHUNK: u64 = 1 << 32;

/// Returns the error for stored bytes or parameters that contradict the filter's definition.
pub(crate) fn corrupt(what: impl Into<Cow<'static, str>>) -> Error {
    Error::new(ErrorKind::Corrupt, what)
}
