//! The request of a command line, with every value resolved.

use std::ffi::OsString;
use std::num::NonZeroU16;
use std::path::PathBuf;

use netcdf_core::diff::Tolerance;
use netcdf_core::survey::RuleSet;
use netcdf_grammar::cdl::write::{Annotation, SpecialAttributes};
use netcdf_grammar::flags::{NetworkArgs, PluginArgs};
use netcdf_grammar::hyperslab::Hyperslab;
use netcdf_grammar::ignore_list::IgnoreList;
use netcdf_grammar::join::JoinRequest;
use netcdf_grammar::number::Precision;
use netcdf_grammar::time::Separator;

/// Name of a joined dataset in output.
pub(crate) const JOINED: &str = "(joined)";

/// Name of the tool in messages.
pub(crate) const NAME: &str = "ncdump";

/// The request of a command line.
#[derive(Debug)]
pub enum Request {
    /// Prints datasets.
    Print(PrintRequest),
    /// Prints storage layouts, or checks them.
    Layout(LayoutRequest),
    /// Compares two datasets.
    Diff(DiffRequest),
}

/// The output for each of several datasets.
#[derive(Debug)]
pub struct PrintRequest {
    pub(crate) inputs: Vec<PathBuf>,
    /// The join of all inputs to one dataset; `inputs` then has the first input.
    pub(crate) join: Option<JoinRequest>,
    pub(crate) job: OutputJob,
    /// The printed parts of dimensions.
    pub(crate) parts: Vec<Hyperslab>,
    /// Whether kinds, filters, digests and statistics are JSON.
    pub(crate) json: bool,
    pub(crate) process: ProcessRequest,
}

/// The output for a dataset.
#[derive(Debug)]
pub(crate) enum OutputJob {
    /// The kind (`-k`).
    Kind,
    /// Storage and mode (`-K`).
    ExtendedKind,
    /// CDL.
    Cdl(DumpRequest),
    /// NcML (`-x`).
    Ncml(DumpRequest),
    /// JSON (`--json`).
    Json(DumpRequest),
    /// The table of filters (`--filters`).
    Filters(SelectionRequest),
    /// Digests (`--sum`).
    Sum(SelectionRequest),
    /// The check of digests (`--sum --check`).
    Check,
    /// Statistics (`--stats`), of unpacked values if `unpack` is set.
    Statistics {
        select: SelectionRequest,
        unpack: bool,
    },
    /// Comma-separated values (`--csv`).
    Csv(DumpRequest),
}

/// The form of a printed dataset.
#[derive(Debug)]
pub(crate) struct DumpRequest {
    /// The dataset's name.
    pub(crate) name: Option<OsString>,
    pub(crate) select: SelectionRequest,
    /// Whether there is no data.
    pub(crate) header: bool,
    pub(crate) annotation: Annotation,
    pub(crate) line_length: usize,
    pub(crate) digits: Digits,
    pub(crate) special: SpecialAttributes,
    /// Whether `_FillValue` has its type.
    pub(crate) fill_type: bool,
    /// The form of times, if they are dates.
    pub(crate) times: Option<Separator>,
}

/// The selected objects of a dataset.
#[derive(Debug)]
pub(crate) struct SelectionRequest {
    /// Names of variables, as given.
    pub(crate) variables: Option<Vec<Vec<u8>>>,
    /// Names of groups, as given.
    pub(crate) groups: Option<Vec<Vec<u8>>>,
    /// Whether only coordinate variables have data.
    pub(crate) coordinates: bool,
}

/// Digits of floating-point values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Digits {
    pub(crate) float: Precision,
    pub(crate) double: Precision,
    /// Whether `C_format` is ignored for float.
    pub(crate) float_first: bool,
    /// Whether `C_format` is ignored for double.
    pub(crate) double_first: bool,
}

impl Default for Digits {
    fn default() -> Self {
        Self {
            float: Precision::Digits(7),
            double: Precision::Digits(15),
            float_first: false,
            double_first: false,
        }
    }
}

/// The listing of storage layouts, and the required rules.
#[derive(Debug)]
pub struct LayoutRequest {
    pub(crate) inputs: Vec<PathBuf>,
    /// The join of all inputs to one dataset; `inputs` then has one element.
    pub(crate) join: Option<JoinRequest>,
    /// Whether the listing is printed.
    pub(crate) listing: bool,
    /// Whether the listing is JSON.
    pub(crate) json: bool,
    pub(crate) rules: Option<RuleSet>,
    pub(crate) select: SelectionRequest,
    pub(crate) process: ProcessRequest,
}

/// The comparison of two datasets.
#[derive(Debug)]
pub struct DiffRequest {
    pub(crate) inputs: [PathBuf; 2],
    /// The join that is the first dataset.
    pub(crate) join: Option<JoinRequest>,
    pub(crate) tolerance: Tolerance,
    /// Whether storage is compared.
    pub(crate) layout: bool,
    /// Whether values are compared.
    pub(crate) values: bool,
    /// Whether the findings are JSON.
    pub(crate) json: bool,
    pub(crate) select: SelectionRequest,
    /// The compared parts of dimensions.
    pub(crate) parts: Vec<Hyperslab>,
    pub(crate) left_out: IgnoreList,
    pub(crate) process: ProcessRequest,
}

/// The settings of the process.
#[derive(Debug)]
pub(crate) struct ProcessRequest {
    pub(crate) threads: Option<NonZeroU16>,
    pub(crate) plugins: PluginArgs,
    pub(crate) network: NetworkArgs,
    /// Whether datasets may refer to files outside their directories.
    pub(crate) allow_external: bool,
    /// Whether missing sources of references read as fill values.
    pub(crate) fill_missing: bool,
    /// Whether operations on Zarr stores are traced.
    pub(crate) trace: bool,
    /// Whether notes are errors.
    pub(crate) strict: bool,
}
