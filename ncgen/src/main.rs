//! The ncgen tool.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    netcdf_core::tool::main("ncgen", |io| ncgen::run(std::env::args_os(), io).code())
}
