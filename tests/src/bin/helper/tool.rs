//! One of the tools as an executable, for tests of signals and of variables: `helper tool NAME ARGUMENT…`.

use std::ffi::OsString;
use std::process::ExitCode;

/// Runs the tool that the first argument names, as the executable of the packages does.
pub(crate) fn main(args: Vec<OsString>) -> ExitCode {
    netcdf_core::tool::main(netcdf_tools::name(&args), |io| netcdf_tools::run(args, io))
}
