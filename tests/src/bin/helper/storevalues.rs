//! Prints the whole content of a dataset as JSON, for comparison with other software.

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use netcdf_core::io::locator;
use netcdf_tools_tests::values;

/// Prints the content of the dataset that the first argument names.
pub(crate) fn main(args: &[OsString]) -> ExitCode {
    let [path] = args else {
        eprintln!("usage: helper storevalues DATASET");
        return ExitCode::from(2);
    };
    let location = locator::Location::of_path(Path::new(path));
    let container = locator::input(&location, &mut std::io::empty());
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
