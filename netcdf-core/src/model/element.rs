//! The stored form of elements.

use super::{Atomic, DataType, Endianness};

/// The stored form of one element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredElement {
    /// The element type.
    pub ty: DataType,
    /// The stored size in bytes; for strings and lists the size of the heap reference.
    pub size: u64,
    /// The byte order of numbers.
    pub order: Endianness,
    /// Whether the element is stored like an atomic type of fixed size. The format module decodes all other elements.
    pub plain: bool,
}

impl StoredElement {
    /// Returns the atomic type of directly stored numbers or text.
    #[must_use]
    pub fn plain_type(&self) -> Option<Atomic> {
        let atomic = self.ty.atomic().filter(|a| a.size().is_some());
        atomic.filter(|_| self.plain)
    }
}
