//! The ncgen tool.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use netcdf_core::tool::Io;

fn main() -> ExitCode {
    let status = ncgen::run(std::env::args_os(), &mut Io::process());
    ExitCode::from(status.code())
}
