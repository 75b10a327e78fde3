//! The request of a join.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use clap::ValueEnum;
use netcdf_core::error::{OrInternal as _, Result};
use netcdf_core::model::Atomic;

use super::list;

/// The request of a join.
#[derive(Debug, Clone)]
pub struct JoinRequest {
    /// The inputs.
    pub inputs: InputNames,
    /// The kind of the join.
    pub kind: JoinKind,
    /// Whether the other inputs extend the first input, which stays as it is.
    pub extends: bool,
    /// The order of the inputs.
    pub order: JoinOrder,
    /// The treatment of inputs with common coordinate values.
    pub overlap: Overlap,
    /// The check of variables without the joined dimension.
    pub statics: StaticCheck,
    /// The treatment of variables that some inputs lack.
    pub lacking: Lacking,
    /// The treatment of attributes with several values.
    pub conflicts: Conflicts,
    /// The time units of the whole.
    pub time_units: Option<String>,
    /// The unpacking of packed data.
    pub repack: Option<Repack>,
    /// The maximum number of open inputs.
    pub open_files: usize,
    /// Whether the whole becomes references. Readers of references apply one packing and one missing value to the chunks of all inputs.
    pub references: bool,
}

/// The names of inputs.
#[derive(Debug, Clone, Default)]
pub struct InputNames {
    /// Datasets, directories of datasets, and patterns of names.
    pub named: Vec<PathBuf>,
    /// A file with further names; `-` is standard input.
    pub list: Option<PathBuf>,
    found: Arc<OnceLock<Vec<PathBuf>>>,
}

impl InputNames {
    /// Creates a list of names.
    #[must_use]
    pub fn new(named: Vec<PathBuf>, list: Option<PathBuf>) -> Self {
        Self {
            named,
            list,
            found: Arc::default(),
        }
    }

    /// Returns the same names with changed paths.
    #[must_use]
    pub fn located(&self, change: impl Fn(&Path) -> PathBuf) -> Self {
        let named = self.named.iter().map(|path| change(path));
        Self::new(named.collect(), self.list.as_deref().map(change))
    }

    /// Returns whether standard input has the list of names.
    #[must_use]
    pub fn is_standard(&self) -> bool {
        self.list.as_deref() == Some(Path::new("-"))
    }

    /// Returns the inputs that the names stand for. The first call reads the list of names.
    ///
    /// # Errors
    /// Returns errors of the names, and of reading the list.
    pub fn listed(&self, stdin: &mut dyn Read) -> Result<&[PathBuf]> {
        if self.found.get().is_none() {
            let found = list::listed(&self.named, self.list.as_deref(), stdin)?;
            // Another thread cannot have set the list, because tools call this function from one thread.
            let _ = self.found.set(found);
        }
        self.found
            .get()
            .map(Vec::as_slice)
            .or_internal("the listed inputs")
    }
}

/// The kind of a join.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JoinKind {
    /// The inputs follow each other along a dimension. `None` selects the dimension from the inputs.
    Along(Option<String>),
    /// The inputs follow each other along a new dimension.
    New(NewDimension),
    /// The whole has the variables of all inputs.
    Merge,
}

/// A dimension that the inputs lack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDimension {
    /// The name of the dimension.
    pub name: String,
    /// The labels of the inputs: `a,b,c`, `@attribute`, or a pattern of file names with a `*`.
    pub labels: Option<String>,
    /// Names of variables that get the dimension although they are equal in all inputs.
    pub each: Vec<Vec<u8>>,
}

/// The unpacking of data with several packings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repack {
    /// To a floating-point type; `None` for float or double, depending on the packed type.
    Real(Option<Atomic>),
    /// To a common packing in an integer type.
    Packed(Atomic),
}

impl Repack {
    /// Returns the form with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "" => Self::Real(None),
            "float" => Self::Real(Some(Atomic::Float)),
            "double" => Self::Real(Some(Atomic::Double)),
            "byte" => Self::Packed(Atomic::Byte),
            "short" => Self::Packed(Atomic::Short),
            "int" => Self::Packed(Atomic::Int),
            _ => return None,
        })
    }
}

/// The treatment of variables that some inputs lack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Lacking {
    /// An error
    #[default]
    Error,
    /// Missing values
    Fill,
    /// No variable
    Skip,
}

/// The order of the inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum JoinOrder {
    /// By the coordinate of the joined dimension
    #[default]
    Coordinate,
    /// As on the command line
    Given,
}

/// The treatment of inputs with common coordinate values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Overlap {
    /// An error
    #[default]
    Error,
    /// The values of the first input
    First,
    /// The values of the last input
    Last,
}

/// The check of variables without the joined dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum StaticCheck {
    /// All elements must be equal
    #[default]
    Check,
    /// Types and shapes must be equal
    First,
}

/// The treatment of attributes with several values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Conflicts {
    /// The value of the first input
    #[default]
    First,
    /// No attribute
    Common,
    /// An error
    Error,
}
