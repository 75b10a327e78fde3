//! The zdump tool.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use netcdf_core::tool::Io;

fn main() -> ExitCode {
    let code = zdump::run(std::env::args_os(), &mut Io::process());
    ExitCode::from(code)
}
