//! All tools in one executable.
#![forbid(unsafe_code)]

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    netcdf_core::tool::main(netcdf_tools::name(&args), |io| netcdf_tools::run(args, io))
}
