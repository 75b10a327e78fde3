//! One of the tools as an executable, for tests of signals and of variables: `helper tool NAME ARGUMENT…`.

use std::ffi::OsString;
use std::process::ExitCode;

use netcdf_core::tool::{self, Io};

/// Runs the tool that the first argument names.
pub(crate) fn main(args: Vec<OsString>) -> ExitCode {
    let name = args.first().map(|name| name.to_string_lossy().into_owned());
    let name = name.unwrap_or_default();
    tool::main(&name, |io| run(&name, args, io))
}

fn run(name: &str, args: Vec<OsString>, io: &mut Io) -> u8 {
    let run = match name {
        "nccopy" => nccopy::run,
        "ncdump" => ncdump::run,
        "ncgen" => ncgen::run,
        "zdump" => return zdump::run(args, io),
        _ => {
            eprintln!("usage: helper tool nccopy|ncdump|ncgen|zdump ARGUMENT…");
            eprintln!("       helper chunkfilter|filterspecs|h5sums|h5written|s3|storevalues …");
            return 2;
        }
    };
    run(args, io).code()
}
