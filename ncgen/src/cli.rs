//! The command line of ncgen.

use std::ffi::OsString;
use std::num::NonZeroU16;
use std::path::PathBuf;

use clap::{ArgAction, ArgGroup, Args, CommandFactory, FromArgMatches as _, Parser};
use netcdf_core::io::locator::OutputRequest;
use netcdf_core::model::Kind;
use netcdf_grammar::flags::{self, KindFlags, NetworkArgs, PluginArgs, ZarrArgs};

use crate::modes::MODES;
use crate::request::{NameRequest, ProcessRequest, ProgramLanguage, Request};

/// Makes a netCDF dataset from CDL text or JSON, or checks the text.
///
/// JSON is what `ncdump --json` prints: text that begins with `{`.
///
/// Without -o, -b, -n or a kind, nothing is written: the text is checked, including its data. The output appears under its
/// name only when it is complete. Until then it is a file without a name in the same directory. Some file systems (NFS and
/// others) do not have files without a name. There the output is called `.NAME.??????.tmp`, and a killed run leaves this
/// file behind. You can remove it. The next run to the same place removes it if this is safe, and other runs ignore it.
#[derive(Debug, Parser)]
#[command(
    name = "ncgen",
    version,
    disable_help_flag = true,
    disable_version_flag = true,
    args_override_self = true,
    max_term_width = 100
)]
struct Cli {
    /// What is made.
    #[command(flatten)]
    output: OutputArgs,

    /// The output's kind.
    #[command(flatten)]
    kind: KindArgs,

    /// How Zarr output is stored.
    #[command(flatten)]
    zarr: ZarrArgs,

    /// Check declarations only, and ignore data lists
    #[arg(short = 'H')]
    header_only: bool,

    /// Do not fill elements for which the text has no values
    #[arg(short = 'x')]
    no_fill: bool,

    /// Options that the C tool needs.
    #[command(flatten)]
    old: OldArgs,

    /// How HDF5 plugins are used.
    #[command(flatten)]
    plugins: PluginArgs,

    /// How storage is asked.
    #[command(flatten)]
    network: NetworkArgs,

    /// Accepted, without effect so far: one thread reads the text
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroU16>,

    /// Allow outputs of more than 1 GB that are almost all fill values; by default this is an error
    #[arg(long = "allow-large")]
    allow_large: bool,

    /// Put all metadata in front of the data for readers over a network: in netCDF-4 files also the indexes of chunks, of variables
    /// whose lengths are known before their values (docs/cloud.md); in Zarr stores as with --consolidated
    #[arg(long)]
    cloud: bool,

    /// Overwrite a file that has several names (hard links), so that all of them lead to the new content. This step is not atomic. By
    /// default the output replaces the file under the given name only, with a note
    #[arg(long)]
    keep_links: bool,

    /// Do not wait until the output has reached the disk
    #[arg(long)]
    no_sync: bool,

    /// Treat warnings as errors: write nothing if there are any
    #[arg(long)]
    strict: bool,

    /// Show no warnings
    #[arg(long)]
    quiet: bool,

    /// Trace operations on Zarr stores on standard error (also: NCTRACING=1 in the environment)
    #[arg(long)]
    trace: bool,

    /// Print a short usage message
    #[arg(short = 'h', action = ArgAction::HelpShort)]
    usage: Option<bool>,

    /// Print help
    #[arg(long, action = ArgAction::HelpLong)]
    help: Option<bool>,

    /// Print version
    #[arg(long, action = ArgAction::Version)]
    version: Option<bool>,

    /// The CDL text or JSON [default: standard input, also `-`]
    input: Option<PathBuf>,
}

/// What is made, and its name.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("what").multiple(false))]
pub struct OutputArgs {
    /// Make a netCDF file, by default named after the text, with `.nc`
    #[arg(short = 'b', group = "what")]
    pub binary: bool,
    /// As -b, with `.cdf`
    #[arg(short = 'n', group = "what")]
    pub cdf: bool,
    /// What to make: b (a netCDF file), or a program that makes the file, in c, f77 or java
    #[arg(short = 'l', value_name = "b|c|f77|java", value_parser = parse_language, group = "what")]
    pub language: Option<ProgramLanguage>,
    /// As -l c
    #[arg(short = 'c', group = "what")]
    pub c: bool,
    /// As -l f77
    #[arg(short = 'f', group = "what")]
    pub f77: bool,
    /// The output file (`-` for standard output), or the file that the program will make; implies -b without -l.
    /// A Zarr store is a directory, or a zip file if the name ends in `.zip`; a URL names one, too:
    /// file://PATH#mode=nczarr,file (or zip)
    #[arg(short = 'o', value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Name of the dataset, overriding the name in the text
    #[arg(short = 'N', value_name = "NAME")]
    pub name: Option<OsString>,
    /// Name of the main function or class of a program
    #[arg(short = 'M', value_name = "NAME")]
    pub main: Option<OsString>,
}

/// Kind of the output; of several, the last counts.
#[derive(Debug, Args)]
pub struct KindArgs {
    /// Kind of the output: classic (nc3), 64-bit-offset (nc6), cdf5 (nc5), netCDF-4 (nc4), "netCDF-4 classic model" (nc7),
    /// or Zarr: nczarr and zarr (version 2, with and without netCDF's own metadata), nczarr3 and zarr3 (version 3).
    /// By default a URL decides, then the output's name (zarr3 if it ends in .zarr or .zip), then `_Format` in the text, else the
    /// oldest kind that can hold the dataset
    #[arg(short, visible_short_alias = 'v', value_name = "KIND", value_parser = flags::parse_kind, action = ArgAction::Set,
          overrides_with_all = flags::KIND)]
    kind: Option<Kind>,
    /// Kinds by a digit.
    #[command(flatten)]
    flags: KindFlags,
}

impl KindArgs {
    /// The requested kind.
    #[must_use]
    pub fn kind(&self) -> Option<Kind> {
        self.flags.kind().or(self.kind)
    }
}

/// Options that the C tool needs, or once needed; most have no effect.
#[derive(Debug, Args)]
pub struct OldArgs {
    /// Accepted, without effect
    #[arg(short = '1')]
    one: bool,
    /// Accepted, without effect: write through memory
    #[arg(short = 'P')]
    diskless: bool,
    /// Most elements of a variable that a program writes at once [default: 1024]; it writes larger variables, and those
    /// with unlimited dimensions, row by row
    #[arg(short = 'W', value_name = "N")]
    pub whole: Option<u64>,
    /// Accepted, without effect: size of a buffer
    #[arg(short = 'B', value_name = "N")]
    buffer: Option<OsString>,
    /// Accepted, without effect: debugging output
    #[arg(short = 'd')]
    debug: bool,
    /// Accepted, without effect: level of debugging output
    #[arg(short = 'D', value_name = "LEVEL")]
    debug_level: Option<OsString>,
    /// Accepted, without effect: log level
    #[arg(short = 'L', value_name = "LEVEL")]
    log_level: Option<OsString>,
}

/// The definition of the command line.
#[must_use]
pub fn command() -> clap::Command {
    Cli::command()
}

/// Parses a command line that begins with the tool's name.
///
/// # Errors
/// A mistake in the command line, or the requested help or version.
pub fn parse(tool: &'static str, args: Vec<OsString>) -> Result<Request, clap::Error> {
    let mut command = command().name(tool).bin_name(tool);
    // clap would take `-o=FILE` for `-o FILE`, getopt takes it for a file with the name `=FILE`.
    let mut options = args.iter().skip(1).take_while(|arg| *arg != "--");
    let equals = options.find_map(|arg| arg.to_str()?.strip_prefix("-o="));
    if let Some(file) = equals {
        let what = format!(
            "-o={file}: the C tool names this file `={file}`: use `-o {file}`, or `-o ./={file}` for that name"
        );
        return Err(command.error(clap::error::ErrorKind::InvalidValue, what));
    }
    let matches = command.clone().try_get_matches_from(args)?;
    let cli = Cli::from_arg_matches(&matches)?;
    let request = cli.resolve();
    MODES.check(&command, &matches, &[mode(&request)])?;
    Ok(request)
}

/// The mode of a command line.
fn mode(request: &Request) -> &'static str {
    match request.language {
        None => "check",
        Some(ProgramLanguage::Binary) => "binary",
        Some(ProgramLanguage::C | ProgramLanguage::Fortran | ProgramLanguage::Java) => "program",
    }
}

impl Cli {
    fn resolve(self) -> Request {
        let kind = self.kind.kind();
        Request {
            language: language(&self.output, kind),
            names: NameRequest {
                file: self.output.file,
                dataset: self.output.name,
                main: self.output.main,
                cdf: self.output.cdf,
            },
            output: OutputRequest {
                keep_links: self.keep_links,
                ..self.zarr.asked(kind)
            },
            input: self.input,
            header_only: self.header_only,
            no_fill: self.no_fill,
            at_once: self.old.whole.unwrap_or(1024),
            allow_large: self.allow_large,
            cloud: self.cloud,
            strict: self.strict,
            process: ProcessRequest {
                threads: self.threads,
                plugins: self.plugins,
                network: self.network,
                no_sync: self.no_sync,
                quiet: self.quiet,
                trace: self.trace,
            },
        }
    }
}

/// The language of the output. Without one, the text is only checked.
fn language(args: &OutputArgs, kind: Option<Kind>) -> Option<ProgramLanguage> {
    let implied = args.file.is_some() || kind.is_some();
    let flags = [
        (args.binary || args.cdf, ProgramLanguage::Binary),
        (args.c, ProgramLanguage::C),
        (args.f77, ProgramLanguage::Fortran),
    ];
    let flag = flags.into_iter().find(|(set, _)| *set);
    flag.map(|(_, language)| language)
        .or(args.language)
        .or(implied.then_some(ProgramLanguage::Binary))
}

fn parse_language(text: &str) -> Result<ProgramLanguage, String> {
    match text {
        "b" => Ok(ProgramLanguage::Binary),
        "c" | "C" => Ok(ProgramLanguage::C),
        "f77" | "fortran77" | "Fortran77" => Ok(ProgramLanguage::Fortran),
        "j" | "java" => Ok(ProgramLanguage::Java),
        _ => Err("expected b, c, f77 or java".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn parse(args: &str) -> Result<Request, clap::Error> {
        let args = std::iter::once("ncgen").chain(args.split_whitespace());
        super::parse("ncgen", args.map(OsString::from).collect())
    }

    #[test]
    fn an_equals_sign_after_o_is_explained() {
        let e = parse("-o=o.nc t.cdl").unwrap_err().to_string();
        assert!(e.contains("names this file `=o.nc`"), "{e}");
        assert!(parse("-o ./=o.nc t.cdl").is_ok());
        assert!(parse("-b -- -o=o.nc").is_ok());
    }

    #[test]
    fn the_definition_is_sound() {
        command().debug_assert();
        assert!(command().get_arguments().all(|a| a.get_help().is_some()));
    }

    #[test]
    fn help_is_no_error() {
        for args in ["-h", "--help", "--version"] {
            assert!(!parse(args).unwrap_err().use_stderr(), "{args}");
        }
    }

    #[test]
    fn every_flag_of_the_c_tool_is_known() {
        let line = "-1 -3 -b -d -D 1 -H -k nc3 -M m -o x -P -v nc6 -x -L 1 -N n -B 1 -W 1 f";
        let request = parse(line).unwrap();
        assert_eq!(request.output.kind, Some(Kind::OFFSET64));
        assert_eq!(
            (request.language, request.text()),
            (Some(ProgramLanguage::Binary), Some(Path::new("f")))
        );
        assert!(request.header_only && request.no_fill);
    }

    #[test]
    fn the_last_kind_counts() {
        assert_eq!(parse("-3 -5").unwrap().output.kind, Some(Kind::CDF5));
        assert_eq!(parse("-5 -k nc3").unwrap().output.kind, Some(Kind::CLASSIC));
        assert_eq!(parse("-k 3 -6").unwrap().output.kind, Some(Kind::OFFSET64));
        assert!(parse("-k nc9").is_err());
    }

    #[test]
    fn what_is_made() {
        for (args, language) in [
            ("", None),
            ("-x -H", None),
            ("-1", None),
            ("-n", Some(ProgramLanguage::Binary)),
            ("-7", Some(ProgramLanguage::Binary)),
            ("-o x", Some(ProgramLanguage::Binary)),
            ("-l b", Some(ProgramLanguage::Binary)),
            ("-c -3", Some(ProgramLanguage::C)),
            ("-lf77", Some(ProgramLanguage::Fortran)),
            ("-f", Some(ProgramLanguage::Fortran)),
            ("-ljava -o x", Some(ProgramLanguage::Java)),
        ] {
            assert_eq!(parse(args).unwrap().language, language, "{args}");
        }
        assert!(parse("-b -c").is_err());
        assert!(parse("-lcobol").is_err());
        assert_eq!(parse("-").unwrap().text(), None);
        assert!(parse("a b").is_err());
    }
}
