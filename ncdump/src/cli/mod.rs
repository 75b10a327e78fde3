//! The command line. Flags of the C tool keep their letters; all others have long names only.

mod resolve;
mod value;

use std::ffi::OsString;
use std::num::NonZeroU16;
use std::path::PathBuf;

use clap::{ArgAction, CommandFactory, FromArgMatches, Parser, ValueEnum};
use netcdf_core::error::Result;
use netcdf_grammar::flags::{HyperslabArgs, NetworkArgs, PluginArgs};

use crate::modes::MODES;
use crate::request::Request;

/// A set of rules for the layout of a dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RuleName {
    /// All metadata in front of the data, chunks of 1 MiB and more before filters, or one for each variable
    Cloud,
    /// A netCDF-4 file, all metadata in front, time and its bounds in one chunk each, other chunks of 4 MiB and more
    Cmip7,
    /// A netCDF-4 file whose metadata is in pages of its own, of 64 KiB and more
    Paged,
}

/// Prints a netCDF dataset as CDL text or JSON.
#[derive(Debug, Parser)]
#[command(
    name = "ncdump",
    version,
    disable_help_flag = true,
    disable_version_flag = true,
    args_override_self = true
)]
struct Cli {
    /// Print header and data of coordinate variables only
    #[arg(short = 'c')]
    coordinates: bool,

    /// Print the header only, no data
    #[arg(short = 'h')]
    header: bool,

    /// Print the data of these variables only: names in any group, paths (`/g/v`) or their last parts, patterns (`t*`, `?`, `[a-z]`),
    /// and `!` before what to leave out (`!*_bnds`); a backslash makes the next character an ordinary one
    #[arg(short = 'v', value_name = "VAR,...")]
    variables: Option<OsString>,

    /// Print these groups only: names, paths, patterns and `!` as for -v; `/` is the root group
    #[arg(short = 'g', value_name = "GROUP,...")]
    groups: Option<OsString>,

    /// Which part of the dataset is printed.
    #[command(flatten)]
    select: HyperslabArgs,

    /// Annotate each row with its indices, as C or Fortran counts them
    #[arg(short = 'b', value_name = "c|f")]
    brief: Option<String>,

    /// Annotate each value with its indices, as C or Fortran counts them
    #[arg(short = 'f', value_name = "c|f")]
    full: Option<String>,

    /// Longest line in data lists, in bytes [default: 80]
    #[arg(short = 'l', value_name = "LENGTH", allow_hyphen_values = true)]
    line_length: Option<String>,

    /// Name of the dataset in the output [default: the file's name]
    #[arg(short = 'n', value_name = "NAME", allow_hyphen_values = true)]
    name: Option<OsString>,

    /// Significant digits of float and double values, overriding C_format; `exact` prints as many as
    /// are needed to read the same values back
    #[arg(
        short = 'p',
        value_name = "FLOAT[,DOUBLE]|exact",
        allow_hyphen_values = true
    )]
    precision: Option<String>,

    /// Like -p, but C_format takes precedence (old form)
    #[arg(short = 'd', value_name = "FLOAT[,DOUBLE]", allow_hyphen_values = true)]
    digits: Option<String>,

    /// Compare two datasets: print what differs, and exit with 0 if nothing does, with 1 if something does, and with 2 on any
    /// error
    #[arg(long, requires = "others")]
    diff: bool,

    /// With --diff: numbers may differ by ABS, or by REL times the larger magnitude
    #[arg(long, value_name = "ABS[,REL]", allow_hyphen_values = true)]
    tolerance: Option<String>,

    /// With --diff: leave out attributes and objects: names, paths, patterns, and `v:units` for an attribute of `v`
    #[arg(long, value_name = "NAME,...")]
    ignore: Option<OsString>,

    /// With --diff: also compare how the datasets are stored: format, chunks, filters, byte order, unlimited dimensions, order of
    /// definitions
    #[arg(long = "compare-layout")]
    compare_layout: bool,

    /// Print the kind of the dataset only (`FILE: kind` for several files)
    #[arg(short = 'k')]
    kind: bool,

    /// Print the storage and mode of the dataset only (`FILE: storage` for several files)
    #[arg(short = 'K')]
    extended_kind: bool,

    /// Print special attributes: how the dataset is stored
    #[arg(short = 's')]
    special: bool,

    /// With -s: print all filters as _Filter
    #[arg(short = 'F')]
    all_filters: bool,

    /// Print only a table of the filters of each variable, and whether they are available here
    #[arg(long = "filters")]
    filters: bool,

    /// Print only digests of what the dataset says, however it is stored: of each variable, and of the dataset (docs/sum.md)
    #[arg(long)]
    sum: bool,

    /// With --sum: read digests from FILE, a list that --sum printed or `-` for standard input, and check that the datasets
    /// named there still have them
    #[arg(long, conflicts_with_all = ["json", "variables", "groups", "select"])]
    check: bool,

    /// Print only how the dataset is stored: chunks, filters, bytes before and after, where metadata lies, and what readers over a
    /// network would miss (docs/cloud.md)
    #[arg(long)]
    layout: bool,

    /// Print only where the dataset falls short of these rules, on standard error, and exit with 0 if it does not, with 1 if it does,
    /// and with 2 on any error
    #[arg(long, value_name = "RULES", value_enum)]
    require: Option<RuleName>,

    /// Print only statistics of variables: elements, missing ones, minimum, maximum, mean, standard deviation, a histogram
    #[arg(
        long,
        conflicts_with_all = ["sum", "coordinates", "header", "kind", "extended_kind", "filters", "ncml"]
    )]
    stats: bool,

    /// Print only a table of the variables in -v, as comma-separated values (docs/csv.md): columns for coordinates or indices, for
    /// auxiliary coordinates, and for the variables. The variables need the same dimensions; -t and -i print dates
    #[arg(long, requires = "variables")]
    csv: bool,

    /// With --stats: of the values that scale_factor, add_offset and _Unsigned make of the stored ones
    #[arg(long)]
    unpack: bool,

    /// Print times as dates, `2000-01-01 06`
    #[arg(short = 't', overrides_with = "iso_times")]
    times: bool,

    /// Print times as dates, `2000-01-01T06`
    #[arg(short = 'i', overrides_with = "times")]
    iso_times: bool,

    /// Print NcML instead of CDL, without data
    #[arg(short = 'x')]
    ncml: bool,

    /// Print JSON instead of CDL, with as many digits as are needed to read the same values back (docs/json.md); also for -k, -K,
    /// --filters, --diff, --sum, --stats and --layout
    #[arg(
        long = "json",
        conflicts_with_all = ["ncml", "times", "iso_times", "precision", "digits", "brief", "full", "line_length"]
    )]
    json: bool,

    /// F: print the type of _FillValue attributes; p, m: accepted, without effect
    #[arg(short = 'X', value_name = "F|p|m", action = ArgAction::Append)]
    extra: Vec<String>,

    /// Cache variables of remote datasets: accepted, without effect on files
    #[arg(short = 'w')]
    cache: bool,

    /// Log level: accepted, without effect
    #[arg(short = 'L', value_name = "LEVEL", allow_hyphen_values = true)]
    log_level: Option<String>,

    /// Treat notes as errors: exit with 1 if anything is left out
    #[arg(long)]
    strict: bool,

    /// How HDF5 plugins are used.
    #[command(flatten)]
    plugins: PluginArgs,

    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroU16>,

    /// How storage is asked.
    #[command(flatten)]
    network: NetworkArgs,

    /// Also open files outside the input's directory that the input refers to (HDF5 links, virtual
    /// datasets, external data)
    #[arg(long = "allow-external")]
    allow_external: bool,

    /// Trace operations on Zarr stores on standard error (also: NCTRACING=1 in the environment)
    #[arg(long)]
    trace: bool,

    /// Print help
    #[arg(long, action = ArgAction::Help)]
    help: Option<bool>,

    /// Print version
    #[arg(long, action = ArgAction::Version)]
    version: Option<bool>,

    /// The dataset: a file, a Zarr store (a directory or zip file, or a URL as file://PATH#mode=zarr,file), or
    /// `-` for standard input
    #[arg(value_name = "FILE")]
    input: PathBuf,

    /// More datasets, for --sum, --stats, --layout, --require, --filters, -k and -K; the exit status is the worst one. With --diff: the
    /// second dataset
    #[arg(value_name = "FILE")]
    others: Vec<PathBuf>,

    /// Whether `-f` comes after `-b`: the last one decides how indices are counted
    #[arg(skip)]
    full_last: bool,
}

/// The definition of the command line.
#[must_use]
pub fn command() -> clap::Command {
    Cli::command()
}

/// Parses a command line that begins with the tool's name. The inner error is about files and values of options.
///
/// # Errors
/// A message of clap; the texts of `--help` and `--version`, too.
pub fn parse(args: Vec<OsString>) -> std::result::Result<Result<Request>, clap::Error> {
    let command = command();
    let matches = command.clone().try_get_matches_from(args)?;
    let mut cli = Cli::from_arg_matches(&matches)?;
    MODES.check(&command, &matches, &modes(&cli))?;
    cli.full_last = matches.index_of("full") > matches.index_of("brief");
    Ok(resolve::request(cli))
}

/// The modes that a command line names, or the default.
fn modes(cli: &Cli) -> Vec<&'static str> {
    let named = [
        ("kind", cli.kind),
        ("extended", cli.extended_kind),
        ("ncml", cli.ncml),
        ("filters", cli.filters),
        ("sum", cli.sum),
        ("stats", cli.stats),
        ("layout", cli.layout),
        ("require", cli.require.is_some()),
        ("diff", cli.diff),
        ("csv", cli.csv),
    ];
    let named: Vec<_> = named
        .into_iter()
        .filter(|(_, is_given)| *is_given)
        .collect();
    match (named.is_empty(), cli.json) {
        (true, true) => vec!["json"],
        (true, false) => vec!["dump"],
        (false, _) => named.into_iter().map(|(name, _)| name).collect(),
    }
}
