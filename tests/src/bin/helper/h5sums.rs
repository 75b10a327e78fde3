//! Prints a sum of the bytes of every dataset of an HDF5 file, for comparison with libhdf5.

use std::ffi::OsString;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use netcdf_tools_tests::sums;

/// Prints the sums of the file that the first argument names.
pub(crate) fn main(args: &[OsString]) -> ExitCode {
    let [path] = args else {
        eprintln!("usage: helper h5sums FILE");
        return ExitCode::from(2);
    };
    let mut out = BufWriter::new(std::io::stdout().lock());
    let done = sums::list(Path::new(path), &mut out).and_then(|()| out.flush());
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("h5sums: {e}");
            ExitCode::FAILURE
        }
    }
}
