//! The options, as typed.

use std::ffi::OsString;
use std::num::NonZeroU16;
use std::path::PathBuf;

use clap::builder::PossibleValue;
use clap::{ArgAction, Args, Parser, ValueEnum};
use netcdf_core::model::Kind;
use netcdf_grammar::edit::{AttributeEdit, Rename};
use netcdf_grammar::flags::{self, HyperslabArgs, KindFlags, NetworkArgs, PluginArgs, ZarrArgs};

use super::value::{
    parse_attribute, parse_chunk_size, parse_cloud, parse_level, parse_memory, parse_rename,
    parse_size,
};
use crate::request::{CloudRules, Engine, MOST_PARTS, PartChoice, ReportForm};

/// Copies a netCDF dataset, optionally changing its kind, its dimensions and what is in it.
///
/// The output appears under its name only when it is complete. A run that fails, is interrupted or is killed
/// leaves the old output as it was. Until then the output is a file without a name in the same directory, so
/// nothing else is left behind. Some file systems (NFS and others) do not have files without a name. There the
/// output is called `.NAME.??????.tmp`, and a killed run leaves this file behind. You can remove it. The next run
/// to the same place removes it if this is safe, and other runs ignore it.
#[derive(Debug, Parser)]
#[command(
    name = "nccopy",
    version,
    disable_help_flag = true,
    disable_version_flag = true,
    args_override_self = true,
    max_term_width = 100,
    override_usage = "nccopy [OPTIONS] <INPUT> <OUTPUT>\n       nccopy [OPTIONS] <INPUT>... <DIRECTORY>/\n       nccopy --in-place [OPTIONS] <FILE|DIRECTORY>...\n       nccopy --plan <DIR> [OPTIONS] <INPUT> <OUTPUT>\n       nccopy --part <K> <DIR>\n       nccopy --finish <DIR>"
)]
pub(super) struct Cli {
    /// The output's kind.
    #[command(flatten)]
    pub kind: KindArgs,

    /// What is copied.
    #[command(flatten)]
    pub select: SelectArgs,

    /// Which part of the dataset is copied.
    #[command(flatten)]
    pub part: HyperslabArgs,

    /// What is changed beside the storage.
    #[command(flatten)]
    pub edit: EditArgs,

    /// How netCDF-4 output is stored.
    #[command(flatten)]
    pub storage: StorageArgs,

    /// How Zarr output is stored.
    #[command(flatten)]
    pub zarr: ZarrArgs,

    /// Sizes for the C tool's memory.
    #[command(flatten)]
    pub hints: MemoryArgs,

    /// Bytes of memory for changing the shapes of chunks, 256 MiB if not given (suffixes K, M, G, T,
    /// P; Ki, Mi, Gi, Ti for powers of two)
    #[arg(long, value_name = "SIZE", value_parser = parse_memory)]
    pub memory: Option<u64>,

    /// Do not replace existing outputs; an output that exists is an error
    #[arg(long)]
    pub no_clobber: bool,

    /// Skip inputs whose output exists, so that a stopped job continues where it left off
    #[arg(long)]
    pub skip_existing: bool,

    /// Replace each input with its copy once the copy is complete. All paths are inputs; a directory stands for its datasets.
    /// A dataset that is already stored as requested is skipped. An input that cannot be copied without loss stays as it is,
    /// and the run fails at the end
    #[arg(long)]
    pub in_place: bool,

    /// With --in-place: also rewrite datasets that are already stored as requested
    #[arg(long)]
    pub force: bool,

    /// With --in-place: replace an input only if the copy has fewer bytes than the input
    #[arg(long)]
    pub if_smaller: bool,

    /// With --in-place: keep the modification time of each input
    #[arg(long)]
    pub keep_mtime: bool,

    /// Include the sub-directories of an input directory. The content of a file decides whether it is a dataset, not the name. A Zarr store
    /// is one dataset. Symbolic links are followed to files only, and names that begin with a dot are skipped
    #[arg(long)]
    pub recursive: bool,

    /// Ending of the names of copies in a directory, in place of the input's extension: `.zarr`, `_small.nc`. By default the
    /// extension stays, unless it names another format: with -k zarr3 copies end in .zarr, and copies of Zarr stores with
    /// -k nc4 end in .nc
    #[arg(long, value_name = "SUFFIX")]
    pub suffix: Option<OsString>,

    /// Write nothing; print what would be done (as JSON, a line for each input: docs/json.md)
    #[arg(long, value_name = "FORM", num_args = 0..=1, require_equals = true,
          default_missing_value = "table", value_enum)]
    pub dry_run: Option<ReportForm>,

    /// Print what was done: stored bytes of each variable before and after, and the time (as JSON, one line per
    /// finished input: docs/json.md). With --finish: report the parts
    #[arg(long, value_name = "FORM", num_args = 0..=1, require_equals = true,
          default_missing_value = "table", value_enum, conflicts_with = "dry_run")]
    pub report: Option<ReportForm>,

    /// Read the output back and compare all values with the input before it appears under its name
    #[arg(long)]
    pub verify: bool,

    /// Treat notes as errors: do not copy a dataset if something would be left out or not done as asked
    #[arg(long)]
    pub strict: bool,

    /// How HDF5 plugins are used.
    #[command(flatten)]
    pub plugins: PluginArgs,

    /// A copy in parts.
    #[command(flatten)]
    pub parts: PartsArgs,

    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroU16>,

    /// How storage is asked.
    #[command(flatten)]
    pub network: NetworkArgs,

    /// Also open files outside the input's directory that the input refers to (HDF5 links, virtual
    /// datasets, external data)
    #[arg(long = "allow-external")]
    pub allow_external: bool,

    /// Write fill values where sources of virtual datasets are missing; by default this is an error
    #[arg(long = "fill-missing")]
    pub fill_missing: bool,

    /// Allow outputs of more than 1 GB that are almost all fill values (less than a thousandth is stored in the input); by
    /// default this is an error
    #[arg(long = "allow-large")]
    pub allow_large: bool,

    /// Overwrite a file that has several names (hard links), so that all of them lead to the new content. This step is not atomic. By
    /// default the output replaces the file under the given name only, with a note
    #[arg(long, conflicts_with = "in_place")]
    pub keep_links: bool,

    /// Do not wait until the output has reached the disk
    #[arg(long)]
    pub no_sync: bool,

    /// Show no progress bar and no notes
    #[arg(long)]
    pub quiet: bool,

    /// Trace operations on Zarr stores on standard error (also: NCTRACING=1 in the environment)
    #[arg(long)]
    pub trace: bool,

    /// Print help
    #[arg(long, action = ArgAction::Help)]
    help: Option<bool>,

    /// Print version
    #[arg(long, action = ArgAction::Version)]
    version: Option<bool>,

    /// The datasets to copy (`-` for standard input), followed by the output file. The output is a directory if its name
    /// ends in `/` or if there are several inputs. An input directory stands for its datasets. Pipes, devices and standard output (`-`) are written in place. A Zarr
    /// store is a directory, or a zip file if the name ends in `.zip`; a URL can name one, too:
    /// file://PATH#mode=nczarr,file (or zip)
    #[arg(value_name = "PATH", required = true, num_args = 1..)]
    pub paths: Vec<PathBuf>,
}

/// Kind of the output; of several, the last counts.
#[derive(Debug, Args)]
pub(super) struct KindArgs {
    /// Kind of the output: classic (nc3), 64-bit-offset (nc6), cdf5 (nc5), netCDF-4 (nc4), "netCDF-4 classic model" (nc7),
    /// or Zarr: nczarr and zarr (version 2, with and without netCDF's own metadata), nczarr3 and zarr3 (version 3).
    /// By default a URL decides, then the output's name: if it ends in .zarr or .zip, the output is Zarr (of the input's kind
    /// if the input is Zarr, else zarr3). Otherwise the output has the input's kind; a Zarr input becomes netCDF-4
    #[arg(short, value_name = "KIND", value_parser = flags::parse_kind, action = ArgAction::Set,
          overrides_with_all = flags::KIND)]
    kind: Option<Kind>,
    /// Kinds by a digit.
    #[command(flatten)]
    flags: KindFlags,
}

impl KindArgs {
    /// The requested kind.
    #[must_use]
    pub(super) fn kind(&self) -> Option<Kind> {
        self.flags.kind().or(self.kind)
    }
}

/// What is copied.
#[derive(Debug, Args)]
pub(super) struct SelectArgs {
    /// Make unlimited dimensions fixed
    #[arg(short = 'u')]
    pub fix_unlimited: bool,
    /// Make these dimensions unlimited: names in any group, paths and patterns as for -v. With -u, all other dimensions are fixed
    #[arg(long, value_name = "DIM,…")]
    pub unlimited: Vec<OsString>,
    /// Copy the data of these variables only, but define all of them: names in any group, paths ("/g/v"), patterns ("t*", "?",
    /// "[a-z]"), and "!" before what to leave out ("!t*"); a backslash makes the next character an ordinary one
    #[arg(
        short = 'v',
        value_name = "VAR,…",
        conflicts_with = "only_vars",
        group = "vars"
    )]
    pub data_vars: Vec<OsString>,
    /// Copy these variables only, definitions and data; named as for -v
    #[arg(short = 'V', value_name = "VAR,…", group = "vars")]
    pub only_vars: Vec<OsString>,
    /// With -v or -V, also keep the variables that locate the values: coordinate variables, and those named by the
    /// attributes coordinates, bounds, grid_mapping and others of the CF conventions
    #[arg(long, requires = "vars")]
    pub coordinates: bool,
    /// Copy the data of these groups only, but define all variables: names, paths, patterns and "!" as for -v
    #[arg(short = 'g', value_name = "GROUP,…", conflicts_with = "only_groups")]
    pub data_groups: Vec<OsString>,
    /// Copy these groups only, definitions and data; named as for -g
    #[arg(short = 'G', value_name = "GROUP,…")]
    pub only_groups: Vec<OsString>,
}

/// The stored form of enums.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum EnumForm {
    /// Numbers, described by `flag_values` and `flag_meanings`.
    Flags,
}

/// What is changed beside the storage.
#[derive(Debug, Args)]
pub(super) struct EditArgs {
    /// Store variables with enum types as numbers, with the CF attributes flag_values and flag_meanings, for kinds without enums.
    /// Enum attributes become numbers. Kinds with truth values store enums of FALSE = 0 and TRUE = 1 as truth values
    #[arg(long, value_name = "flags")]
    pub enums: Option<EnumForm>,
    /// Give dimensions, variables and groups of this name or path (`/g/v`) another name, only the variables (`var:OLD,NEW`) or only the
    /// dimensions (`dim:OLD,NEW`), or an attribute (`VAR@ATTRIBUTE,NEW`).
    /// Attributes that name variables, such as coordinates and bounds, follow. Data is not touched. Can be given several times
    #[arg(long, value_name = "OLD,NEW", value_parser = parse_rename)]
    pub rename: Vec<Rename>,
    /// Set an attribute, with values as in CDL and a type before the variable where the values do not say it
    /// (`v@units="K"`, `short v@levels=1, 2`), or remove it (`!v@units`). The owner is a list of variables as for -v, or of groups
    /// (`/g/@title="…"`); without one it is the dataset (`@title="…"`). All options use the names of the input. Can be given several
    /// times
    #[arg(long, value_name = "VAR@NAME=VALUE", value_parser = parse_attribute)]
    pub attribute: Vec<AttributeEdit>,
    /// Prepend the UTC date and this command to the global attribute `history`, as NCO and CDO do. Passwords and queries are removed from
    /// addresses
    #[arg(long)]
    pub history: bool,
    /// The time for --history in seconds since 1970. Plans set it for their parts
    #[arg(long, value_name = "SECONDS", requires = "history", hide = true)]
    pub history_time: Option<u64>,
}

/// Storage of netCDF-4 output.
#[derive(Debug, Args)]
pub(super) struct StorageArgs {
    /// Deflate level of all variables of netCDF-4 output (0 for none)
    #[arg(short = 'd', value_name = "LEVEL", value_parser = parse_level)]
    pub deflate: Option<u8>,
    /// Shuffle the bytes before deflating them
    #[arg(short = 's')]
    pub shuffle: bool,
    /// Chunks of netCDF-4 output: "dim/N,dim/N,…" (all of the dimension without N), "var:N,N,…",
    /// "var:contiguous", "var:compact", or "/" for no chunks
    #[arg(short = 'c', value_name = "CHUNKS")]
    pub chunks: Vec<String>,
    /// Shards of Zarr version 3 output; each shard holds several chunks: "dim/N,dim/N,…" or "var:N,N,…" in elements, as
    /// for -c
    #[arg(long = "shard", value_name = "SHARDS")]
    pub shards: Vec<String>,
    /// Filters of netCDF-4 output: "var,FILTER,PARAMETER,…", with "var&var" and "|" for several
    /// variables and filters, patterns ("*", "?", "[a-z]") for names of variables, and names or
    /// numbers of filters and parameters ("temp*,shuffle|zstd,3", "*,blosc,codec=zstd,level=5",
    /// "temp,zfp,accuracy=0.001"); "var,none" for no filters, "none" for no others. A filter
    /// named with a pattern is applied where possible. Patterns with lossy filters skip coordinates and
    /// the variables that describe them
    #[arg(short = 'F', value_name = "FILTER")]
    pub filters: Vec<String>,
    /// Quantize numbers of netCDF-4 output, so that they compress better: "var,ALGORITHM,N", with
    /// "var&var" and patterns as for -F. bitgroom and granularbr keep N decimal digits (float 1 to 6,
    /// double 1 to 15), bitround N bits (float 1 to 23, double 1 to 52). Patterns skip coordinates and
    /// the variables that describe them; "var,none" leaves a variable as it is
    #[arg(long, value_name = "QUANTIZATION")]
    pub quantize: Vec<String>,
    /// Smallest size in bytes of variables (with "dim/N") or chunks that are stored in chunks where nothing
    /// else requires chunks [default: 8192]
    #[arg(short = 'M', value_name = "BYTES", value_parser = parse_size)]
    pub min_chunk: Option<u64>,
    /// Size of chunks before filters, for variables and dimensions that -c does not name: chunks have at least so many bytes
    /// (suffixes as for --memory), and their edges are about equal shares of the dimensions. Smaller variables are one chunk
    #[arg(long, value_name = "SIZE", value_parser = parse_chunk_size)]
    pub chunk_size: Option<u64>,
    /// Store data as readers over a network need it: all metadata in front, then coordinates and small variables, and chunks
    /// of --chunk-size [default: 4Mi], unless those of the input have a quarter to four times as many bytes. Further options win.
    /// RULES: cmip7 (for files of CMIP7: also time and its bounds in one chunk each, and no chunks below --chunk-size),
    /// paged or paged,SIZE (also metadata in pages of SIZE bytes, a power of two, for the page buffer of HDF5 [default: the smallest from
    /// 64Ki to 8Mi that holds all metadata]), or both (cmip7,paged)
    #[arg(long, value_name = "RULES", num_args = 0..=1, require_equals = true,
          default_missing_value = "", value_parser = parse_cloud)]
    pub cloud: Option<CloudRules>,
}

/// A copy in parts, which other programs run on any machines.
#[derive(Debug, Args)]
pub(super) struct PartsArgs {
    /// Copy nothing yet: divide the copy into parts that processes on any machines can make (--part), and describe them in a new
    /// directory DIR (docs/machines.md)
    #[arg(long, value_name = "DIR")]
    pub plan: Option<PathBuf>,
    /// With --plan: the number of parts
    #[arg(long, value_name = "N", conflicts_with = "part_size",
          value_parser = clap::value_parser!(u64).range(1..=MOST_PARTS))]
    pub parts: Option<u64>,
    /// With --plan: bytes of elements of a part [default: 1Gi] (suffixes as for --memory)
    #[arg(long, value_name = "SIZE", value_parser = parse_chunk_size)]
    pub part_size: Option<u64>,
    /// With --plan: copy in one stage or in two, of which the first cuts the input into pieces that the second puts together (docs/machines.md)
    /// [default: two for variables of which parts would otherwise decode each chunk of the input many times]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=2))]
    pub stages: Option<u8>,
    /// With --plan: make the plan even if other users can read user names, passwords and queries of addresses in it, because the file
    /// system has no permissions (exFAT, mounted buckets)
    #[arg(long)]
    pub allow_secrets: bool,
    /// Make part K of the plan in a directory, the only path: nccopy --part K DIR. Parts are numbered from 0 on. K-L makes several,
    /// auto the one of the task of a job (SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX). A part can be made any number of times.
    /// Exit status 75 means: try again
    #[arg(long = "part", id = "one_part", value_name = "K")]
    pub part: Option<PartChoice>,
    /// Make parts of the plan in a directory that no other process makes, until none is left: nccopy --next DIR, on as many machines
    /// as there are. Exit status 75 means that others still make some
    #[arg(long)]
    pub next: bool,
    /// With --next: lease time of a part in seconds; after it expires, another process may run the part. With --finish: lease time of the
    /// right to finish the plan, in buckets and on file systems without locks; nccopy renews it [default: 3600, with --finish 300]
    #[arg(long, value_name = "SECONDS")]
    pub lease: Option<u32>,
    /// Check that all parts of the plan in a directory are made, and make the output from them
    #[arg(long)]
    pub finish: bool,
    /// With --finish: skip the comparison of the stored bytes with the digests of the parts, which --report needs
    #[arg(long, conflicts_with = "report")]
    pub no_check: bool,
    /// Print how many parts of the plan in a directory are made
    #[arg(long)]
    pub status: bool,
    /// With --status: as JSON
    #[arg(long)]
    pub json: bool,
    /// Remove the plan in a directory, with all that belongs to it. The output stays
    #[arg(long)]
    pub clean: bool,
    /// Print a script with which ENGINE makes the parts of the plan in a directory, and then the output: nccopy --emit slurm DIR
    /// (docs/machines.md)
    #[arg(long, value_name = "ENGINE", value_enum)]
    pub emit: Option<Engine>,
}

impl PartsArgs {
    /// Whether the only path is the directory of a plan.
    #[must_use]
    pub(super) fn takes_folder(&self) -> bool {
        let one = self.next || self.finish || self.status || self.clean;
        one || self.part.is_some() || self.emit.is_some()
    }
}

/// Options that the C tool needs; memory is found here as it is needed.
#[derive(Debug, Args)]
pub(super) struct MemoryArgs {
    /// Accepted, without effect: bytes of the copy buffer (suffixes K, M, G, T, P)
    #[arg(short = 'm', value_name = "BYTES", value_parser = parse_size)]
    buffer: Option<u64>,
    /// Accepted, without effect: bytes of the chunk cache
    #[arg(short = 'h', value_name = "BYTES", value_parser = parse_size)]
    cache: Option<u64>,
    /// Accepted, without effect: chunks in the chunk cache
    #[arg(short = 'e', value_name = "CHUNKS", value_parser = parse_size)]
    cache_chunks: Option<u64>,
    /// Accepted, without effect: write through memory
    #[arg(short = 'w')]
    write_diskless: bool,
    /// Accepted, without effect: read through memory
    #[arg(short = 'r')]
    read_diskless: bool,
    /// Accepted, without effect
    #[arg(short = 'x', hide = true)]
    computed_caches: bool,
    /// Accepted, without effect: log level
    #[arg(short = 'L', value_name = "LEVEL")]
    log_level: Option<String>,
}

impl ValueEnum for ReportForm {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Table, Self::Json]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = match self {
            Self::Table => ("table", "A table"),
            Self::Json => ("json", "JSON"),
        };
        Some(PossibleValue::new(name).help(help))
    }
}

impl ValueEnum for Engine {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = match self {
            Self::Slurm => (
                "slurm",
                "Slurm: a shell script that submits a job array, and a job that finishes the copy",
            ),
            Self::Dask => (
                "dask",
                "Dask: a Python script for a scheduler of distributed, or worker processes on this machine",
            ),
            Self::Snakemake => ("snakemake", "Snakemake: a Snakefile"),
            Self::Parallel => (
                "parallel",
                "GNU parallel: a shell script for this machine, or several by SSH",
            ),
        };
        Some(PossibleValue::new(name).help(help))
    }
}
