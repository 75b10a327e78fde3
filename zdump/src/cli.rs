//! The command line of zdump.

use std::ffi::OsString;
use std::num::NonZeroU16;
use std::path::PathBuf;

use clap::{Args, CommandFactory, Parser, Subcommand};

/// Looks into the storage of a Zarr dataset: its keys, metadata, chunks and codecs.
///
/// It reads the storage itself, not the dataset in it, and so shows stores that no reader accepts. It never writes to a
/// store. A store is a directory or a zip file, by path or URL (file://PATH#mode=zarr,zip), or `-` for a zip file on
/// standard input. A store without a command is shown as by `tree`.
#[derive(Debug, Parser)]
#[command(
    name = "zdump",
    version,
    max_term_width = 100,
    override_usage = "zdump [OPTIONS] <STORE>\n       zdump [OPTIONS] <COMMAND> <STORE>…\n       zdump --compat [OPTIONS OF ZMAPIO] <STORE>"
)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct Cli {
    /// What is to be shown.
    #[command(subcommand)]
    pub command: Command,

    /// Print JSON lines, as docs/zdump.md describes them
    #[arg(long, global = true)]
    pub json: bool,

    /// Follow links in the store that lead out of it
    #[arg(long = "allow-external", global = true)]
    pub allow_external: bool,

    /// Print the operations on the store on standard error, as with NCTRACING=1 in the environment
    #[arg(long, global = true)]
    pub trace: bool,

    /// Threads that work at a time; all cores if not given
    #[arg(long, value_name = "N", global = true)]
    pub threads: Option<NonZeroU16>,

    /// Use codec libraries, where there are some, instead of the codecs that are built in
    #[arg(long = "prefer-plugins", global = true)]
    pub prefer_plugins: bool,

    /// Work as zmapio of netCDF-C's tests does: must come first, what follows is zmapio's command line
    #[arg(long)]
    compat: bool,
}

/// What is to be shown.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show groups and arrays: shape, chunks, type, codecs, chunks that are stored, bytes
    Tree(TreeArgs),
    /// List the keys that have bytes: size, kind, key
    Keys(KeysArgs),
    /// Print the bytes of a key: metadata as indented JSON
    Cat(CatArgs),
    /// Print the values of chunks, decoded, and what each codec made of them
    Chunk(ChunkArgs),
    /// Show the codecs of each array, and whether they are to be had here
    Codecs(CodecsArgs),
    /// Look for what is wrong in a store; exit status 0 if it is sound, 1 if not, 3 if it is no store
    Check(CheckArgs),
    /// Show how large the chunks of each array are, and how well they compress
    Stat(StoreArgs),
    /// Draw the grid of the chunks of an array
    Map(MapArgs),
    /// Compare two stores: metadata, attributes, chunks; exit status 1 if they differ
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
    /// Levels of groups that are shown; all if not given
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
    /// Keys that are listed: * stands for anything but "/", ** for anything, ? for a character but "/"; a backslash takes
    /// the next character as it is
    #[arg(value_name = "GLOB")]
    pub glob: Option<String>,
}

/// Arguments of `cat`.
#[derive(Debug, Args)]
pub struct CatArgs {
    /// The bytes as they are
    #[arg(long, conflicts_with = "hex")]
    pub raw: bool,
    /// Offset, hexadecimal digits and characters
    #[arg(long)]
    pub hex: bool,
    /// The store.
    #[command(flatten)]
    pub store: StoreArgs,
    /// The key, as `keys` shows it
    #[arg(value_name = "KEY")]
    pub key: String,
}

/// Arguments of `chunk`.
#[derive(Debug, Args)]
pub struct ChunkArgs {
    /// All chunks that are stored
    #[arg(long, conflicts_with_all = ["at", "index"])]
    pub all: bool,
    /// The chunk that has this element: its indices with commas between them
    #[arg(long, value_name = "ELEMENT", conflicts_with = "index")]
    pub at: Option<String>,
    /// Show times as dates: where `units` is "days since ..." or the like, and for times of NumPy
    #[arg(short, long)]
    pub times: bool,
    /// Stop after so many codecs were undone, and print the bytes: 0 for those that are stored
    #[arg(long, value_name = "N")]
    pub stage: Option<usize>,
    /// The store.
    #[command(flatten)]
    pub store: StoreArgs,
    /// The path of the array: g/v
    #[arg(value_name = "VAR")]
    pub var: String,
    /// The chunk: its place in the grid of chunks, with commas or dots between the numbers; may be left out if there is one
    /// chunk
    #[arg(value_name = "INDEX")]
    pub index: Option<String>,
}

/// Arguments of `codecs`.
#[derive(Debug, Args)]
pub struct CodecsArgs {
    /// Show those only that are missing; exit status 1 if there are any
    #[arg(long)]
    pub missing: bool,
    /// The store.
    #[command(flatten)]
    pub store: StoreArgs,
}

/// Arguments of `check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Decode all chunks
    #[arg(long)]
    pub deep: bool,
    /// Report chunks that are missing; readers take the fill value for their elements
    #[arg(long)]
    pub complete: bool,
    /// No progress bar
    #[arg(long)]
    pub quiet: bool,
    /// The store.
    #[command(flatten)]
    pub store: StoreArgs,
}

/// Arguments of `map`.
#[derive(Debug, Args)]
pub struct MapArgs {
    /// Draw an SVG image into this file instead; - for standard output
    #[arg(short, value_name = "FILE")]
    pub output: Option<PathBuf>,
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
    /// Compare the bytes of chunks, not their values
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
/// What is wrong with it, or the text that it asks for.
pub fn parse(mut args: Vec<OsString>) -> Result<Cli, clap::Error> {
    let commands = command();
    let known = |arg: &OsString| {
        let mut names = commands.get_subcommands();
        arg == "help" || names.any(|c| arg == c.get_name())
    };
    // Of several words the first one was meant as a command: clap knows which one it is like.
    let words: Vec<_> = operands(&args).take(2).collect();
    let store_alone = matches!(words.as_slice(), [store] if !known(store));
    if store_alone {
        args.insert(1, "tree".into());
    }
    Cli::try_parse_from(args)
}

/// The arguments that are no options and no values of options.
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
