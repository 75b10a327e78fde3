//! The zdump tool.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    netcdf_core::tool::main("zdump", |io| zdump::run(std::env::args_os(), io))
}
