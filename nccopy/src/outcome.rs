//! Outcomes of copies.

use netcdf_core::copy::CopyReport;
use netcdf_core::notes::CollectedNotes;
use netcdf_core::shown::ShownText;

use crate::inputs::CopyPair;

/// An attempted or skipped copy, with its notes.
#[derive(Debug)]
pub(crate) struct DoneCopy<'c> {
    pub copy: &'c CopyPair,
    pub outcome: CopyOutcome,
    pub notes: CollectedNotes,
}

#[cfg(test)]
impl<'c> DoneCopy<'c> {
    /// Returns a copy without notes.
    pub(crate) fn quietly(copy: &'c CopyPair, outcome: CopyOutcome) -> Self {
        Self {
            copy,
            outcome,
            notes: CollectedNotes::default(),
        }
    }
}

/// The result of a copy.
#[derive(Debug)]
pub(crate) enum CopyOutcome {
    /// A finished copy.
    Copied(CopyReport),
    /// The existing output remains.
    Skipped(Skip),
    /// The reason for a failed copy.
    Failed(String),
}

impl CopyOutcome {
    /// Returns a line with the reason for a missing copy.
    pub(crate) fn not_copied(&self) -> String {
        match self {
            Self::Copied(_) => String::new(),
            Self::Skipped(why) => format!("skipped: {}\n", why.text()),
            Self::Failed(why) => format!("not copied: {}\n", ShownText::new(why)),
        }
    }
}

/// The reason for a skipped copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Skip {
    /// The output exists.
    Exists,
    /// The dataset is already stored as requested.
    AsRequested,
    /// The copy is not smaller than the input.
    NotSmaller,
    /// The output already has all records of the inputs.
    NothingNew,
}

impl Skip {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Exists => "the output exists",
            Self::AsRequested => "it is already stored as requested",
            Self::NotSmaller => "the copy is not smaller",
            Self::NothingNew => "the inputs have nothing that the output lacks",
        }
    }
}
