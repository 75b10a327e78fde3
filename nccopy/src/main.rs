//! The nccopy tool.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use netcdf_core::tool::Io;

fn main() -> ExitCode {
    let status = nccopy::run(std::env::args_os(), &mut Io::process());
    ExitCode::from(status.code())
}
