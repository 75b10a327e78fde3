//! Writes files with the HDF5 writer into a directory, for other programs to read.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use netcdf_tools_tests::written;

/// Writes all files into the directory that the first argument names.
pub(crate) fn main(args: &[OsString]) -> ExitCode {
    let [folder] = args else {
        eprintln!("usage: helper h5written DIRECTORY");
        return ExitCode::from(2);
    };
    match written::all(Path::new(folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("h5written: {e}");
            ExitCode::FAILURE
        }
    }
}
