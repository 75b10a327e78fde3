//! Prints a sum of the bytes of every dataset of an HDF5 file, for comparison with libhdf5.
#![forbid(unsafe_code)]

use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use netcdf_tools_tests::sums;

fn main() -> ExitCode {
    let Some(path) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("usage: h5sums FILE");
        return ExitCode::from(2);
    };
    let mut out = BufWriter::new(std::io::stdout().lock());
    let done = sums::list(&path, &mut out).and_then(|()| out.flush());
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("h5sums: {e}");
            ExitCode::FAILURE
        }
    }
}
