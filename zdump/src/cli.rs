//! The command line of zdump.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use netcdf_grammar::flags::heading::EVERYDAY;
use netcdf_grammar::flags::{ExternalArgs, PreferenceArgs, ProcessArgs};
use netcdf_grammar::help::{self, Example};

use crate::modes::MODES;

/// Name of the tool in messages.
pub(crate) const NAME: &str = "zdump";

/// Heading of the options for other programs.
const COMPATIBILITY: &str = "Compatibility";

/// The examples of `--help`.
pub const EXAMPLES: [Example; 3] = [
    ("zdump in.zarr", "Show groups, arrays, chunks and codecs"),
    (
        "zdump check --deep in.zarr",
        "Check metadata and decode all chunks",
    ),
    (
        "zdump cat in.zarr zarr.json",
        "Print the metadata of the root group",
    ),
];

/// Inspect the storage of a Zarr dataset: keys, metadata, chunks and codecs
#[derive(Debug, Parser)]
#[command(
    name = "zdump",
    version,
    max_term_width = 100,
    override_usage = "zdump [OPTIONS] <STORE>\n       zdump [OPTIONS] <COMMAND> <STORE>…\n       zdump --compat [OPTIONS OF ZMAPIO] <STORE>"
)]
pub struct Cli {
    /// The command.
    #[command(subcommand)]
    pub command: Command,

    /// Options of all commands.
    #[command(flatten)]
    pub session: SessionArgs,

    /// Behave like zmapio, a test program of netCDF-C. Must be the first argument, followed by the arguments of zmapio
    #[arg(long, help_heading = COMPATIBILITY)]
    compat: bool,
}

/// Options of all commands.
#[derive(Debug, Args)]
#[command(next_help_heading = EVERYDAY)]
pub struct SessionArgs {
    /// Print JSON lines
    #[arg(long, global = true)]
    pub json: bool,

    /// Files outside the store.
    #[command(flatten)]
    pub external: ExternalArgs,

    /// The choice between plugins and built-in codecs.
    #[command(flatten)]
    pub preference: PreferenceArgs,

    /// Settings of the process.
    #[command(flatten)]
    pub process: ProcessArgs,
}

/// A command.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show groups and arrays: shape, dimensions, chunks, type, codecs, stored chunks, bytes (the default command)
    Tree(TreeArgs),
    /// List all keys: size, kind, name
    Keys(KeysArgs),
    /// Print the value of a key, metadata as indented JSON
    Cat(CatArgs),
    /// Print the decoded values of chunks, and the result of each codec
    Chunk(ChunkArgs),
    /// Show the codecs of each array, and whether they are available here
    Codecs(CodecsArgs),
    /// Check a store for errors. Exit status 0: no errors, 1: errors, 3: not a store
    Check(CheckArgs),
    /// Show chunk sizes and compression ratios of each array
    Stat(StoreArgs),
    /// Draw the chunk grid of an array
    Map(MapArgs),
    /// Compare two stores: metadata, attributes, values. Exit status 0: equal, 1: different
    Diff(DiffArgs),
}

/// A store.
#[derive(Debug, Args)]
pub struct StoreArgs {
    /// Directory, zip file or object prefix, as a path or URL (- for a zip file on standard input)
    #[arg(value_name = "STORE")]
    pub store: PathBuf,
}

/// Arguments of `tree`.
#[derive(Debug, Args)]
pub struct TreeArgs {
    /// Show only this many levels of groups [default: all]
    #[arg(long, value_name = "N")]
    pub depth: Option<usize>,
    /// The store.
    #[command(flatten)]
    pub store: StoreArgs,
}

/// Arguments of `keys`.
#[derive(Debug, Args)]
pub struct KeysArgs {
    /// The store.
    #[command(flatten)]
    pub store: StoreArgs,
    /// Pattern of the keys to list: * matches any characters except /, ** any characters, ? one character except /
    #[arg(value_name = "GLOB")]
    pub glob: Option<String>,
}

/// Arguments of `cat`.
#[derive(Debug, Args)]
pub struct CatArgs {
    /// Print the raw bytes
    #[arg(long, conflicts_with = "hex")]
    pub raw: bool,
    /// Print offsets, hexadecimal digits and characters
    #[arg(long)]
    pub hex: bool,
    /// The store.
    #[command(flatten)]
    pub store: StoreArgs,
    /// Key, as listed by zdump keys
    #[arg(value_name = "KEY")]
    pub key: String,
}

/// Arguments of `chunk`.
#[derive(Debug, Args)]
pub struct ChunkArgs {
    /// Print all stored chunks
    #[arg(long, conflicts_with_all = ["at", "index"])]
    pub all: bool,
    /// Print the chunk that contains the element with these indices (1,20,300)
    #[arg(long, value_name = "ELEMENT", conflicts_with = "index")]
    pub at: Option<String>,
    /// Print times as dates: values with units such as "days since …", and NumPy's datetime64
    #[arg(short, long)]
    pub times: bool,
    /// Decode only the first N codecs and print the resulting bytes (0: the stored bytes)
    #[arg(long, value_name = "N")]
    pub stage: Option<usize>,
    /// The store.
    #[command(flatten)]
    pub store: StoreArgs,
    /// Path of the array: g/v
    #[arg(value_name = "VAR")]
    pub var: String,
    /// Indices of the chunk in the chunk grid (1,0 or 1.0) [default: the only chunk]
    #[arg(value_name = "INDEX")]
    pub index: Option<String>,
}

/// Arguments of `codecs`.
#[derive(Debug, Args)]
pub struct CodecsArgs {
    /// Show only missing codecs. Exit status 0: none, 1: some
    #[arg(long)]
    pub missing: bool,
    /// The store.
    #[command(flatten)]
    pub store: StoreArgs,
}

/// Arguments of `check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Also decode all chunks
    #[arg(long)]
    pub deep: bool,
    /// Also report missing chunks, which readers replace with the fill value
    #[arg(long)]
    pub complete: bool,
    /// Print no progress bar
    #[arg(long)]
    pub quiet: bool,
    /// The store.
    #[command(flatten)]
    pub store: StoreArgs,
}

/// Arguments of `map`.
#[derive(Debug, Args)]
pub struct MapArgs {
    /// Write an SVG image to FILE (- for standard output)
    #[arg(short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Also decode the chunks of a remote store
    #[arg(long)]
    pub decode: bool,
    /// The store.
    #[command(flatten)]
    pub store: StoreArgs,
    /// Path of the array: g/v
    #[arg(value_name = "VAR")]
    pub var: String,
}

/// Arguments of `diff`.
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// Compare keys and bytes instead of values
    #[arg(long)]
    pub raw: bool,
    /// First store
    #[arg(value_name = "A")]
    pub a: PathBuf,
    /// Second store
    #[arg(value_name = "B")]
    pub b: PathBuf,
}

/// The definition of the command line.
#[must_use]
pub fn command() -> clap::Command {
    help::with_examples(Cli::command(), &EXAMPLES)
}

/// Parses the command line.
///
/// # Errors
/// Returns mistakes in the command line, and the requested help or version.
pub fn parse(mut args: Vec<OsString>) -> Result<Cli, clap::Error> {
    let commands = command();
    let known = |arg: &OsString| {
        let mut names = commands.get_subcommands();
        arg == "help" || names.any(|c| arg == c.get_name())
    };
    // If several words follow, the first word is a misspelled command, and clap suggests a similar one.
    let words: Vec<_> = operands(&args).take(2).collect();
    let store_alone = matches!(words.as_slice(), [store] if !known(store));
    if store_alone {
        args.insert(1, "tree".into());
    }
    let matches = help::matches(&commands, args)?;
    let cli = Cli::from_arg_matches(&matches)?;
    let mut built = commands;
    built.build();
    if let Some((name, matches)) = matches.subcommand()
        && let Some(command) = built.find_subcommand(name)
    {
        MODES.check(command, matches, &[mode(&cli.command)])?;
    }
    Ok(cli)
}

/// Returns the mode of a command.
fn mode(command: &Command) -> &'static str {
    match command {
        Command::Tree(_) => "tree",
        Command::Keys(_) => "keys",
        Command::Cat(_) => "cat",
        Command::Chunk(_) => "chunk",
        Command::Codecs(_) => "codecs",
        Command::Check(_) => "check",
        Command::Stat(_) => "stat",
        Command::Map(args) if args.output.is_some() => "image",
        Command::Map(_) => "map",
        Command::Diff(_) => "diff",
    }
}

/// Options of `tree` with a value.
const VALUED: [&str; 4] = ["--threads", "--requests", "--timeout", "--depth"];

/// Returns the arguments that are neither options nor option values.
fn operands(args: &[OsString]) -> impl Iterator<Item = &OsString> {
    let mut value = false;
    args.iter().skip(1).filter(move |arg| {
        let is_value = std::mem::replace(&mut value, VALUED.iter().any(|name| *arg == name));
        let option = *arg != "-" && arg.as_encoded_bytes().starts_with(b"-");
        !is_value && !option
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Cli, clap::Error> {
        parse(line.split(' ').map(OsString::from).collect())
    }

    #[test]
    fn definition_is_sound() {
        command().debug_assert();
    }

    #[test]
    fn a_store_alone_is_shown_as_a_tree() {
        for line in [
            "zdump x",
            "zdump --threads 2 x",
            "zdump --json tree --depth 1 x",
            "zdump --depth 2 x",
            "zdump --requests 4 --timeout 5 x",
        ] {
            let Command::Tree(args) = parsed(line).unwrap().command else {
                panic!("{line}");
            };
            assert_eq!(args.store.store, PathBuf::from("x"));
        }
        assert!(matches!(
            parsed("zdump stat tree").unwrap().command,
            Command::Stat(_)
        ));
        for wrong in [
            "zdump",
            "zdump tree",
            "zdump x y",
            "zdump chunk x v 1 --all",
            "zdump --nosuch x",
        ] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
        let said = parsed("zdump tre x").unwrap_err().to_string();
        assert!(said.contains("'tree'"), "{said}");
    }
}
