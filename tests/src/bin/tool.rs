//! One of the tools as an executable, for tests of signals: `tool NAME ARGUMENT…`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use netcdf_core::tool::Io;

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args_os().skip(1).collect();
    let run = match args.first().and_then(|name| name.to_str()) {
        Some("nccopy") => nccopy::run,
        Some("ncdump") => ncdump::run,
        Some("ncgen") => ncgen::run,
        Some(_) | None => {
            eprintln!("usage: tool nccopy|ncdump|ncgen ARGUMENT…");
            return ExitCode::from(2);
        }
    };
    ExitCode::from(run(args, &mut Io::process()).code())
}
