//! Reports failures without output.

use netcdf_core::env::Env;
use netcdf_core::error::ErrorKind;
use netcdf_core::tool::{self, Io, Status};
use netcdf_grammar::cdl::CdlError;
use netcdf_grammar::diagnostic::Diagnostics;

/// Prints mistakes, each after the name of the tool. Source lines are indented.
pub(crate) fn print(mistakes: &Diagnostics, io: &mut Io) {
    for line in mistakes.to_string().lines() {
        let name = if line.starts_with(' ') { "" } else { "ncgen: " };
        // If standard error is closed, the message is lost.
        let _ = writeln!(io.stderr, "{name}{line}");
    }
}

/// Prints the errors in the text on standard error. Returns the status of the run.
///
/// # Errors
/// Returns a failure that is not printed yet.
pub(crate) fn status(failure: CdlError, env: &Env, io: &mut Io) -> anyhow::Result<Status> {
    match failure {
        CdlError::Other(e) if e.kind() == ErrorKind::Cancelled => {
            Ok(tool::cancelled(&env.cancel).unwrap_or(Status::Failure))
        }
        CdlError::Other(e) => Err(e.into()),
        CdlError::Text(errors) => {
            let count = errors.list.len();
            let errors_word = if count == 1 { "error" } else { "errors" };
            print(&errors, io);
            // If standard error is closed, the message is lost.
            let _ = writeln!(io.stderr, "ncgen: {count} {errors_word}");
            Ok(Status::Failure)
        }
    }
}
