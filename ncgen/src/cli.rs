//! The command line of ncgen.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgAction, ArgGroup, Args, CommandFactory, FromArgMatches as _, Parser};
use netcdf_core::io::locator::OutputRequest;
use netcdf_grammar::flags::heading::{EVERYDAY, IGNORED};
use netcdf_grammar::flags::{HelpArgs, KindArgs, PluginArgs, ProcessArgs, QuietArgs};
use netcdf_grammar::flags::{StrictArgs, WriteArgs, ZarrArgs};
use netcdf_grammar::help::{self, Example};

use crate::modes::MODES;
use crate::request::{NameRequest, ProcessRequest, ProgramLanguage, Request};

/// Heading of options for programs.
const PROGRAMS: &str = "Programs as output";

/// Heading of further options for outputs.
const OUTPUT: &str = "Output";

/// The examples of `--help`.
pub const EXAMPLES: [Example; 3] = [
    (
        "ncgen -o out.nc in.cdl",
        "Write a dataset, of the oldest kind that can store it",
    ),
    ("ncgen -k zarr3 -o out.zarr in.cdl", "Write a Zarr store"),
    ("ncgen in.cdl", "Check the text without writing an output"),
];

/// Generate a netCDF dataset or a program from CDL text or JSON, or check the text
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
    /// CDL text, or JSON as printed by ncdump --json [default: standard input, also -]
    input: Option<PathBuf>,

    /// The output.
    #[command(flatten)]
    output: OutputArgs,

    /// The output's kind.
    #[command(flatten)]
    kind: KindArgs,

    /// Suppressed messages.
    #[command(flatten)]
    quiet: QuietArgs,

    /// A short help.
    #[command(flatten)]
    usage: UsageArgs,

    /// Help and version.
    #[command(flatten)]
    help: HelpArgs,

    /// Contents of the output.
    #[command(flatten)]
    contents: ContentArgs,

    /// A program as output.
    #[command(flatten)]
    program: ProgramArgs,

    /// Zarr output.
    #[command(flatten)]
    zarr: ZarrArgs,

    /// Warnings as errors.
    #[command(flatten)]
    strict: StrictArgs,

    /// Checks of the output.
    #[command(flatten)]
    write: WriteArgs,

    /// HDF5 plugins.
    #[command(flatten)]
    plugins: PluginArgs,

    /// Settings of the process.
    #[command(flatten)]
    process: ProcessArgs,

    /// Options without effect.
    #[command(flatten)]
    ignored: IgnoredArgs,
}

/// The output and its name.
#[derive(Debug, Args)]
#[command(next_help_heading = EVERYDAY, group = ArgGroup::new("what").multiple(false))]
struct OutputArgs {
    /// Write the output to FILE (- for standard output); implies -b without -l. A Zarr store is a directory, or a zip file if the name
    /// ends in .zip
    #[arg(short = 'o', value_name = "FILE")]
    file: Option<PathBuf>,
    /// Write a netCDF file named after the input, with .nc
    #[arg(short = 'b', group = "what")]
    binary: bool,
    /// Check declarations only, and ignore data
    #[arg(short = 'H')]
    header_only: bool,
}

/// A short help.
#[derive(Debug, Args)]
#[command(next_help_heading = EVERYDAY)]
struct UsageArgs {
    /// Print the most important options
    #[arg(short = 'h', action = ArgAction::HelpShort)]
    usage: Option<bool>,
}

/// Contents of the output.
#[derive(Debug, Args)]
#[command(next_help_heading = OUTPUT)]
struct ContentArgs {
    /// Write a netCDF file named after the input, with .cdf
    #[arg(short = 'n', group = "what")]
    cdf: bool,
    /// Name of the dataset, in place of the name in the text
    #[arg(short = 'N', value_name = "NAME")]
    name: Option<OsString>,
    /// Write no fill values to elements without data
    #[arg(short = 'x')]
    no_fill: bool,
    /// Write all metadata before the data, for remote readers. For Zarr, the same as --consolidated
    #[arg(long)]
    cloud: bool,
}

/// A program as output.
#[derive(Debug, Args)]
#[command(next_help_heading = PROGRAMS)]
struct ProgramArgs {
    /// Output language: b (a netCDF file), or c, f77 or java (a program that creates the file)
    #[arg(short = 'l', value_name = "b|c|f77|java", value_parser = parse_language, group = "what")]
    language: Option<ProgramLanguage>,
    /// Write a C program, as -l c
    #[arg(short = 'c', group = "what")]
    c: bool,
    /// Write a Fortran 77 program, as -l f77
    #[arg(short = 'f', group = "what")]
    f77: bool,
    /// Name of the main function or class of the program
    #[arg(short = 'M', value_name = "NAME")]
    main: Option<OsString>,
    /// Maximum number of elements that the program writes at once [default: 1024]
    #[arg(short = 'W', value_name = "N")]
    whole: Option<u64>,
}

/// Options of the C tool without effect.
#[derive(Debug, Args)]
#[command(next_help_heading = IGNORED)]
struct IgnoredArgs {
    /// Ignored
    #[arg(short = '1')]
    one: bool,
    /// Ignored: write through memory
    #[arg(short = 'P')]
    diskless: bool,
    /// Ignored: buffer size
    #[arg(short = 'B', value_name = "N")]
    buffer: Option<OsString>,
    /// Ignored: debugging output
    #[arg(short = 'd')]
    debug: bool,
    /// Ignored: level of debugging output
    #[arg(short = 'D', value_name = "LEVEL")]
    debug_level: Option<OsString>,
    /// Ignored: log level
    #[arg(short = 'L', value_name = "LEVEL")]
    log_level: Option<OsString>,
}

/// The definition of the command line.
#[must_use]
pub fn command() -> clap::Command {
    let command = Cli::command().mut_arg("kind", |arg| arg.visible_short_alias('v'));
    help::with_examples(command, &EXAMPLES)
}

/// Parses a command line that begins with the tool's name.
///
/// # Errors
/// Returns mistakes in the command line, and the requested help or version.
pub fn parse(tool: &'static str, args: Vec<OsString>) -> Result<Request, clap::Error> {
    let mut command = command().name(tool).bin_name(tool);
    // clap reads `-o=FILE` as `-o FILE`, getopt reads it as a file named `=FILE`.
    let mut options = args.iter().skip(1).take_while(|arg| *arg != "--");
    let equals = options.find_map(|arg| arg.to_str()?.strip_prefix("-o="));
    if let Some(file) = equals {
        let what = format!(
            "-o={file}: the C tool names this file `={file}`: use `-o {file}`, or `-o ./={file}` for that name"
        );
        return Err(command.error(clap::error::ErrorKind::InvalidValue, what));
    }
    let matches = help::matches(&command, args)?;
    let cli = Cli::from_arg_matches(&matches)?;
    if cli.kind.references() {
        let what =
            "references lead to the chunks of a dataset, which a text does not have (use nccopy)";
        return Err(command.error(clap::error::ErrorKind::InvalidValue, what));
    }
    let request = cli.resolve();
    MODES.check(&command, &matches, &[mode(&request)])?;
    Ok(request)
}

/// Returns the mode of a command line.
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
            language: self.language(),
            output: OutputRequest {
                keep_links: self.write.keep_links,
                ..self.zarr.asked(kind)
            },
            names: NameRequest {
                file: self.output.file,
                dataset: self.contents.name,
                main: self.program.main,
                cdf: self.contents.cdf,
            },
            input: self.input,
            header_only: self.output.header_only,
            no_fill: self.contents.no_fill,
            at_once: self.program.whole.unwrap_or(1024),
            allow_large: self.write.allow_large,
            cloud: self.contents.cloud,
            strict: self.strict.strict,
            process: ProcessRequest {
                threads: self.process.threads,
                plugins: self.plugins,
                network: self.process.network,
                no_sync: self.write.no_sync,
                quiet: self.quiet.quiet,
                trace: self.process.trace,
            },
        }
    }

    /// Returns the language of the output, or `None` to only check the text.
    fn language(&self) -> Option<ProgramLanguage> {
        let implied = self.output.file.is_some() || self.kind.kind().is_some();
        let flags = [
            (
                self.output.binary || self.contents.cdf,
                ProgramLanguage::Binary,
            ),
            (self.program.c, ProgramLanguage::C),
            (self.program.f77, ProgramLanguage::Fortran),
        ];
        let flag = flags.into_iter().find(|(is_set, _)| *is_set);
        flag.map(|(_, language)| language)
            .or(self.program.language)
            .or(implied.then_some(ProgramLanguage::Binary))
    }
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
    use netcdf_core::model::Kind;
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
