//! The options, as typed. Flags of the C tool keep their letters; all other options have long names only.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, ValueEnum};
use netcdf_grammar::flags::heading::{CHECKS, EVERYDAY, IGNORED, SELECTION};
use netcdf_grammar::flags::{ExternalArgs, HelpArgs, HyperslabArgs, JoinArgs, PluginArgs};
use netcdf_grammar::flags::{ProcessArgs, StrictArgs};

/// Heading of options for CDL.
const CDL: &str = "CDL format";

/// Heading of further kinds of output.
const OUTPUTS: &str = "Other output";

/// Heading of options for comparisons.
const COMPARISON: &str = "Comparison";

/// A set of rules for the layout of a dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum RuleName {
    /// All metadata before the data; chunks of at least 1 MiB before filters, or one chunk per variable
    Cloud,
    /// A netCDF-4 file; all metadata before the data; time and its bounds in one chunk each; other chunks of at least 4 MiB
    Cmip7,
    /// A netCDF-4 file with metadata in separate pages of at least 64 KiB
    Paged,
}

/// Print a netCDF dataset as CDL text or JSON, or information about its storage
#[derive(Debug, Parser)]
#[command(
    name = "ncdump",
    version,
    disable_help_flag = true,
    disable_version_flag = true,
    args_override_self = true,
    max_term_width = 100,
    override_usage = "ncdump [OPTIONS] <FILE>..."
)]
pub(super) struct Cli {
    /// File, Zarr store or URL (- for standard input). A store is a directory, a zip file, or a URL such as
    /// file://PATH#mode=zarr,file
    #[arg(value_name = "FILE", required_unless_present = "inputs")]
    pub input: Option<PathBuf>,

    /// Further files, for --sum, --stats, --layout, --require, --filters, -k and -K. With --diff: the second dataset. With --join: further
    /// inputs
    #[arg(value_name = "FILE")]
    pub others: Vec<PathBuf>,

    /// Everyday options.
    #[command(flatten)]
    pub print: PrintArgs,

    /// Ranges of dimensions.
    #[command(flatten)]
    pub select: HyperslabArgs,

    /// The form of the output.
    #[command(flatten)]
    pub form: FormArgs,

    /// Help and version.
    #[command(flatten)]
    help: HelpArgs,

    /// Many datasets as one dataset.
    #[command(flatten)]
    pub join: JoinArgs,

    /// The text of CDL.
    #[command(flatten)]
    pub text: TextArgs,

    /// Other output than CDL and JSON.
    #[command(flatten)]
    pub output: OutputArgs,

    /// Comparison of two datasets.
    #[command(flatten)]
    pub comparison: DiffArgs,

    /// Notes as errors.
    #[command(flatten)]
    pub strict: StrictArgs,

    /// Files outside the input's directory.
    #[command(flatten)]
    pub external: ExternalArgs,

    /// Read fill values if a source of references is missing or has changed, instead of failing
    #[arg(long = "fill-missing", help_heading = CHECKS)]
    pub fill_missing: bool,

    /// HDF5 plugins.
    #[command(flatten)]
    pub plugins: PluginArgs,

    /// Settings of the process.
    #[command(flatten)]
    pub process: ProcessArgs,

    /// Options without effect.
    #[command(flatten)]
    ignored: IgnoredArgs,

    /// Whether `-f` follows `-b`: the last one sets the index order of both.
    #[arg(skip)]
    pub full_last: bool,
}

/// The printed data.
#[derive(Debug, Args)]
#[command(next_help_heading = EVERYDAY)]
#[expect(clippy::struct_excessive_bools, reason = "each is a separate flag")]
pub(super) struct PrintArgs {
    /// Print the header only, no data
    #[arg(short = 'h')]
    pub header: bool,

    /// Print the header and the data of coordinate variables only
    #[arg(short = 'c')]
    pub coordinates: bool,

    /// Print the data of these variables only: names, paths such as /g/v, or patterns such as 't*'. A leading ! excludes: '!*_bnds'
    #[arg(short = 'v', value_name = "VAR,...")]
    pub variables: Option<OsString>,

    /// Print these groups only: names, paths or patterns as for -v
    #[arg(short = 'g', value_name = "GROUP,...", help_heading = SELECTION)]
    pub groups: Option<OsString>,

    /// Print the kind of the dataset only, such as classic or netCDF-4
    #[arg(short = 'k')]
    pub kind: bool,

    /// Print special attributes, which describe the storage: chunks, filters, format
    #[arg(short = 's')]
    pub special: bool,

    /// Print times as dates: 2000-01-01 06
    #[arg(short = 't', overrides_with = "iso_times")]
    pub times: bool,
}

/// The form of the output.
#[derive(Debug, Args)]
#[command(next_help_heading = EVERYDAY)]
pub(super) struct FormArgs {
    /// Print JSON instead of CDL. Also with -k, -K, --filters, --diff, --sum, --stats and --layout
    #[arg(
        long = "json",
        conflicts_with_all = ["ncml", "times", "iso_times", "precision", "digits", "brief", "full", "line_length"]
    )]
    pub json: bool,

    /// Compare two datasets and print the differences. Exit status 0: equal, 1: different, 2: error
    #[arg(long, requires = "others")]
    pub diff: bool,
}

/// The text of CDL.
#[derive(Debug, Args)]
#[command(next_help_heading = CDL)]
pub(super) struct TextArgs {
    /// Annotate each row with its indices, in C or Fortran order
    #[arg(short = 'b', value_name = "c|f")]
    pub brief: Option<String>,

    /// Annotate each value with its indices, in C or Fortran order
    #[arg(short = 'f', value_name = "c|f")]
    pub full: Option<String>,

    /// Maximum line length in data lists, in bytes [default: 80]
    #[arg(short = 'l', value_name = "LENGTH", allow_hyphen_values = true)]
    pub line_length: Option<String>,

    /// Name of the dataset in the output [default: the file name]
    #[arg(short = 'n', value_name = "NAME", allow_hyphen_values = true)]
    pub name: Option<OsString>,

    /// Significant digits of float and double values, overriding C_format. `exact` prints the digits needed to read the same values
    /// back
    #[arg(
        short = 'p',
        value_name = "FLOAT[,DOUBLE]|exact",
        allow_hyphen_values = true
    )]
    pub precision: Option<String>,

    /// Significant digits of variables without C_format (old form of -p)
    #[arg(short = 'd', value_name = "FLOAT[,DOUBLE]", allow_hyphen_values = true)]
    pub digits: Option<String>,

    /// Print times as ISO dates: 2000-01-01T06
    #[arg(short = 'i', overrides_with = "times")]
    pub iso_times: bool,

    /// With -s: print all filters as _Filter
    #[arg(short = 'F')]
    pub all_filters: bool,

    /// F: print the type of _FillValue attributes; p and m are ignored
    #[arg(short = 'X', value_name = "F|p|m", action = ArgAction::Append)]
    pub extra: Vec<String>,
}

/// Other output than CDL and JSON.
#[derive(Debug, Args)]
#[command(next_help_heading = OUTPUTS)]
#[expect(clippy::struct_excessive_bools, reason = "each is a separate flag")]
pub(super) struct OutputArgs {
    /// Print the storage format and mode of the dataset only
    #[arg(short = 'K')]
    pub extended_kind: bool,

    /// Print NcML instead of CDL, without data
    #[arg(short = 'x')]
    pub ncml: bool,

    /// Print the storage layout: chunks, filters, sizes, metadata location, problems for remote readers
    #[arg(long)]
    pub layout: bool,

    /// Check the layout against RULES: cloud, cmip7 or paged. Exit status 0: no violation, 1: violations, 2: error
    #[arg(long, value_name = "RULES", value_enum, hide_possible_values = true)]
    pub require: Option<RuleName>,

    /// Print the filters of each variable, and whether this system can decode them
    #[arg(long = "filters")]
    pub filters: bool,

    /// Print digests of the variables and of the dataset, which do not depend on the storage
    #[arg(long)]
    pub sum: bool,

    /// With --sum: verify the digests in FILE, a list printed by --sum (- for standard input)
    #[arg(long, conflicts_with_all = ["json", "variables", "groups", "select", "joins"])]
    pub check: bool,

    /// Print statistics of variables: elements, missing elements, minimum, maximum, mean, standard deviation, histogram
    #[arg(
        long,
        conflicts_with_all = ["sum", "coordinates", "header", "kind", "extended_kind", "filters", "ncml"]
    )]
    pub stats: bool,

    /// With --stats: unpack values with scale_factor, add_offset and _Unsigned first
    #[arg(long)]
    pub unpack: bool,

    /// Print the variables of -v with their coordinates as comma-separated values. The variables must have the same
    /// dimensions
    #[arg(long, requires = "variables")]
    pub csv: bool,
}

/// Comparison of two datasets.
#[derive(Debug, Args)]
#[command(next_help_heading = COMPARISON)]
pub(super) struct DiffArgs {
    /// With --diff: allow numbers to differ by ABS, or by REL times the larger magnitude
    #[arg(long, value_name = "ABS[,REL]", allow_hyphen_values = true)]
    pub tolerance: Option<String>,

    /// With --diff: ignore these objects and attributes: names, paths, patterns, or v:units for an attribute of v
    #[arg(long, value_name = "NAME,...")]
    pub ignore: Option<OsString>,

    /// With --diff: also compare the storage: format, chunks, filters, byte order, unlimited dimensions, definition order
    #[arg(long = "compare-layout")]
    pub compare_layout: bool,
}

/// Options of the C tool without effect.
#[derive(Debug, Args)]
#[command(next_help_heading = IGNORED)]
struct IgnoredArgs {
    /// Ignored: cache of remote variables
    #[arg(short = 'w')]
    cache: bool,

    /// Ignored: log level
    #[arg(short = 'L', value_name = "LEVEL", allow_hyphen_values = true)]
    log_level: Option<String>,
}
