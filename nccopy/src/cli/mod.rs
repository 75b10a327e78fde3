//! The command line of nccopy.
//!
//! | module | content |
//! |---|---|
//! | `args` | the options, as typed |
//! | `storage` | options for the storage of the output |
//! | `contents` | options for variables, names and attributes |
//! | `job` | options for many inputs, and reports |
//! | `plan` | options for copies in parts |
//! | `references` | options for references |
//! | `value` | values of options |
//! | `resolve` | the request of a command line |

mod args;
mod contents;
mod job;
mod plan;
mod references;
mod resolve;
mod storage;
mod value;

use std::ffi::OsString;
use std::fmt::Display;

use clap::error::ErrorKind as Mistake;
use clap::{CommandFactory, FromArgMatches};
use netcdf_core::error::{Error, ErrorKind};
use netcdf_grammar::help::{self, Example};

use crate::modes::MODES;
use crate::request::{CopyRequest, Request};
use args::Cli;

/// The examples of `--help`.
pub const EXAMPLES: [Example; 3] = [
    (
        "nccopy -d5 -s in.nc out.nc",
        "Compress all variables with shuffle and deflate",
    ),
    (
        "nccopy --in-place -F '*,zstd,3' --verify data/",
        "Compress all datasets of a directory in place with Zstandard",
    ),
    (
        "nccopy -V lat,time --select time,0,5 in.nc out.zarr",
        "Convert two variables to Zarr, with the first six times",
    ),
];

/// The definition of the command line.
#[must_use]
pub fn command() -> clap::Command {
    help::with_examples(Cli::command(), &EXAMPLES)
}

/// The short help, for `-h` without its value.
#[must_use]
pub(crate) fn short_help() -> String {
    help::everyday(&command()).render_help().to_string()
}

/// Parses the command line. `args` begin with the program's name.
///
/// # Errors
/// Returns mistakes in the command line, and the requested help or version.
pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Request, clap::Error> {
    let args: Vec<OsString> = args.into_iter().collect();
    let cli = typed(&args)?;
    Ok(resolve::request(cli, &args))
}

/// Returns the copy of a plan, from the arguments in the plan.
///
/// # Errors
/// Returns [`ErrorKind::Corrupt`] for arguments that request no plan.
pub fn planned(arguments: &[OsString]) -> Result<CopyRequest, Error> {
    let wrong = |why: &dyn Display| {
        let what = format!("a plan with wrong arguments: {why}");
        Error::new(ErrorKind::Corrupt, what)
    };
    let name = std::iter::once("nccopy".into());
    match parse(name.chain(arguments.iter().cloned())).map_err(|e| wrong(&e))? {
        Request::Plan(plan) => Ok(plan.copy),
        Request::Copy(_) | Request::Step(_) | Request::Recover(_) => {
            Err(wrong(&"--plan is not among them"))
        }
    }
}

/// The arguments as typed.
fn typed(args: &[OsString]) -> Result<Cli, clap::Error> {
    let command = command();
    let matches = help::matches(&command, args.to_vec())?;
    let cli = Cli::from_arg_matches(&matches)?;
    MODES.check(&command, &matches, &modes(&cli))?;
    let least = if cli.join.has_list() { 1 } else { 2 };
    let is_pair = !cli.job.in_place && cli.job.recover.is_none() && !cli.plan.takes_folder();
    match cli.paths.len() < least && is_pair {
        false => Ok(cli),
        true => {
            let what = "expected an input and an output, found one path";
            Err(Cli::command().error(Mistake::TooFewValues, what))
        }
    }
}

/// Returns the modes that a command line names, or the default.
fn modes(cli: &Cli) -> Vec<&'static str> {
    let plan = &cli.plan;
    let named = [
        ("in_place", cli.job.in_place),
        ("recover", cli.job.recover.is_some()),
        ("append", cli.job.append.is_some()),
        ("add_variables", cli.job.add_variables),
        ("references", cli.kind.references()),
        ("plan", plan.plan.is_some()),
        ("part", plan.part.is_some()),
        ("next", plan.next),
        ("finish", plan.finish),
        ("status", plan.status),
        ("clean", plan.clean),
        ("emit", plan.emit.is_some()),
    ];
    let named: Vec<_> = named
        .into_iter()
        .filter(|(_, is_given)| *is_given)
        .collect();
    match named.is_empty() {
        true => vec!["copy"],
        false => named.into_iter().map(|(name, _)| name).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::ReportForm;
    use netcdf_core::model::Kind;
    use std::path::Path;

    fn args(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    fn parse(line: &str) -> Result<Cli, clap::Error> {
        typed(&args(line))
    }

    fn copy(line: &str) -> CopyRequest {
        match super::parse(args(line)).unwrap() {
            Request::Copy(copy) => *copy,
            other @ (Request::Plan(_) | Request::Step(_) | Request::Recover(_)) => {
                panic!("{other:?}")
            }
        }
    }

    #[test]
    fn definition_is_sound() {
        command().debug_assert();
    }

    #[test]
    fn the_last_kind_counts() {
        for (line, kind) in [
            ("nccopy a b", None),
            ("nccopy -3 a b", Some(Kind::CLASSIC)),
            ("nccopy -3 -5 a b", Some(Kind::CDF5)),
            ("nccopy -5 -k nc6 a b", Some(Kind::OFFSET64)),
            ("nccopy -k nc6 -k 1 a b", Some(Kind::CLASSIC)),
            ("nccopy -k2 -7 a b", Some(Kind::NETCDF4_CLASSIC)),
            ("nccopy -4 -4 a b", Some(Kind::NETCDF4)),
        ] {
            assert_eq!(parse(line).unwrap().kind.kind(), kind, "{line}");
        }
        assert!(parse("nccopy -k nosuch a b").is_err());
    }

    #[test]
    fn the_last_path_is_the_output() {
        let request = copy("nccopy --report a b c/");
        assert_eq!(request.files.inputs.len(), 2);
        assert_eq!(request.to(), Some(Path::new("c/")));
        assert_eq!(request.reported(), Some(ReportForm::Table));
        let json = copy("nccopy --report=json a b").reported();
        assert_eq!(json, Some(ReportForm::Json));
        let request = copy("nccopy --in-place a b");
        assert_eq!((request.files.inputs.len(), request.to()), (2, None));
    }

    #[test]
    fn single_letters_mean_what_they_mean_in_c() {
        let line = "nccopy -M500 -d1 -s -c t/5 -Fv,307,9 -m 5M -h1k -e 3 -w -r -L2 -x -u a b";
        let cli = parse(line).unwrap();
        assert_eq!(cli.storage.min_chunk, Some(500));
        assert_eq!(cli.storage.deflate, Some(1));
        assert_eq!(cli.storage.filters, ["v,307,9"]);
        assert!(cli.edit.fix_unlimited && cli.storage.shuffle);
        assert!(parse("nccopy -d10 a b").is_err());
        assert!(parse("nccopy a").is_err());
        assert!(parse("nccopy -v x -V y a b").is_err());
        assert!(parse("nccopy --in-place a").is_ok());
        assert!(parse("nccopy --in-place -V y a").is_err());
    }
}
