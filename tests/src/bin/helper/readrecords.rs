//! Reads a dataset of `appendrecords` again and again, until it has a number of records: `readrecords PATH COUNT`.
//!
//! Prints three numbers: whole states, new states, and reads with the error `Changed`.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use netcdf_tools_tests::growing::{ReadCounts, read_until};

pub(crate) fn main(args: &[OsString]) -> ExitCode {
    let [path, count] = args else {
        return ExitCode::from(2);
    };
    let count = count.to_str().and_then(|text| text.parse().ok());
    match read_until(Path::new(path), count.unwrap_or(0)) {
        Ok(ReadCounts {
            whole,
            states,
            changed,
        }) => {
            let _ = writeln!(std::io::stdout(), "{whole} {states} {changed}");
            ExitCode::SUCCESS
        }
        Err(e) => {
            let _ = writeln!(std::io::stderr(), "{e}");
            ExitCode::FAILURE
        }
    }
}
