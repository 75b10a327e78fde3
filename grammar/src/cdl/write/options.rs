//! Options for writing a dataset.

use netcdf_core::model::VarId;

use crate::number::Precision;
use crate::write::{DataSelection, NumberToWrite};

/// Options for writing a dataset.
pub struct CdlOptions<'a> {
    /// The dataset name after `netcdf`.
    pub name: Vec<u8>,
    /// The variables with written data; `None` for declarations only.
    pub data: Option<DataSelection>,
    /// Comments in the data section.
    pub annotation: Annotation,
    /// Maximum line length in lists in bytes, at least 10.
    pub line_length: usize,
    /// Digits of float values.
    pub float: Precision,
    /// Digits of double values.
    pub double: Precision,
    /// Storage attributes (`ncdump -s`).
    pub special: SpecialAttributes,
    /// Whether `_FillValue` attributes get a type.
    pub fill_type: bool,
    /// Number formats other than CDL's own.
    pub forms: Option<&'a dyn Forms>,
    /// Whether damaged parts of the dataset are missing. In this case the text lacks its closing brace, so it cannot be mistaken for a
    /// complete dataset.
    pub damaged: bool,
}

/// Comments in the data section with the indices of values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Annotation {
    /// One comment per row (`ncdump -b`).
    pub rows: bool,
    /// One comment per value (`ncdump -f`).
    pub values: bool,
    /// The form of indices.
    pub language: Language,
}

/// The language of index notation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Language {
    /// C: from 0, slowest dimension first.
    #[default]
    C,
    /// Fortran: from 1, fastest dimension first.
    Fortran,
}

/// Whether storage attributes are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpecialAttributes {
    /// No.
    Hidden,
    /// Yes; checksum, shuffle and deflate have their own attributes.
    Shown,
    /// Yes, with the complete filter pipeline in `_Filter`.
    Filters,
}

/// A form of numbers.
pub trait NumberText: Send + Sync {
    /// Appends the text of a number. Returns `false` and appends no text to select CDL's own format.
    fn write(&self, number: NumberToWrite, out: &mut Vec<u8>) -> bool;
}

/// Number formats other than CDL's own: times, `C_format`.
pub trait Forms: Sync {
    /// Returns the format of a variable's values in the data section; called for numeric and `char` variables only.
    fn data(&self, var: VarId) -> Option<Box<dyn NumberText>>;

    /// Returns the format for repeating the numeric attributes of a variable in a comment.
    fn comment(&self, var: VarId) -> Option<Box<dyn NumberText>>;
}
