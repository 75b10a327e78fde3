//! The command line of nccopy.

use std::ffi::OsString;
use std::num::NonZeroU16;
use std::path::PathBuf;

use clap::{ArgAction, Args, CommandFactory, Parser};
use netcdf_core::model::Kind;

/// Copies a netCDF dataset, optionally changing its kind, its dimensions and what is in it.
///
/// The output appears under its name when it is whole. A failed or interrupted run leaves what
/// was there before.
#[derive(Debug, Parser)]
#[command(
    name = "nccopy",
    version,
    disable_help_flag = true,
    disable_version_flag = true,
    args_override_self = true,
    max_term_width = 100
)]
pub struct Cli {
    /// The output's kind.
    #[command(flatten)]
    pub kind: KindArgs,

    /// What is copied.
    #[command(flatten)]
    pub select: SelectArgs,

    /// How netCDF-4 output is stored.
    #[command(flatten)]
    pub storage: StorageArgs,

    /// Sizes for the C tool's memory.
    #[command(flatten)]
    pub memory: MemoryArgs,

    /// Threads that work at a time; all cores if not given
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroU16>,

    /// Open files that the input names and that are not in its directory (HDF5 links, virtual
    /// datasets and external data)
    #[arg(long = "allow-external")]
    pub allow_external: bool,

    /// Do not wait until the output is on the disk
    #[arg(long)]
    pub no_sync: bool,

    /// No progress bar, no notes
    #[arg(long)]
    pub quiet: bool,

    /// Print help
    #[arg(long, action = ArgAction::Help)]
    help: Option<bool>,

    /// Print version
    #[arg(long, action = ArgAction::Version)]
    version: Option<bool>,

    /// The dataset to be copied; `-` for standard input
    pub input: PathBuf,

    /// The file to be made. A pipe or device (`/dev/stdout`) is written in place
    pub output: PathBuf,
}

/// Kind of the output; of several, the last counts.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct KindArgs {
    /// Kind of the output, by default the input's: classic (nc3), 64-bit-offset (nc6), cdf5 (nc5),
    /// netCDF-4 (nc4) or "netCDF-4 classic model" (nc7)
    #[arg(short, value_name = "KIND", value_parser = parse_kind, action = ArgAction::Set,
          overrides_with_all = ["kind", "classic", "offset64", "cdf5", "netcdf4", "netcdf4_classic"])]
    kind: Option<Kind>,
    /// Classic output (CDF-1), as -k classic
    #[arg(short = '3', overrides_with_all = ["kind", "classic", "offset64", "cdf5", "netcdf4", "netcdf4_classic"])]
    classic: bool,
    /// netCDF-4 output, as -k netCDF-4
    #[arg(short = '4', overrides_with_all = ["kind", "classic", "offset64", "cdf5", "netcdf4", "netcdf4_classic"])]
    netcdf4: bool,
    /// CDF-5 output, as -k cdf5
    #[arg(short = '5', overrides_with_all = ["kind", "classic", "offset64", "cdf5", "netcdf4", "netcdf4_classic"])]
    cdf5: bool,
    /// 64-bit offset output (CDF-2), as -k 64-bit-offset
    #[arg(short = '6', overrides_with_all = ["kind", "classic", "offset64", "cdf5", "netcdf4", "netcdf4_classic"])]
    offset64: bool,
    /// netCDF-4 classic model output, as -k nc7
    #[arg(short = '7', overrides_with_all = ["kind", "classic", "offset64", "cdf5", "netcdf4", "netcdf4_classic"])]
    netcdf4_classic: bool,
}

impl KindArgs {
    /// The kind asked for.
    #[must_use]
    pub fn kind(&self) -> Option<Kind> {
        let flags = [
            (self.classic, Kind::Classic),
            (self.offset64, Kind::Offset64),
            (self.cdf5, Kind::Cdf5),
            (self.netcdf4, Kind::Netcdf4),
            (self.netcdf4_classic, Kind::Netcdf4Classic),
        ];
        let flag = flags.into_iter().find(|(set, _)| *set);
        flag.map(|(_, kind)| kind).or(self.kind)
    }
}

/// What is copied.
#[derive(Debug, Args)]
pub struct SelectArgs {
    /// Make unlimited dimensions fixed ones
    #[arg(short = 'u')]
    pub fix_unlimited: bool,
    /// Data of these variables only, definitions of all
    #[arg(short = 'v', value_name = "VAR,…", conflicts_with = "only_vars")]
    pub data_vars: Vec<OsString>,
    /// Definitions and data of these variables only
    #[arg(short = 'V', value_name = "VAR,…")]
    pub only_vars: Vec<OsString>,
    /// Data of the variables of these groups only, definitions of all
    #[arg(short = 'g', value_name = "GROUP,…", conflicts_with = "only_groups")]
    pub data_groups: Vec<OsString>,
    /// Definitions and data of these groups only
    #[arg(short = 'G', value_name = "GROUP,…")]
    pub only_groups: Vec<OsString>,
}

/// Storage of netCDF-4 output.
#[derive(Debug, Args)]
pub struct StorageArgs {
    /// Deflate level of all variables of netCDF-4 output (0 for none)
    #[arg(short = 'd', value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(0..=9))]
    pub deflate: Option<u8>,
    /// Shuffle bytes before they are deflated
    #[arg(short = 's')]
    pub shuffle: bool,
    /// Chunks of netCDF-4 output: "dim/N,dim/N,…" or "var:N,N,…"
    #[arg(short = 'c', value_name = "CHUNKS")]
    pub chunks: Vec<String>,
    /// Filters of netCDF-4 output: "var,ID,PARAMETER,…", "*,…" for all variables, "none"
    #[arg(short = 'F', value_name = "FILTER")]
    pub filters: Vec<String>,
    /// Bytes of the smallest chunk that a variable without unlimited dimension is worth
    #[arg(short = 'M', value_name = "BYTES", value_parser = parse_size)]
    pub min_chunk: Option<u64>,
}

/// Options that the C tool needs; memory is found here as it is needed.
#[derive(Debug, Args)]
pub struct MemoryArgs {
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

/// The definition of the command line.
#[must_use]
pub fn command() -> clap::Command {
    Cli::command()
}

fn parse_kind(text: &str) -> Result<Kind, String> {
    Kind::from_name(text).ok_or_else(|| {
        "expected classic, 64-bit-offset, cdf5, netCDF-4 or \"netCDF-4 classic model\"".to_owned()
    })
}

/// A number with a decimal suffix, as the C tool takes it: `5000000`, `5M`, `0.5g`.
fn parse_size(text: &str) -> Result<u64, String> {
    let wrong = || "expected a number, with suffix K, M, G, T or P if need be".to_owned();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let power = match text.get(digits.len()..).unwrap_or_default() {
        "" => 0,
        "k" | "K" => 3,
        "m" | "M" => 6,
        "g" | "G" => 9,
        "t" | "T" => 12,
        "p" | "P" => 15,
        _ => return Err(wrong()),
    };
    let number: f64 = digits.parse().map_err(|_| wrong())?;
    let size = netcdf_core::model::convert::whole_number(number * 10f64.powi(power));
    size.and_then(|n| u64::try_from(n).ok()).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Cli, clap::Error> {
        Cli::try_parse_from(line.split(' '))
    }

    #[test]
    fn definition_is_sound() {
        command().debug_assert();
    }

    #[test]
    fn the_last_kind_counts() {
        for (line, kind) in [
            ("nccopy a b", None),
            ("nccopy -3 a b", Some(Kind::Classic)),
            ("nccopy -3 -5 a b", Some(Kind::Cdf5)),
            ("nccopy -5 -k nc6 a b", Some(Kind::Offset64)),
            ("nccopy -k nc6 -k 1 a b", Some(Kind::Classic)),
            ("nccopy -k2 -7 a b", Some(Kind::Netcdf4Classic)),
            ("nccopy -4 -4 a b", Some(Kind::Netcdf4)),
        ] {
            assert_eq!(parse(line).unwrap().kind.kind(), kind, "{line}");
        }
        assert!(parse("nccopy -k nosuch a b").is_err());
    }

    #[test]
    fn sizes_have_decimal_suffixes() {
        assert_eq!(parse_size("5000000"), Ok(5_000_000));
        assert_eq!(parse_size("1.5k"), Ok(1500));
        assert_eq!(parse_size("2P"), Ok(2_000_000_000_000_000));
        for wrong in ["", "k", "5x", "-1", "5kk", "1e400"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn single_letters_mean_what_they_mean_in_c() {
        let line = "nccopy -M500 -d1 -s -c t/5 -Fv,307,9 -m 5M -h1k -e 3 -w -r -L2 -x -u a b";
        let cli = parse(line).unwrap();
        assert_eq!(cli.storage.min_chunk, Some(500));
        assert_eq!(cli.storage.deflate, Some(1));
        assert_eq!(cli.storage.filters, ["v,307,9"]);
        assert!(cli.select.fix_unlimited && cli.storage.shuffle);
        assert!(parse("nccopy -d10 a b").is_err());
        assert!(parse("nccopy a").is_err());
        assert!(parse("nccopy -v x -V y a b").is_err());
    }
}
