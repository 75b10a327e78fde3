//! Requested changes of names, attributes and types.

use netcdf_grammar::edit::{AttributeEdit, Rename};

/// Changes of names, attributes and types.
#[derive(Debug)]
pub struct EditRequest {
    /// Whether enums become numbers with flag attributes.
    pub enums_as_flags: bool,
    /// New names.
    pub renames: Vec<Rename>,
    /// New and removed attributes.
    pub attributes: Vec<AttributeEdit>,
    /// The new line of the attribute `history`.
    pub history: Option<Vec<u8>>,
}

impl EditRequest {
    /// Checks whether names and attributes stay unchanged.
    pub fn is_empty(&self) -> bool {
        self.renames.is_empty() && self.attributes.is_empty() && self.history.is_none()
    }
}
