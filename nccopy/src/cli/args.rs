//! The options, as typed.

use std::path::PathBuf;

use clap::Parser;
use netcdf_grammar::flags::heading::{CHECKS, RESOURCES};
use netcdf_grammar::flags::{
    ExternalArgs, HelpArgs, HyperslabArgs, JoinArgs, KindArgs, PluginArgs,
};
use netcdf_grammar::flags::{ProcessArgs, QuietArgs, StrictArgs, WriteArgs, ZarrArgs};

use super::contents::{EditArgs, SelectArgs};
use super::job::JobArgs;
use super::plan::PlanArgs;
use super::references::ReferenceArgs;
use super::storage::{IgnoredArgs, StorageArgs};
use super::value::parse_memory;

/// Copy netCDF datasets, with another format, chunk shape or compression, or only a part of the data
#[derive(Debug, Parser)]
#[command(
    name = "nccopy",
    version,
    disable_help_flag = true,
    disable_version_flag = true,
    args_override_self = true,
    max_term_width = 100,
    override_usage = "nccopy [OPTIONS] <INPUT> <OUTPUT>\n       nccopy [OPTIONS] <INPUT>... <DIRECTORY>/\n       nccopy --join[=<DIM>] [OPTIONS] <INPUT>... <OUTPUT>\n       nccopy --append[=<DIM>] [OPTIONS] <INPUT>... <OUTPUT>\n       nccopy --add-variables [OPTIONS] <INPUT>... <OUTPUT>\n       nccopy --in-place [OPTIONS] <FILE|DIRECTORY>...\n       nccopy --recover=<STATE> <FILE>...\n       nccopy -k kerchunk [OPTIONS] <INPUT>... <OUTPUT>\n       nccopy --plan <DIR> [OPTIONS] <INPUT> <OUTPUT>\n       nccopy --part <K> <DIR>\n       nccopy --finish <DIR>"
)]
pub(super) struct Cli {
    /// Inputs, followed by the output (- for standard input and output). The output is a directory if its name ends in / or if there
    /// are several inputs without --join; a directory as input stands for its datasets
    #[arg(value_name = "PATH", required = true, num_args = 1..)]
    pub paths: Vec<PathBuf>,

    /// The output's kind.
    #[command(flatten)]
    pub kind: KindArgs,

    /// The storage of the output.
    #[command(flatten)]
    pub storage: StorageArgs,

    /// The copied variables and groups.
    #[command(flatten)]
    pub select: SelectArgs,

    /// The copied ranges of dimensions.
    #[command(flatten)]
    pub part: HyperslabArgs,

    /// Inputs, outputs and reports of a job.
    #[command(flatten)]
    pub job: JobArgs,

    /// Suppressed messages.
    #[command(flatten)]
    pub quiet: QuietArgs,

    /// Help and version.
    #[command(flatten)]
    help: HelpArgs,

    /// Many inputs as one dataset.
    #[command(flatten)]
    pub join: JoinArgs,

    /// Changed names, attributes and dimensions.
    #[command(flatten)]
    pub edit: EditArgs,

    /// Zarr output.
    #[command(flatten)]
    pub zarr: ZarrArgs,

    /// References.
    #[command(flatten)]
    pub references: ReferenceArgs,

    /// Notes as errors.
    #[command(flatten)]
    pub strict: StrictArgs,

    /// Files outside the input's directory.
    #[command(flatten)]
    pub external: ExternalArgs,

    /// Write fill values if a source of a virtual dataset or of references is missing, instead of failing
    #[arg(long = "fill-missing", help_heading = CHECKS)]
    pub fill_missing: bool,

    /// Checks of outputs.
    #[command(flatten)]
    pub write: WriteArgs,

    /// A copy in parts.
    #[command(flatten)]
    pub plan: PlanArgs,

    /// HDF5 plugins.
    #[command(flatten)]
    pub plugins: PluginArgs,

    /// Settings of the process.
    #[command(flatten)]
    pub process: ProcessArgs,

    /// Memory limit for changing chunk shapes (suffixes K, M, G, T, P, or Ki, Mi, Gi, Ti for powers of two) [default: 256Mi]
    #[arg(long, value_name = "SIZE", value_parser = parse_memory, help_heading = RESOURCES)]
    pub memory: Option<u64>,

    /// Options without effect.
    #[command(flatten)]
    ignored: IgnoredArgs,
}
