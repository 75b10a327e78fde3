//! The request of a command line, with every value resolved.

use std::ffi::OsString;
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};

use netcdf_core::io::locator::OutputRequest;
use netcdf_grammar::flags::{NetworkArgs, PluginArgs};

/// The request of a command line.
#[derive(Debug)]
pub struct Request {
    /// The text, standard input by default.
    pub(crate) input: Option<PathBuf>,
    /// The language of the output. Without one, the text is only checked.
    pub(crate) language: Option<ProgramLanguage>,
    /// The names of the output.
    pub(crate) names: NameRequest,
    /// The kind and the form of the output.
    pub(crate) output: OutputRequest,
    /// Whether data lists are ignored.
    pub(crate) header_only: bool,
    /// Whether elements without values stay unwritten.
    pub(crate) no_fill: bool,
    /// The maximum number of elements that a program writes at once.
    pub(crate) at_once: u64,
    /// Whether a large output may contain almost only fill values.
    pub(crate) allow_large: bool,
    /// Whether all metadata precedes the data.
    pub(crate) cloud: bool,
    /// Whether warnings are errors.
    pub(crate) strict: bool,
    /// The settings of the process.
    pub(crate) process: ProcessRequest,
}

/// The names of the output.
#[derive(Debug)]
pub(crate) struct NameRequest {
    /// The output file, or the file that the program makes.
    pub(crate) file: Option<PathBuf>,
    /// The dataset.
    pub(crate) dataset: Option<OsString>,
    /// The main function or class of a program.
    pub(crate) main: Option<OsString>,
    /// Whether the default name ends in `.cdf`.
    pub(crate) cdf: bool,
}

/// The settings of the process.
#[derive(Debug)]
pub(crate) struct ProcessRequest {
    /// The number of threads.
    pub(crate) threads: Option<NonZeroU16>,
    /// The use of HDF5 plugins.
    pub(crate) plugins: PluginArgs,
    /// The requests to storage.
    pub(crate) network: NetworkArgs,
    /// Whether the output is not synced.
    pub(crate) no_sync: bool,
    /// Whether warnings are hidden.
    pub(crate) quiet: bool,
    /// Whether operations on Zarr stores are traced.
    pub(crate) trace: bool,
}

/// The language of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProgramLanguage {
    /// A netCDF file.
    Binary,
    /// A C program.
    C,
    /// A Fortran 77 program.
    Fortran,
    /// A Java program.
    Java,
}

impl ProgramLanguage {
    /// Returns the name in messages.
    #[must_use]
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Binary => "netCDF",
            Self::C => "C",
            Self::Fortran => "Fortran 77",
            Self::Java => "Java",
        }
    }
}

impl Request {
    /// Returns the path of the text, unless it is standard input.
    pub(crate) fn text(&self) -> Option<&Path> {
        self.input.as_deref().filter(|path| *path != Path::new("-"))
    }
}
