//! Options for writing a dataset: what is written, and how.

use netcdf_core::model::VarId;

use crate::number::Precision;
use crate::write::{DataSelection, NumberToWrite};

/// Options for writing a dataset: what is written, and how.
pub struct CdlOptions<'a> {
    /// The dataset's name, after `netcdf`.
    pub name: Vec<u8>,
    /// The variables whose data is written; `None` for declarations only.
    pub data: Option<DataSelection>,
    /// Comments in the data section.
    pub annotation: Annotation,
    /// Longest line in lists, in bytes; at least 10.
    pub line_length: usize,
    /// Digits of values of type float.
    pub float: Precision,
    /// Digits of values of type double.
    pub double: Precision,
    /// Attributes that describe how the dataset is stored.
    pub special: SpecialAttributes,
    /// Whether the type is written before `_FillValue` attributes.
    pub fill_type: bool,
    /// Forms of numbers other than CDL's own.
    pub forms: Option<&'a dyn Forms>,
    /// Whether parts of the dataset are missing because they are damaged: then the text has no end, so it cannot be mistaken
    /// for a complete dataset.
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

/// The language whose index notation is used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Language {
    /// C: from 0 on, slowest dimension first.
    #[default]
    C,
    /// Fortran: from 1 on, fastest dimension first.
    Fortran,
}

/// Whether attributes that describe how the dataset is stored are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpecialAttributes {
    /// No.
    Hidden,
    /// Yes; checksum, shuffle and deflate have their own attributes.
    Shown,
    /// Yes, with all filters in `_Filter`.
    Filters,
}

/// A form of numbers.
pub trait NumberText: Send + Sync {
    /// Appends the text of a number; `false`, with nothing appended, leaves it to CDL's own form.
    fn write(&self, number: NumberToWrite, out: &mut Vec<u8>) -> bool;
}

/// Provides forms of numbers other than CDL's own: times, `C_format`.
pub trait Forms: Sync {
    /// The form of a variable's values in the data section. Asked for numeric and `char`
    /// variables only.
    fn data(&self, var: VarId) -> Option<Box<dyn NumberText>>;

    /// The form in which the numeric attributes of a variable are repeated in a comment.
    fn comment(&self, var: VarId) -> Option<Box<dyn NumberText>>;
}
