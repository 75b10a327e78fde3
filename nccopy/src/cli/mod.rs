//! The command line of nccopy.
//!
//! | module | content |
//! |---|---|
//! | `args` | the options, as typed |
//! | `value` | values of options |
//! | `resolve` | the request of a command line |

mod args;
mod resolve;
mod value;

use std::ffi::OsString;
use std::fmt::Display;

use clap::error::ErrorKind as Mistake;
use clap::{CommandFactory, FromArgMatches};
use netcdf_core::error::{Error, ErrorKind};

use crate::modes::MODES;
use crate::request::{CopyRequest, Request};
use args::Cli;

/// The definition of the command line.
#[must_use]
pub fn command() -> clap::Command {
    // ncgen has other texts for these options.
    Cli::command().mut_args(|arg| match arg.get_id().as_str() {
        "consolidated" => arg.help(
            "Zarr output: also put all metadata under one key (.zmetadata, or in zarr.json)",
        ),
        "zip_prefix" => arg.help(
            "Zarr output in a zip file: put a directory with the file's name before all keys, as netCDF-C requires; the default for the \
             kinds nczarr and nczarr3",
        ),
        "no_zip_prefix" => arg.help(
            "Zarr output in a zip file: put no directory before the keys, as zarr-python does; the default for the kinds zarr and zarr3",
        ),
        _ => arg,
    })
}

/// Parses the command line; `args` begin with the program's name.
///
/// # Errors
/// A mistake in the command line, or the requested help or version.
pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Request, clap::Error> {
    let args: Vec<OsString> = args.into_iter().collect();
    let cli = typed(&args)?;
    Ok(resolve::request(cli, &args))
}

/// The copy of a plan, from the arguments in the plan.
///
/// # Errors
/// [`ErrorKind::Corrupt`] for arguments that request no plan.
pub fn planned(arguments: &[OsString]) -> Result<CopyRequest, Error> {
    let wrong = |why: &dyn Display| {
        let what = format!("a plan with wrong arguments: {why}");
        Error::new(ErrorKind::Corrupt, what)
    };
    let name = std::iter::once("nccopy".into());
    match parse(name.chain(arguments.iter().cloned())).map_err(|e| wrong(&e))? {
        Request::Plan(plan) => Ok(plan.copy),
        Request::Copy(_) | Request::Step(_) => Err(wrong(&"--plan is not among them")),
    }
}

/// The arguments as typed.
fn typed(args: &[OsString]) -> Result<Cli, clap::Error> {
    let command = command();
    let matches = command.clone().try_get_matches_from(args)?;
    let cli = Cli::from_arg_matches(&matches)?;
    MODES.check(&command, &matches, &modes(&cli))?;
    match cli.paths.len() < 2 && !cli.in_place && !cli.parts.takes_folder() {
        false => Ok(cli),
        true => {
            let what = "expected an input and an output, found one path";
            Err(Cli::command().error(Mistake::TooFewValues, what))
        }
    }
}

/// The modes that a command line names, or the default.
fn modes(cli: &Cli) -> Vec<&'static str> {
    let parts = &cli.parts;
    let named = [
        ("in_place", cli.in_place),
        ("plan", parts.plan.is_some()),
        ("part", parts.part.is_some()),
        ("next", parts.next),
        ("finish", parts.finish),
        ("status", parts.status),
        ("clean", parts.clean),
        ("emit", parts.emit.is_some()),
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
            other @ (Request::Plan(_) | Request::Step(_)) => panic!("{other:?}"),
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
        assert!(cli.select.fix_unlimited && cli.storage.shuffle);
        assert!(parse("nccopy -d10 a b").is_err());
        assert!(parse("nccopy a").is_err());
        assert!(parse("nccopy -v x -V y a b").is_err());
        assert!(parse("nccopy --in-place a").is_ok());
        assert!(parse("nccopy --in-place -V y a").is_err());
    }
}
