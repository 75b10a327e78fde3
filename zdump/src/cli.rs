//! The command line of zdump.

use std::ffi::OsString;
use std::num::NonZeroU16;
use std::path::PathBuf;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use netcdf_grammar::flags::NetworkArgs;

use crate::modes::MODES;

/// Name of the tool in messages.
pub(crate) const NAME: &str = "zdump";

/// Looks into the storage of a Zarr dataset: its keys, metadata, chunks and codecs.
///
/// It reads the storage itself rather than the dataset, so it can show stores that no reader accepts. It never writes to
/// a store. A store is a directory, a zip file or the objects below a key, given by path or URL (file://PATH#mode=zarr,zip,
/// s3://BUCKET/KEY), or `-` for a zip file on standard input. Without a command, it does what `tree` does.
#[derive(Debug, Parser)]
#[command(
    name = "zdump",
    version,
    max_term_width = 100,
    override_usage = "zdump [OPTIONS] <STORE>\n       zdump [OPTIONS] <COMMAND> <STORE>…\n       zdump --compat [OPTIONS OF ZMAPIO] <STORE>"
)]
pub struct Cli {
    /// What is to be shown.
    #[command(subcommand)]
    pub command: Command,

    /// Options of all commands.
    #[command(flatten)]
    pub session: SessionArgs,

    /// Behave like zmapio of netCDF-C's tests: must come first, followed by zmapio's arguments
    #[arg(long)]
    compat: bool,
}

/// Options of all commands.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct SessionArgs {
    /// Print JSON lines (described in docs/zdump.md)
    #[arg(long, global = true)]
    pub json: bool,

    /// Follow links that lead out of the store
    #[arg(long = "allow-external", global = true)]
    pub allow_external: bool,

    /// Trace operations on the store on standard error (also: NCTRACING=1 in the environment)
    #[arg(long, global = true)]
    pub trace: bool,

    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", global = true)]
    pub threads: Option<NonZeroU16>,

    /// How storage is asked.
    #[command(flatten)]
    pub network: NetworkArgs,

    /// Prefer codec libraries to the built-in codecs
    #[arg(long = "prefer-plugins", global = true)]
    pub prefer_plugins: bool,
}

/// What is to be shown.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show groups and arrays: shape, dimensions, chunks, type, codecs, stored chunks, bytes
    Tree(TreeArgs),
    /// List all keys: size, kind, name
    Keys(KeysArgs),
    /// Print the bytes of a key: metadata as indented JSON
    Cat(CatArgs),
    /// Print the decoded values of chunks, and what each codec did
    Chunk(ChunkArgs),
    /// Show the codecs of each array, and whether they are available here
    Codecs(CodecsArgs),
    /// Check a store for errors; exit status 0 if it is sound, 1 if not, 3 if it is not a store
    Check(CheckArgs),
    /// Show chunk sizes and compression ratios of each array
    Stat(StoreArgs),
    /// Draw the chunk grid of an array
    Map(MapArgs),
    /// Compare two stores: metadata, attributes, values; exit status 1 if they differ
    Diff(DiffArgs),
}

/// A store.
#[derive(Debug, Args)]
pub struct StoreArgs {
    /// The store: a directory or zip file, by path or URL; - for a zip file on standard input
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
    /// Pattern of the keys to list: * matches anything but "/", ** anything, ? one character but "/"; a backslash quotes
    /// the next character
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
    /// The key, as listed by `keys`
    #[arg(value_name = "KEY")]
    pub key: String,
}

/// Arguments of `chunk`.
#[derive(Debug, Args)]
pub struct ChunkArgs {
    /// Print all stored chunks
    #[arg(long, conflicts_with_all = ["at", "index"])]
    pub all: bool,
    /// Print the chunk that contains this element, given by its indices (1,20,300)
    #[arg(long, value_name = "ELEMENT", conflicts_with = "index")]
    pub at: Option<String>,
    /// Show times as dates: values with units such as "days since ...", and NumPy's datetime64
    #[arg(short, long)]
    pub times: bool,
    /// Undo only this many codecs and print the resulting bytes; 0 prints the stored bytes
    #[arg(long, value_name = "N")]
    pub stage: Option<usize>,
    /// The store.
    #[command(flatten)]
    pub store: StoreArgs,
    /// The path of the array: g/v
    #[arg(value_name = "VAR")]
    pub var: String,
    /// The chunk's indices in the chunk grid (1,0 or 1.0); optional if there is only one chunk
    #[arg(value_name = "INDEX")]
    pub index: Option<String>,
}

/// Arguments of `codecs`.
#[derive(Debug, Args)]
pub struct CodecsArgs {
    /// Show only missing codecs; exit status 1 if there are any
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
    /// Report missing chunks, too (readers see the fill value there)
    #[arg(long)]
    pub complete: bool,
    /// Show no progress bar
    #[arg(long)]
    pub quiet: bool,
    /// The store.
    #[command(flatten)]
    pub store: StoreArgs,
}

/// Arguments of `map`.
#[derive(Debug, Args)]
pub struct MapArgs {
    /// Write an SVG image to this file instead (- for standard output)
    #[arg(short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Decode the chunks of a store on another machine, too
    #[arg(long)]
    pub decode: bool,
    /// The store.
    #[command(flatten)]
    pub store: StoreArgs,
    /// The path of the array: g/v
    #[arg(value_name = "VAR")]
    pub var: String,
}

/// Arguments of `diff`.
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// Compare keys and bytes instead of values
    #[arg(long)]
    pub raw: bool,
    /// A store
    #[arg(value_name = "A")]
    pub a: PathBuf,
    /// Another one
    #[arg(value_name = "B")]
    pub b: PathBuf,
}

/// The definition of the command line.
#[must_use]
pub fn command() -> clap::Command {
    Cli::command()
}

/// The command line.
///
/// # Errors
/// A mistake in the command line, or the requested help or version.
pub fn parse(mut args: Vec<OsString>) -> Result<Cli, clap::Error> {
    let commands = command();
    let known = |arg: &OsString| {
        let mut names = commands.get_subcommands();
        arg == "help" || names.any(|c| arg == c.get_name())
    };
    // With several words, the first one was meant as a command, and clap suggests a similar one.
    let words: Vec<_> = operands(&args).take(2).collect();
    let store_alone = matches!(words.as_slice(), [store] if !known(store));
    if store_alone {
        args.insert(1, "tree".into());
    }
    let matches = commands.clone().try_get_matches_from(args)?;
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

/// The mode of a command.
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

/// The arguments that are neither options nor values of options.
fn operands(args: &[OsString]) -> impl Iterator<Item = &OsString> {
    let mut value = false;
    args.iter().skip(1).filter(move |arg| {
        let is_value = std::mem::replace(&mut value, *arg == "--threads" || *arg == "--depth");
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
