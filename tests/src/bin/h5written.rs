//! Writes files of the HDF5 writer into a folder, for other programs to read.
#![forbid(unsafe_code)]

use std::path::PathBuf;
use std::process::ExitCode;

use netcdf_tools_tests::written;

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("usage: h5written FOLDER");
        return ExitCode::from(2);
    };
    match written::all(&folder) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("h5written: {e}");
            ExitCode::FAILURE
        }
    }
}
