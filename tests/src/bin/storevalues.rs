//! Prints the whole content of a dataset as JSON, for comparison with other software.
#![forbid(unsafe_code)]

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use netcdf_core::io::locator;
use netcdf_tools_tests::values;

fn main() -> ExitCode {
    let Some(path) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("usage: storevalues DATASET");
        return ExitCode::from(2);
    };
    let container = locator::input(&locator::Location::of_path(&path), &mut std::io::empty());
    match container.and_then(values::json) {
        Ok(json) => match std::io::stdout().lock().write_all(json.as_bytes()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        },
        Err(e) => {
            eprintln!("storevalues: {e}");
            ExitCode::FAILURE
        }
    }
}
