//! The command line of ncdump.

mod args;
mod resolve;
mod value;

use std::ffi::OsString;

use clap::{CommandFactory, FromArgMatches};
use netcdf_core::error::Result;
use netcdf_grammar::help::{self, Example};

use crate::modes::MODES;
use crate::request::Request;
use args::Cli;

/// The examples of `--help`.
pub const EXAMPLES: [Example; 3] = [
    (
        "ncdump -h in.nc",
        "Print the header: dimensions, variables and attributes",
    ),
    (
        "ncdump -t -v time,lat in.nc",
        "Print the data of two variables, with times as dates",
    ),
    ("ncdump --diff in.nc other.nc", "Compare two datasets"),
];

/// The definition of the command line.
#[must_use]
pub fn command() -> clap::Command {
    help::with_examples(Cli::command(), &EXAMPLES)
}

/// Parses a command line that begins with the tool's name. The inner error concerns files and values of options.
///
/// # Errors
/// Returns mistakes that clap finds, and the texts of `--help` and `--version`.
pub fn parse(args: Vec<OsString>) -> std::result::Result<Result<Request>, clap::Error> {
    let command = command();
    let matches = help::matches(&command, args)?;
    let mut cli = Cli::from_arg_matches(&matches)?;
    MODES.check(&command, &matches, &modes(&cli))?;
    cli.full_last = matches.index_of("full") > matches.index_of("brief");
    Ok(resolve::request(cli))
}

/// Returns the modes that a command line names, or the default.
fn modes(cli: &Cli) -> Vec<&'static str> {
    let named = [
        ("kind", cli.print.kind),
        ("extended", cli.output.extended_kind),
        ("ncml", cli.output.ncml),
        ("filters", cli.output.filters),
        ("sum", cli.output.sum),
        ("stats", cli.output.stats),
        ("layout", cli.output.layout),
        ("require", cli.output.require.is_some()),
        ("diff", cli.form.diff),
        ("csv", cli.output.csv),
    ];
    let named: Vec<_> = named
        .into_iter()
        .filter(|(_, is_given)| *is_given)
        .collect();
    match (named.is_empty(), cli.form.json) {
        (true, true) => vec!["json"],
        (true, false) => vec!["dump"],
        (false, _) => named.into_iter().map(|(name, _)| name).collect(),
    }
}
