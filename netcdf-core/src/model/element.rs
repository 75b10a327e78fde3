//! Elements as they are stored.

use super::{Atomic, DataType, Endianness};

/// The stored form of one element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredElement {
    /// Its type.
    pub ty: DataType,
    /// Its size in bytes as stored (for strings and lists: of the reference to the heap).
    pub size: u64,
    /// Byte order of its numbers.
    pub order: Endianness,
    /// Whether the stored form is that of an atomic type of fixed size; otherwise
    /// a format resolves the stored bytes to values.
    pub plain: bool,
}

impl StoredElement {
    /// The atomic type whose numbers (or text) are stored directly.
    #[must_use]
    pub fn plain_type(&self) -> Option<Atomic> {
        let atomic = self.ty.atomic().filter(|a| a.size().is_some());
        atomic.filter(|_| self.plain)
    }
}
