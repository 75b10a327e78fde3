//! One of the tools as an executable, for tests of signals and of variables: `tool NAME ARGUMENT…`.
#![forbid(unsafe_code)]

use std::ffi::OsString;
use std::process::ExitCode;

use netcdf_core::tool::{self, Io};

fn main() -> ExitCode {
    let name = std::env::args().nth(1).unwrap_or_default();
    tool::main(&name, |io| run(&name, io))
}

fn run(name: &str, io: &mut Io) -> u8 {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    let run = match name {
        "nccopy" => nccopy::run,
        "ncdump" => ncdump::run,
        "ncgen" => ncgen::run,
        "zdump" => return zdump::run(args, io),
        _ => {
            eprintln!("usage: tool nccopy|ncdump|ncgen|zdump ARGUMENT…");
            return 2;
        }
    };
    run(args, io).code()
}
