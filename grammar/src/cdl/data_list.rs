//! Where the values of a variable stand in a text.

use std::ops::Range;

use netcdf_core::model::VarId;

use crate::diagnostic::Anchor;

/// The position of the values of a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataList {
    /// The variable.
    pub var: VarId,
    /// The bytes of the list, from after the `=` up to the `;`.
    pub bytes: Range<u64>,
    /// The line in which they begin, from 1. Together with `bytes.start` it is the [`Anchor`] for messages.
    pub line: u32,
    /// The form of the text.
    pub form: TextForm,
}

/// The form of a text that describes a dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextForm {
    /// CDL.
    Cdl,
    /// JSON.
    Json,
}

impl DataList {
    /// Where the list begins.
    #[must_use]
    pub fn anchor(&self) -> Anchor {
        Anchor {
            offset: self.bytes.start,
            line: self.line,
        }
    }
}
