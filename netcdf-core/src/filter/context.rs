//! The facts that a filter knows about a chunk.

use std::borrow::Cow;

use crate::error::{Error, ErrorKind, Result};
use crate::model::region::product;
use crate::model::{
    Atomic, DataType, Endianness, FilterSpec, Schema, StoredElement, TypeKind, Variable,
};

/// The facts that a filter knows about a chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkContext {
    /// Shape of the chunk in elements.
    pub shape: Vec<u64>,
    /// Type, size and byte order of an element.
    pub element: StoredElement,
    /// Stored form of the fill value, if there is one.
    pub fill: Option<Vec<u8>>,
    /// Bytes that the filter gets on writing, and must return on reading; `None` after a filter whose output
    /// has no fixed length. A decoder may rely on it for the size of its output buffer, and never makes more.
    pub len: Option<usize>,
    /// Facts that only few filters need.
    pub about: VariableFacts,
}

/// Further facts about a variable and how it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VariableFacts {
    /// The class of a user-defined type.
    pub class: Option<UserClass>,
    /// All filters of the variable, in the order of writing.
    pub filters: Vec<FilterSpec>,
    /// Lengths of the variable's dimensions if filters depend on them, as `szip` does in Zarr; else empty.
    pub dims: Vec<u64>,
    /// Whether no chunk may skip a filter because there is no mask to record it.
    pub mandatory: bool,
    /// The maximum output of a decoder for a chunk with another length than its shape implies.
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

impl VariableFacts {
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

impl ChunkContext {
    /// The context of chunks of this shape, before the variable is written.
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

    /// The context after a filter with an output of any length.
    #[must_use]
    pub fn of_any_length(&self) -> Self {
        Self {
            len: None,
            ..self.clone()
        }
    }

    /// The context for a chunk with another length than its shape implies.
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
pub(crate) fn corrupt(what: impl Into<Cow<'static, str>>) -> Error {
    Error::new(ErrorKind::Corrupt, what)
}
