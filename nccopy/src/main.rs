//! The nccopy tool.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    netcdf_core::tool::main("nccopy", |io| nccopy::run(std::env::args_os(), io).code())
}
