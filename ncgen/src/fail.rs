//! Why nothing is made, and how it is reported.

use netcdf_core::env::Env;
use netcdf_core::error::{Error, ErrorKind};
use netcdf_core::tool::{self, Io, Status};
use netcdf_grammar::cdl::ReadError;
use netcdf_grammar::diagnostic::Diagnostics;

/// Why nothing is made.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Reading or writing failed, or the request is wrong.
    Error(Error),
    /// The text is wrong.
    Text(Diagnostics),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl From<Diagnostics> for Failure {
    fn from(errors: Diagnostics) -> Self {
        Self::Text(errors)
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Source(error) => Self::Error(error),
            ReadError::Text(errors) => Self::Text(errors),
        }
    }
}

/// Prints what is wrong with the text on standard error; returns the status of the run.
///
/// # Errors
/// The failure, if it is still to be printed.
pub(crate) fn status(failure: Failure, env: &Env, io: &mut Io) -> anyhow::Result<Status> {
    match failure {
        Failure::Error(e) if e.kind() == ErrorKind::Cancelled => {
            Ok(tool::cancelled(&env.cancel).unwrap_or(Status::Failure))
        }
        Failure::Error(e) => Err(e.into()),
        Failure::Text(errors) => {
            let count = errors.list.len();
            let errors_word = if count == 1 { "error" } else { "errors" };
            // If standard error is closed, there is nobody left to tell.
            let _ = writeln!(io.stderr, "{errors}\nncgen: {count} {errors_word}");
            Ok(Status::Failure)
        }
    }
}
