//! Locations of data lists in a text.

use std::ops::Range;

use netcdf_core::model::VarId;

use crate::diagnostic::Anchor;

/// The location of a variable's data list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataList {
    /// The variable.
    pub var: VarId,
    /// The byte range of the list, from after the `=` up to the `;`.
    pub bytes: Range<u64>,
    /// The first line of the list, from 1. Together with `bytes.start` it is the [`Anchor`] for messages.
    pub line: u32,
    /// The language of the text.
    pub form: TextForm,
}

/// The languages for describing a dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextForm {
    /// CDL.
    Cdl,
    /// JSON.
    Json,
}

impl DataList {
    /// Returns the start of the list.
    #[must_use]
    pub fn anchor(&self) -> Anchor {
        Anchor {
            offset: self.bytes.start,
            line: self.line,
        }
    }
}
