//! Inspects the storage of Zarr datasets: keys, metadata, chunks, codecs.
//!
//! | module | content |
//! |---|---|
//! | [`cli`] | the command line |
//! | [`modes`] | the commands, and the options that each command uses |
//! | `session` | the store, and the context for reading it |
//! | `array` | arrays: chunk locations, decoding, comparison of values |
//! | `out` | text and JSON lines |
//! | `hex` | bytes in hexadecimal digits |
//! | `key` | keys and their bytes |
//! | `table` | columns of text, sizes and ratios |
//! | `verdict` | outcomes of commands |
//! | `words` | types, codecs and dimensions in Zarr's terms |
//! | `tree`, `keys`, `cat`, `chunk`, `codecs`, `check`, `stat`, `map`, `diff` | the commands |
//! | `compat` | the command line and the output of netCDF-C's `zmapio` |
//!
//! zdump uses stores, Zarr metadata (`format::zarr::raw`, `survey`) and codecs, never a dataset reader.
#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::indexing_slicing,
        clippy::unwrap_used,
        clippy::panic,
        reason = "tests choose their numbers, and fail by panics"
    )
)]

mod array;
mod cat;
mod check;
mod chunk;
pub mod cli;
mod codecs;
mod compat;
mod diff;
mod hex;
mod key;
mod keys;
mod map;
pub mod modes;
mod out;
mod session;
mod stat;
mod table;
mod tree;
mod verdict;
mod words;

use std::ffi::OsString;

use netcdf_core::error::Result;
use netcdf_core::tool::{self, Io, Status};
use netcdf_grammar::exit_status;

use cli::{Command, NAME};
use session::Session;
use verdict::Verdict;

/// Runs the tool; `args` begin with the program's name. Returns the exit code: 0 for success, 1 for a failure or for findings of `check`,
/// `codecs --missing` and `diff`, 2 for a wrong command line, 3 if `check` finds no store.
pub fn run(args: impl IntoIterator<Item = OsString>, io: &mut Io) -> u8 {
    let args: Vec<_> = args.into_iter().collect();
    if args.get(1).is_some_and(|first| first == "--compat") {
        return compat::run(args.get(2..).unwrap_or_default(), io).code();
    }
    let ended = start(args, io);
    exit_status::status(NAME, ended, io)
}

fn start(args: Vec<OsString>, io: &mut Io) -> anyhow::Result<u8> {
    let cli = cli::parse(args)?;
    let session = Session::new(&cli.session);
    let done = look(&cli.command, &session, io);
    tool::tell(NAME, &session.env.notes, io);
    cli.session.process.network.tell(NAME, io);
    Ok(match done? {
        Verdict::Sound => Status::Success.code(),
        Verdict::Problems => Status::Failure.code(),
        Verdict::NoStore => 3,
    })
}

/// Runs the requested command.
fn look(command: &Command, session: &Session, io: &mut Io) -> Result<Verdict> {
    tool::catch_limits()?;
    match command {
        Command::Tree(args) => tree::run(args, session, io),
        Command::Keys(args) => keys::run(args, session, io),
        Command::Cat(args) => cat::run(args, session, io),
        Command::Chunk(args) => chunk::run(args, session, io),
        Command::Codecs(args) => codecs::run(args, session, io),
        Command::Check(args) => check::run(args, session, io),
        Command::Stat(args) => stat::run(args, session, io),
        Command::Map(args) => map::run(args, session, io),
        Command::Diff(args) => diff::run(args, session, io),
    }
}
