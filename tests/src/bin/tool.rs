//! The tools as one program, for tests that need a process: `tool ncdump …`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use netcdf_core::tool::Io;

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args_os().skip(1).collect();
    let io = &mut Io::process();
    let status = match args.first().and_then(|name| name.to_str()) {
        Some("ncdump") => ncdump::run(args, io),
        Some("ncgen") => ncgen::run(args, io),
        Some("nccopy") => nccopy::run(args, io),
        _ => panic!("not a tool"),
    };
    ExitCode::from(status.code())
}
