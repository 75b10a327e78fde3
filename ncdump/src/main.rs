//! The ncdump tool.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    netcdf_core::tool::main("ncdump", |io| ncdump::run(std::env::args_os(), io).code())
}
