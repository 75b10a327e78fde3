//! The request of a copy.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use netcdf_core::io::locator::OutputRequest;
use netcdf_grammar::join::JoinRequest;
use netcdf_grammar::split::SplitSpec;

use super::{
    EditRequest, ProcessRequest, ReferenceRequest, ReportForm, SelectRequest, StorageRequest,
};

/// A copy of one or several datasets.
#[derive(Debug)]
pub struct CopyRequest {
    /// The mode of the copy.
    pub mode: CopyMode,
    /// The copied files.
    pub files: FileRequest,
    /// The kind and the form of the outputs.
    pub output: OutputRequest,
    /// The copied variables, groups and indices.
    pub select: SelectRequest,
    /// Changes of names, attributes and types.
    pub edit: EditRequest,
    /// The storage of the outputs.
    pub storage: StorageRequest,
    /// The form of references, for outputs that contain references.
    pub references: ReferenceRequest,
    /// Checks of inputs and outputs.
    pub checks: CheckRequest,
    /// The printed results.
    pub report: ReportRequest,
    /// The settings of the process.
    pub process: ProcessRequest,
}

/// The mode of a copy.
#[derive(Debug)]
pub enum CopyMode {
    /// The outputs have other names than the inputs.
    New {
        /// The output file or directory.
        to: PathBuf,
        /// The treatment of existing outputs.
        existing: Existing,
    },
    /// The inputs extend the output, which exists. The first joined input is the output.
    Append {
        /// The output file or directory.
        to: PathBuf,
    },
    /// The outputs replace the inputs.
    InPlace(InPlaceRequest),
    /// Processes that follow a plan copy parts of the output.
    InParts {
        /// The output file or directory.
        to: PathBuf,
    },
}

/// The treatment of existing outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// The copy replaces the output.
    Replace,
    /// The existing output is an error.
    Refuse,
    /// The input is skipped.
    Skip,
}

/// Options of copies that replace their inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InPlaceRequest {
    /// Whether to copy datasets that are already stored as requested.
    pub force: bool,
    /// Whether only smaller copies replace their inputs.
    pub if_smaller: bool,
    /// Whether copies keep the modification times of their inputs.
    pub keep_mtime: bool,
}

/// The copied files.
#[derive(Debug)]
pub struct FileRequest {
    /// Datasets and directories of datasets.
    pub inputs: Vec<PathBuf>,
    /// The join of all inputs to one dataset.
    pub join: Option<JoinRequest>,
    /// The division of the input into parts, each with an output.
    pub split: Option<SplitSpec>,
    /// Whether a directory includes its subdirectories.
    pub recursive: bool,
    /// The suffix of output names in a directory.
    pub suffix: Option<OsString>,
}

/// Checks of inputs and outputs.
#[derive(Debug)]
pub struct CheckRequest {
    /// Whether outputs are read back and compared with their inputs.
    pub verify: bool,
    /// Whether notes are errors.
    pub strict: bool,
    /// Whether inputs may refer to files outside their directories.
    pub allow_external: bool,
    /// Whether fill values replace missing sources of virtual datasets.
    pub fill_missing: bool,
    /// Whether large outputs may contain almost only fill values.
    pub allow_large: bool,
}

/// The printed results.
#[derive(Debug)]
pub struct ReportRequest {
    /// The results to print.
    pub output: RunOutput,
    /// All arguments except paths, without secrets.
    pub options: Vec<String>,
    /// The start time in seconds since 1970.
    pub started: u64,
}

/// The results that a run prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunOutput {
    /// No results.
    None,
    /// The plan of each copy, without making the copy.
    DryRun(ReportForm),
    /// The stored bytes of each copy.
    Report(ReportForm),
}

impl CopyRequest {
    /// The output file or directory, unless outputs replace their inputs.
    pub fn to(&self) -> Option<&Path> {
        match &self.mode {
            CopyMode::New { to, .. } | CopyMode::Append { to } | CopyMode::InParts { to } => {
                Some(to)
            }
            CopyMode::InPlace(_) => None,
        }
    }

    /// The treatment of existing outputs.
    pub fn existing(&self) -> Existing {
        match self.mode {
            CopyMode::New { existing, .. } => existing,
            CopyMode::Append { .. } | CopyMode::InPlace(_) | CopyMode::InParts { .. } => {
                Existing::Replace
            }
        }
    }

    /// The options of copies that replace their inputs.
    pub fn in_place(&self) -> Option<InPlaceRequest> {
        match self.mode {
            CopyMode::InPlace(options) => Some(options),
            CopyMode::New { .. } | CopyMode::Append { .. } | CopyMode::InParts { .. } => None,
        }
    }

    /// Checks whether the inputs extend an existing output.
    pub fn extends(&self) -> bool {
        matches!(self.mode, CopyMode::Append { .. })
    }

    /// Checks whether processes copy parts of the output.
    pub fn is_in_parts(&self) -> bool {
        matches!(self.mode, CopyMode::InParts { .. })
    }

    /// Checks whether only smaller copies replace their inputs.
    pub fn if_smaller(&self) -> bool {
        self.in_place().is_some_and(|options| options.if_smaller)
    }

    /// The form of the plan to print with `--dry-run`.
    pub fn dry_run(&self) -> Option<ReportForm> {
        match self.report.output {
            RunOutput::DryRun(form) => Some(form),
            RunOutput::None | RunOutput::Report(_) => None,
        }
    }

    /// The form of the report to print.
    pub fn reported(&self) -> Option<ReportForm> {
        match self.report.output {
            RunOutput::Report(form) => Some(form),
            RunOutput::None | RunOutput::DryRun(_) => None,
        }
    }
}
